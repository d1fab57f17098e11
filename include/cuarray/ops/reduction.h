// reduction.h -- reduces axes with a row of reductions.def: dtype rule, axes, where=, initial=, out=, then one task.
#pragma once
#include <utility>
#include "cuarray/ops/ufunc.h"

namespace cuarray {

/// Applies a row of reductions.def. A pending argument is fused into the reduction. Rows that give an index take one
/// axis or none. Raises NumPy's errors.
CUARRAY_API Array reduce(ReductionId row, const Array& array, const ReduceOptions& options);

/// The same over all axes of a few elements, without a task; false, with nothing done, where it must be one or an
/// error.
CUARRAY_API bool reduce_few(ReductionId row, const Array& array, Scalar& result);

/// The same along an axis of several; an empty handle where it must be a task.
CUARRAY_API Array reduce_few(ReductionId row, const Array& array, int axis);

/// The sums of array * weights and the sums of weights, which broadcast to the array's shape, both in options.dtype. A
/// device may compute both in one pass.
CUARRAY_API std::pair<Array, Array> weighted_sums(const Array& array, const Array& weights,
                                                  const ReduceOptions& options);

/// The sums of x * y over options.axes, in options.dtype; x and y, which are not pending, broadcast against each other.
CUARRAY_API Array sums_of_products(const Array& x, const Array& y, const ReduceOptions& options);

/// Variance: sum(|x - m|**2) with divisor n - correction, where m is the mean. A float32 m is the rounded float64 mean;
/// the excess due to the rounding is subtracted, so that a mean far from zero costs no accuracy. No such correction is
/// made for a given mean.
CUARRAY_API Array variance(const Array& array, const ReduceOptions& options, double correction, bool root,
                           const Array* mean = nullptr);

/// The dtype that the row computes in for elements of `dtype` (sum of int32: int64; mean of integers: float64).
CUARRAY_API DType reduction_dtype(ReductionId row, DType dtype);

}  // namespace cuarray
