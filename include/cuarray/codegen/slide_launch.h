// slide_launch.h -- which kernel slides taps along a line, its grid and parameters.
#pragma once
#include "cuarray/codegen/launch.h"
#include "cuarray/core/dtype.h"
#include "cuarray/kernel/slide.h"

namespace cuarray {

CUARRAY_API NamedLaunch plan_slide(DType dtype, const kernel::Slide& slide);

}  // namespace cuarray
