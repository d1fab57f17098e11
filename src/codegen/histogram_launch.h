// histogram_launch.h -- plans the steps of a histogram: kernels, grids and parameters.
#pragma once
#include "codegen/launch.h"
#include "cuarray/core/dtype.h"
#include "cuarray/kernel/histogram.h"

namespace cuarray {

/// The steps: counts per bin; or the bin of each value, then the sums of weights per bin.
enum class HistogramStep : uint8_t { Counts, Bins, Sums };

/// One step over values of dtype float32, float64, int64 or uint64.
CUARRAY_API NamedLaunch plan_histogram(HistogramStep step, DType values, const kernel::HistogramParameters& task);

}  // namespace cuarray
