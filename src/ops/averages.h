// averages.h -- means and variances that take more than one reduction.
#pragma once
#include "ops/reduced_axes.h"

namespace cuarray {

/// The mean in dtype T of the elements that where= selects, or of bools in float64: a sum or a count, divided by a
/// count.
Array mean_of_counted(const Array& array, const ReduceOptions& options, DType T, const ReducedAxes& axes,
                      const char* name);

}  // namespace cuarray
