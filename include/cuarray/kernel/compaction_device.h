// compaction_device.h -- the device kernels of compaction by a mask: compress, expand and nonzero.
//
// Each thread block counts the true elements of one block of the mask by warp ballots; of many counts one thread block
// makes prefix sums; then each thread block moves the elements of its mask block, ranked by the same ballots.
#pragma once
#include "cuarray/kernel/elementwise.h"
#include "cuarray/kernel/gather.h"

namespace cuarray::kernel {

/// An item of 16 bytes, aligned to 8 as complex numbers are.
struct Words16 {
    u64 low, high;
};

constexpr u32 kVotes = kMaskBlock / kThreads, kWarps = kThreads / 32;
constexpr u32 kAddingThreads = 512;

/// The ballots of this warp over its part of the mask block; returns the number of true elements.
template <class Index>
CUARRAY_FN u32 vote(const CompactionParameters<Index>& p, u64 first, u32 (&votes)[kVotes]) {
    u32 count = 0;
#pragma unroll
    for (u32 j = 0; j < kVotes; ++j) {
        const u64 at = first + j * 32;
        votes[j] = __ballot_sync(0xffffffffu, at < p.size && p.mask[at < p.size ? at : 0] != 0);
        count += __popc(votes[j]);
    }
    return count;
}

template <class Index>
CUARRAY_FN void count_mask(const CompactionParameters<Index>& p) {
    __shared__ u32 counts[kWarps];
    const u32 warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    u32 votes[kVotes];
    const u32 count = vote(p, u64(blockIdx.x) * kMaskBlock + warp * (kVotes * 32) + lane, votes);
    if (lane == 0) counts[warp] = count;
    __syncthreads();
    if (threadIdx.x != 0) return;
    u32 total = 0;
    for (u32 w = 0; w < kWarps; ++w) total += counts[w];
    p.before[blockIdx.x] = total;
}

/// The inclusive sum of `x` over the threads of the block. `sums` may be reused after a barrier.
CUARRAY_FN i64 add_up(i64 x, i64* sums) {
    const u32 warp = threadIdx.x / 32, lane = threadIdx.x % 32;
#pragma unroll
    for (u32 step = 1; step < 32; step *= 2) {
        const i64 below = __shfl_up_sync(0xffffffffu, x, step);
        if (lane >= step) x += below;
    }
    if (lane == 31) sums[warp] = x;
    __syncthreads();
    for (u32 w = 0; w < warp; ++w) x += sums[w];
    return x;
}

/// Exclusive scan of the counts by one thread block, in place; the total is stored after the last count.
template <class Index>
CUARRAY_FN void add_counts(const CompactionParameters<Index>& p) {
    __shared__ i64 sums[kAddingThreads / 32];
    __shared__ i64 carried;
    i64 carry = 0;
    for (u64 first = 0; first < p.blocks; first += kAddingThreads) {
        const u64 at = first + threadIdx.x;
        const i64 count = at < p.blocks ? p.before[at] : 0;
        const i64 sum = carry + add_up(count, sums);
        if (at < p.blocks) p.before[at] = sum - count;
        if (threadIdx.x == kAddingThreads - 1) carried = sum;
        __syncthreads();
        carry = carried;
    }
    if (threadIdx.x == 0) p.before[p.blocks] = carry;
}

/// The true elements before this mask block. All threads call it.
template <class Index>
CUARRAY_FN i64 true_before(const CompactionParameters<Index>& p) {
    if (p.blocks > kFewMaskBlocks) return p.before[blockIdx.x];
    __shared__ u32 sums[kWarps];
    u32 count = 0;
    for (u32 at = threadIdx.x; at < blockIdx.x; at += kThreads) count += u32(p.before[at]);
#pragma unroll
    for (u32 step = 1; step < 32; step *= 2) count += __shfl_xor_sync(0xffffffffu, count, step);
    if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = count;
    __syncthreads();
    i64 before = 0;
#pragma unroll
    for (u32 sum : sums) before += sum;
    return before;
}

/// Calls move(at, rank) for each true element of a mask block.
template <class Index, class Move>
CUARRAY_FN void each_true(const CompactionParameters<Index>& p, const Move& move) {
    __shared__ u32 counts[kWarps];
    const u32 warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const u64 first = u64(blockIdx.x) * kMaskBlock + warp * (kVotes * 32) + lane;
    u32 votes[kVotes];
    const u32 count = vote(p, first, votes);
    if (lane == 0) counts[warp] = count;
    __syncthreads();
    i64 rank = true_before(p);
    for (u32 w = 0; w < warp; ++w) rank += counts[w];
#pragma unroll
    for (u32 j = 0; j < kVotes; ++j) {
        if (votes[j] >> lane & 1u) move(first + j * 32, rank + __popc(votes[j] & ((1u << lane) - 1)));
        rank += __popc(votes[j]);
    }
}

/// The address of the array element at position `at` of the mask.
template <class Index>
CUARRAY_FN char* masked_place(const CompactionParameters<Index>& p, u64 at) {
    typename Index::type rest = typename Index::type(at);
    i64 offset = 0;
#pragma unroll 1
    for (int d = int(p.axes) - 1; d > 0; --d) {
        const typename Index::type outer = p.extents[d].quotient(rest);
        offset += i64(rest - outer * p.extents[d].size) * p.array.strides[d];
        rest = outer;
    }
    return p.array.data + offset + i64(rest) * p.array.strides[0];
}

template <class Item, class Index>
struct CompressMove {
    const CompactionParameters<Index>& p;
    CUARRAY_FN void operator()(u64 at, i64 rank) const {
        *reinterpret_cast<Item*>(p.line.data + rank * p.line.strides[0]) =
            *reinterpret_cast<const Item*>(masked_place(p, at));
    }
};

template <class Item, class Index>
struct ExpandMove {
    const CompactionParameters<Index>& p;
    CUARRAY_FN void operator()(u64 at, i64 rank) const {
        *reinterpret_cast<Item*>(masked_place(p, at)) =
            *reinterpret_cast<const Item*>(p.line.data + rank * p.line.strides[0]);
    }
};

/// Coordinates of each true element: array.strides[d] is the byte offset of axis d's output, negative if not wanted.
template <class Index>
struct NonzeroMove {
    const CompactionParameters<Index>& p;
    CUARRAY_FN void operator()(u64 at, i64 rank) const {
        typename Index::type rest = typename Index::type(at);
        char* to = p.line.data + rank * i64(sizeof(i64));
#pragma unroll 1
        for (int d = int(p.axes) - 1; d >= 0; --d) {
            const typename Index::type outer = p.extents[d].quotient(rest);
            const i64 line = p.array.strides[d];
            if (line >= 0) *reinterpret_cast<i64*>(to + line) = i64(rest - outer * p.extents[d].size);
            rest = outer;
        }
    }
};

template <class Item, class Index>
CUARRAY_FN void compress(const CompactionParameters<Index>& p) {
    each_true(p, CompressMove<Item, Index>{p});
}

template <class Item, class Index>
CUARRAY_FN void expand(const CompactionParameters<Index>& p) {
    each_true(p, ExpandMove<Item, Index>{p});
}

template <class Index>
CUARRAY_FN void locate(const CompactionParameters<Index>& p) {
    each_true(p, NonzeroMove<Index>{p});
}

}  // namespace cuarray::kernel
