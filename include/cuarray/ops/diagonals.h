// diagonals.h -- diagonals of matrices, matrices of diagonals, and the sums along them.
#pragma once
#include "cuarray/array/array.h"
#include "cuarray/ops/arguments.h"

namespace cuarray {

/// A read-only view of the diagonals of the matrices along two axes: the last axis, after the others of `a`. Offsets
/// are counted from the main diagonal, positive ones to the right.
CUARRAY_API Array diagonal(const Array& a, int64_t offset = 0, int64_t axis1 = 0, int64_t axis2 = 1);
/// The same view, which may be written to where `a` may; the axes are different and not negative.
CUARRAY_API Array view_of_diagonal(const Array& a, int64_t offset, int axis1, int axis2);
/// The sums along these diagonals, in `dtype` or as of reduction::sum; into `out` if given. A number where the caller
/// may compute it.
CUARRAY_API ArrayOrNumber trace(const Array& a, int64_t offset = 0, int64_t axis1 = 0, int64_t axis2 = 1,
                                DType dtype = DType::none, Array* out = nullptr);

/// The k-th diagonal of a matrix, a read-only view; or a new matrix with that diagonal, and zeros elsewhere.
CUARRAY_API Array diag(const Array& v, int64_t k = 0);
/// A new matrix whose k-th diagonal holds all elements in C order.
CUARRAY_API Array diagflat(const Array& v, int64_t k = 0);

}  // namespace cuarray
