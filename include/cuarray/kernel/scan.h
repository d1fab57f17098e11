// scan.h -- inclusive scans along an axis: the operator, and the scan order that all backends share.
//
// The scan order. P(m) is the result over the first m elements of a line. Let b be the largest power of two that
// divides m, and T the fold of elements m - b ... m - 1 by a balanced binary tree. Then P(m) = combine(P(m - b), T),
// or T if m = b.
// So a result depends only on the elements up to it, not on threads, grid, vector width, layout or device, and its
// rounding error grows with log2(m). Backends may cut a line into blocks of any power of two: the same rule over the
// blocks' trees gives the results at the ends of the blocks.
//
// Rows that are not associative are scanned strictly from left to right, each line independently.
#pragma once
#include "cuarray/kernel/functors.h"
#include "cuarray/kernel/index.h"

namespace cuarray::kernel {

/// An associative row as a scan operator on accumulators: halves accumulate in float32 and are rounded once.
template <class F, class Element>
struct ScanRow {
    using A = compute_t<Element>;
    static CUARRAY_FN A map(Element x) { return widen(x); }
    static CUARRAY_FN A combine(A a, A b) { return F().template operator()<A, A>(a, b); }
    static CUARRAY_FN Element finish(A a) { return fn::narrow<Element>(a); }
};

/// Up-sweep: x[i] becomes the tree over the last b elements up to i, for the largest power of two b that divides i + 1.
/// Unrolled by recursion, because the two compilers have different unroll pragmas.
template <class R, int K, int D = 1, int I = 2 * D - 1>
CUARRAY_FN void grow_trees(typename R::A (&x)[K]) {
    if constexpr (I < K) {
        x[I] = R::combine(x[I - D], x[I]);
        grow_trees<R, K, D, I + 2 * D>(x);
    } else if constexpr (2 * D < K) {
        grow_trees<R, K, 2 * D>(x);
    }
}

/// Down-sweep: all but the last of these trees become results, after the prefix `before` if `follows`.
template <class R, int K, int I = 0>
CUARRAY_FN void fill_results(typename R::A (&x)[K], typename R::A before, bool follows) {
    if constexpr (I < K - 1) {
        constexpr int parent = (I + 1) & I;
        if constexpr (parent > 0)
            x[I] = R::combine(x[parent - 1], x[I]);
        else if (follows)
            x[I] = R::combine(before, x[I]);
        fill_results<R, K, I + 1>(x, before, follows);
    }
}

constexpr u32 kScanThreads = 256;

/// Elements of a line per device thread.
template <class A>
constexpr int kScanItems = sizeof(A) <= 4 ? 16 : 64 / sizeof(A);

/// Elements of a line in one vector of 16 bytes of accumulators.
template <class A>
constexpr int kScanVector = 16 / sizeof(A);

/// One operand of a scan: the stride along a line, and the strides over the axes of lines.
template <class Index>
struct ScannedOperand {
    char* data;
    i64 along;
    typename Index::offset strides[kMaxAxes];
};

/// Scans of `lines` lines of n elements. A thread block scans a tile: 2^line_bits consecutive lines with 2^groups
/// threads each. If a line has several tiles, each publishes in `trees` the largest tree that ends with it, over 2^k
/// tiles if its number ends with k ones, by tile, then by line; `flags` marks those that are ready. `vectors`
/// tells that operands are contiguous along the lines, or across them if `along_lines`, or broadcast, and that vectors
/// of them are aligned.
template <class Index, int N>
struct ScanParameters {
    u64 lines, n;
    u32 tiles, line_bits, groups, along_lines;
    void* trees;
    u32 *flags, *ticket;
    u32 axes, vectors;
    typename Index::extent extents[kMaxAxes];
    ScannedOperand<Index> operands[N];
};

}  // namespace cuarray::kernel
