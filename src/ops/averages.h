// averages.h -- means and variances: what is more than one fold.
#pragma once
#include "ops/folding.h"

namespace cuarray {

/// The mean of the elements that where= leaves, in dtype T.
Array masked_mean(const Array& array, const ReduceOptions& options, DType T, const Axes& axes, const char* name);

}  // namespace cuarray
