// plain_values.h -- the common objects that a call gives, read without an error: false or null leaves them to the
// careful reading.
#pragma once
#include "bindings/types/ndarray.h"

namespace cuarray::python {

/// Reads an int of at most 60 bits; a float, a float64 element, or an int that is a float; a non-negative int, or a
/// tuple of them, as the shape of a few elements; and a dtype, where null leaves the default. False for anything else.
bool read_float(PyObject* object, double& number);
bool read_int(PyObject* object, int64_t& value);
bool read_shape(PyObject* object, Dims& shape);
bool read_dtype(PyObject* object, DType& dtype);
/// Whether the host may write new arrays of the current device at once.
bool is_direct(Device device);
/// A new array of lists and tuples of Python's numbers and elements, as asarray makes it, of their common type by
/// default; an empty handle for others, and for conversions that may raise or warn.
Array read_numbers(PyObject* object, DType dtype = DType::none);
/// The same of one number.
Array read_number(PyObject* object, DType dtype);

}  // namespace cuarray::python
