// correlate.h -- cross-correlation of a signal with weights: the same on every device.
//
// A result is the sum over k of signal[at + k] * weights[k], one product after the other, starting from zero, with the
// products of matmul.h. Weights that lie beyond the ends of the signal are left out.
#pragma once
#include "cuarray/kernel/matmul.h"

namespace cuarray::kernel {

/// The parameters of the kernel; result i belongs to at = i - before.
struct CorrelateParameters {
    i64 n, taps, before, count;
    const void *signal, *weights;
    void* results;
};

/// One result.
template <class T>
CUARRAY_FN stored_t<T> correlate_at(const CorrelateParameters& p, i64 at) {
    using P = Products<T>;
    const auto *const signal = static_cast<const stored_t<T>*>(p.signal), *const weights = static_cast<const stored_t<T>*>(p.weights);
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
