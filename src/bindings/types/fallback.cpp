// fallback.cpp -- asking a fallback, and the one of operators.
#include "bindings/types/fallback.h"
#include "bindings/module.h"

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
