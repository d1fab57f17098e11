// histogram.h -- the bin of a value, and the parameters of the histogram kernels.
#pragma once
#include "cuarray/kernel/types.h"

namespace cuarray::kernel {

/// The bin with edges[bin] <= value < edges[bin + 1], by binary search; the last bin includes its right edge.
/// -1 outside the edges, and for NaN.
template <class T>
CUARRAY_FN i64 bin_by_search(const T* edges, i64 bins, T value) {
    if (!(value >= edges[0] && value <= edges[bins])) return -1;
    i64 bin = 0;
    for (i64 left = bins, half; left > 1; left -= half) {
        half = left / 2;
        bin += value >= edges[bin + half] ? half : 0;
    }
    return bin;
}

/// The same for nearly equally spaced edges, `scale` bins per unit: searches from a computed guess.
template <class T>
CUARRAY_FN i64 bin_by_guess(const T* edges, i64 bins, T scale, T value) {
    if (!(value >= edges[0] && value <= edges[bins])) return -1;
    const T guess = (value - edges[0]) * scale;
    i64 bin = guess < T(bins) ? i64(guess) : bins - 1;
    while (value < edges[bin]) --bin;
    while (value >= edges[bin + 1] && bin < bins - 1) ++bin;
    return bin;
}

/// A histogram of n values. The values are bin numbers, or are compared with `edges`; with weights, `order` sorts
/// them by bin.
struct HistogramParameters {
    u64 n;
    i64 bins;
    const void* values;
    const void* edges;  ///< bins + 1, or null
    u64* counts;
    const f64* weights;
    const u64* order;
    f64* sums;
    u32 guesses;
};

/// The bin of value `at`, or -1.
template <class T>
CUARRAY_FN i64 bin_of(const HistogramParameters& p, u64 at) {
    const T* edges = static_cast<const T*>(p.edges);
    const T value = static_cast<const T*>(p.values)[at];
    if constexpr (is_integer<T>) {
        if (!edges) return u64(value) < u64(p.bins) ? i64(value) : -1;
    } else {
        if (p.guesses) return bin_by_guess(edges, p.bins, T(p.bins) / (edges[p.bins] - edges[0]), value);
    }
    return bin_by_search(edges, p.bins, value);
}

}  // namespace cuarray::kernel
