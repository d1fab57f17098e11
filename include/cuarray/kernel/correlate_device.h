// correlate_device.h -- the device kernel of a cross-correlation: one thread per result.
#pragma once
#include "cuarray/kernel/correlate.h"
#include "cuarray/kernel/elementwise.h"

namespace cuarray::kernel {

template <class T>
CUARRAY_FN void correlate(const CorrelateParameters& p) {
    const i64 i = i64(blockIdx.x) * kThreads + threadIdx.x;
    if (i < p.count) static_cast<stored_t<T>*>(p.results)[i] = correlate_at<T>(p, i - p.before);
}

}  // namespace cuarray::kernel
