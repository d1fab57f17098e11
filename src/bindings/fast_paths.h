// fast_paths.h -- the common calls of public functions, answered before any Python code runs.
//
// The Python function is the description and the general way: its signature, docstring and every check and error. A
// fast path answers a call of plain arguments, or declines; then the Python function runs, as if there were none.
#pragma once
#include <initializer_list>
#include <span>
#include "bindings/ndarray.h"

namespace cuarray::python {

/// The arguments of a call by the parameters' positions; null where the default holds. A *parameter that is the first
/// has seven positions; another one has none.
using Given = PyObject* const*;
/// The result, or null to decline. Raises nothing but errors of allocations: Python judges the arguments. `which` tells
/// apart the functions that share a path.
using FastPath = PyObject* (*)(Given given, int which);

/// A public function with a fast path.
struct FastFunction {
    const char* name;
    FastPath path;
    int which = 0;
};

std::span<const FastFunction> array_paths();

/// A new array or value from work(), which runs without the GIL where it is long.
template <class Work>
PyObject* made(Device device, int64_t elements, Work&& work) {
    return wrap_result(without_gil(is_long(device, elements), std::forward<Work>(work)));
}

bool are_absent(Given given, std::initializer_list<int> parameters);
/// Reads an int of at most 60 bits; a float, a float64 element, or an int that is a float; a non-negative int, or a
/// tuple of them, as the shape of a few elements; and a dtype, where null leaves the default. False for anything else.
bool read_float(PyObject* object, double& number);
bool read_int(PyObject* object, int64_t& value);
bool read_shape(PyObject* object, Dims& shape);
bool read_dtype(PyObject* object, DType& dtype);
/// Whether the host may write new arrays of the current device at once.
bool is_direct(Device device);
/// A new array of lists and tuples of Python floats, ints and float64 and int64 elements, or of Python bools alone, as
/// asarray makes it; an empty handle for others.
Array read_numbers(PyObject* object);
/// The array of an ndarray that is not pending, or null.
const Array* read_array(PyObject* object);

}  // namespace cuarray::python
