// correlate.cpp -- cross-correlations by register tiles of results.
#include <algorithm>
#include <bit>
#include <cstring>
#include <tuple>

#include "cuarray/kernel/correlate.h"
#include "host/loops/tables.h"

namespace cuarray::host {
namespace {

template <class T> struct CorrelateTile {
    using P = kernel::Products<T>;
    using number = typename P::number;
    using X = stored_t<T>;
    typedef number vector __attribute__((vector_size(kVectorBytes)));
    // A tile: as many independent sums as registers hold besides the addends, to hide the latency of additions.
    static constexpr int parts = P::parts, vectors = 8 / parts, lanes = int(kVectorBytes / sizeof(number)),
                         W = vectors * lanes;
    using Sums = vector[vectors][parts];
    /// Numbers of lanes, which are at most 64, as wide as the numbers.
    using place = std::tuple_element_t<std::countr_zero(sizeof(number)), std::tuple<i8, i16, i32, i64>>;
    typedef place Places __attribute__((vector_size(kVectorBytes)));

    static CUARRAY_FN Places places() {
        Places all;
        for (int i = 0; i < lanes; ++i) all[i] = place(i);
        return all;
    }
    /// A result's lane in a vector of the tile, or the vector's end.
    static CUARRAY_FN place place_in(int result, int v) { return place(std::clamp(result - v * lanes, 0, lanes)); }

    /// Elements, each in a lane. GCC does not vectorise loops of so few that it unrolls them.
    static CUARRAY_FN void take(const X* elements, vector (&to)[parts]) {
        if constexpr (is_same<X, number>) return void(std::memcpy(to, elements, sizeof(vector)));
        number each[parts][lanes];
#pragma omp simd
        for (int i = 0; i < lanes; ++i) {
            number x[parts];
            P::take(elements[i], x);
            for (int part = 0; part < parts; ++part) each[part][i] = x[part];
        }
        std::memcpy(to, each, sizeof to);
    }

    /// Adds the products of one tap; at an end of the line (kSome) only to results [from, until).
    template <bool kSome>
    static CUARRAY_FN void add(const X* line, X with, Sums& sum, [[maybe_unused]] int from,
                               [[maybe_unused]] int until) {
        number tap[parts];
        P::take(with, tap);
#pragma GCC unroll 8
        for (int v = 0; v < vectors; ++v) {
            vector x[parts], own[parts];
            take(line + v * lanes, x);
            for (int part = 0; part < parts; ++part) own[part] = sum[v][part];
            P::accumulate(own, tap, x);
            [[maybe_unused]] const Places is_in =
                (places() >= Places{} + place_in(from, v)) & (places() < Places{} + place_in(until, v));
            for (int part = 0; part < parts; ++part) {
                if constexpr (kSome)
                    sum[v][part] = is_in ? own[part] : sum[v][part];
                else
                    sum[v][part] = own[part];
            }
        }
    }

    /// W results; a tap contributes where the line has elements, from `low` to `high`.
    static void tile(const X* line, const X* taps, int64_t count, X* to, int64_t low, int64_t high) {
        Sums sum = {};
        const auto add_some = [&](int64_t k) {
            add<true>(line + k, taps[k], sum, int(std::max<int64_t>(low - k, 0)), int(std::min<int64_t>(high - k, W)));
        };
        int64_t k = std::max<int64_t>(low - W + 1, 0);
        const int64_t end = std::min(count, high), begin_whole = std::min(low, end),
                      end_whole = std::min(high - W + 1, end);
        for (; k < begin_whole; ++k) add_some(k);
        for (; k < end_whole; ++k) add<false>(line + k, taps[k], sum, 0, W);
        for (; k < end; ++k) add_some(k);
#pragma GCC unroll 8
        for (int v = 0; v < vectors; ++v) {
            if constexpr (is_same<X, number>) {
                std::memcpy(to + v * lanes, sum[v], sizeof(vector));
                continue;
            }
            number each[parts][lanes];
            for (int part = 0; part < parts; ++part) std::memcpy(each[part], &sum[v][part], sizeof(vector));
#pragma omp simd
            for (int i = 0; i < lanes; ++i) {
                number own[parts];
                for (int part = 0; part < parts; ++part) own[part] = each[part][i];
                to[v * lanes + i] = P::give(own);
            }
        }
    }

    static void run(const void* from, const void* row, int64_t count, void* results, int64_t n, int64_t low,
                    int64_t high) {
        const X *const line = static_cast<const X*>(from), *const taps = static_cast<const X*>(row);
        X* const to = static_cast<X*>(results);
        const auto tile_at = [&](int64_t i) { tile(line + i, taps, count, to + i, low - i, high - i); };
        for (int64_t i = 0; i + W <= n; i += W) tile_at(i);
        if (n % W == 0) return;
        // The last tile overlaps the one before: some results are computed twice.
        if (n >= W) return tile_at(n - W);
        const kernel::CorrelateParameters one{high - low, count, low, n, line + low, taps, to};
        for (int64_t i = 0; i < n; ++i) to[i] = kernel::correlate_at<T>(one, i - low);
    }
};

}  // namespace

void collect_correlations(CorrelateLoop* to) {
#define DTYPE(name, type, ...) to[int(DType::name)] = CorrelateTile<type>::run;
#include "cuarray/dtypes.def"
}

}  // namespace cuarray::host
