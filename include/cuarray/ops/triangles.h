// triangles.h -- the triangles of matrices.
#pragma once
#include "cuarray/array/array.h"

namespace cuarray {

/// A copy with zeros above (tril) or below (triu) the k-th diagonal of the last two axes. One axis is each row of a
/// square matrix.
CUARRAY_API Array tril(const Array& m, int64_t k = 0);
CUARRAY_API Array triu(const Array& m, int64_t k = 0);

}  // namespace cuarray
