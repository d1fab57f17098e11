// index.h -- kernel parameters: addresses, strides, extents and scalars, in the same structs for both compilers.
//
// Every kernel takes three parameters by value: one of the structs below for its operands, its scalars, and its
// fault sink. The host fills the structs with capacity kMaxOperands and kMaxScalars; a kernel declares them with
// its own counts, which are a prefix of the host's because the arrays are the last members. Operands are
// numbered outputs first, then inputs, then the linear index if the program uses it: an operand without memory,
// whose `data` is the index of the first element and whose strides count elements.
#pragma once
#include "cuarray/kernel/types.h"

namespace cuarray::kernel {

constexpr int kMaxAxes = 8;

/// Capacity of the host's structs.
constexpr int kMaxOperands = 24, kMaxScalars = 64;

/// An extent, with a multiplier and a shift that replace the division by it, for dividends below 2^31.
struct Extent32 {
    u32 size, multiplier, shift;
    CUARRAY_FN u32 quotient(u32 n) const { return (u32(u64(n) * multiplier >> 32) + n) >> shift; }
};

/// An extent for 64-bit dividends.
struct Extent64 {
    u64 size;
    CUARRAY_FN u64 quotient(u64 n) const { return n / size; }
};

/// The types of indices and byte offsets: 32 bits if all of them are below 2^31, else 64; where only offsets are not,
/// those alone have 64 (`IndexFar`).
struct Index32 {
    using type = u32;
    using offset = i32;
    using extent = Extent32;
};
struct IndexFar {
    using type = u32;
    using offset = i64;
    using extent = Extent32;
};
struct Index64 {
    using type = u64;
    using offset = i64;
    using extent = Extent64;
};

/// A scalar of any dtype, stored in the first bytes.
struct alignas(16) Slot {
    unsigned char bytes[16];
};

template <int N>
struct Scalars {
    Slot values[N ? N : 1];
};

/// The first fault of a stream, in pinned host memory; `ticket` is written last.
struct FaultRecord {
    u64 ticket;
    i64 index, axis, size;
};

/// The target of fault reports: `claim` is a zeroed device word, so that only the first faulting thread writes
/// the record.
struct FaultSink {
    u32* claim;
    volatile FaultRecord* record;
    u64 ticket;
};

/// An operand along one axis: broadcast (step 0), or contiguous (step 1) and aligned to the kernel's vector.
struct FlatOperand {
    char* data;
    u64 step;
};

template <int N>
struct Flat {
    u64 size;
    FlatOperand operands[N];
};

/// An operand along one axis, with its stride in bytes.
struct StridedOperand {
    char* data;
    i64 stride;
};

/// One axis of less than 2^31 elements.
template <int N>
struct Strided {
    u32 size;
    StridedOperand operands[N];
};

/// One operand of a reduction: strides over the kept axes, then over the reduced ones.
template <class Index>
struct FoldedOperand {
    char* data;
    typename Index::offset kept[kMaxAxes], reduced[kMaxAxes];
};

/// A reduction of n elements to each of `outputs` results, in the fold order of reduce.h. A thread block holds
/// 2^columns consecutive outputs times 16 lanes times 2^groups groups of leaves, and as many such sets of outputs
/// as fit; each group folds 2^leaves leaves of a chunk.
template <class Index, int N>
struct Folded {
    u64 outputs, n, chunks;
    void* partials;
    u32* counters;
    u32 kept_axes, reduced_axes;
    u32 columns, groups, leaves;
    u32 has_initial;
    typename Index::extent kept[kMaxAxes], reduced[kMaxAxes];
    FoldedOperand<Index> operands[N];
};

}  // namespace cuarray::kernel
