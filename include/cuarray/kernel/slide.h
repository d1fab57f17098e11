// slide.h -- sums of products of a row of taps with the part of a line that lies below it: the same on every device.
//
// A result is the sum over k of line[at + k] * taps[k], one product after the other, starting from zero. Products are those
// of matmul.h. Taps that lie beyond the line's ends are left out.
#pragma once
#include "cuarray/kernel/matmul.h"

namespace cuarray::kernel {

/// What kernels are told: result i belongs to at = i - before.
struct Slide {
    i64 n, taps, before, count;
    const void *line, *row;
    void* results;
};

/// One result.
template <class T>
CUARRAY_FN stored_t<T> slide_at(const Slide& p, i64 at) {
    using P = Products<T>;
    const auto *const line = static_cast<const stored_t<T>*>(p.line), *const row = static_cast<const stored_t<T>*>(p.row);
    typename P::number sum[P::parts] = {};
    const i64 first = at < 0 ? -at : 0, end = p.n - at < p.taps ? p.n - at : p.taps;
    for (i64 k = first; k < end; ++k) {
        typename P::number x[P::parts], tap[P::parts];
        P::take(line[at + k], x);
        P::take(row[k], tap);
        P::accumulate(sum, tap, x);
    }
    return P::give(sum);
}

}  // namespace cuarray::kernel
