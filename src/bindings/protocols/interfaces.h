// interfaces.h -- handing an array's memory to other libraries.
#pragma once
#include <optional>
#include "array/foreign_memory.h"
#include "bindings/python.h"
#include "cuarray/array/array.h"

namespace cuarray::python {

/// The address of element 0 for a program that does not say when it is done with it: the memory stays exported.
char* export_address(const Array& array);

/// The error of this thread's last buffer request, if it was for this array; given once.
std::optional<Error> take_buffer_error(const Array& array);

PyObject* dlpack_method(PyObject* self, Arguments args, Py_ssize_t count, PyObject* keywords);
PyObject* dlpack_device_method(PyObject* self, PyObject*);
/// The array as an object of the class `type`, over the same memory, but for read-only arrays and strides that the
/// class cannot take: those are copied. None where the class has no table of C functions.
PyObject* as_exchanged_method(PyObject* self, PyObject* type);

/// A function that calls one of PyTorch's with tensors in the place of arrays. In the class as it is, since PyTorch
/// looks for it several times a call, each of which would bind a method: 50 ns.
PyObject* torch_function();

/// Arrow's C data interface and C device data interface: a pair of capsules.
PyObject* arrow_array_method(PyObject* self, Arguments args, Py_ssize_t count, PyObject* keywords);
PyObject* arrow_device_array_method(PyObject* self, Arguments args, Py_ssize_t count, PyObject* keywords);

}  // namespace cuarray::python
