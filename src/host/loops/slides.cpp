// slides.cpp -- sums of products of taps that slide along a line, a tile of results in registers at a time.
#include <algorithm>
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

    /// At an end of the line some results leave out what others take.
    template <bool kEnd>
    static void tile(const X* line, const X* taps, int64_t count, X* to, int64_t low, int64_t high) {
        number sum[parts][W] = {};
        const int64_t first = kEnd ? std::max<int64_t>(low - W + 1, 0) : 0, last = kEnd ? std::min(count, high) : count;
        for (int64_t k = first; k < last; ++k) {
            number tap[parts];
            P::take(taps[k], tap);
            const int from = kEnd ? int(std::max<int64_t>(low - k, 0)) : 0, until = kEnd ? int(std::min<int64_t>(high - k, W)) : W;
#pragma omp simd
            for (int i = 0; i < W; ++i) {
                number x[parts], own[parts];
                P::take(line[k + i], x);
                for (int part = 0; part < parts; ++part) own[part] = sum[part][i];
                P::accumulate(own, tap, x);
                const bool counts = !kEnd || (i >= from && i < until);
                for (int part = 0; part < parts; ++part) sum[part][i] = counts ? own[part] : sum[part][i];
            }
        }
        for (int i = 0; i < W; ++i) {
            number own[parts];
            for (int part = 0; part < parts; ++part) own[part] = sum[part][i];
            to[i] = P::give(own);
        }
    }

    static void run(const void* from, const void* row, int64_t count, void* results, int64_t n, int64_t low, int64_t high) {
        const X *const line = static_cast<const X*>(from), *const taps = static_cast<const X*>(row);
        X* const to = static_cast<X*>(results);
        const auto tile_at = [&](int64_t i) {
            const bool is_inside = i >= low && i + W + count - 1 <= high;
            (is_inside ? tile<false> : tile<true>)(line + i, taps, count, to + i, low - i, high - i);
        };
        for (int64_t i = 0; i + W <= n; i += W) tile_at(i);
        if (n % W == 0) return;
        // The last results stand in a tile of their own, before which some are made again.
        if (n >= W) return tile_at(n - W);
        const kernel::Slide one{high - low, count, low, n, line + low, taps, to};
        for (int64_t i = 0; i < n; ++i) to[i] = kernel::slide_at<T>(one, i - low);
    }
};

}  // namespace

void collect_slides(SlideLoop* to) {
#define DTYPE(name, type, ...) to[int(DType::name)] = Sliding<type>::run;
#include "cuarray/dtypes.def"
}

}  // namespace cuarray::host
