// tensor_calls.cpp -- functions of arrays on the host, called with another library's tensors.
#include <utility>
#include "bindings/protocols/dlpack.h"
#include "bindings/protocols/interfaces.h"
#include "bindings/types/ndarray.h"
#include "cuarray/runtime/devices.h"
#include "cuarray/runtime/registry.h"

namespace cuarray::python {
namespace {

/// A tuple of tensors, or of tuples of them, with read-only arrays over their memory in their places; null where
/// DLPack's C functions do not give one, or give memory of a GPU.
Object with_arrays(PyObject* tensors) {
    const Py_ssize_t count = PyTuple_GET_SIZE(tensors);
    Object arrays = Object::steal(PyTuple_New(count));
    for (Py_ssize_t k = 0; k < count; ++k) {
        PyObject* const part = PyTuple_GET_ITEM(tensors, k);
        Object made;
        if (PyTuple_CheckExact(part)) {
            made = with_arrays(part);
        } else if (const Exchange* const exchange = exchange_of(Py_TYPE(part))) {
            Array array = import_by_exchange(*exchange, part, true);
            if (!array.defined() || !is_on_host(array.device())) return {};
            array.set_read_only();
            made = Object::steal(wrap(std::move(array)));
        }
        if (!made) return {};
        PyTuple_SET_ITEM(arrays.get(), k, made.release());
    }
    return arrays;
}

/// Whether an array has the shape and the dtype of the only array of a tuple.
bool fits_only(const Array& array, PyObject* tuple) {
    if (!PyTuple_CheckExact(tuple) || PyTuple_GET_SIZE(tuple) != 1 || !is_ndarray(PyTuple_GET_ITEM(tuple, 0)))
        return false;
    const Array& only = array_of(PyTuple_GET_ITEM(tuple, 0));
    return array.dtype() == only.dtype() && array.shape() == only.shape();
}

}  // namespace

PyObject* called_on_tensors(PyObject*, Arguments args, Py_ssize_t count) {
    return guarded([&]() -> PyObject* {
        if (count != 4 || !PyTuple_CheckExact(args[1]))
            fail(PyExc_TypeError, "called_on_tensors: expected a function, a tuple of tensors, their class and a bool");
        const Object arrays = with_arrays(args[1]);
        if (!arrays) return Py_NewRef(Py_None);
        const DeviceScope on_host{Device{}};
        const Object result = Object::steal(PyObject_Call(args[0], arrays.get(), nullptr));
        Object tensor;
        const bool is_gradient = args[3] == Py_True;
        if (Py_TYPE(result.get()) == ndarray_type && is_on_host(device_of(result.get())) &&
            (!is_gradient || fits_only(array_of(result.get()), PyTuple_GET_ITEM(arrays.get(), 0))))
            tensor = Object::steal(as_exchanged_method(result.get(), args[2]));
        if (tensor && tensor.get() != Py_None) return PyTuple_Pack(1, tensor.get());
        return PyTuple_Pack(2, result.get(), arrays.get());
    });
}

}  // namespace cuarray::python
