// matmul.h -- products of matrices and of stacks of them: dtype, broadcasting, then one task or one fold.
#pragma once
#include "cuarray/array/array.h"

namespace cuarray {

/// As numpy.matmul: result[..., i, j] = sum over k of left[..., i, k] * right[..., k, j], in `dtype` or the promoted
/// one; an argument of one axis is a row, or a column, whose axis the result does not have. ValueError where shapes do
/// not go together.
CUARRAY_API Array matmul(const Array& left, const Array& right, DType dtype = DType::none);

}  // namespace cuarray
