// correlate_launch.h -- the kernel of a cross-correlation, its grid and parameters.
#pragma once
#include "codegen/launch.h"
#include "cuarray/core/dtype.h"
#include "cuarray/kernel/correlate.h"

namespace cuarray {

CUARRAY_API NamedLaunch plan_correlate(DType dtype, const kernel::CorrelateParameters& p);

}  // namespace cuarray
