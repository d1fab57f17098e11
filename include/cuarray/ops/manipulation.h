// manipulation.h -- concatenate, and the triangles of matrices.
#pragma once
#include <span>
#include "cuarray/array/array.h"

namespace cuarray {

/// Arrays joined along an existing axis, in their common dtype (or `dtype`), into `out` if given.
CUARRAY_API Array concatenate(std::span<const Array> arrays, int64_t axis, Array* out, DType dtype, Casting casting);

/// A copy with zeros above (upper = false) or below (upper = true) the k-th diagonal of the last two axes.
CUARRAY_API Array triangle(const Array& array, int64_t k, bool upper);

}  // namespace cuarray
