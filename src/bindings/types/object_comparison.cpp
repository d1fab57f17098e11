// object_comparison.cpp -- comparisons of elements with Python's objects.
#include "bindings/types/object_comparison.h"
#include "bindings/protocols/other_arrays.h"
#include "bindings/types/ndarray.h"
#include "cuarray/runtime/registry.h"

namespace cuarray::python {
namespace {

/// What NumPy makes of the other operand: null for numbers and other libraries' arrays, which are ours to refuse.
Object array_of_objects(PyObject* other) {
    if (class_of(other) > ArrayClass::Data) return {};
    static Attribute asarray{"numpy", "asarray"};
    Object array = call_with(asarray.get(), other);
    return is_native_numpy(in_native_order(array.get()).get()) ? Object() : array;
}

/// The result of NumPy's on the device of `x`.
PyObject* compare_on_host(PyObject* x, PyObject* other, int operation) {
    const Array& array = array_of(x);
    const bool is_here = is_on_host(array.device());
    const Object elements = is_here ? view_as_numpy(array, x) : copy_to_numpy(array);
    const Object equal = Object::steal(PyObject_RichCompare(elements.get(), other, operation));
    if (!is_numpy_array(equal.get()) && !is_numpy_scalar(equal.get())) return Object(equal).release();
    static Attribute asarray{"numpy", "asarray"};
    const Array result = import_numpy(call_with(asarray.get(), equal.get()).get());
    return wrap_result(is_here ? copy(result) : to_device(result, array.device()));
}

}  // namespace

PyObject* compare_objects(PyObject* a, PyObject* b, bool equal, PyObject* answer) noexcept {
    PyObject* const x = is_ndarray(a) ? a : b;
    PyObject* const other = is_ndarray(a) ? b : a;
    const int operation = equal ? Py_EQ : Py_NE;
    if (answer)
        return guarded([&] {
            const Object given = Object::steal(answer);
            // Python asks the other one, and then whether both are the same object: right for values, as for numbers.
            if (as_ndarray(x)->is_value || goes_first(other)) return Object(given).release();
            return compare_on_host(x, other, operation);
        });
    if (!PyErr_ExceptionMatches(PyExc_TypeError)) return nullptr;
    SavedException raised;
    const Object objects = Object::steal_or_null(guarded([&] { return array_of_objects(other).release(); }));
    if (PyErr_Occurred()) {
        // Interruptions and the like are not about the comparison.
        const bool is_error = PyErr_ExceptionMatches(PyExc_Exception) && !PyErr_ExceptionMatches(PyExc_MemoryError);
        is_error ? PyErr_Clear() : raised.drop();
        return nullptr;
    }
    if (!objects) return nullptr;  // `raised` is set again
    raised.drop();
    return guarded([&] { return compare_on_host(x, objects.get(), operation); });
}

}  // namespace cuarray::python
