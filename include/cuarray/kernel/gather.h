// gather.h -- what an index means, and what kernels are told that move elements chosen by indices or by a mask.
#pragma once
#include "cuarray/kernel/index.h"

namespace cuarray::kernel {

/// What to do with an index that lies outside: an error (negative ones count from the end), the remainder, or
/// the nearest position.
enum class Outside : u8 { Raise, Wrap, Clip };

/// The position in 0..size-1 that an index names; `outside` becomes non-zero, and the position 0, where it is
/// an error.
template <Outside Rule>
CUARRAY_FN i64 position(i64 index, i64 size, u64& outside) {
    if constexpr (Rule == Outside::Clip) {
        const i64 least = index < 0 ? 0 : index;
        return least < size ? least : size - 1;
    } else {
        const i64 place = index < 0 ? index + size : index;
        const bool inside = u64(place) < u64(size);
        if constexpr (Rule == Outside::Raise) {
            outside |= u64(!inside);
            return inside ? place : 0;
        } else {
            if (inside) return place;
            const i64 rest = index % size;
            return rest < 0 ? rest + size : rest;
        }
    }
}

/// Index arrays that one kernel takes.
constexpr int kMaxIndices = 16;

/// An operand of a choice: strides over the axes, in bytes, or in numbers where it has no memory.
struct IndexedOperand {
    char* data;
    i64 strides[kMaxAxes];
};

/// An index array, and the axis that it indexes; `weight` numbers the places of all indexed axes.
struct IndexOperand {
    IndexedOperand positions;
    i64 size, stride, weight, axis;
};

/// Elements chosen by indices. IndexedElements that values compete for have a key each; of the places of one key the
/// one with the highest number wins. Keys are slots of the table of winners, or hashed. `meets`: equal values may
/// meet in one place.
template <class Index, int K>
struct IndexedAccessParameters {
    u64 size;
    u32 axes, rule, meets;
    typename Index::extent extents[kMaxAxes];
    IndexedOperand elements, array;
    IndexedOperand keys, numbers;
    u64* winners;
    u64* hashed;
    u64 slots;
    IndexOperand indices[K ? K : 1];
};

/// Elements of a mask between two counts, on a GPU.
constexpr u32 kMaskBlock = 4096;

/// Elements chosen by a mask of `size` bytes; `before` counts the true ones before each stretch.
template <class Index>
struct CompactionParameters {
    u64 size, stretches;
    const u8* mask;
    i64* before;
    u32 axes;
    typename Index::extent extents[kMaxAxes];
    IndexedOperand array, line;
};

}  // namespace cuarray::kernel
