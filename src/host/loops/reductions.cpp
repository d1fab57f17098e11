// reductions.cpp -- the fold order of kernel/reduce.h as loops: leaves of rows, lanes of columns, trees of nodes.
#include <algorithm>
#include <string_view>

#include "core/loops.h"
#include "host/loops/halves.h"
#include "host/loops/tables.h"
#include "host/loops/vectors.h"

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
    std::string_view accumulator, map, combine, finish;
};
constexpr FoldText kTexts[] = {
#define REDUCTION(name, ufunc, domain, flags, python, accumulator, identity, doc, map, combine, finish) \
    {#accumulator, #map, #combine, #finish},
#include "cuarray/reductions.def"
};
/// The first row whose accumulator and given functions have the text of a row's, for all of the row's types.
template <class... Texts> constexpr int first_alike(int row, Texts... texts) {
    for (int r = 0; r < row; ++r)
        if (kTexts[r].accumulator == kTexts[row].accumulator && ((kTexts[r].*texts == kTexts[row].*texts) && ...) &&
            (kReductionDomains[row] & ~kReductionDomains[r]) == 0)
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

    /// Prefetches to L2, 2048 bytes ahead: the hardware prefetcher stops at page boundaries.
    static CUARRAY_FN void fetch_ahead(const X* x) {
        for (int line = 0; line < int(kLanes * sizeof(X)); line += 64)
            __builtin_prefetch(reinterpret_cast<const char*>(x) + 2048 + line, 0, 2);
    }

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
            fetch_ahead(line);
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
            fetch_ahead(x + k);
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
            fetch_ahead(x + i);
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
                for (int64_t l = 0; l < present; ++l) node[l] = Row::combine(left[l], right[l]);
                for (int64_t l = present; l < kLanes; ++l) node[l] = left[l];
            }
            if (count % 2 == 0)
                present = kLanes;
            else
                for (int64_t l = 0; l < present; ++l) nodes[count / 2 * kLanes + l] = nodes[(count - 1) * kLanes + l];
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

    /// Folds one row into its lane.
    static CUARRAY_FN void add_row(const char* line, int64_t columns, int64_t index, bool fresh, A* lane) {
        if (fresh) {
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
                const bool any = Row::combine(false, true), every = Row::combine(true, true);
                const auto answer = uint8_t(!every ? a ^ b ^ d ^ e : any ? a | b | d | e : a & b & d & e);
                to[c] = Fresh ? answer : uint8_t(!every ? to[c] ^ answer : any ? to[c] | answer : to[c] & answer);
            }
        }
    }

    /// Four rows of one lane at once: its accumulators are read and written a quarter as often.
    template <bool Fresh>
    static CUARRAY_FN void add_four(const char* line, int64_t step, int64_t columns, int64_t index, A* lane) {
        if constexpr (is_same<Element, bool> && (is_predicate<R> || is_same<A, bool>))
            return ask_four<Fresh>(line, step, columns, lane);
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

    static void combine(void* to, const void* from, int64_t n) {
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

/// The number of elements of a leaf that differ from zero, counted in integers of the elements' size, which vectorises.
template <class Element> [[gnu::noinline]] int64_t count_leaf(const stored_t<Element>* x) {
    using Counter = typename ReductionOf<int(reduction::count_nonzero), Element>::Counter;
    constexpr int half = kLeaf / 2;  // fits the smallest Counter
    int64_t yes = 0;
    for (int k = 0; k < kLeaf; k += half) {
        Counter count = 0;
#pragma omp simd reduction(+ : count)
        for (int i = 0; i < half; ++i) count = Counter(count + Counter(differs_from_zero<Element>(x[k + i])));
        yes += count;
    }
    return yes;
}

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

/// A row whose folds give the same bits in any order: a leaf folds to one accumulator, in its node's first lane.
template <int R, class Element> struct InAnyOrder : ReductionOf<R, Element> {
    using Base = ReductionOf<R, Element>;
    using Row = typename Base::Row;
    using A = typename Base::A;
    using X = typename Base::X;
    using ValueRow = typename Base::ValueRow;
    using Counter = typename Base::Counter;
    static constexpr bool finds = Base::needs_index && !is_complex<Element>;

    static A part_of_leaf(const X* x, int64_t n, int64_t first) {
        A lanes[kLanes];
        Base::part_of_leaf(x, n, first, lanes);
        Base::fold_lanes(lanes, n);
        return lanes[0];
    }

    /// Counts and predicates: a leaf of which `yes` elements differ from zero.
    static A asked(int64_t yes) {
        if constexpr (!is_same<A, bool>)
            return A(yes);
        else if (!Row::combine(true, true))
            return yes % 2 != 0;
        else
            return yes == 0 ? false : yes == kLeaf ? true : Row::combine(false, true);
    }

    using Vectors = ExtremeOf<ValueRow, X>;
    static constexpr int kWide = kVectorBytes / int(sizeof(X));

    static auto best_value(const X* x, int64_t n) { return Vectors::best_value(x, n); }

    /// The position of the first of n elements, at most a leaf, with the best value, found
    /// without branches on elements, which would be mispredicted.
    static int position(const X* x, int n, X value) {
        return with_lanes<X>(n, [&](auto lanes) { return position_in_vectors<lanes.value>(x, n, value); });
    }

    template <int lanes> static CUARRAY_FN int position_in_vectors(const X* x, int n, X value) {
        using Position = choose_t<sizeof(X) == 8, int64_t, Counter>;
        using P = Vector<Position, lanes>;
        P lane = {}, first = {};
        for (int l = 0; l < lanes; ++l) lane[l] = Position(l), first[l] = Position(kLeaf - 1);
        const auto earlier = [](P a, P b) { return a < b ? a : b; };
        for_each_vector<lanes>(x, n, [&](auto y, int64_t begin) {
            first = ((y == value) | (y != y)) ? earlier(first, lane + Position(begin)) : first;
        });
        return int(fold_vector<lanes>(first, earlier));
    }

    /// The position of the first of n bools that is `value`; n if there is none. Bytes in words, the first one lowest.
    static CUARRAY_FN int64_t position_of_bool(const void* from, int64_t n, bool value) {
        constexpr uint64_t low = 0x0101010101010101, high = low << 7;
        const char* const x = static_cast<const char*>(from);
        // Not 0 if a byte is; its lowest bit that is set belongs to the first such byte.
        const auto found = [=](int64_t i) {
            uint64_t word;
            __builtin_memcpy(&word, x + i, sizeof word);
            return value ? word : (word - low) & ~word & high;
        };
        int64_t i = 0;
        using V = Vector<uint8_t, kVectorBytes>;
        for (constexpr int64_t many = 8 * kVectorBytes; i + many <= n; i += many) {
            const auto at = [=](int k) {
                return load_vector<uint8_t, kVectorBytes>(reinterpret_cast<const uint8_t*>(x) + i + k * kVectorBytes);
            };
            // The smallest byte tells whether any is 0, the union of bits whether any is not.
            V all = at(0);
#pragma GCC unroll 8
            for (int k = 1; k < 8; ++k) {
                const V y = at(k);
                all = value ? V(all | y) : V(all < y ? all : y);
            }
            if (fold_vector<kVectorBytes>(V(value ? all != 0 : all == 0), [](auto a, auto b) { return a | b; })) break;
        }
        for (; i + 8 <= n; i += 8)
            if (const uint64_t bits = found(i)) return i + __builtin_ctzll(bits) / 8;
        while (i < n && (x[i] != 0) != value) ++i;
        return i;
    }

    /// The best of all leaves, which may be stored as the node of each: only the block that has it is searched, by
    /// leaves.
    static A best_of_leaves(const X* x, int64_t n, int64_t first) {
        if constexpr (is_same<Element, bool>) {
            constexpr bool wanted = is_same<ValueRow, red::max<Element>>;
            const int64_t at = position_of_bool(x, n, wanted);
            return at < n ? A{wanted, first + at} : A{!wanted, first};
        } else {
            constexpr int64_t kBlock = 8192 / int64_t(sizeof(X));
            A best = {best_value(x, n < kBlock ? n : kBlock), 0};
            for (int64_t begin = kBlock; begin < n; begin += kBlock)
                best = Row::combine(best, A{best_value(x + begin, n - begin < kBlock ? n - begin : kBlock), begin});
            const int64_t end = n - best.index < kBlock ? n : best.index + kBlock;
            if (end - best.index > kLeaf) {  // the first leaf that has it
                const auto has_it = [&](int64_t leaf) {
                    const auto value = best_value(x + leaf, end - leaf < kLeaf ? end - leaf : kLeaf);
                    return value == best.value || value != value;
                };
                while (!has_it(best.index)) best.index += kLeaf;
            }
            const int size = int(end - best.index < kLeaf ? end - best.index : kLeaf);
            return {best.value, first + best.index + position(x + best.index, size, best.value)};
        }
    }

    static void fold_lines(const void* from, int64_t n, int64_t lines, void* to) {
        const X* x = static_cast<const X*>(from);
        for (int64_t k = 0; k < lines; ++k, x += n) static_cast<A*>(to)[k] = best_of_leaves(x, n, 0);
    }

    /// A number that compares and has vectors as elements do.
    using Comparable = choose_t<is_same<Element, bool>, uint8_t, X>;

    /// The best of rows of some columns, `vectors` times `lanes`. A row's position is counted in integers of the
    /// elements' size, so there are at most kRowsCounted.
    static constexpr int64_t kRowsCounted = sizeof(X) == 1 ? 255 : sizeof(X) == 2 ? 65535 : kernel::kChunk;
    template <int lanes, int vectors>
    static CUARRAY_FN void best_rows(const char* x, int64_t step, int64_t rows, int64_t first, bool fresh, A* acc) {
        using V = Vector<Comparable, lanes>;
        using P = Vector<choose_t<sizeof(X) == 8, int64_t, Counter>, lanes>;
        const auto load = [&](int64_t row, int v) {
            const V y = load_vector<Comparable, lanes>(reinterpret_cast<const Comparable*>(x + row * step) + v * lanes);
            return is_same<Element, bool> ? V((y != 0) & 1) : y;
        };
        V best[vectors];
        P place[vectors];
#pragma GCC unroll 4
        for (int v = 0; v < vectors; ++v) best[v] = load(0, v), place[v] = P{};
        for (int64_t row = 1; row < rows; ++row)
#pragma GCC unroll 4
            for (int v = 0; v < vectors; ++v) {
                const V y = load(row, v);
                // False for a NaN, which is better than all but another one.
                const auto is_no_better = is_same<ValueRow, red::max<Element>> ? y <= best[v] : y >= best[v];
                const auto is_better = ~is_no_better & (best[v] == best[v]);
                best[v] = is_better ? y : best[v];
                place[v] = is_better ? P{} + typename std::decay<decltype(place[v][0])>::type(row) : place[v];
            }
        for (int v = 0; v < vectors; ++v)
            for (int l = 0; l < lanes; ++l) {
                const A found = {decltype(A::value)(best[v][l]), first + int64_t(place[v][l])};
                A& to = acc[v * lanes + l];
                to = fresh ? found : Row::combine(to, found);
            }
    }

    [[gnu::noinline]] static void fold_rows(const void* from, int64_t step, int64_t rows, int64_t columns,
                                            int64_t first, void* to) {
        with_lanes<X>(columns, [&](auto lanes) {
            constexpr int n = lanes.value, together = n == kWide ? 4 : 1;
            for (int64_t row = 0; row < rows; row += kRowsCounted) {
                const char* const x = static_cast<const char*>(from) + row * step;
                const int64_t count = rows - row < kRowsCounted ? rows - row : kRowsCounted;
                const auto fold = [&](auto vectors, int64_t c) {
                    best_rows<n, vectors.value>(x + c * int64_t(sizeof(X)), step, count, first + row, row == 0,
                                                static_cast<A*>(to) + c);
                };
                int64_t c = 0;
                for (; c + together * n <= columns; c += together * n) fold(std::integral_constant<int, together>(), c);
                for (; c < columns; c += n) fold(std::integral_constant<int, 1>(), c + n <= columns ? c : columns - n);
            }
        });
    }

    [[gnu::noinline]] static void fold_leaves(const void* from, int64_t n, int64_t first, void* to) {
        const X* x = static_cast<const X*>(from);
        A* node = static_cast<A*>(to);
        if constexpr (finds) {
            const A best = best_of_leaves(x, n, first);
            for (; n > 0; n -= kLeaf, node += kLanes) *node = best;
            return;
        }
        if constexpr (Base::asks && is_same<A, bool>) {
            if (Row::combine(true, true)) {  // any or all: the first element that decides it
                const bool wanted = Row::combine(false, true);
                const bool answer = (position_of_bool(x, n, wanted) < n) == wanted;
                for (; n > 0; n -= kLeaf, node += kLanes) *node = answer;
                return;
            }
        }
        for (; n > 0; n -= kLeaf, x += kLeaf, first += kLeaf, node += kLanes) {
            if (n < kLeaf) {
                *node = part_of_leaf(x, n, first);
            } else if constexpr (Base::asks) {
                *node = asked(count_leaf<bool>(x));
            } else {
                A lanes[kLanes];
                Base::whole_leaf(x, first, lanes);
                Base::fold_lanes(lanes, kLanes);
                *node = lanes[0];
            }
        }
    }

    [[gnu::noinline]] static void fold_nodes(void* from, int64_t n, void* to) {
        A* const nodes = static_cast<A*>(from);
        for (int64_t leaf = 1; leaf * kLeaf < n; ++leaf) nodes[0] = Row::combine(nodes[0], nodes[leaf * kLanes]);
        *static_cast<A*>(to) = nodes[0];
    }
};

template <int R, class Element>
using OwnLoopsOf =
    choose_t<(reduction_t<R, Element>::flags & Associative) != 0, InAnyOrder<R, Element>, ReductionOf<R, Element>>;
/// The row that folds numbers other than NaN to the same bits.
constexpr int without_nan(int row) {
    return row == int(reduction::fmax) ? int(reduction::max) : row == int(reduction::fmin) ? int(reduction::min) : row;
}
/// The row and the element type whose loops are compiled for a row and a type: they fold to the same bits.
template <int R, class Element>
constexpr int shared_row = is_integer<Element> || is_same<Element, bool> ? without_nan(R) : R;
template <int R, class Element>
using shared_t = choose_t<is_signless<R> && is_integer<Element>, signed_t<Element>, Element>;
template <int R, class Element>
using LoopsOf = OwnLoopsOf<first_folding_alike(shared_row<R, Element>), shared_t<R, Element>>;

template <class Half> void stage_block(const Half* x, f32* y, int64_t n) { widen_block(x, y, n); }

template <class Element> [[gnu::noinline]] void stage_block(const stored_t<Element>* x, bool* y, int64_t n) {
    auto* const to = reinterpret_cast<uint8_t*>(y);
#pragma omp simd
    for (int64_t i = 0; i < n; ++i) to[i] = differs_from_zero<Element>(x[i]);
}

/// Leaves and columns of elements that fold as another type, to which blocks of them are converted.
template <int R, class Element> struct StagedLoopsOf {
    using Stage = Folded<R, Element>;
    using X = stored_t<Element>;
    using Loops = LoopsOf<R, Stage>;
    using A = typename Loops::A;
    static_assert(kStage % kLeaf == 0, "a stage is whole leaves");

    static constexpr bool finds = requires { requires Loops::finds; };

    static void stage(const void* from, Stage* to, int64_t n) {
        stage_block<Element>(static_cast<const X*>(from), to, n);
    }

    static void fold_leaves(const void* from, int64_t n, int64_t first, void* to) {
        const X* x = static_cast<const X*>(from);
        A* nodes = static_cast<A*>(to);
        if constexpr (is_predicate<R>)
            for (; n >= kLeaf; n -= kLeaf, x += kLeaf, nodes += kLanes) *nodes = Loops::asked(count_leaf<Element>(x));
        alignas(64) Stage staged[kStage];
        for (int64_t i = 0; i < n; i += kStage) {
            const int64_t count = n - i < kStage ? n - i : kStage;
            stage(x + i, staged, count);
            Loops::fold_leaves(staged, count, first + i, nodes + i / kLeaf * kLanes);
        }
    }

    /// For rows that find an index.
    static void fold_lines(const void* from, int64_t n, int64_t lines, void* to) {
        const X* x = static_cast<const X*>(from);
        A* acc = static_cast<A*>(to);
        if (n > kStage) {
            A nodes[kernel::kChunk / kLeaf * kLanes];
            for (int64_t k = 0; k < lines; ++k, x += n) {
                fold_leaves(x, n, 0, nodes);
                Loops::fold_nodes(nodes, n, acc + k);
            }
            return;
        }
        alignas(64) Stage staged[kStage];
        for (int64_t count; lines > 0; lines -= count, x += count * n, acc += count) {
            count = lines < kStage / n ? lines : kStage / n;
            stage(x, staged, count * n);
            Loops::fold_lines(staged, n, count, acc);
        }
    }

    /// By blocks of rows: four for predicates, whose loops take four at once.
    static void fold_lane(const void* from, int64_t step, int64_t rows, int64_t columns, int64_t first, bool fresh,
                          void* to) {
        constexpr int kRows = is_predicate<R> ? 4 : 1;
        alignas(64) Stage staged[kRows][kStage];
        const char* x = static_cast<const char*>(from);
        for (int64_t row = 0; row < rows; row += kRows, x += kRows * step) {
            const int64_t together = rows - row < kRows ? rows - row : kRows;
            for (int64_t c = 0; c < columns; c += kStage) {
                const int64_t count = columns - c < kStage ? columns - c : kStage;
                for (int64_t r = 0; r < together; ++r) stage(x + r * step + c * int64_t(sizeof(X)), staged[r], count);
                Loops::fold_lane(staged, sizeof staged[0], together, count, first + row * kLanes, fresh && row == 0,
                                 static_cast<A*>(to) + c);
            }
        }
    }
};

/// Whether elements fold as they are stored: bools are bytes of which any but 0 is true.
template <int R, class Element>
constexpr bool is_own_stage =
    is_same<Folded<R, Element>, Element> || (is_predicate<R> && is_integer<Element> && sizeof(Element) == 1);
/// The loops of leaves and columns.
template <int R, class Element>
using FoldsOf = choose_t<is_own_stage<R, Element>, LoopsOf<R, choose_t<is_predicate<R>, bool, Element>>,
                         StagedLoopsOf<R, shared_t<R, Element>>>;

/// What a fold of one contiguous line calls.
struct LineFold {
    int item_size, accumulator_size;
    decltype(ReductionLoops::fold_leaves) fold_leaves;
    decltype(ReductionLoops::fold_nodes) fold_nodes;
    decltype(ReductionLoops::combine) combine;
};

/// Folds more elements than a chunk has: its chunks, and the tree of kernel/reduce.h over them.
[[gnu::noinline]] void fold_long(const LineFold& fold, const char* x, int64_t n, void* nodes, void* result) {
    struct alignas(16) Accumulator {
        char bytes[16];
    };
    Accumulator subtree[kernel::kChunkLevels], node;
    int64_t count = 0;
    const auto join = [&](int level) {
        fold.combine(&subtree[level], &node, 1);
        node = subtree[level];
    };
    for (int64_t begin = 0; begin < n; begin += kernel::kChunk, ++count) {
        const int64_t length = n - begin < kernel::kChunk ? n - begin : kernel::kChunk;
        fold.fold_leaves(x + begin * fold.item_size, length, begin, nodes);
        fold.fold_nodes(nodes, length, &node);
        int level = 0;
        for (; count >> level & 1; ++level) join(level);
        subtree[level] = node;
    }
    int level = 0;
    while (!(count >> level & 1)) ++level;
    node = subtree[level];
    for (++level; count >> level; ++level)
        if (count >> level & 1) join(level);
    __builtin_memcpy(result, &node, size_t(fold.accumulator_size));
}

/// Columns of at most kLanes rows: step 3 of the fold order alone, from the rows themselves, by blocks that stay in L1.
template <int R, class Element> struct FewRowsOf {
    using Row = reduction_t<R, Element>;
    using A = typename Row::A;
    static constexpr bool exists = is_same<A, Element> && is_same<stored_t<Element>, A> && kTexts[R].map == "x";

    /// to[i] = the combination of left[i] and right[i]; `to` may be `left`.
    [[gnu::noinline]] static void combine(const A* left, const A* right, A* to, int64_t n) {
#pragma omp simd
        for (int64_t i = 0; i < n; ++i) to[i] = Row::combine(left[i], right[i]);
    }

    static void fold_rows(const void* from, int64_t step, int64_t rows, int64_t columns, int64_t, void* to) {
        constexpr int64_t kBlock = 4096 / int64_t(sizeof(A));
        alignas(64) A buffer[kLanes / 2][kBlock];
        for (int64_t c = 0; c < columns; c += kBlock) {
            const int64_t n = columns - c < kBlock ? columns - c : kBlock;
            A* const acc = static_cast<A*>(to) + c;
            const A* lane[kLanes];
            for (int64_t l = 0; l < rows; ++l)
                lane[l] = reinterpret_cast<const A*>(static_cast<const char*>(from) + l * step) + c;
            for (int d = kLanes / 2; d > 0; d /= 2)
                for (int l = 0; l < d && l + d < rows; ++l) {
                    A* const node = d == 1 ? acc : buffer[l];
                    combine(lane[l], lane[l + d], node, n);
                    lane[l] = node;
                }
            if (rows == 1) __builtin_memcpy(acc, lane[0], size_t(n) * sizeof(A));
        }
    }
};

/// Whether folding all lanes costs less than testing which exist.
template <int R, class A>
constexpr bool folds_unasked =
    kTexts[R].combine != "math::gcd(a, b)" && (is_same<A, f32> || is_same<A, f64> || (is_integer<A> && sizeof(A) >= 4));

/// Folds of segments of a line, and of lines one after the other.
template <int R, class Element> struct SegmentsOf {
    using Row = reduction_t<R, Element>;
    using A = typename Row::A;
    using X = stored_t<Element>;
    using Leaves = FoldsOf<R, Element>;
    using Nodes = LoopsOf<R, Folded<R, Element>>;
    static_assert(sizeof(A) <= 16, "fold_long keeps accumulators of 16 bytes");
    static constexpr LineFold kFold = {sizeof(X), sizeof(A), Leaves::fold_leaves, Nodes::fold_nodes, Nodes::combine};
    static constexpr int64_t kNodes = kernel::kChunk / kLeaf * kLanes;

    /// Folds n <= kLanes elements if kLanes are readable: lanes beyond n are computed and discarded.
    static A fold_few(const X* x, int64_t n) {
        A lane[kLanes];
        for (int l = 0; l < kLanes; ++l) lane[l] = Row::map(load<Element>(x[l]), l);
        for (int d = kLanes / 2; d > 0; d /= 2)
            for (int l = 0; l < d; ++l) {
                const A both = Row::combine(lane[l], lane[l + d]);
                lane[l] = l + d < n ? both : lane[l];
            }
        return lane[0];
    }

    /// Folds n > 0 elements; `nodes` has room for those of a chunk.
    static CUARRAY_FN A fold_segment(const X* x, int64_t n, bool has_all_lanes, A* nodes) {
        const auto at = [x](int64_t i) { return Row::map(load<Element>(x[i]), i); };
        switch (n) {
            case 1: return at(0);
            case 2: return Row::combine(at(0), at(1));
            case 3: return Row::combine(Row::combine(at(0), at(2)), at(1));
            case 4: return Row::combine(Row::combine(at(0), at(2)), Row::combine(at(1), at(3)));
        }
        if constexpr (VectorFold<R, Element>::exists)
            if (n >= kLanes || !folds_unasked<R, A>)
                if (A all; VectorFold<R, Element>::fold(x, n, all)) return all;
        if constexpr (folds_unasked<R, A>) {
            if (has_all_lanes && n <= kLanes) return fold_few(x, n);
            if (n > kLanes && n < kLeaf) return fold_part(x, n);
        }
        A acc;
        if (n > kernel::kChunk) {
            fold_long(kFold, reinterpret_cast<const char*>(x), n, nodes, &acc);
        } else {
            Leaves::fold_leaves(x, n, 0, nodes);
            Nodes::fold_nodes(nodes, n, &acc);
        }
        return acc;
    }

    /// Folds part of a leaf that has all lanes, without nodes in memory. By part_of_leaf, which stores the lanes, and
    /// fold_lanes rows of 24 float32 take up to 5 times as long.
    static A fold_part(const X* x, int64_t n) {
        A lane[kLanes];
#pragma omp simd
        for (int l = 0; l < kLanes; ++l) lane[l] = Row::map(load<Element>(x[l]), l);
        int64_t i = kLanes;
        for (; i + kLanes <= n; i += kLanes) {
#pragma omp simd
            for (int l = 0; l < kLanes; ++l) lane[l] = Row::combine(lane[l], Row::map(load<Element>(x[i + l]), i + l));
        }
        // The rest, from the last kLanes elements, of which the first have been folded.
        const int done = int(i + kLanes - n);
        A last[kLanes];
#pragma omp simd
        for (int l = 0; l < kLanes; ++l) last[l] = Row::map(load<Element>(x[n - kLanes + l]), l);
        for (int l = 0; l + done < kLanes; ++l) lane[l] = Row::combine(lane[l], last[l + done]);
        LoopsOf<R, Element>::fold_lanes(lane, kLanes);
        return lane[0];
    }

    [[gnu::noinline]] static void fold_lines(const void* from, int64_t n, int64_t lines, void* to) {
        A nodes[kNodes];
        const X* x = static_cast<const X*>(from);
        const X* const last = x + lines * n - kLanes;  // up to here kLanes elements are readable
        A* acc = static_cast<A*>(to);
        for (int64_t k = 0; k < lines; ++k, x += n) acc[k] = fold_segment(x, n, x <= last, nodes);
    }

    static void segmented_reduce(const void* from, const int64_t* begins, const int64_t* ends, int64_t count,
                                 void* to) {
        A nodes[kNodes];
        const int64_t last = count > 0 ? ends[count - 1] - kLanes : 0;  // up to here kLanes elements are readable
        for (int64_t k = 0; k < count; ++k) {
            const X* const x = static_cast<const X*>(from) + begins[k];
            const int64_t n = ends[k] - begins[k];
            if (n <= 0) continue;
            const A folded = fold_segment(x, n, begins[k] <= last, nodes);
            static_cast<X*>(to)[k] = store<Element>(plain<Row>(Row::finish(folded, n)));
        }
    }
};

template <class Loops> constexpr void take_folds(ReductionLoops& loops) {
    loops.fold_leaves = Loops::fold_leaves;
    loops.fold_lane = Loops::fold_lane;
    loops.fold_nodes = Loops::fold_nodes;
}

template <int R, class Element> constexpr ReductionLoops reduction_loops() {
    using Own = OwnLoopsOf<R, Element>;
    using Folds = FoldsOf<R, Element>;
    using Shared = LoopsOf<R, Folded<R, Element>>;
    ReductionLoops loops;
    loops.accumulator_size = int(sizeof(typename Own::A));
    loops.result_size = int(sizeof(stored_t<typename Own::Result>));
    if constexpr (is_same<typename Own::A, bool>)
        for (const bool value : {false, true})
            if (Own::Row::combine(value, false) == value && Own::Row::combine(value, true) == value)
                loops.decided = value;
    if constexpr (is_same<Element, bool> && Own::needs_index)
        loops.decided = is_same<typename Own::ValueRow, red::max<bool>>;
    loops.fold_leaves = Folds::fold_leaves;
    loops.fold_lane = Folds::fold_lane;
    if constexpr (is_same<typename Own::Result, Element> && !Own::needs_index)
        loops.segmented_reduce = SegmentsOf<shared_row<R, Element>, shared_t<R, Element>>::segmented_reduce;
    constexpr int kAlike = first_folding_alike(shared_row<R, Element>);
    if constexpr (requires { requires Folds::finds; })
        loops.fold_lines = Folds::fold_lines;
    else if constexpr (is_own_stage<R, Element> && !is_predicate<R> &&
                       (folds_unasked<kAlike, typename Own::A> || VectorFold<kAlike, shared_t<R, Element>>::exists))
        loops.fold_lines = SegmentsOf<kAlike, shared_t<R, Element>>::fold_lines;
    if constexpr (requires {
                      Folds::kRowsCounted;
                      requires Folds::finds;
                  })
        loops.fold_rows = Folds::fold_rows;
    else if constexpr (FewRowsOf<kAlike, shared_t<R, Element>>::exists)
        loops.fold_few_rows = FewRowsOf<kAlike, shared_t<R, Element>>::fold_rows;
    loops.fold_nodes = Shared::fold_nodes;
    loops.combine = Shared::combine;
    loops.needs_index = Own::needs_index;
    if constexpr (is_same<Element, bool> && is_same<typename Own::A, bool>) {
        // The maximum of bool is `any`, the minimum `all`.
        const bool ones = Own::Row::combine(true, true), mixed = Own::Row::combine(false, true);
        if (ones && mixed) take_folds<LoopsOf<reduction::any, bool>>(loops);
        if (ones && !mixed) take_folds<LoopsOf<reduction::all, bool>>(loops);
    }
    loops.identity = Own::Row::has_identity ? Shared::identity : nullptr;
    loops.map = ReductionOf<first_alike(R, &FoldText::map), Element>::map;
    loops.finish = ReductionOf<first_alike(R, &FoldText::combine, &FoldText::finish), Element>::finish;
    return loops;
}

struct ReductionCollector {
    ReductionLoops* to;
    template <int R, class Element> void reduction() {
        to[R * kDTypes + int(dtype_of<Element>)] = reduction_loops<R, Element>();
    }
};

}  // namespace

int collect_reductions(ReductionLoops* to) {
    ReductionCollector collector{to};
    if (to) visit_reductions(collector);
    return kReductions;
}

}  // namespace cuarray::host
