// manipulation.h -- the triangles of matrices.
#pragma once
#include "cuarray/array/array.h"

namespace cuarray {

/// A copy with zeros above (upper = false) or below (upper = true) the k-th diagonal of the last two axes.
CUARRAY_API Array triangle(const Array& array, int64_t k, bool upper);

}  // namespace cuarray
