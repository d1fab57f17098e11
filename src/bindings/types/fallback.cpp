// fallback.cpp -- asking a fallback, and the one of operators.
#include "bindings/types/fallback.h"
#include <algorithm>
#include "bindings/functions/convert.h"
#include "bindings/module.h"
#include "bindings/protocols/other_arrays.h"
#include "bindings/types/ndarray.h"

namespace cuarray::python {
namespace {

PyObject* the_operator_fallback = nullptr;

}  // namespace

PyObject* call_fallback(PyObject* fallback, Arguments args, Py_ssize_t count, PyObject* keywords) noexcept {
    if (!fallback || !(PyErr_ExceptionMatches(PyExc_TypeError) || PyErr_ExceptionMatches(PyExc_NotImplementedError) ||
                       PyErr_ExceptionMatches(PyExc_OverflowError)))
        return nullptr;
    SavedException raised;
    PyObject* const result = PyObject_Vectorcall(fallback, args, size_t(count), keywords);
    if (result == Py_NotImplemented) {
        Py_DECREF(result);
        return nullptr;  // `raised` is set again
    }
    raised.drop();
    return result;
}

namespace {

/// Whether NumPy asks the class: one that is not of C, ours or a subclass of NumPy's, and has one of its protocols.
bool is_of_other_class(PyObject* x) noexcept {
    PyTypeObject* const type = Py_TYPE(x);
    return PyType_HasFeature(type, Py_TPFLAGS_HEAPTYPE) && !is_ndarray(x) && !is_numpy_array(x) &&
           (has_attribute(type, "__array__") || has_attribute(type, "__array_ufunc__") ||
            has_attribute(type, "__array_function__"));
}

}  // namespace

bool has_other_class(Arguments args, Py_ssize_t count, PyObject* keywords) noexcept {
    return std::any_of(args, args + count + (keywords ? PyTuple_Size(keywords) : 0), is_of_other_class);
}

PyObject* call_for_others(PyObject* fallback, Arguments args, Py_ssize_t count, PyObject* keywords) noexcept {
    if (!fallback || !has_other_class(args, count, keywords)) return nullptr;
    const Object call = Object::steal_or_null(PyObject_GetAttrString(fallback, "for_others"));
    if (call && call.get() == Py_None) return nullptr;
    PyObject* const result = call ? PyObject_Vectorcall(call.get(), args, size_t(count), keywords) : nullptr;
    if (result != Py_NotImplemented) return result;
    Py_DECREF(result);
    return nullptr;
}

PyObject* operator_fallback() { return the_operator_fallback; }

static void set_operator_fallback(PyObject* fallback) {
    Py_XSETREF(the_operator_fallback, fallback == Py_None ? nullptr : Py_NewRef(fallback));
}

static PyMethodDef fallback_functions[] = {
    private_method<set_operator_fallback>(
        "set_operator_fallback",
        "Sets the function (name, a, b) that operators and assignments ask where they know no answer, or None."),
    {},
};

void bind_fallback(PyObject* module) { check(PyModule_AddFunctions(module, fallback_functions)); }

}  // namespace cuarray::python
