// fold_loops.h -- the fold order of kernel/reduce.h as loops: leaves of rows, lanes of columns, trees of nodes.
#pragma once
#include <string_view>

#include "core/loops.h"
#include "host/loops/tables.h"

namespace cuarray::host {
namespace {

using kernel::kLanes;
using kernel::kLeaf;

/// If the accumulator does not depend on the element type, all types share the loops of one: elements of predicates and
/// counts fold as bool, other halves as float32.
template <int R> constexpr bool is_predicate =
    is_same<typename reduction_t<R, f32>::A, typename reduction_t<R, bool>::A>;
template <int R, class Element>
using Folded = choose_t<is_predicate<R>, bool, choose_t<is_half<Element>, f32, Element>>;

/// The source text of a row. Functions of equal text are compiled once.
struct FoldText {
    std::string_view ufunc, accumulator, map, combine, finish;
    bool has_identity;
};
constexpr FoldText kTexts[] = {
#define REDUCTION(name, ufunc, domain, flags, python, accumulator, identity, doc, map, combine, finish) \
    {#ufunc, #accumulator, #map, #combine, #finish, std::string_view(#identity) != "NONE"},
#include "cuarray/reductions.def"
};
/// The first row whose accumulator and given functions have the text of a row's, for all of the row's types.
template <class... Texts> constexpr int first_alike(int row, Texts... texts) {
    for (int r = 0; r < row; ++r)
        if (kTexts[r].accumulator == kTexts[row].accumulator && ((kTexts[r].*texts == kTexts[row].*texts) && ...) &&
            (domain::of_reductions[row] & ~domain::of_reductions[r]) == 0)
            return r;
    return row;
}
/// The first row that folds alike: it may differ in `finish`.
constexpr int first_folding_alike(int row) { return first_alike(row, &FoldText::map, &FoldText::combine); }
/// Whether signed and unsigned integers of a size fold to the same bits.
template <int R>
constexpr bool is_signless = is_predicate<R> || (reduction_t<R, int32_t>::flags & Signless) != 0;

/// What predicates and counts ask; of halves by their bits, which vectorises.
template <class Element> CUARRAY_FN bool differs_from_zero(stored_t<Element> x) {
    if constexpr (is_half<Element>)
        return uint16_t(x.bits << 1) != 0;
    else
        return cast<bool>(load<Element>(x));
}

/// Prefetches `items` to L2, 2048 bytes ahead: the hardware prefetcher stops at page boundaries.
template <int items, class X> CUARRAY_FN void fetch_ahead(const X* x) {
    for (int line = 0; line < items * int(sizeof(X)); line += 64)
        __builtin_prefetch(reinterpret_cast<const char*>(x) + 2048 + line, 0, 2);
}

/// For argmax and argmin, the row that folds the value alone; else nothing.
template <class Row> struct ValueRowOf {
    using type = fn::nothing;
};
template <class T> struct ValueRowOf<red::argmax<T>> {
    using type = red::max<T>;
};
template <class T> struct ValueRowOf<red::argmin<T>> {
    using type = red::min<T>;
};

/// The member type of an accumulator that is a pair of numbers, or nothing.
template <class A> struct NumberOf {
    using type = fn::nothing;
};
template <class T> struct NumberOf<red::Range<T>> {
    using type = T;
};
template <class T> struct NumberOf<red::Moments<T>> {
    using type = T;
};

/// The result of a fold: one NaN where numbers were computed, which are the rows that have an identity. The others give
/// an element. Which operand's sign and payload a sum gets differs between instructions.
template <class Row, class Result> Result plain(Result x) {
    if constexpr (!Row::has_identity)
        return x;
    else if constexpr (is_complex<Result>)
        return {plain<Row>(x.re), plain<Row>(x.im)};
    else if constexpr (is_float<Result> || is_half<Result>)
        return math::isnan(x) ? quiet_nan<Result>() : x;
    else
        return x;
}

/// The loops of reduction row R over elements of one type.
template <int R, class Element> struct ReductionOf {
    using Row = reduction_t<R, Element>;
    using A = typename Row::A;
    using X = stored_t<Element>;
    using ValueRow = typename ValueRowOf<Row>::type;
    static constexpr bool needs_index = !is_same<ValueRow, fn::nothing>;

    /// An unsigned integer of the element's size, so that counts and elements fill the same vectors.
    using Counter = choose_t<sizeof(X) == 1, uint8_t,
                             choose_t<sizeof(X) == 2, uint16_t, choose_t<sizeof(X) == 4, uint32_t, uint64_t>>>;
    using Number = typename NumberOf<A>::type;
    static constexpr bool is_pair = !is_same<Number, fn::nothing>;
    /// Whether bools fold to a bool or a count: four rows at a time, and leaves by the number of true elements.
    static constexpr bool asks = is_same<Element, bool> && (is_predicate<R> || is_same<A, bool>);
    /// Numbers per vector register: a loop of this length becomes single instructions on values kept in registers.
    static constexpr int kWidth = kVectorBytes < kLanes * sizeof(Number) ? kVectorBytes / int(sizeof(Number)) : kLanes;
    /// Whether every combine tests for NaN, which is unnecessary if there is none.
    static constexpr bool sees_nans = is_same<A, red::Range<f32>> || is_same<A, red::Range<f64>>;

    /// Folds rows of kLanes pairs, `step` elements apart, into `lanes`, which start with the first row if Fresh. The
    /// pairs are kept in two arrays, which the compiler vectorises.
    template <bool Fresh>
    static CUARRAY_FN void block_of_pairs(const X* x, int64_t step, int64_t rows, A* lanes) {
        if constexpr (sees_nans)
            if (range_of_numbers<Fresh>(x, step, rows, lanes)) return;
        Number a[kLanes], b[kLanes];
#pragma omp simd
        for (int l = 0; l < kLanes; ++l) {
            const auto [p, q] = Fresh ? Row::map(load<Element>(x[l]), 0) : lanes[l];
            a[l] = p, b[l] = q;
        }
        for (int64_t row = Fresh; row < rows; ++row) {
            const X* const line = x + row * step;
#pragma GCC unroll 8
            for (int v = 0; v < kLanes; v += kWidth) {
#pragma omp simd
                for (int l = v; l < v + kWidth; ++l) {
                    const auto [p, q] = Row::combine(A{a[l], b[l]}, Row::map(load<Element>(line[l]), 0));
                    a[l] = p, b[l] = q;
                }
            }
        }
        for (int l = 0; l < kLanes; ++l) lanes[l] = {a[l], b[l]};
    }

    /// The same for ranges without NaN: the same bits by a shorter dependency chain. Returns false if there is a NaN.
    template <bool Fresh>
    static CUARRAY_FN bool range_of_numbers(const X* x, int64_t step, int64_t rows, A* lanes) {
        Number low[kLanes], high[kLanes];
        Counter nans[kLanes];
#pragma omp simd
        for (int l = 0; l < kLanes; ++l) {
            const A range = Fresh ? A{x[l], x[l]} : lanes[l];
            low[l] = range.low, high[l] = range.high, nans[l] = Counter(math::isnan(range.low));
        }
        for (int64_t row = Fresh; row < rows; ++row) {
            const X* const line = x + row * step;
            fetch_ahead<kLanes>(line);
#pragma GCC unroll 8
            for (int v = 0; v < kLanes; v += kWidth) {
#pragma omp simd
                for (int l = v; l < v + kWidth; ++l) {
                    const Number y = line[l];
                    low[l] = low[l] < y ? low[l] : y, high[l] = high[l] > y ? high[l] : y,
                    nans[l] |= Counter(math::isnan(y));
                }
            }
        }
        Counter any = 0;
#pragma omp simd reduction(| : any)
        for (int l = 0; l < kLanes; ++l) any |= nans[l];
        if (any) return false;
        for (int l = 0; l < kLanes; ++l) lanes[l] = {low[l], high[l]};
        return true;
    }

    static CUARRAY_FN void whole_leaf(const X* x, int64_t first, A* lanes) {
        if constexpr (is_pair) return block_of_pairs<true>(x, kLanes, kLeaf / kLanes, lanes);
        A a[kLanes];
#pragma omp simd
        for (int l = 0; l < kLanes; ++l) a[l] = Row::map(load<Element>(x[l]), first + l);
        for (int k = kLanes; k < kLeaf; k += kLanes) {
            fetch_ahead<kLanes>(x + k);
#pragma omp simd
            for (int l = 0; l < kLanes; ++l)
                a[l] = Row::combine(a[l], Row::map(load<Element>(x[k + l]), first + k + l));
        }
#pragma omp simd
        for (int l = 0; l < kLanes; ++l) lanes[l] = a[l];
    }

    static void part_of_leaf(const X* x, int64_t n, int64_t first, A* lanes) {
        if (n < kLanes) {
            for (int64_t l = 0; l < n; ++l) lanes[l] = Row::map(load<Element>(x[l]), first + l);
            return;
        }
        A a[kLanes];
#pragma omp simd
        for (int l = 0; l < kLanes; ++l) a[l] = Row::map(load<Element>(x[l]), first + l);
        int64_t i = kLanes;
        for (; i + kLanes <= n; i += kLanes) {
            fetch_ahead<kLanes>(x + i);
#pragma omp simd
            for (int l = 0; l < kLanes; ++l)
                a[l] = Row::combine(a[l], Row::map(load<Element>(x[i + l]), first + i + l));
        }
        const int rest = int(n - i);
#pragma omp simd
        for (int l = 0; l < kLanes; ++l)
            if (l < rest) a[l] = Row::combine(a[l], Row::map(load<Element>(x[i + l]), first + i + l));
#pragma omp simd
        for (int l = 0; l < kLanes; ++l) lanes[l] = a[l];
    }

    /// Folds n elements to nodes[leaf][lane]; the first one has index `first` and begins a leaf.
    [[gnu::noinline]] static void fold_leaves(const void* from, int64_t n, int64_t first, void* to) {
        const X* x = static_cast<const X*>(from);
        A* nodes = static_cast<A*>(to);
        for (; n >= kLeaf; n -= kLeaf, x += kLeaf, first += kLeaf, nodes += kLanes) whole_leaf(x, first, nodes);
        if (n > 0) part_of_leaf(x, n, first, nodes);
    }

    /// Steps 2 and 3 for the nodes of n elements, at most a chunk; overwrites the nodes.
    [[gnu::noinline]] static void fold_nodes(void* from, int64_t n, void* to) {
        A* const nodes = static_cast<A*>(from);
        int64_t count = (n + kLeaf - 1) / kLeaf;
        // Lanes of the last node that have elements; the others have one leaf less.
        const int64_t rest = n - (count - 1) * kLeaf;
        int64_t present = rest < kLanes ? rest : kLanes;
        for (; count > 1; count = (count + 1) / 2) {
            for (int64_t j = 0; j + 1 < count; j += 2) {
                A* const node = nodes + j / 2 * kLanes;
                const A *const left = nodes + j * kLanes, *const right = left + kLanes;
                if (j + 2 < count || present == kLanes) {
#pragma omp simd
                    for (int l = 0; l < kLanes; ++l) node[l] = Row::combine(left[l], right[l]);
                    continue;
                }
                if (j > 0) __builtin_memcpy(node, left, kLanes * sizeof(A));
                combine(node, right, present);
            }
            if (count % 2 == 0)
                present = kLanes;
            else
                __builtin_memcpy(nodes + count / 2 * kLanes, nodes + (count - 1) * kLanes, size_t(present) * sizeof(A));
        }
        fold_lanes(nodes, n);
        *static_cast<A*>(to) = nodes[0];
    }

    /// Step 3: folds the lanes of n elements into lane 0.
    static CUARRAY_FN void fold_lanes(A* lanes, int64_t n) {
        if (n >= kLanes) {
#pragma GCC unroll 4
            for (int d = kLanes / 2; d > 0; d /= 2) {
#pragma omp simd
                for (int l = 0; l < d; ++l) lanes[l] = Row::combine(lanes[l], lanes[l + d]);
            }
            return;
        }
        for (int d = kLanes / 2; d > 0; d /= 2)
            for (int l = 0; l < d && l + d < n; ++l) lanes[l] = Row::combine(lanes[l], lanes[l + d]);
    }

    static CUARRAY_FN A element(const char* line, int64_t c, int64_t index) {
        return Row::map(load<Element>(reinterpret_cast<const X*>(line)[c]), index);
    }

    /// Whether rows of bools are folded in bytes, which vectorises.
    static constexpr bool asks_bools = is_same<Element, bool> && (is_predicate<R> || is_same<A, bool>);

    /// Of two predicates, each 0 or 1.
    static CUARRAY_FN uint8_t asked_together(uint8_t a, uint8_t b) {
        const bool any = Row::combine(false, true), every = Row::combine(true, true);
        return !every ? a ^ b : any ? a | b : a & b;
    }

    /// Folds one row into its lane.
    static CUARRAY_FN void add_row(const char* line, int64_t columns, int64_t index, bool fresh, A* lane) {
        if constexpr (asks_bools) {
            const auto* const x = reinterpret_cast<const uint8_t*>(line);
            auto* const to = reinterpret_cast<stored_t<A>*>(lane);
            if (fresh) {
#pragma omp simd
                for (int64_t c = 0; c < columns; ++c) to[c] = x[c] != 0;
            } else {
#pragma omp simd
                for (int64_t c = 0; c < columns; ++c) {
                    const uint8_t yes = x[c] != 0;
                    if constexpr (is_same<A, bool>)
                        to[c] = asked_together(to[c], yes);
                    else
                        to[c] += yes;
                }
            }
        } else if (fresh) {
#pragma omp simd
            for (int64_t c = 0; c < columns; ++c) lane[c] = element(line, c, index);
        } else {
#pragma omp simd
            for (int64_t c = 0; c < columns; ++c) lane[c] = Row::combine(lane[c], element(line, c, index));
        }
    }

    /// Folds rows of one lane of pairs, by blocks of columns.
    template <bool Fresh>
    static CUARRAY_FN void lane_of_pairs(const char* line, int64_t step, int64_t rows, int64_t columns, A* lane) {
        int64_t c = 0;
        for (; c + kLanes <= columns; c += kLanes)
            block_of_pairs<Fresh>(reinterpret_cast<const X*>(line) + c, step / int64_t(sizeof(X)), rows, lane + c);
        for (; c < columns; ++c) {
            A sum = Fresh ? element(line, c, 0) : lane[c];
            for (int64_t row = Fresh; row < rows; ++row) sum = Row::combine(sum, element(line + row * step, c, 0));
            lane[c] = sum;
        }
    }

    /// Four rows of a predicate or count of bools, computed in bytes, which vectorises.
    template <bool Fresh>
    static CUARRAY_FN void ask_four(const char* line, int64_t step, int64_t columns, A* lane) {
        const auto row = [&](int k) { return reinterpret_cast<const uint8_t*>(line + k * step); };
        const uint8_t *const first = row(0), *const second = row(1), *const third = row(2), *const fourth = row(3);
        auto* const to = reinterpret_cast<stored_t<A>*>(lane);
#pragma omp simd
        for (int64_t c = 0; c < columns; ++c) {
            const uint8_t a = first[c] != 0, b = second[c] != 0, d = third[c] != 0, e = fourth[c] != 0;
            if constexpr (!is_same<A, bool>) {
                to[c] = (Fresh ? 0 : to[c]) + uint8_t(a + b + d + e);
            } else {
                const uint8_t answer = asked_together(asked_together(a, b), asked_together(d, e));
                to[c] = Fresh ? answer : asked_together(to[c], answer);
            }
        }
    }

    /// Four rows of one lane at once: its accumulators are read and written a quarter as often.
    template <bool Fresh>
    static CUARRAY_FN void add_four(const char* line, int64_t step, int64_t columns, int64_t index, A* lane) {
        if constexpr (asks_bools) return ask_four<Fresh>(line, step, columns, lane);
        const char *const second = line + step, *const third = second + step, *const fourth = third + step;
#pragma omp simd
        for (int64_t c = 0; c < columns; ++c) {
            A sum = element(line, c, index);
            if constexpr (!Fresh) sum = Row::combine(lane[c], sum);
            sum = Row::combine(sum, element(second, c, index + kLanes));
            sum = Row::combine(sum, element(third, c, index + 2 * kLanes));
            lane[c] = Row::combine(sum, element(fourth, c, index + 3 * kLanes));
        }
    }

    /// Folds rows of one lane, `step` bytes apart; they are the lane's first ones if `fresh`.
    [[gnu::noinline]] static void fold_lane(const void* from, int64_t step, int64_t rows, int64_t columns,
                                            int64_t first, bool fresh, void* to) {
        const char* x = static_cast<const char*>(from);
        A* const lane = static_cast<A*>(to);
        if constexpr (is_pair) {
            if (rows == 0) return;
            return fresh ? lane_of_pairs<true>(x, step, rows, columns, lane)
                         : lane_of_pairs<false>(x, step, rows, columns, lane);
        }
        for (; rows >= 4; rows -= 4, x += 4 * step, first += 4 * kLanes, fresh = false) {
            if (fresh)
                add_four<true>(x, step, columns, first, lane);
            else
                add_four<false>(x, step, columns, first, lane);
        }
        for (; rows > 0; --rows, x += step, first += kLanes, fresh = false) add_row(x, columns, first, fresh, lane);
    }

    [[gnu::noinline]] static void combine(void* to, const void* from, int64_t n) {
        A* const a = static_cast<A*>(to);
        const A* const b = static_cast<const A*>(from);
#pragma omp simd
        for (int64_t i = 0; i < n; ++i) a[i] = Row::combine(a[i], b[i]);
    }

    static void identity(void* to, int64_t n) {
        if constexpr (Row::has_identity)
            for (int64_t i = 0; i < n; ++i) static_cast<A*>(to)[i] = Row::identity();
    }

    static void map(const void* value, void* to, int64_t n) {
        for (int64_t i = 0; i < n; ++i)
            static_cast<A*>(to)[i] = Row::map(load<Element>(*static_cast<const X*>(value)), 0);
    }

    using Result = decltype(Row::finish(A(), i64()));
    static void finish(const void* from, void* to, int64_t n, int64_t count) {
        for (int64_t i = 0; i < n; ++i)
            static_cast<stored_t<Result>*>(to)[i] =
                store<Result>(plain<Row>(Row::finish(static_cast<const A*>(from)[i], count)));
    }
};

}  // namespace
}  // namespace cuarray::host
