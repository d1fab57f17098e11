// fallback.h -- calls that ended in an error about types, given to a Python function that may know another way.
//
// Only cuarray.numpy sets fallbacks: NumPy computes there what needs types that are its own. Where there is none, a
// call costs nothing more.
#pragma once
#include "bindings/python.h"

namespace cuarray::python {

/// The result of fallback(*args, **keywords) after a call of the same arguments has failed with TypeError,
/// NotImplementedError or OverflowError. That error stays, and null is returned, where there is no fallback, the error
/// is another one, or the fallback returns NotImplemented.
PyObject* call_fallback(PyObject* fallback, Arguments args, Py_ssize_t count, PyObject* keywords) noexcept;

/// The function that operators of arrays ask, by fallback(name of the ufunc, a, b), and assignments, by
/// fallback("setitem", array, (key, value)); null if there is none.
PyObject* operator_fallback();

}  // namespace cuarray::python
