// segmented_reduce.h -- what kernels are told that fold parts of an axis, or update elements one after the other.
#pragma once
#include "cuarray/kernel/gather.h"

namespace cuarray::kernel {

/// Parts of an axis are at most so long.
constexpr int kLongestSegment = 1 << 18;

/// Folds of `parts` parts of each of `lines` lines, which lie over some axes; `along` is from element to element of a line,
/// `step` from result to result. Neighbouring threads go along lines, or `across` them.
struct SegmentedReduceParameters {
    u64 lines, parts;
    u32 axes, across;
    Extent64 extents[kMaxAxes];
    IndexedOperand values, results;
    i64 along, step;
    const i64 *begins, *ends;
};

/// Updates of chosen elements. keys[i] is the place of element i, in bytes from `base`; `outside` where it has none;
/// `order` sorts the elements by their keys.
template <class Index, int K>
struct UpdateParameters {
    u64* keys;
    const u64* order;
    i64 base;
    u64 outside;
    IndexedAccessParameters<Index, K> chosen;
};

}  // namespace cuarray::kernel
