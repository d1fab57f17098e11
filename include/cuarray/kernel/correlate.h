// correlate.h -- cross-correlation of a signal with weights, in the same summation order on every device.
//
// A result is the sum over k of signal[at + k] * weights[k]: a left fold from zero of the products of matmul.h.
// Weights that extend beyond the ends of the signal are skipped.
#pragma once
#include "cuarray/kernel/matmul.h"

namespace cuarray::kernel {

/// Kernel parameters; result i is at position at = i - before.
struct CorrelateParameters {
    i64 n, taps, before, count;
    const void *signal, *weights;
    void* results;
};

/// The result at position `at`.
template <class T>
CUARRAY_FN stored_t<T> correlate_at(const CorrelateParameters& p, i64 at) {
    using P = Products<T>;
    const auto* const signal = static_cast<const stored_t<T>*>(p.signal);
    const auto* const weights = static_cast<const stored_t<T>*>(p.weights);
    typename P::number sum[P::parts] = {};
    const i64 first = at < 0 ? -at : 0, end = p.n - at < p.taps ? p.n - at : p.taps;
    for (i64 k = first; k < end; ++k) {
        typename P::number x[P::parts], tap[P::parts];
        P::take(signal[at + k], x);
        P::take(weights[k], tap);
        P::accumulate(sum, tap, x);
    }
    return P::give(sum);
}

}  // namespace cuarray::kernel
