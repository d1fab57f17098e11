// histogram_launch.h -- which kernels count values by bin, their grids and parameters.
#pragma once
#include "codegen/launch.h"
#include "cuarray/core/dtype.h"
#include "cuarray/kernel/histogram.h"

namespace cuarray {

/// Counts, the bins of all values, or sums of weights.
enum class HistogramStep : uint8_t { Counts, Bins, Sums };

/// One step over values of dtype float32, float64, int64 or uint64.
CUARRAY_API NamedLaunch plan_histogram(HistogramStep step, DType values, const kernel::HistogramParameters& task);

}  // namespace cuarray
