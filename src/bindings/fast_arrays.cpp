// fast_arrays.cpp -- fast paths of tobytes and of NumPy's dispatch.
#include "bindings/fast_paths.h"

namespace cuarray::python {
namespace {

/// The method tobytes: self, order.
PyObject* bytes_of(Given given, int) {
    const Array* const array = read_array(given[0]);
    if (!array || given[1] || !array->is_c_contiguous()) return nullptr;
    const char* const data = direct_data(*array);
    return data ? PyBytes_FromStringAndSize(data, Py_ssize_t(array->nbytes())) : nullptr;
}

/// The method __array_function__: self, function, types, args, kwargs. A function of NumPy that has been called before,
/// with arrays of ours alone.
PyObject* dispatched(Given given, int) {
    static Attribute counterparts{"cuarray._ndarray.protocols", "counterparts"};  // a dict that Python fills
    PyObject* const types = given[2];
    if (!given[4] || !PyTuple_CheckExact(given[3]) || !PyDict_CheckExact(given[4]) || !is_ndarray(given[0]))
        return nullptr;
    if (!PyTuple_CheckExact(types) || PyTuple_GET_SIZE(types) != 1) return nullptr;
    if (!is_array_type(reinterpret_cast<PyTypeObject*>(PyTuple_GET_ITEM(types, 0)))) return nullptr;
    PyObject* const found = PyDict_GetItemWithError(counterparts.get(), given[1]);
    if (!found) {
        PyErr_Clear();
        return nullptr;
    }
    if (!(device_of(given[0]) == current_device())) return nullptr;
    const Object ours = Object::share(found);
    return PyObject_Call(ours.get(), given[3], given[4]);
}

constexpr FastFunction kArrayPaths[] = {
    {"tobytes", bytes_of},
    {"array_function", dispatched},
};

}  // namespace

std::span<const FastFunction> array_paths() { return kArrayPaths; }

}  // namespace cuarray::python
