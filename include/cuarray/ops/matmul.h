// matmul.h -- matrix products of stacks, and cross-correlation.
#pragma once
#include "cuarray/array/array.h"

namespace cuarray {

/// As numpy.matmul: result[..., i, j] = sum over k of left[..., i, k] * right[..., k, j], in `dtype` or the promoted
/// one; a 1-d argument is a row (left) or a column (right), whose axis is removed from the result. ValueError if the
/// shapes do not match.
CUARRAY_API Array matmul(const Array& left, const Array& right, DType dtype = DType::none);

/// result[i] = sum over k of signal[i - before + k] * weights[k], over the k for which that index is in bounds.
/// Both are 1-d and of one dtype.
CUARRAY_API Array correlate(const Array& signal, const Array& weights, int64_t before, int64_t count, const char* name);

}  // namespace cuarray
