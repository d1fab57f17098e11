// gather.h -- what an index means: a position counted from either end, and what becomes of one outside.
#pragma once
#include "cuarray/kernel/types.h"

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

}  // namespace cuarray::kernel
