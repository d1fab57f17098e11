// segment_loops.h -- folds of segments of a line, of lines one after the other, and of columns of few rows.
#pragma once
#include "host/loops/shared_loops.h"

namespace cuarray::host {
namespace {

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

/// Combines n accumulators: to[i] = combine(left[i], right[i]); `to` may be `left`.
using PairLoop = void (*)(const void* left, const void* right, void* to, int64_t n);

/// Columns of at most kLanes rows: step 3 of the fold order alone, from the rows themselves, by blocks that stay in L1.
[[gnu::noinline]] void fold_few_rows(PairLoop combine, int64_t item, const void* from, int64_t step, int64_t rows,
                                     int64_t columns, void* to) {
    constexpr int64_t kBlockBytes = 4096;
    alignas(64) char buffer[kLanes / 2][kBlockBytes];
    const int64_t block = kBlockBytes / item;
    for (int64_t c = 0; c < columns; c += block) {
        const int64_t n = columns - c < block ? columns - c : block;
        char* const acc = static_cast<char*>(to) + c * item;
        const char* lane[kLanes];
        for (int64_t l = 0; l < rows; ++l) lane[l] = static_cast<const char*>(from) + l * step + c * item;
        for (int d = kLanes / 2; d > 0; d /= 2)
            for (int l = 0; l < d && l + d < rows; ++l) {
                char* const node = d == 1 ? acc : buffer[l];
                combine(lane[l], lane[l + d], node, n);
                lane[l] = node;
            }
        if (rows == 1) __builtin_memcpy(acc, lane[0], size_t(n * item));
    }
}

/// The same for a row whose accumulators are elements.
template <int R, class Element> struct FewRowsOf {
    using Row = reduction_t<R, Element>;
    using A = typename Row::A;
    static constexpr bool exists = is_same<A, Element> && is_same<stored_t<Element>, A> && kTexts[R].map == "x";

    static void combine(const void* left, const void* right, void* to, int64_t n) {
#pragma omp simd
        for (int64_t i = 0; i < n; ++i)
            static_cast<A*>(to)[i] = Row::combine(static_cast<const A*>(left)[i], static_cast<const A*>(right)[i]);
    }

    static void fold_rows(const void* from, int64_t step, int64_t rows, int64_t columns, int64_t, void* to) {
        fold_few_rows(combine, sizeof(A), from, step, rows, columns, to);
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

    /// Folds n elements, at most four; false where there are more.
    static CUARRAY_FN bool fold_first(const X* x, int64_t n, A& acc) {
        const auto at = [x](int64_t i) { return Row::map(load<Element>(x[i]), i); };
        switch (n) {
            case 1: return acc = at(0), true;
            case 2: return acc = Row::combine(at(0), at(1)), true;
            case 3: return acc = Row::combine(Row::combine(at(0), at(2)), at(1)), true;
            case 4: return acc = Row::combine(Row::combine(at(0), at(2)), Row::combine(at(1), at(3))), true;
        }
        return false;
    }

    /// Folds n > 0 elements; `nodes` has room for those of a chunk.
    static CUARRAY_FN A fold_segment(const X* x, int64_t n, bool has_all_lanes, A* nodes) {
        A acc;
        if (fold_first(x, n, acc)) return acc;
        if constexpr (VectorFold<R, Element>::exists)
            if (n >= kLanes || !folds_unasked<R, A>)
                if (VectorFold<R, Element>::fold(x, n, acc)) return acc;
        if constexpr (folds_unasked<R, A>) {
            if (has_all_lanes && n <= kLanes) return fold_few(x, n);
            if (n > kLanes && n < kLeaf) return fold_part(x, n);
        }
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

    /// Folds lines of n elements; kLanes elements are readable from any up to `last`.
    [[gnu::noinline]] static void fold_segments(const X* x, int64_t n, int64_t lines, const X* last, A* to) {
        A nodes[kNodes];
        for (int64_t k = 0; k < lines; ++k, x += n) to[k] = fold_segment(x, n, x <= last, nodes);
    }

    static void fold_lines(const void* from, int64_t n, int64_t lines, void* to) {
        const X* const x = static_cast<const X*>(from);
        fold_segments(x, n, lines, x + lines * n - kLanes, static_cast<A*>(to));
    }

    static void segmented_reduce(const void* from, const int64_t* begins, const int64_t* ends, int64_t count,
                                 void* to) {
        const X* const last = static_cast<const X*>(from) + (count > 0 ? ends[count - 1] - kLanes : 0);
        for (int64_t k = 0; k < count; ++k) {
            const X* const x = static_cast<const X*>(from) + begins[k];
            const int64_t n = ends[k] - begins[k];
            if (n <= 0) continue;
            A folded;
            if (!fold_first(x, n, folded)) fold_segments(x, n, 1, last, &folded);
            static_cast<X*>(to)[k] = store<Element>(plain<Row>(Row::finish(folded, n)));
        }
    }
};

}  // namespace
}  // namespace cuarray::host
