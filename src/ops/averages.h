// averages.h -- means and variances: what is more than one fold.
#pragma once
#include "ops/reduced_axes.h"

namespace cuarray {

/// The mean in dtype T of the elements that where= leaves, or of truth values in float64: a quotient of counts.
Array mean_of_counted(const Array& array, const ReduceOptions& options, DType T, const ReducedAxes& axes, const char* name);

}  // namespace cuarray
