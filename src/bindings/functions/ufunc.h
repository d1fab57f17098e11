// ufunc.h -- cuarray.ufunc, a CPython type written by hand: one callable object per row of ufuncs.def.
#pragma once
#include <string>
#include "bindings/functions/convert.h"

namespace cuarray::python {

/// Makes the type and, in `module.ufuncs`, a dict of all rows by name; called once, at import.
void make_ufuncs(PyObject* module);

/// The same function by another name, which its errors name too.
Object make_alias(PyObject* ufunc, const char* name);

/// The same function, which asks a fallback after errors about types; its methods ask the fallback's attributes.
Object make_ufunc_with_fallback(PyObject* ufunc, PyObject* fallback);

/// A ufunc over vectors or matrices with the signature of its core dimensions, products of numbers, that calls a
/// function of functions.def. Both texts live as long as the process.
Object make_generalized(PyObject* function, const char* name, const char* core);

/// The dtypes of a loop, from a string such as "ff->f" or a tuple of so many inputs and outputs.
LoopSignature read_signature(PyObject* object, int nin, int nout, const char* function);

/// The row of a ufunc object, or kNone; that, too, for a generalized ufunc.
RowId row_of(PyObject* object);

/// Methods of ufunc objects: accumulate, and those that are written in Python.
PyObject* accumulate_method(PyObject* self, Arguments args, Py_ssize_t count, PyObject* keywords);
PyObject* reduceat_method(PyObject* self, Arguments args, Py_ssize_t count, PyObject* keywords);
PyObject* at_method(PyObject* self, Arguments args, Py_ssize_t count, PyObject* keywords);

/// Calls a row, without the GIL where the work is long.
UfuncResult call_unlocked(RowId row, std::span<const Argument> args, const UfuncOptions& options, Device device);
/// Whether 0-d results are values: all but those of `where`, which is no ufunc in NumPy and gives arrays.
inline bool gives_values(const Row& row) { return &row != &rows()[row::where]; }
/// New objects for the results of a row: one, or a tuple.
PyObject* wrap_results(RowId row, UfuncResult& result);
/// Calls a row on numbers without memory, Python's and NumPy's; null, with nothing done, if there are other objects
/// among them or the row must be called on arrays.
PyObject* call_on_numbers(RowId row, PyObject* const* objects, int count);
/// Calls a row on `count` objects that all are ndarrays, without keywords: the way that most calls go. Bit i of `dying`
/// is set for operands that die with the call.
PyObject* call_on_arrays(RowId row, PyObject* const* objects, int count, unsigned dying = 0);

/// The dtypes of the loop that a row chooses for operands given as dtypes or as int, float or complex (Python's
/// numbers), or None for outputs: inputs, then outputs. TypeError where there is none, or where a cast is not allowed.
Object resolve_dtypes(RowId row, PyObject* given, const LoopSignature& signature, Casting casting, bool is_reduction);
/// An argument of resolve_dtypes and result_type: a dtype, a number type, an array or a scalar.
ArgType to_arg_type(PyObject* object);

}  // namespace cuarray::python
