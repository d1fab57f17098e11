// any_order_loops.h -- folds that have the same bits in any order: of predicates, counts, bits and positions.
#pragma once
#include "host/loops/extreme_values.h"

namespace cuarray::host {
namespace {

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

/// Moves rows of some columns together.
template <int bytes, int columns>
[[gnu::noinline]] void pack_rows(const char* from, int64_t step, int64_t rows, void* packed) {
    char* to = static_cast<char*>(packed);
    for (int64_t row = 0; row < rows; ++row, from += step, to += bytes * columns)
        for (int c = 0; c < columns; ++c) __builtin_memcpy(to + bytes * c, from + bytes * c, bytes);
}

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
    static constexpr int kTogether = 4 * kWide;  ///< the elements of vectors that are folded side by side

    static auto best_value(const X* x, int64_t n) { return Vectors::best_value(x, n); }

    /// The position of the first of n elements with the best value: some vectors have one, which is found without
    /// branches on elements, which would be mispredicted.
    static int64_t position(const X* x, int64_t n, X value) {
        constexpr int vectors = 8, many = vectors * kWide;
        const auto is_it = [=](int64_t i) {
            const auto y = load_vector<X, kWide>(x + i);
            return (y == value) | (y != y);
        };
        int64_t i = 0;
        for (; i + many <= n; i += many) {
            auto found = is_it(i);
#pragma GCC unroll 8
            for (int k = 1; k < vectors; ++k) found |= is_it(i + k * kWide);
            if (fold_vector<kWide>(found, [](auto a, auto b) { return a | b; })) break;
        }
        const int few = int(n - i < many ? n - i : many);
        return i + with_lanes<X>(few, [&](auto lanes) { return position_in_vectors<lanes.value>(x + i, few, value); });
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

    /// The best of all leaves, which may be stored as the node of each: only the block that has it is searched.
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
            const int64_t size = n - best.index < kBlock ? n - best.index : kBlock;
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

    /// Several contiguous rows of few columns are one row of a matrix of fewer rows: so many that they fill vectors.
    static void fold_narrow_rows(const void* from, int64_t rows, int64_t columns, int64_t first, A* to) {
        A found[kTogether];
        const int64_t together = kTogether / columns, whole = rows / together, step = columns * int64_t(sizeof(X));
        fold_rows(from, together * step, whole, together * columns, 0, found);
        for (int64_t k = 0; k < together; ++k)
            for (int64_t c = 0; c < columns; ++c) {
                const A& one = found[k * columns + c];
                const A next = {one.value, first + one.index * together + k};
                to[c] = k == 0 ? next : Row::combine(to[c], next);
            }
        const char* line = static_cast<const char*>(from) + whole * together * step;
        for (int64_t row = whole * together; row < rows; ++row, line += step)
            Base::add_row(line, columns, first + row, false, to);
    }

    /// Rows of two or three columns that lie apart are moved together first: they fill no vector.
    template <int columns>
    static void fold_spread_rows(const char* from, int64_t step, int64_t rows, int64_t first, A* to) {
        constexpr int64_t kRows = 4096 / (columns * sizeof(X));
        X packed[kRows * columns];
        for (int64_t begin = 0; begin < rows; begin += kRows) {
            const int64_t n = rows - begin < kRows ? rows - begin : kRows;
            pack_rows<sizeof(X), columns>(from + begin * step, step, n, packed);
            A found[columns];
            fold_rows(packed, columns * sizeof(X), n, columns, first + begin, found);
            for (int c = 0; c < columns; ++c) to[c] = begin == 0 ? found[c] : Row::combine(to[c], found[c]);
        }
    }

    [[gnu::noinline]] static void fold_rows(const void* from, int64_t step, int64_t rows, int64_t columns,
                                            int64_t first, void* to) {
        if (columns <= kTogether / 4 && rows * columns >= 4 * kTogether) {
            A* const acc = static_cast<A*>(to);
            const char* const x = static_cast<const char*>(from);
            if (step == columns * int64_t(sizeof(X))) return fold_narrow_rows(from, rows, columns, first, acc);
            if (columns == 2) return fold_spread_rows<2>(x, step, rows, first, acc);
            if (columns == 3) return fold_spread_rows<3>(x, step, rows, first, acc);
        }
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

    static void fold_lane(const void* from, int64_t step, int64_t rows, int64_t columns, int64_t first, bool fresh,
                          void* to) {
        if constexpr (!Base::needs_index) return Base::fold_lane(from, step, rows, columns, first, fresh, to);
        const char* line = static_cast<const char*>(from);
        A* lane = static_cast<A*>(to);
        if constexpr (finds) {
            constexpr int64_t kBlock = kTogether;
            A found[kBlock];
            for (; rows > 1 && columns >= kWide;
                 columns -= kBlock, line += kBlock * int64_t(sizeof(X)), lane += kBlock) {
                const int64_t n = columns < kBlock ? columns : kBlock;
                fold_rows(line, step, rows, n, 0, found);
                // Vectorised, or at least without branches, which would be mispredicted.
#pragma omp simd
                for (int64_t c = 0; c < n; ++c) {
                    const A next = {found[c].value, first + found[c].index * kLanes};
                    lane[c] = fresh ? next : Row::combine(lane[c], next);
                }
            }
        }
        if (columns <= 0) return;
        for (; rows > 0; --rows, line += step, first += kLanes, fresh = false)
            Base::add_row(line, columns, first, fresh, lane);
    }

    /// The best of numbers that have no vectors.
    static A best_one_by_one(const X* x, int64_t n, int64_t first) {
        A best = Row::map(load<Element>(x[0]), first);
        for (int64_t i = 1; i < n; ++i) best = Row::combine(best, Row::map(load<Element>(x[i]), first + i));
        return best;
    }

    [[gnu::noinline]] static void fold_leaves(const void* from, int64_t n, int64_t first, void* to) {
        const X* x = static_cast<const X*>(from);
        A* node = static_cast<A*>(to);
        if constexpr (Base::needs_index) {
            A best;
            if constexpr (finds)
                best = best_of_leaves(x, n, first);
            else
                best = best_one_by_one(x, n, first);
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

}  // namespace
}  // namespace cuarray::host
