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

/// Whether an argument is of a class that NumPy asks, such as a column of a table, whose results have that class.
bool has_other_class(Arguments args, Py_ssize_t count, PyObject* keywords) noexcept;

/// The result of fallback.for_others(*args, **keywords) where an argument is of such a class. Null, without an
/// error, where there is no fallback or no such argument, for_others is None, or it returns NotImplemented.
PyObject* call_for_others(PyObject* fallback, Arguments args, Py_ssize_t count, PyObject* keywords) noexcept;

/// Whether that is a list or tuple whose first item is a text, also where this stands in further lists.
bool begins_with_text(PyObject* x) noexcept;

/// The result of fallback.for_numpys_types(*args, **keywords) where the first argument is a list of texts, or a dtype
/// one that only NumPy has: the call would fail, and take longer to say why than NumPy to make the array. Else as
/// above.
PyObject* call_for_numpys_types(PyObject* fallback, Arguments args, Py_ssize_t count, PyObject* keywords) noexcept;

/// The function that operators of arrays ask, by fallback(name of the ufunc, a, b), and assignments, by
/// fallback("setitem", array, (key, value)); null if there is none.
PyObject* operator_fallback();

}  // namespace cuarray::python
