// object_comparison.h -- x == y and x != y where y holds texts, dates or other objects of Python: NumPy compares them.
#pragma once
#include "bindings/python.h"

namespace cuarray::python {

/// `a == b`, or `a != b`, of which one is an array of ours and the other holds no numbers of ours, after our own
/// comparison gave `answer`: NotImplemented, or null with an exception set. Computed by NumPy, on the host; `answer`
/// where the other is to be asked, or holds numbers. Takes the reference, gives a new one.
PyObject* compare_objects(PyObject* a, PyObject* b, bool equal, PyObject* answer) noexcept;

}  // namespace cuarray::python
