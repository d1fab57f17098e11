// manipulation.h -- joining arrays and the index-free matrix shapes: what needs a loop over memory of its own.
#pragma once
#include <span>
#include "cuarray/array/array.h"

namespace cuarray {

/// Arrays joined along an existing axis, in their common dtype (or `dtype`), into `out` where given.
CUARRAY_API Array concatenate(std::span<const Array> arrays, int64_t axis, Array* out, DType dtype, Casting casting);

/// Zeroes what lies above (upper = false) or below (upper = true) the k-th diagonal of the last two axes.
CUARRAY_API Array triangle(const Array& array, int64_t k, bool upper);

}  // namespace cuarray
