// reduction_table.h -- the entries of ReductionLoops of one kind of fold, which one translation unit compiles.
#pragma once
#include "host/loops/segment_loops.h"

namespace cuarray::host {
namespace {

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

/// The kind of a row, by its columns.
template <int R> constexpr FoldKind fold_kind() {
    using Row = reduction_t<R, int32_t>;
    constexpr std::string_view accumulator = kTexts[R].accumulator;
    if constexpr ((Row::flags & GivesIndex) != 0)
        return FoldKind::Index;
    else if constexpr (is_predicate<R>)
        return FoldKind::Truth;
    else if constexpr (accumulator != "T")
        return FoldKind::Pair;
    else if constexpr ((Row::flags & Associative) != 0)
        return FoldKind::Bits;
    else
        return Row::has_identity ? FoldKind::Sum : FoldKind::Extreme;
}

template <FoldKind Kind> struct FoldCollector {
    ReductionLoops* to;
    template <int R, class Element> void reduction() {
        if constexpr (fold_kind<R>() == Kind) to[R * kDTypes + int(dtype_of<Element>)] = reduction_loops<R, Element>();
    }
};

}  // namespace
}  // namespace cuarray::host

/// The definition of collect_folds, for the one file that compiles a kind.
#define CUARRAY_FOLD_KIND(kind)                                                                         \
    template <> void cuarray::host::collect_folds<cuarray::host::FoldKind::kind>(ReductionLoops * to) { \
        FoldCollector<FoldKind::kind> collector{to};                                                    \
        visit_reductions(collector);                                                                    \
    }
