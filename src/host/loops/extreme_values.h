// extreme_values.h -- the largest and smallest of a line in vectors, and other folds that any order computes alike.
#pragma once
#include <type_traits>

#include "host/loops/fold_loops.h"
#include "host/loops/vectors.h"

namespace cuarray::host {
namespace {

/// Calls with the number of lanes of the vectors that suit n elements: at most n.
template <class X, class Function> auto with_lanes(int64_t n, Function&& function) {
    constexpr int wide = kVectorBytes / int(sizeof(X)), medium = wide < 8 ? wide : 8, narrow = wide < 4 ? wide : 4;
    return n >= wide     ? function(std::integral_constant<int, wide>())
           : n >= medium ? function(std::integral_constant<int, medium>())
           : n >= narrow ? function(std::integral_constant<int, narrow>())
                         : function(std::integral_constant<int, 1>());
}
/// The vectors that cover n elements; the last one may overlap the one before.
template <int lanes, class X, class Function>
CUARRAY_FN void for_each_vector(const X* x, int64_t n, Function&& function) {
    int64_t i = 0;
    for (; i + lanes <= n; i += lanes) function(load_vector<X, lanes>(x + i), i);
    if (i < n) function(load_vector<X, lanes>(x + n - lanes), n - lanes);
}

/// The largest or smallest of numbers, as ValueRow combines them.
template <class ValueRow, class X> struct ExtremeOf {
    /// The best value of n > 0 elements; any NaN is the best of all.
    static X best_value(const X* x, int64_t n) {
        return with_lanes<X>(n, [&](auto lanes) { return best_of_vectors<lanes.value>(x, n); });
    }

    /// By comparisons of numbers, with NaN beside them: four vectors at a time, because each waits for the one before.
    template <int lanes> static CUARRAY_FN X best_of_vectors(const X* x, int64_t n) {
        using V = Vector<X, lanes>;
        const auto better = [](V a, V b) {
            return ValueRow::combine(X(0), X(1)) == X(1) ? (a > b ? a : b) : (a < b ? a : b);
        };
        V best = load_vector<X, lanes>(x);
        auto nans = best != best;
        int64_t i = 0;
        if (n >= 4 * lanes) {
            // From the next address of a whole vector: loads that cross cache lines take twice as long.
            i = int64_t(-reinterpret_cast<uintptr_t>(x) % sizeof(V) / sizeof(X));
            V others[4] = {best, best, best, best};
            for (; i + 4 * lanes <= n; i += 4 * lanes)
#pragma GCC unroll 4
                for (int k = 0; k < 4; ++k) {
                    const V y = load_vector<X, lanes>(x + i + k * lanes);
                    others[k] = better(others[k], y), nans |= y != y;
                }
            best = better(better(others[0], others[1]), better(others[2], others[3]));
        }
        for_each_vector<lanes>(x + i, n - i, [&](V y, int64_t) { best = better(best, y), nans |= y != y; });
        if constexpr (!is_integer<X>)
            if (fold_vector<lanes>(nans, [](auto a, auto b) { return a | b; })) return X(__builtin_nan(""));
        return fold_vector<lanes>(best, better);
    }
};

/// Folds of a line in vectors that give the bits of the fold order: of integers in any order, and the extremes of
/// floats, unless there is a NaN, or a negative zero and the result is a zero.
template <int R, class Element> struct VectorFold {
    using Row = reduction_t<R, Element>;
    using A = typename Row::A;
    using X = stored_t<Element>;
    template <template <class> class... Extreme>
    static constexpr bool is_one_of = (is_same<Row, Extreme<Element>> || ...);
    static constexpr bool is_extreme =
        is_one_of<red::max, red::min> || (!is_integer<Element> && is_one_of<red::fmax, red::fmin>);
    static constexpr bool exists =
        is_same<A, Element> && (is_integer<Element> ? (Row::flags & AltersOne) == 0 : is_float<Element> && is_extreme);

    /// False, with `result` undefined, where the fold order decides.
    static CUARRAY_FN bool fold(const X* x, int64_t n, A& result) {
        if constexpr (is_extreme) {
            if constexpr (is_integer<Element>) {
                result = ExtremeOf<Row, X>::best_value(x, n);
                return true;
            } else {
                return extreme(x, n, result);
            }
        } else {
            result = in_any_order(x, n);
            return true;
        }
    }

    /// In blocks, so that zeros are looked for in L1, and only where the best of a block is one.
    static CUARRAY_FN bool extreme(const X* x, int64_t n, A& result) {
        constexpr int64_t kBlock = 16384 / int64_t(sizeof(X));
        bool decides = false;
        for (int64_t begin = 0; begin < n; begin += kBlock) {
            const int64_t size = n - begin < kBlock ? n - begin : kBlock;
            const A best = ExtremeOf<Row, X>::best_value(x + begin, size);
            if (best != best) return false;
            result = begin == 0 ? best : Row::combine(result, best);
            decides = decides || (best == A(0) && has_negative_zero(x + begin, size));
        }
        return result != A(0) || !decides;
    }

    /// Of numbers of which zero is the best. By their bits: a negative zero is the only one with a sign where none is
    /// below zero, and where none is above, the only one with no sign after 1 is subtracted.
    static bool has_negative_zero(const X* x, int64_t n) {
        using Bits = choose_t<sizeof(X) == 4, uint32_t, uint64_t>;
        constexpr Bits sign = Bits(1) << (8 * sizeof(Bits) - 1);
        const bool is_largest = Row::combine(A(0), A(1)) == A(1);
        const auto at = [x](int64_t i) {
            Bits bits;
            __builtin_memcpy(&bits, x + i, sizeof bits);
            return bits;
        };
        Bits found = 0;
        if (is_largest) {
#pragma omp simd reduction(| : found)
            for (int64_t i = 0; i < n; ++i) found |= ~(at(i) - 1);
        } else {
#pragma omp simd reduction(| : found)
            for (int64_t i = 0; i < n; ++i) found |= at(i);
        }
        return found & sign;
    }

    static CUARRAY_FN A in_any_order(const X* x, int64_t n) {
        constexpr int wide = kVectorBytes / int(sizeof(A)), many = 4 * wide;
        A lane[many];
        int64_t i = 0;
        const auto at = [x](int64_t k) { return Row::map(load<Element>(x[k]), 0); };
        if (n >= many) {
#pragma omp simd
            for (int l = 0; l < many; ++l) lane[l] = at(l);
            for (i = many; i + many <= n; i += many) {
                fetch_ahead<many>(x + i);
#pragma GCC unroll 4
                for (int v = 0; v < many; v += wide) {
#pragma omp simd
                    for (int l = v; l < v + wide; ++l) lane[l] = Row::combine(lane[l], at(i + l));
                }
            }
#pragma GCC unroll 8
            for (int d = many / 2; d > 0; d /= 2) {
#pragma omp simd
                for (int l = 0; l < d; ++l) lane[l] = Row::combine(lane[l], lane[l + d]);
            }
        } else {
            lane[0] = at(i++);
        }
        for (; i < n; ++i) lane[0] = Row::combine(lane[0], at(i));
        return lane[0];
    }
};

}  // namespace
}  // namespace cuarray::host
