// shared_loops.h -- which rows and types share loops, and the loops of types that are converted to another one.
#pragma once
#include "host/loops/any_order_loops.h"
#include "host/loops/halves.h"

namespace cuarray::host {
namespace {

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

    /// By blocks of rows: four for loops that take so many at once.
    static void fold_lane(const void* from, int64_t step, int64_t rows, int64_t columns, int64_t first, bool fresh,
                          void* to) {
        constexpr int kRows = is_predicate<R> || finds ? 4 : 1;
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

}  // namespace
}  // namespace cuarray::host
