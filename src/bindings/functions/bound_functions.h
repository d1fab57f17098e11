// bound_functions.h -- the C++ functions of the namespaces, each with what its type makes of it: how its arguments are
// read, whether it runs without the GIL, and what its result becomes.
#pragma once
#include <span>
#include "bindings/functions/readers.h"

namespace cuarray::python {

constexpr int kMostParameters = 12;

/// What the type of the C++ function makes of its row.
struct BoundFunction {
    PyObject* (*run)(const FunctionCall& call);
    int parameters;
    bool are_arrays[kMostParameters];
};

/// By the rows of functions.def.
std::span<const BoundFunction> bound_functions();

struct LinalgFunction {
    const char* name;
    BoundFunction bound;
};
/// The functions of cuarray.linalg, of which Python words the descriptions.
std::span<const LinalgFunction> linalg_functions();

}  // namespace cuarray::python
