// sequence_launch.h -- plans draws from a PCG64: kernel, grid and parameters.
#pragma once
#include "codegen/launch.h"
#include "cuarray/core/random_draw.h"
#include "cuarray/kernel/pcg64.h"

namespace cuarray {

/// Numbers that take several units are drawn in tiles. All addresses are those of the device.
CUARRAY_API NamedLaunch plan_sequence_fill(SequenceDraw draw, const kernel::SequenceParameters& p);

}  // namespace cuarray
