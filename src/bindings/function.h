// function.h -- the objects that the rows of functions.def are in Python.
#pragma once
#include "bindings/python.h"

namespace cuarray::python {

/// Puts the name of a function of functions.def before the message of the exception that is set, in the place of what
/// it is made of, unless the program has called another one.
void name_function_of_error(const char* function) noexcept;

}  // namespace cuarray::python
