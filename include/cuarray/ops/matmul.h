// matmul.h -- matrix products of stacks, and cross-correlation.
#pragma once
#include "cuarray/array/array.h"

namespace cuarray {

/// As numpy.matmul: result[..., i, j] = sum over k of left[..., i, k] * right[..., k, j], in `dtype` or the promoted
/// one; an argument of one axis is a row, or a column, whose axis the result does not have. ValueError where shapes do
/// not go together.
CUARRAY_API Array matmul(const Array& left, const Array& right, DType dtype = DType::none);

/// result[i] = sum over k of line[i - before + k] * taps[k], over the taps that lie on the line; both have one axis and one
/// dtype.
CUARRAY_API Array correlate(const Array& signal, const Array& weights, int64_t before, int64_t count, const char* name);

}  // namespace cuarray
