// correlate_launch.h -- plans a cross-correlation: kernel, grid and parameters.
#pragma once
#include "codegen/launch.h"
#include "cuarray/core/dtype.h"
#include "cuarray/kernel/correlate.h"

namespace cuarray {

CUARRAY_API NamedLaunch plan_correlate(DType dtype, const kernel::CorrelateParameters& p);

}  // namespace cuarray
