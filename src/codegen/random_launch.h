// random_launch.h -- plans a random draw: kernel, grid and parameters.
#pragma once
#include "codegen/launch.h"
#include "cuarray/core/random_draw.h"
#include "cuarray/kernel/philox.h"

namespace cuarray {

/// A draw that reads `blocks` blocks of the sequence.
CUARRAY_API NamedLaunch plan_random_fill(RandomDraw draw, const kernel::RandomParameters& p, int64_t blocks);

}  // namespace cuarray
