// function.h -- the objects that the rows of functions.def are in Python.
#pragma once
#include <span>
#include "bindings/python.h"

namespace cuarray::python {

/// Puts the name of a function of functions.def before the message of the exception that is set, in the place of what
/// it is made of, unless the program has called another one.
void name_function_of_error(const char* function) noexcept;

struct FunctionCall;

/// A function that reads Python's objects itself; a Python function of its name has the signature and the docstring.
struct ObjectFunction {
    const char* name;
    PyObject* (*run)(const FunctionCall& call);
    bool is_bound = false;  ///< as a method, where a class has it: as NumPy's
};
std::span<const ObjectFunction> array_functions();
std::span<const ObjectFunction> dtype_functions();

}  // namespace cuarray::python
