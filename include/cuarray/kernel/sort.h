// sort.h -- sort keys, and the parameters of the sort and search kernels.
//
// Unsigned keys order elements as NumPy does: NaN comes last, in descending order too, and -0 equals 0. Sorts are
// stable.
#pragma once
#include "cuarray/kernel/types.h"

namespace cuarray::kernel {

/// The bits in which an integer differs from its key. A descending sort is an ascending one by inverted keys, so that
/// it is stable too.
template <class T>
CUARRAY_FN unsigned_t<T> key_flip(bool descending) {
    using U = unsigned_t<T>;
    constexpr U top = U(U(1) << (8 * sizeof(U) - 1));
    return is_same<T, bool> ? U(descending) : U((is_signed<T> ? top : U(0)) ^ U(U(0) - U(descending)));
}

/// The key of a float with these bits, given those of infinity.
template <class U>
CUARRAY_FN U float_key(U bits, U infinity, bool descending) {
    constexpr U top = U(U(1) << (8 * sizeof(U) - 1));
    const U size = U(bits & U(top - 1)), turned = U(U(0) - U(descending));
    const U negative = U(U(0) - U(bits >> (8 * sizeof(U) - 1))) ^ turned;
    return size > infinity ? U(-1) : U(top + U(U(size ^ negative) - negative));
}

/// The key of a real number.
template <class T>
CUARRAY_FN unsigned_t<T> sort_key(T x, bool descending) {
    if constexpr (is_integer<T> || is_same<T, bool>)
        return unsigned_t<T>(unsigned_t<T>(x) ^ key_flip<T>(descending));
    else
        return float_key(bits_of(x), ieee<T>::infinity, descending);
}

/// The key of a complex number, compared by `high`, then by `low`.
template <class U>
struct ComplexKey {
    U high, low;
};

/// Orders by the real part, then by the imaginary part. Last come numbers with a NaN imaginary part, then with a NaN
/// real part, then with both; within a group by the part that is not NaN.
template <class R>
CUARRAY_FN ComplexKey<unsigned_t<R>> complex_key(complex<R> x, bool descending) {
    using U = unsigned_t<R>;
    constexpr U nan = U(-1);
    const U re = sort_key(x.re, descending), im = sort_key(x.im, descending);
    if (re != nan) return im != nan ? ComplexKey<U>{re, im} : ComplexKey<U>{U(nan - 2), re};
    return im != nan ? ComplexKey<U>{U(nan - 1), im} : ComplexKey<U>{nan, U(0)};
}

/// The number of parts of a key, least significant first, and the bits of a part.
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

/// The complete key for ascending order, and the comparison of two keys.
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

/// Some bits of a key above an element's index. If they do not hold the whole key, the pairs are sorted by one piece
/// of it after the other, least significant first; the indices carry the order so far.
struct SortPair {
    u64 bits;
};
CUARRAY_FN u64 sort_key(SortPair x, bool) { return x.bits; }

/// The digit of one pass, and its values.
constexpr u32 kDigitBits = 8;

constexpr u32 kDigits = 1 << kDigitBits;

/// The number of items in a thread block's tile.
CUARRAY_FN constexpr u32 sort_tile(u32 item) { return item == 8 ? 2048 : 4096; }

/// One pass over rows of n items, the counts of the digits of all passes, or the complete sort of rows no longer than a
/// tile. What follows `to` is for long rows; `starts`, `states` and `tickets` are zero before the digits are counted.
struct SortPass {
    u64 rows, n;
    const void* from;  ///< the items; where they lie in `to` or in `spare`, the sort overwrites them
    void* to;          ///< the result
    void* spare;       ///< by turns with `to`, what a pass writes and the next one reads
    void* starts;      ///< [row][pass][digit]: the number of items with the digit, then the position of the first
    void* states;      ///< [row][tile][digit]: see SortState
    u32* tickets;  ///< [passes + rows]: the tiles of a pass that have started; the blocks of a row that have counted
    u32* steps;    ///< [pass]: kStepRuns and others
    u32 tiles, blocks;  ///< of a row; the blocks that count its digits
    u32 pass, passes;
    u32 shift;  ///< position in the key of the digit, of the first one to count, or of the bits
    u32 bits;   ///< of short rows: how many are significant
    u32 rows_per_tile;
    u32 descending;
};

/// Bits of a step: whether the pass runs, and where it reads and writes. One in which all items of the only row have
/// one digit does not run.
constexpr u32 kStepRuns = 1, kStepReadsTo = 2, kStepReadsSpare = 4, kStepWritesTo = 8;

/// What a tile tells the later ones of a digit, in one word: the items that it has, or, with those of all earlier tiles
/// of the row. The bits above the number say which, and in which pass.
template <class Count>
struct SortState {
    static constexpr u32 bits = sizeof(Count) == 4 ? 27 : 56;
    static constexpr Count number = (Count(1) << bits) - 1;
    static CUARRAY_FN Count own(u32 pass) { return Count(2 * pass + 1) << bits; }
    static CUARRAY_FN Count all(u32 pass) { return Count(2 * pass + 2) << bits; }
};

/// Pairs of n elements of each row: `bits` bits from `shift` up of one part of the key, above an index of `index_bits`
/// bits: the element's own (`first`), or that of the existing pair.
struct SortPairing {
    u64 rows, n;
    const void* values;
    u64* pairs;
    u64* indices;
    u32 part, shift, bits, index_bits;
    u32 first, descending;
};

/// The pair of a key, or one part of it, and an index.
CUARRAY_FN u64 pair_of_key(const SortPairing& p, u64 key, u64 index) {
    return (key >> p.shift & ((u64(1) << p.bits) - 1)) << p.index_bits | index;
}

/// The pair of a row's element.
template <class T>
CUARRAY_FN u64 sort_pair(const SortPairing& p, const stored_t<T>* row, u64 index) {
    return pair_of_key(p, key_part(load<T>(row[index]), int(p.part), p.descending != 0), index);
}

/// Pairs that a thread of a GPU makes, or takes apart.
constexpr u32 kPaired = 4;

/// Insertion positions of `count` values in a sorted array of n elements: before equal elements, or after (`right`).
struct SearchSortedParameters {
    u64 n, count;
    const void* sorted;
    const void* values;
    i64* places;
    u32 right;
};

/// Values that a thread of a GPU searches together: the loads of one step overlap.
constexpr u32 kSearched = 4;

/// What an element and a value are compared by in a search: themselves if they are real numbers, which orders all but
/// NaN, else their keys.
template <class T>
CUARRAY_FN auto search_key(T x) {
    if constexpr (is_float<T> || is_integer<T>)
        return x;
    else
        return whole_key(x);
}

/// The insertion position of a NaN before equal elements.
template <class T, class Size>
CUARRAY_FN i64 place_of_nan(const T* sorted, Size n) {
    Size place = 0;
    for (Size left = n, half; left > 0; left -= half) {
        half = (left + 1) / 2;
        if (sorted[place + half - 1] == sorted[place + half - 1]) place += half;
    }
    return i64(place);
}

/// The insertion positions of V values, after equal elements or before. The searches are interleaved, take the same
/// number of steps and have no branches, which would be mispredicted half of the time.
template <bool Right, class Size, class T, int V>
CUARRAY_FN void search_side(const stored_t<T>* sorted, Size n, const T (&values)[V], i64 (&places)[V]) {
    decltype(search_key(values[0])) keys[V];
    Size place[V];
    for (int v = 0; v < V; ++v) keys[v] = search_key(values[v]), place[v] = 0;
    const auto step = [&](int v, Size at) {
        const auto key = search_key(load<T>(sorted[at]));
        if constexpr (is_float<T>)
            return Size(Right ? key <= keys[v] : key < keys[v]);
        else
            return Size(Right ? !stands_before(keys[v], key) : stands_before(key, keys[v]));
    };
    for (Size left = n, half; left > 1; left -= half) {
        half = left / 2;
#ifdef __CUDACC__
#pragma unroll
#else
#pragma GCC unroll 8
#endif
        for (int v = 0; v < V; ++v) place[v] += half & -step(v, place[v] + half - 1);
    }
    for (int v = 0; v < V; ++v) places[v] = n > 0 ? i64(place[v] + step(v, place[v])) : 0;
    if constexpr (is_float<T>)
        for (int v = 0; v < V; ++v)
            if (values[v] != values[v]) places[v] = Right ? i64(n) : place_of_nan(sorted, n);
}
template <class T, class Size, int V>
CUARRAY_FN void search_sorted(const stored_t<T>* sorted, Size n, const T (&values)[V], bool right, i64 (&places)[V]) {
    if (right)
        search_side<true>(sorted, n, values, places);
    else
        search_side<false>(sorted, n, values, places);
}

}  // namespace cuarray::kernel
