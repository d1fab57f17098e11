// shifts.h -- integers shifted by one number of bits: bytes, for which vectors have no shift, in words of 16 bits.
#pragma once
#include <cstdint>
#include <cstring>
#include "core/loops.h"
#include "host/loops/vectors.h"

namespace cuarray::host {

/// Whether all numbers are one that is less than the width of the type.
template <class T> bool are_one_shift(const T* y, int64_t n) {
    constexpr int64_t kFew = 32;
    constexpr unsigned_t<T> width = 8 * sizeof(T);
    return n >= kFew && unsigned_t<T>(y[0]) < width && are_one(y, n);
}

/// n integers, shifted by fewer bits than they have.
template <bool is_left, class T> void shift(const T* x, T* to, int64_t n, int bits) {
    constexpr bool are_bytes = sizeof(T) == 1, fills_sign = !is_left && is_signed<T>;
    using Element = choose_t<fills_sign, T, unsigned_t<T>>;
    using Word = choose_t<are_bytes, u16, Element>;
    constexpr int lanes = sizeof(Words) / sizeof(Word), items = sizeof(Words) / sizeof(T);
    using V = Vector<Word, lanes>;
    using Bytes = Vector<u8, int(sizeof(Words))>;
    const u8 kept = is_left ? u8(0xff << (bits & 7)) : u8(0xff >> (bits & 7));  // of a byte: the bits that are its own
    const Word kept_of_both = Word(are_bytes ? kept * 0x0101 : 0);
    const u8 sign_bit = u8(0x80 >> (bits & 7));  // where that of a byte is then
    const V own = V{} + kept_of_both;
    const Bytes sign = Bytes{} + sign_bit;
    int64_t begin = 0;
    for (; begin + items <= n; begin += items) {
        V words;
        std::memcpy(&words, x + begin, sizeof words);
        words = is_left ? words << bits : words >> bits;
        if constexpr (are_bytes) words &= own;
        if constexpr (are_bytes && fills_sign) words = V((Bytes(words) ^ sign) - sign);
        std::memcpy(to + begin, &words, sizeof words);
    }
    for (; begin < n; ++begin)
        to[begin] = is_left ? math::left_shift(x[begin], T(bits)) : math::right_shift(x[begin], T(bits));
}

}  // namespace cuarray::host
