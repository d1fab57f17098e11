// sequence_launch.h -- plans draws from a PCG64: kernel, grid and parameters.
#pragma once
#include "codegen/launch.h"
#include "cuarray/core/random_draw.h"
#include "cuarray/kernel/pcg64.h"

namespace cuarray {

/// Kernel `step` of sequence_fill, sequence_map and sequence_write; all addresses are those of the device.
CUARRAY_API NamedLaunch plan_sequence_fill(SequenceDraw draw, int step, const kernel::SequenceParameters& p);

}  // namespace cuarray
