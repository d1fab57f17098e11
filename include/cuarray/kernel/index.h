// index.h -- what a kernel is told: addresses, strides, extents and scalars, in the same structs for both
// compilers.
//
// Every kernel takes three parameters by value: one of the structs below that says where its operands lie,
// its scalars, and where to report a fault. The host fills the same structs with room for kMaxOperands and
// kMaxScalars; a kernel declares those that it has, which are the beginning of the host's, because the arrays
// stand last. Operands are numbered outputs first, then inputs, then the linear index where the program asks
// for it: an operand without memory, whose `data` is the index of the first element and whose strides count
// elements.
#pragma once
#include "cuarray/kernel/types.h"

namespace cuarray::kernel {

constexpr int kMaxAxes = 8;

/// What the host's structs have room for.
constexpr int kMaxOperands = 24, kMaxScalars = 64;

/// An extent, and a multiplication and a shift in place of a division by it, for dividends below 2^31.
struct Extent32 {
    u32 size, multiplier, shift;
    CUARRAY_FN u32 quotient(u32 n) const { return (u32(u64(n) * multiplier >> 32) + n) >> shift; }
};

/// An extent where dividends need 64 bits.
struct Extent64 {
    u64 size;
    CUARRAY_FN u64 quotient(u64 n) const { return n / size; }
};

/// The types of an index in reductions: 32 bits where every index and byte offset is below 2^31, else 64.
struct Index32 {
    using type = u32;
    using offset = i32;
    using extent = Extent32;
};
struct Index64 {
    using type = u64;
    using offset = i64;
    using extent = Extent64;
};

/// A scalar of any dtype, in its first bytes.
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

/// Where to report a fault: `claim` is a zeroed device word, so that only the first faulty thread writes the
/// record.
struct FaultSink {
    u32* claim;
    volatile FaultRecord* record;
    u64 ticket;
};

/// An operand along one axis: one element for all (step 0), or contiguous (step 1) at a multiple of the
/// kernel's vector.
struct FlatOperand {
    char* data;
    u64 step;
};

template <int N>
struct Flat {
    u64 size;
    FlatOperand operands[N];
};

/// An operand over several axes, outermost first; strides in bytes.
struct StridedOperand {
    char* data;
    i32 strides[kMaxAxes];
};

/// Whether a coordinate lies inside an extent that whole tiles overshoot: the sum of the coordinates,
/// weighted.
struct Border {
    i32 extent, weights[kMaxAxes];
};

/// An iteration space below 2^31 elements, every operand's reach below 2^31 bytes. In tiles the last two axes
/// of the space are cut into blocks of 32 x 32 elements: (..., rows, columns) becomes (..., rows / 32,
/// columns / 32, 32, 32), one tile for each block of threads. The operands whose bit is set in `turned` lie
/// along the rows: their strides of the last two axes are exchanged, and the tile is turned in shared memory.
/// The borders are those of row and column, then the same with the last two axes exchanged.
template <int N>
struct Strided {
    u32 size, axes, tiled, turned;
    Extent32 extents[kMaxAxes];
    Border borders[4];
    StridedOperand operands[N];
};

/// One operand of a reduction: strides over the kept axes, then over the reduced ones.
template <class Index>
struct FoldedOperand {
    char* data;
    typename Index::offset kept[kMaxAxes], reduced[kMaxAxes];
};

/// A fold of n elements into each of `outputs` results. A block holds 2^columns neighbouring outputs times 16
/// lanes times 2^groups groups of leaves, and as many such outputs as fit; each group folds 2^leaves leaves
/// of a chunk.
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
