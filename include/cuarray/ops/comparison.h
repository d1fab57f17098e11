// comparison.h -- whether elements are equal within tolerances.
#pragma once
#include "cuarray/array/array.h"
#include "cuarray/ops/arguments.h"
#include "cuarray/ops/ufunc.h"

namespace cuarray {

/// Whether abs(a - b) <= atol + rtol * abs(b) for each pair of elements; infinities of one sign are close, NaNs with
/// `equal_nan`. A number takes the dtype of the array beside it.
CUARRAY_API Array isclose(const Argument& a, const Argument& b, const Argument& rtol = 1e-5,
                          const Argument& atol = 1e-8, bool equal_nan = false);
/// Whether all pairs are.
CUARRAY_API bool allclose(const Argument& a, const Argument& b, const Argument& rtol = 1e-5,
                          const Argument& atol = 1e-8, bool equal_nan = false);

}  // namespace cuarray
