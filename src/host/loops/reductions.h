// reductions.h -- the fold order of kernel/reduce.h as loops: leaves of rows, lanes of columns, trees of nodes.
#pragma once
#include "cuarray/core/loops.h"
#include "host/loops/halves.h"
#include "host/loops/tables.h"

namespace cuarray::host {

using kernel::kChunk;
using kernel::kLanes;
using kernel::kLeaf;

/// The loops of reduction row R over elements of one type.
template <int R, class Element> struct ReductionOf {
    using Row = reduction_t<R, Element>;
    using A = typename Row::A;
    using X = stored_t<Element>;

    /// The fold of a whole leaf, lane by lane.
    static CUARRAY_FN void whole_leaf(const X* x, int64_t first, A* lanes) {
        A a[kLanes];
#pragma omp simd
        for (int l = 0; l < kLanes; ++l) a[l] = Row::map(load<Element>(x[l]), first + l);
        for (int k = kLanes; k < kLeaf; k += kLanes) {
#pragma omp simd
            for (int l = 0; l < kLanes; ++l)
                a[l] = Row::combine(a[l], Row::map(load<Element>(x[k + l]), first + k + l));
        }
#pragma omp simd
        for (int l = 0; l < kLanes; ++l) lanes[l] = a[l];
    }

    static void part_of_leaf(const X* x, int64_t n, int64_t first, A* lanes) {
        for (int64_t i = 0; i < n; ++i) {
            const A a = Row::map(load<Element>(x[i]), first + i);
            A& lane = lanes[i % kLanes];
            lane = i < kLanes ? a : Row::combine(lane, a);
        }
    }

    /// nodes[leaf][lane] of n elements, whose first is the first of a leaf and has index `first`.
    static void fold_leaves(const void* from, int64_t n, int64_t first, void* to) {
        const X* x = static_cast<const X*>(from);
        A* nodes = static_cast<A*>(to);
        for (; n >= kLeaf; n -= kLeaf, x += kLeaf, first += kLeaf, nodes += kLanes) whole_leaf(x, first, nodes);
        if (n > 0) part_of_leaf(x, n, first, nodes);
    }

    /// Steps 2 and 3 for the nodes of n elements, at most a chunk; overwrites the nodes.
    static void fold_nodes(void* from, int64_t n, void* to) {
        A* const nodes = static_cast<A*>(from);
        int64_t count = (n + kLeaf - 1) / kLeaf;
        // Lanes of the last node that hold something; the others have one leaf less.
        const int64_t rest = n - (count - 1) * kLeaf;
        int64_t present = rest < kLanes ? rest : kLanes;
        for (; count > 1; count = (count + 1) / 2) {
            for (int64_t j = 0; j + 1 < count; j += 2) {
                A* const node = nodes + j / 2 * kLanes;
                const A *const left = nodes + j * kLanes, *const right = left + kLanes;
                const int64_t lanes = j + 2 == count ? present : kLanes;
                for (int64_t l = 0; l < lanes; ++l) node[l] = Row::combine(left[l], right[l]);
                for (int64_t l = lanes; l < kLanes; ++l) node[l] = left[l];
            }
            if (count % 2 == 0) present = kLanes;
            else
                for (int64_t l = 0; l < kLanes; ++l) nodes[count / 2 * kLanes + l] = nodes[(count - 1) * kLanes + l];
        }
        const int lanes = int(n < kLanes ? n : kLanes);
        for (int d = kLanes / 2; d > 0; d /= 2)
            for (int l = 0; l < d && l + d < lanes; ++l) nodes[l] = Row::combine(nodes[l], nodes[l + d]);
        *static_cast<A*>(to) = nodes[0];
    }

    /// acc[lane][column] of a leaf's rows [row, row + rows); `first` is the index of the first of them.
    static void fold_columns(const void* from, int64_t stride, int64_t row, int64_t rows, int64_t columns,
                             int64_t first, void* to) {
        const char* x = static_cast<const char*>(from);
        A* const acc = static_cast<A*>(to);
        for (int64_t r = row; r < row + rows; ++r, x += stride, ++first) {
            const X* const line = reinterpret_cast<const X*>(x);
            A* const lane = acc + r % kLanes * columns;
            if (r < kLanes) {
#pragma omp simd
                for (int64_t c = 0; c < columns; ++c) lane[c] = Row::map(load<Element>(line[c]), first);
            } else {
#pragma omp simd
                for (int64_t c = 0; c < columns; ++c)
                    lane[c] = Row::combine(lane[c], Row::map(load<Element>(line[c]), first));
            }
        }
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
            static_cast<stored_t<Result>*>(to)[i] = store<Result>(Row::finish(static_cast<const A*>(from)[i], count));
    }

    static constexpr ReductionLoops loops() {
        return {int(sizeof(A)), int(sizeof(stored_t<Result>)), fold_leaves, fold_nodes, fold_columns,
                combine, Row::has_identity ? identity : nullptr, map, finish};
    }
};

template <int Part> struct ReductionCollector {
    ReductionLoops* to;
    template <int R, class Element> constexpr void reduction() {
        if constexpr (R % kReductionParts == Part)
            to[R * kDTypes + int(dtype_of<Element>)] = ReductionOf<R, Element>::loops();
    }
};

/// The definition of collect_reductions, for the one file that compiles a part.
#define CUARRAY_REDUCTIONS_PART(part)                                                \
    template <> void cuarray::host::collect_reductions<part>(ReductionLoops * to) { \
        ReductionCollector<part> collector{to};                                      \
        visit_reductions(collector);                                                 \
    }

}  // namespace cuarray::host
