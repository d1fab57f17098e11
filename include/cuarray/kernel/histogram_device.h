// histogram_device.h -- the device kernels of histograms; weights are added in a fixed order.
#pragma once
#include "cuarray/kernel/elementwise.h"
#include "cuarray/kernel/histogram.h"

namespace cuarray::kernel {

/// The maximum number of bins that a thread block counts in shared memory.
constexpr u32 kSharedBins = 4096;

/// Calls visit(bin) for the values of this thread that fall into a bin.
template <class T, class Bin, class Visit>
CUARRAY_FN void each_bin(const HistogramParameters& p, Visit visit) {
    const T* const end = static_cast<const T*>(p.values) + p.n;
    const u64 apart = u64(gridDim.x) * kThreads;
    with_bins<T, Bin>(p, [&](auto bin_of) {
        for (const T* at = static_cast<const T*>(p.values) + (u64(blockIdx.x) * kThreads + threadIdx.x); at < end;
             at += apart)
            if (const Bin bin = bin_of(*at); bin >= 0) visit(bin);
    });
}

/// Adds to zeroed counts by atomics; on integers their order does not change the result.
template <class T>
CUARRAY_FN void histogram_counts(const HistogramParameters& p) {
    __shared__ u32 counts[kSharedBins];
    if (p.bins > i64(kSharedBins)) return each_bin<T, i64>(p, [&](i64 bin) { atomicAdd(&p.counts[bin], u64(1)); });
    const u32 bins = u32(p.bins);
    for (u32 b = threadIdx.x; b < bins; b += kThreads) counts[b] = 0;
    __syncthreads();
    each_bin<T, i32>(p, [&](i32 bin) { atomicAdd(&counts[bin], 1u); });
    __syncthreads();
    for (u32 b = threadIdx.x; b < bins; b += kThreads)
        if (counts[b]) atomicAdd(&p.counts[b], u64(counts[b]));
}

/// Computes the bins of all values; values outside get the number after the last bin.
template <class T>
CUARRAY_FN void histogram_bins(const HistogramParameters& p) {
    const u64 at = u64(blockIdx.x) * kThreads + threadIdx.x;
    if (at >= p.n) return;
    with_bins<T, i64>(p, [&](auto bin_of) {
        const i64 bin = bin_of(static_cast<const T*>(p.values)[at]);
        p.counts[at] = bin < 0 ? u64(p.bins) : u64(bin);
    });
}

/// The first position in `order` whose bin, stored in `counts`, is not below `bin`.
CUARRAY_FN u64 first_of_bin(const HistogramParameters& p, u64 bin) {
    u64 low = 0, high = p.n;
    while (low < high) {
        const u64 middle = low + (high - low) / 2;
        if (p.counts[p.order[middle]] < bin)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/// Sums the weights of each bin: one warp per bin, each lane every 32nd weight in order.
CUARRAY_FN void histogram_sums(const HistogramParameters& p) {
    const u64 bin = u64(blockIdx.x) * (kThreads / 32) + threadIdx.x / 32;
    if (bin >= u64(p.bins)) return;
    const u64 end = first_of_bin(p, bin + 1);
    f64 sum = 0;
    for (u64 at = first_of_bin(p, bin) + threadIdx.x % 32; at < end; at += 32) sum += p.weights[p.order[at]];
#pragma unroll
    for (u32 step = 16; step > 0; step /= 2) sum += __shfl_down_sync(0xffffffffu, sum, step);
    if (threadIdx.x % 32 == 0) p.sums[bin] = sum;
}

}  // namespace cuarray::kernel
