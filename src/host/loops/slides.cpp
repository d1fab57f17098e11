// slides.cpp -- sums of products of taps that slide along a line, a tile of results in registers at a time.
#include <cstring>

#include "cuarray/kernel/slide.h"
#include "host/loops/tables.h"

namespace cuarray::host {
namespace {

/// Results of a tile: four vectors of the widest kind.
template <class Number> constexpr int kTile = 256 / int(sizeof(Number));

template <class T> struct Sliding {
    using P = kernel::Products<T>;
    using number = typename P::number;
    using X = stored_t<T>;
    static constexpr int W = kTile<number>, parts = P::parts;

    static void tile(const X* line, const X* taps, int64_t count, X* to) {
        number sum[parts][W] = {};
        for (int64_t k = 0; k < count; ++k) {
            number tap[parts];
            P::take(taps[k], tap);
#pragma omp simd
            for (int i = 0; i < W; ++i) {
                number x[parts], own[parts];
                P::take(line[k + i], x);
                for (int part = 0; part < parts; ++part) own[part] = sum[part][i];
                P::accumulate(own, tap, x);
                for (int part = 0; part < parts; ++part) sum[part][i] = own[part];
            }
        }
        for (int i = 0; i < W; ++i) {
            number own[parts];
            for (int part = 0; part < parts; ++part) own[part] = sum[part][i];
            to[i] = P::give(own);
        }
    }

    static void run(const void* from, const void* row, int64_t count, void* results, int64_t n) {
        const X *const line = static_cast<const X*>(from), *const taps = static_cast<const X*>(row);
        X* const to = static_cast<X*>(results);
        for (int64_t i = 0; i + W <= n; i += W) tile(line + i, taps, count, to + i);
        if (n % W == 0) return;
        // The last results stand in a tile of their own, before which some are made again.
        if (n >= W) return tile(line + n - W, taps, count, to + n - W);
        const kernel::Slide one{n + count - 1, count, 0, n, line, taps, to};
        for (int64_t i = 0; i < n; ++i) to[i] = kernel::slide_at<T>(one, i);
    }
};

}  // namespace

void collect_slides(SlideLoop* to) {
#define DTYPE(name, type, ...) to[int(DType::name)] = Sliding<type>::run;
#include "cuarray/dtypes.def"
}

}  // namespace cuarray::host
