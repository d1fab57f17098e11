// random_source.h -- the type that generators derive from, and the fast paths of their methods.
#pragma once
#include "bindings/fast_paths.h"

namespace cuarray::python {

/// Of methods: "Generator.normal".
std::span<const FastFunction> random_paths();
/// Makes the type.
void make_random_source_type(PyObject* module);

}  // namespace cuarray::python
