// value_text.h -- str, repr and format of values on the cpu device.
#pragma once
#include "bindings/python.h"

namespace cuarray::python {

PyObject* str_of_value(PyObject* self) noexcept;
PyObject* repr_of_value(PyObject* self) noexcept;
PyObject* format_of_value(PyObject* self, PyObject* spec) noexcept;

}  // namespace cuarray::python
