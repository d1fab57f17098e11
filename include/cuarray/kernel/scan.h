// scan.h -- running results along an axis: what is combined, and the one order of all scans.
//
// The scan order. P(m) is the result over the first m elements of a line. Let b be the largest power of two that
// divides m, and T the elements m - b ... m - 1 folded in a balanced binary tree. Then P(m) = combine(P(m - b), T),
// and T alone where m = b.
// So a result depends on the elements before it alone, not on threads, grid, vector width, layout or device, and
// its rounding error grows with log2(m). Backends may cut a line into stretches of any power of two: the same rule
// over the stretches' trees gives the results at their ends.
//
// Rows that are not associative have no such freedom: they go strictly from left to right, one line by itself.
#pragma once
#include "cuarray/kernel/functors.h"
#include "cuarray/kernel/index.h"

namespace cuarray::kernel {

/// An associative row as an operation on accumulators: float32 for the halves, whose results are rounded once.
template <class F, class Element>
struct Running {
    using A = compute_t<Element>;
    static CUARRAY_FN A map(Element x) { return widen(x); }
    static CUARRAY_FN A combine(A a, A b) { return F().template operator()<A, A>(a, b); }
    static CUARRAY_FN Element finish(A a) { return fn::narrow<Element>(a); }
};

/// x[i] becomes the tree of the elements that end with i, as many as the largest power of two that divides i + 1.
/// Unrolled by recursion, because the two compilers spell the pragma differently.
template <class R, int K, int D = 1, int I = 2 * D - 1>
CUARRAY_FN void grow_trees(typename R::A (&x)[K]) {
    if constexpr (I < K) {
        x[I] = R::combine(x[I - D], x[I]);
        grow_trees<R, K, D, I + 2 * D>(x);
    } else if constexpr (2 * D < K) {
        grow_trees<R, K, 2 * D>(x);
    }
}

/// All but the last of these trees become results, behind what stands `before` them if anything does.
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

/// Elements of a line that one thread of a device holds.
template <class A>
constexpr int kScanItems = sizeof(A) <= 4 ? 16 : 64 / sizeof(A);

/// One operand of a scan: strides over the axes of lines, then along the lines.
template <class Index>
struct ScannedOperand {
    char* data;
    i64 along;
    typename Index::offset strides[kMaxAxes];
};

/// Scans of `lines` lines of n elements. A block holds a tile: 2^(lines' bits) neighbouring lines, of each 2^groups
/// threads' elements. Where a line has several tiles, the trees of tiles and of aligned powers of two of them are
/// left in `trees`, by their place in the tree read in order, then by line; `flags` says which are there.
template <class Index, int N>
struct Scanned {
    u64 lines, n;
    u32 tiles, line_bits, groups, along_lines;
    void* trees;
    u32 *flags, *ticket;
    u32 axes;
    typename Index::extent extents[kMaxAxes];
    ScannedOperand<Index> operands[N];
};

}  // namespace cuarray::kernel
