// histogram.h -- the bin of a value, and the parameters of the histogram kernels.
#pragma once
#include "cuarray/kernel/types.h"

namespace cuarray::kernel {

/// The edges of bins; the last bin includes its right edge. Bin is a signed type that holds their number.
template <class T, class Bin>
struct BinEdges {
    const T* edges;
    Bin bins;
    T first, last;
    CUARRAY_FN BinEdges(const T* edges, i64 bins) : edges(edges), bins(Bin(bins)), first(edges[0]), last(edges[bins]) {}
    /// Bins per unit, if they are nearly equal.
    CUARRAY_FN T scale() const { return T(bins) / (last - first); }
    /// Not for NaN.
    CUARRAY_FN bool contain(T value) const { return value >= first && value <= last; }
};

/// The bin with edges[bin] <= value < edges[bin + 1], by binary search; -1 outside the edges, and for NaN.
template <class T, class Bin>
CUARRAY_FN Bin bin_by_search(const BinEdges<T, Bin>& e, T value) {
    if (!e.contain(value)) return -1;
    Bin bin = 0;
    for (Bin left = e.bins, half; left > 1; left -= half) {
        half = left / 2;
        bin += value >= e.edges[bin + half] ? half : 0;
    }
    return bin;
}

/// The same for nearly equally spaced edges, `scale` bins per unit: searches from a computed guess.
template <class T, class Bin>
CUARRAY_FN Bin bin_by_guess(const BinEdges<T, Bin>& e, T scale, T value) {
    if (!e.contain(value)) return -1;
    const T guess = (value - e.first) * scale;
    Bin bin = guess < T(e.bins) ? Bin(guess) : e.bins - 1;
    if (value >= e.edges[bin] && value < e.edges[bin + 1]) return bin;  // as a rule
    while (value < e.edges[bin]) --bin;
    while (value >= e.edges[bin + 1] && bin < e.bins - 1) ++bin;
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

/// Calls use(bin_of) with the function that gives the bin of a value, or -1.
template <class T, class Bin, class Use>
CUARRAY_FN void with_bins(const HistogramParameters& p, Use use) {
    if constexpr (is_integer<T>)
        if (!p.edges) return use([&](T value) { return u64(value) < u64(p.bins) ? Bin(value) : Bin(-1); });
    const BinEdges<T, Bin> edges(static_cast<const T*>(p.edges), p.bins);
    if constexpr (!is_integer<T>)
        if (p.guesses) return use([&, scale = edges.scale()](T value) { return bin_by_guess(edges, scale, value); });
    use([&](T value) { return bin_by_search(edges, value); });
}

}  // namespace cuarray::kernel
