// sort.h -- the order of sorted elements, as unsigned keys, and what kernels are told that sort by them.
//
// Keys order elements as NumPy does: NaN after everything else, also where the order descends, and -0 beside 0.
// Elements of equal keys keep the order in which they came.
#pragma once
#include "cuarray/kernel/types.h"

namespace cuarray::kernel {

/// The key of a real number. A descending order is the ascending one of other keys, so that it is stable too.
template <class T>
CUARRAY_FN unsigned_t<T> sort_key(T x, bool descending) {
    using U = unsigned_t<T>;
    constexpr U top = U(U(1) << (8 * sizeof(U) - 1));
    const U turned = U(U(0) - U(descending));
    if constexpr (is_same<T, bool>) {
        return U(U(x) ^ U(descending));
    } else if constexpr (is_integer<T>) {
        return U(U(x) ^ (is_signed<T> ? top : U(0)) ^ turned);
    } else {
        const U bits = bits_of(x), size = U(bits & U(top - 1));
        const U negative = U(U(0) - U(bits >> (8 * sizeof(U) - 1))) ^ turned;
        return size > ieee<T>::infinity ? U(-1) : U(top + U(U(size ^ negative) - negative));
    }
}

/// The key of a complex number: by `high`, then by `low`.
template <class U>
struct ComplexKey {
    U high, low;
};

/// By the real part, then by the imaginary one; behind all others come those with a NaN in the imaginary part,
/// then in the real part, then in both, each group by the part that is none.
template <class R>
CUARRAY_FN ComplexKey<unsigned_t<R>> complex_key(complex<R> x, bool descending) {
    using U = unsigned_t<R>;
    constexpr U nan = U(-1);
    const U re = sort_key(x.re, descending), im = sort_key(x.im, descending);
    if (re != nan) return im != nan ? ComplexKey<U>{re, im} : ComplexKey<U>{U(nan - 2), re};
    return im != nan ? ComplexKey<U>{U(nan - 1), im} : ComplexKey<U>{nan, U(0)};
}

/// How many parts a key has, least significant first, and the bits of a part.
template <class T>
constexpr int kKeyParts = is_complex<T> ? 2 : 1;
template <class T>
constexpr int kKeyBits = is_same<T, bool> ? 1 : 8 * int(sizeof(T)) / kKeyParts<T>;

/// One part of an element's key.
template <class T>
CUARRAY_FN u64 key_part(T x, int part, bool descending) {
    if constexpr (is_complex<T>) {
        const auto key = complex_key(x, descending);
        return part ? key.high : key.low;
    } else {
        return sort_key(x, descending);
    }
}

/// The whole key in ascending order; and whether one stands before another.
template <class T>
CUARRAY_FN auto whole_key(T x) {
    if constexpr (is_complex<T>)
        return complex_key(x, false);
    else
        return sort_key(x, false);
}
template <class U>
CUARRAY_FN bool stands_before(U a, U b) {
    return a < b;
}
template <class U>
CUARRAY_FN bool stands_before(ComplexKey<U> a, ComplexKey<U> b) {
    return (a.high < b.high) | ((a.high == b.high) & (a.low < b.low));
}

/// A piece of a key above an element's index. Where one piece does not hold the key, they are sorted by one
/// after the other, least significant first, the order so far being kept by the indices.
struct SortPair {
    u64 bits;
};
CUARRAY_FN u64 sort_key(SortPair x, bool) { return x.bits; }

/// Digits by which one pass sorts, and the items of a block's tile.
constexpr u32 kDigitBits = 8, kDigits = 256;
CUARRAY_FN constexpr u32 sort_tile(u32 item) { return item == 8 ? 2048 : 4096; }

/// One pass over rows of n items, or the whole sort of rows that are no longer than a tile. counts[row][digit][tile]
/// are the items of that digit in the tile, then those before it in the row; totals[row][digit] all of that digit.
struct SortPass {
    u64 rows, n, tiles;
    const void* from;
    void* to;
    void* counts;
    u64* totals;
    u32 shift, bits;  ///< the digits' place in the key; of short rows all bits that count
    u32 rows_per_tile;
    u32 descending;
};

/// Pairs of n elements of each row: bits `shift` and up of one part of the key, above an index of `index_bits` bits:
/// the element's own (`first`), or the lowest bits of what stands in the pair's place already.
struct SortPairing {
    u64 rows, n;
    const void* values;
    u64* pairs;
    u64* indices;
    u32 part, shift, bits, index_bits;
    u32 first, descending;
};

/// The pair of a row's element.
template <class T>
CUARRAY_FN u64 sort_pair(const SortPairing& p, const stored_t<T>* row, u64 index) {
    const u64 key = key_part(load<T>(row[index]), int(p.part), p.descending != 0) >> p.shift;
    return (key & ((u64(1) << p.bits) - 1)) << p.index_bits | index;
}

/// IndexedElements in a sorted array of n elements at which `count` values belong: before their equals, or behind (`right`).
struct SearchSortedParameters {
    u64 n, count;
    const void* sorted;
    const void* values;
    i64* places;
    u32 right;
};

/// Where each of some values belongs, behind its equals or before them; they take the same number of steps, side by side,
/// and no branches, which would be guessed wrong half of the time.
template <bool Right, class T, int V>
CUARRAY_FN void search_side(const stored_t<T>* sorted, u64 n, const T (&values)[V], i64 (&places)[V]) {
    decltype(whole_key(values[0])) keys[V];
    for (int v = 0; v < V; ++v) keys[v] = whole_key(values[v]), places[v] = 0;
    const auto step = [&](int v, u64 at) {
        const auto key = whole_key(load<T>(sorted[at]));
        return i64(Right ? !stands_before(keys[v], key) : stands_before(key, keys[v]));
    };
    for (u64 left = n, half; left > 1; left -= half) {
        half = left / 2;
        for (int v = 0; v < V; ++v) places[v] += i64(half) & -step(v, u64(places[v]) + half - 1);
    }
    if (n == 0) return;
    for (int v = 0; v < V; ++v) places[v] += step(v, u64(places[v]));
}
template <class T, int V>
CUARRAY_FN void search_sorted(const stored_t<T>* sorted, u64 n, const T (&values)[V], bool right, i64 (&places)[V]) {
    if (right)
        search_side<true, T>(sorted, n, values, places);
    else
        search_side<false, T>(sorted, n, values, places);
}

}  // namespace cuarray::kernel
