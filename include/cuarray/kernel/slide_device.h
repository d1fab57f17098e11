// slide_device.h -- the device kernel of sliding sums of products: one thread for each result.
#pragma once
#include "cuarray/kernel/elementwise.h"
#include "cuarray/kernel/slide.h"

namespace cuarray::kernel {

template <class T>
CUARRAY_FN void slide(const Slide& p) {
    const i64 i = i64(blockIdx.x) * kThreads + threadIdx.x;
    if (i < p.count) static_cast<stored_t<T>*>(p.results)[i] = slide_at<T>(p, i - p.before);
}

}  // namespace cuarray::kernel
