// gather.h -- index rules, and the parameters of the gather, scatter and compaction kernels.
#pragma once
#include "cuarray/kernel/index.h"

namespace cuarray::kernel {

/// The treatment of an index out of bounds: an error (negative indices count from the end), the index modulo
/// the size, or the nearest position.
enum class OutsideRule : u8 { Raise, Wrap, Clip };

/// What an indexed access does at each element p of its shape.
enum class IndexedAccessKind : u8 {
    Gather,   ///< elements[p] = the array's
    Scatter,  ///< the array's = elements[p]; the last of several for one position, in C order, is stored
    Update    ///< the array's = loop(the array's, elements[p]), one p after the other in C order, in its dtypes
};

/// The position in 0..size-1 of an index. An index that is an error gives position 0 and sets `outside` to
/// non-zero.
template <OutsideRule Rule>
CUARRAY_FN i64 position(i64 index, i64 size, u64& outside) {
    if constexpr (Rule == OutsideRule::Clip) {
        const i64 least = index < 0 ? 0 : index;
        return least < size ? least : size - 1;
    } else {
        const i64 place = index < 0 ? index + size : index;
        const bool inside = u64(place) < u64(size);
        if constexpr (Rule == OutsideRule::Raise) {
            outside |= u64(!inside);
            return inside ? place : 0;
        } else {
            if (inside) return place;
            const i64 rest = index % size;
            return rest < 0 ? rest + size : rest;
        }
    }
}

/// The maximum number of index arrays of a kernel.
constexpr int kMaxIndices = 16;

/// An operand of an indexed access: strides over the axes in bytes, or in numbers if it has no memory.
struct IndexedOperand {
    char* data;
    i64 strides[kMaxAxes];
};

/// An index array and the axis that it indexes; `weight` is the axis's stride in the numbering of target
/// positions over all indexed axes.
struct IndexOperand {
    IndexedOperand positions;
    i64 size, stride, weight, axis;
};

/// Access to the elements at indices. If indices may repeat in a scatter, each target position has a key, and of
/// the values with one key the one with the highest number is stored. Keys are slots of the table of winners,
/// or are hashed to slots. `meets`: equal values may be stored to one position.
template <class Index, int K>
struct IndexedAccessParameters {
    u64 size;
    u32 axes, rule, meets;
    typename Index::extent extents[kMaxAxes];
    IndexedOperand elements, array;
    IndexedOperand keys, numbers;
    typename Index::type* winners;
    u64* hashed;
    u64 slots;
    IndexOperand indices[K ? K : 1];
};

/// Elements of a block of the mask on a GPU.
constexpr u32 kMaskBlock = 4096;
/// The true elements before a block are added up by each block of so many, and by a launch of their own for more.
constexpr u32 kFewMaskBlocks = 512;

/// Compaction by a mask of `size` bytes in `blocks` blocks; before[i] is the number of true elements in block i, or of
/// more than kFewMaskBlocks blocks the number before it.
template <class Index>
struct CompactionParameters {
    u64 size, blocks;
    const u8* mask;
    i64* before;
    u32 axes;
    typename Index::extent extents[kMaxAxes];
    IndexedOperand array, line;
};

}  // namespace cuarray::kernel
