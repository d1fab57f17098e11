// segmented_reduce.h -- the parameters of the kernels of segmented reductions and of ordered updates.
#pragma once
#include "cuarray/kernel/gather.h"

namespace cuarray::kernel {

/// The maximum length of a segment.
constexpr int kLongestSegment = 1 << 18;

/// Folds of `parts` segments of each of `lines` lines over some axes. `along` is the stride of elements along a line,
/// `step` that of results. Consecutive threads go along lines, or across them if `across`.
struct SegmentedReduceParameters {
    u64 lines, parts;
    u32 axes, across;
    Extent64 extents[kMaxAxes];
    IndexedOperand values, results;
    i64 along, step;
    const i64 *begins, *ends;
};

/// Updates of the elements at indices. keys[i] is the position that value i updates, in bytes from `base`, or `outside`
/// if its index is out of bounds; `order` sorts the values by key.
template <class Index, int K>
struct UpdateParameters {
    u64* keys;
    const u64* order;
    i64 base;
    u64 outside;
    IndexedAccessParameters<Index, K> chosen;
};

}  // namespace cuarray::kernel
