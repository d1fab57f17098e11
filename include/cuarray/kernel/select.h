// select.h -- order statistics of rows without sorting them: parameters of the device kernels.
#pragma once
#include "cuarray/kernel/sort.h"

namespace cuarray::kernel {

/// The most order statistics of a row that are found together.
constexpr u32 kMostSelected = 8;

/// What is known of the wanted elements of one row: their keys' digits so far are those of their group.
struct Selection {
    u64 ranks[kMostSelected];     ///< of a wanted element within its group
    u64 prefixes[kMostSelected];  ///< the digits of a group, ascending
    u32 group_of[kMostSelected];
    u32 groups;
};

/// Rows of n values, of each the elements of `wanted` ascending ranks: a pass finds the next lower digit of their keys.
/// Where equal keys may have different bits (zeros, NaN), the element is that of a stable sort: the row's parts count
/// the elements of each group, and the part that has the wanted one is searched.
struct SelectParameters {
    u64 rows, n;
    const void* values;
    void* result;           ///< [row][wanted]
    void* counts;           ///< [row][group][digit, or part of the row]; zero before the first pass
    Selection* selections;  ///< [row]
    u64 ranks[kMostSelected];
    u32 wanted;
    u32 shift;   ///< the digit's position in the key
    u32 first;   ///< whether this is the first pass: one group, without digits
    u32 blocks;  ///< of a row
};

/// The real number of a key, the positive one of zeros: the inverse of sort_key in ascending order.
template <class T>
CUARRAY_FN T number_of_key(unsigned_t<T> key) {
    using U = unsigned_t<T>;
    constexpr U top = U(U(1) << (8 * sizeof(U) - 1));
    if constexpr (is_same<T, bool>)
        return key != 0;
    else if constexpr (is_integer<T>)
        return T(key ^ (is_signed<T> ? top : U(0)));
    else
        return bit_cast<T>(key >= top ? U(key - top) : U(top | U(top - key)));
}

/// Whether elements of different bits may have the key.
template <class T>
CUARRAY_FN bool is_shared_key(unsigned_t<T> key) {
    using U = unsigned_t<T>;
    if constexpr (is_float<T> || is_half<T>)
        return key == U(-1) || key == U(U(1) << (8 * sizeof(U) - 1));
    else
        return false;
}

}  // namespace cuarray::kernel
