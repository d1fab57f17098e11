// reduction_table.h -- the entries of ReductionLoops of one kind of fold, which one translation unit compiles.
#pragma once
#include "host/loops/segment_loops.h"

namespace cuarray::host {
namespace {

/// results[i] = the part of accumulator i at an offset: a `finish` that computes nothing.
template <int Bytes, int Apart, int Offset>
void finish_by_copy(const void* from, void* to, int64_t n, int64_t) {
    if constexpr (Bytes == Apart)
        __builtin_memcpy(to, from, size_t(n) * Bytes);
    else
        for (int64_t i = 0; i < n; ++i)
            __builtin_memcpy(static_cast<char*>(to) + i * Bytes, static_cast<const char*>(from) + i * Apart + Offset,
                             Bytes);
}

template <int R, class Element> constexpr auto finish_of() {
    using Row = reduction_t<R, Element>;
    using A = typename Row::A;
    using Result = typename ReductionOf<R, Element>::Result;
    constexpr bool has_nan = is_complex<Result> || is_float<Result> || is_half<Result>;
    if constexpr (kTexts[R].finish == "a" && is_same<Result, A> && !(has_nan && Row::has_identity))
        return finish_by_copy<sizeof(A), sizeof(A), 0>;
    else if constexpr (kTexts[R].finish == "a.index")
        return finish_by_copy<sizeof(Result), sizeof(A), __builtin_offsetof(A, index)>;
    else
        return ReductionOf<first_alike(R, &FoldText::finish, &FoldText::has_identity),
                           choose_t<is_predicate<R>, bool, Element>>::finish;
}

template <int R, class Element> constexpr ReductionLoops reduction_loops() {
    using Own = OwnLoopsOf<R, Element>;
    using Folds = FoldsOf<R, Element>;
    using Shared = LoopsOf<R, Folded<R, Element>>;
    ReductionLoops loops;
    loops.accumulator_size = int(sizeof(typename Own::A));
    loops.result_size = int(sizeof(stored_t<typename Own::Result>));
    loops.fold_leaves = Folds::fold_leaves;
    loops.fold_lane = Folds::fold_lane;
    constexpr int kAlike = first_folding_alike(shared_row<R, Element>);
    if constexpr (is_same<typename Own::Result, Element> && kTexts[R].ufunc != "NONE")
        loops.segmented_reduce = SegmentsOf<shared_row<R, Element>, shared_t<R, Element>>::segmented_reduce;
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
    loops.identity = Own::Row::has_identity ? Shared::identity : nullptr;
    loops.map = ReductionOf<first_alike(R, &FoldText::map), Element>::map;
    loops.finish = finish_of<R, Element>();
    return loops;
}

template <class Loops> void take_folds(ReductionLoops& loops) {
    loops.fold_leaves = Loops::fold_leaves;
    loops.fold_lane = Loops::fold_lane;
    loops.fold_nodes = Loops::fold_nodes;
}

/// Fills in what the combinations of bools tell.
template <int R, class Element> void add_what_bools_tell(ReductionLoops& loops) {
    using Row = reduction_t<R, Element>;
    if constexpr (is_same<typename Row::A, bool>) {
        for (const bool value : {false, true})
            if (Row::combine(value, false) == value && Row::combine(value, true) == value) loops.decided = value;
        if constexpr (is_same<Element, bool>) {
            // The maximum of bool is `any`, the minimum `all`.
            const bool ones = Row::combine(true, true), mixed = Row::combine(false, true);
            if (ones && mixed) take_folds<LoopsOf<reduction::any, bool>>(loops);
            if (ones && !mixed) take_folds<LoopsOf<reduction::all, bool>>(loops);
        }
    }
    if constexpr (is_same<Element, bool> && OwnLoopsOf<R, Element>::needs_index)
        loops.decided = is_same<typename OwnLoopsOf<R, Element>::ValueRow, red::max<bool>>;
}

/// The kind of a row, by its columns.
template <int R> constexpr FoldKind fold_kind() {
    using Row = reduction_t<R, int32_t>;
    if constexpr ((Row::flags & GivesIndex) != 0)
        return FoldKind::Index;
    else if constexpr (is_predicate<R>)
        return FoldKind::Truth;
    else if constexpr (!is_same<typename NumberOf<typename Row::A>::type, fn::nothing>)
        return FoldKind::Pair;
    else if constexpr ((Row::flags & Associative) != 0)
        return FoldKind::Bits;
    else
        return Row::has_identity ? FoldKind::Sum : FoldKind::Extreme;
}

template <FoldKind Kind> struct FoldCollector {
    ReductionLoops* to;
    template <int R, class Element> void reduction() {
        if constexpr (fold_kind<R>() == Kind) {
            static constexpr ReductionLoops kLoops = reduction_loops<R, Element>();
            ReductionLoops& loops = to[R * kDTypes + int(dtype_of<Element>)];
            loops = kLoops;
            add_what_bools_tell<R, Element>(loops);
        }
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
