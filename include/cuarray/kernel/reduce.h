// reduce.h -- reductions: their accumulators, and the fold order that all backends share.
//
// The fold order. Element i of the n that one output folds belongs to chunk i / kChunk, in it to leaf
// i % kChunk / kLeaf, and to lane i % kLanes.
//   1. In a leaf each lane folds its elements in increasing i, starting from its first, with no identity.
//   2. In a chunk the leaves are combined lane by lane in a binary tree of neighbours: node j of the level
//      above is combine(node 2 j, node 2 j + 1); a node without a right neighbour is passed up unchanged.
//   3. The lanes of the chunk are folded: for d = 8, 4, 2, 1 lane l < d becomes combine(lane l, lane l + d)
//      if that lane exists.
//   4. The chunks are combined by the same tree as the leaves.
//   5. An initial value comes last: combine(map(initial), result).
// So the order depends on n alone, not on threads, grid, vector width, layout or device. Backends may schedule
// the work freely as long as each combine keeps its two operands; `fold` below is the bit-exact definition.
#pragma once
#include "cuarray/kernel/functors.h"

namespace cuarray::red {

/// The identity column of rows without an identity.
enum Nothing { NONE };

/// An element and its index.
template <class T>
struct ValueIndex {
    T value;
    i64 index;
};
template <class T>
CUARRAY_FN ValueIndex<T> at(T value, i64 index) {
    return {value, index};
}

template <class T>
CUARRAY_FN ValueIndex<T> first_of(ValueIndex<T> a, ValueIndex<T> b) {
    return a.index < b.index ? a : b;
}

/// NaN wins over every number, and the lowest index among equals, regardless of the order of the operands.
template <class T>
CUARRAY_FN ValueIndex<T> larger(ValueIndex<T> a, ValueIndex<T> b) {
    if (math::isnan(a.value) || math::isnan(b.value))
        return !math::isnan(b.value) ? a : !math::isnan(a.value) ? b : first_of(a, b);
    return a.value == b.value ? first_of(a, b) : math::less(a.value, b.value) ? b : a;
}
template <class T>
CUARRAY_FN ValueIndex<T> smaller(ValueIndex<T> a, ValueIndex<T> b) {
    if (math::isnan(a.value) || math::isnan(b.value))
        return !math::isnan(b.value) ? a : !math::isnan(a.value) ? b : first_of(a, b);
    return a.value == b.value ? first_of(a, b) : math::less(a.value, b.value) ? a : b;
}

/// The smallest and the largest element.
template <class T>
struct Range {
    T low, high;
};
template <class T>
CUARRAY_FN Range<T> both(Range<T> a, Range<T> b) {
    return {math::minimum(a.low, b.low), math::maximum(a.high, b.high)};
}

/// The sums of elements and of their squares.
template <class T>
struct Moments {
    T sum, squares;
};
template <class T>
CUARRAY_FN Moments<T> both(Moments<T> a, Moments<T> b) {
    return {a.sum + b.sum, a.squares + b.squares};
}

/// The accumulator of sums of exponentials and of squares: float64, whose functions are the same in every loop.
template <class T>
using Wide = choose_t<is_float<T>, f64, T>;

/// The accumulator of sums of integers that are added in 64 bits.
template <class T>
using Long = choose_t<is_integer<T>, choose_t<is_signed<T>, i64, u64>, T>;

/// A sum divided by n.
template <class T>
CUARRAY_FN T share(T sum, i64 n) {
    if constexpr (is_complex<T>)
        return {sum.re / real_t<T>(n), sum.im / real_t<T>(n)};
    else
        return sum / T(n);
}

/// Rounds a result in a half's compute type to that half; other results are unchanged.
template <class Element, class X>
CUARRAY_FN auto as_element(X x) {
    if constexpr (is_half<Element> && is_same<X, f32>)
        return round_to_half<Element>(x);
    else
        return x;
}

#define REDUCTION(name, ufunc, domain, flags_, python, accumulator, identity_, doc, map_, combine_, finish_) \
    template <class Element>                                                                                 \
    struct name {                                                                                            \
        using T = compute_t<Element>;                                                                        \
        using A = accumulator;                                                                               \
        static constexpr unsigned flags = flags_;                                                            \
        static constexpr bool has_identity = !is_same<decltype(identity_), Nothing>;                         \
        static CUARRAY_FN A identity() { return A(identity_); }                                              \
        static CUARRAY_FN A map(Element element, [[maybe_unused]] i64 i) {                                   \
            const T x = widen(element);                                                                      \
            return A(map_);                                                                                  \
        }                                                                                                    \
        static CUARRAY_FN A combine(A a, A b) { return A(combine_); }                                        \
        static CUARRAY_FN auto finish(A a, [[maybe_unused]] i64 n) { return as_element<Element>(finish_); }  \
    };

#include "cuarray/reductions.def"

}  // namespace cuarray::red

namespace cuarray::kernel {

constexpr int kLanes = 16;
constexpr int kLeaf = 256;
constexpr int kChunk = 16384;

/// The binary tree over nodes pushed from left to right, as a binary counter of completed subtrees.
template <class R, int Levels>
struct Tree {
    typename R::A subtree[Levels];
    i64 count = 0;
    CUARRAY_FN void push(typename R::A node) {
        int level = 0;
        for (; count >> level & 1; ++level) node = R::combine(subtree[level], node);
        subtree[level] = node;
        ++count;
    }
    CUARRAY_FN typename R::A result() const {
        int level = 0;
        while (!(count >> level & 1)) ++level;
        typename R::A node = subtree[level];
        for (++level; count >> level; ++level)
            if (count >> level & 1) node = R::combine(subtree[level], node);
        return node;
    }
};

/// Tree levels for the leaves of a chunk, and for the chunks of 2^63 elements.
constexpr int kLeafLevels = 7, kChunkLevels = 50;

/// Steps 1 to 3 for elements [begin, end), at most a chunk of them and at least one.
template <class R, class Load>
CUARRAY_FN typename R::A fold_chunk(Load load, i64 begin, i64 end) {
    typename R::A lane[kLanes];
    const int lanes = end - begin < kLanes ? int(end - begin) : kLanes;
    for (int l = 0; l < lanes; ++l) {
        Tree<R, kLeafLevels> leaves;
        for (i64 leaf = begin; leaf + l < end; leaf += kLeaf) {
            typename R::A a = R::map(load(leaf + l), leaf + l);
            for (i64 i = leaf + l + kLanes; i < leaf + kLeaf && i < end; i += kLanes)
                a = R::combine(a, R::map(load(i), i));
            leaves.push(a);
        }
        lane[l] = leaves.result();
    }
    for (int d = kLanes / 2; d > 0; d /= 2)
        for (int l = 0; l < d && l + d < lanes; ++l) lane[l] = R::combine(lane[l], lane[l + d]);
    return lane[0];
}

/// The fold of n elements, n > 0; load(i) returns the i-th. A reference implementation, not optimised.
template <class R, class Load>
CUARRAY_FN typename R::A fold(Load load, i64 n) {
    Tree<R, kChunkLevels> chunks;
    for (i64 begin = 0; begin < n; begin += kChunk)
        chunks.push(fold_chunk<R>(load, begin, n - begin < kChunk ? n : begin + kChunk));
    return chunks.result();
}

}  // namespace cuarray::kernel
