// bit_packing.cpp -- loops between bools, a byte each, and bytes of eight bits.
#include "host/loops/items.h"
#include "host/loops/tables.h"

#ifdef __SSSE3__
#include <immintrin.h>
#endif

namespace cuarray::host {
namespace {

constexpr uint64_t kOnes = 0x0101010101010101;
/// The bit of element i in byte i, byte 0 the lowest one: the lowest bit first, or the highest.
constexpr uint64_t kBits[2] = {0x8040201008040201, 0x0102040810204080};

/// The bits of eight bytes, of which byte 0 is the lowest one, in a byte.
uint8_t pack_eight(uint64_t bytes, bool highest_first) {
    bytes |= bytes >> 4;
    bytes |= bytes >> 2;
    bytes |= bytes >> 1;
    // Byte i meets byte 7 - i of the factor in the highest byte.
    return uint8_t((bytes & kOnes) * kBits[highest_first ? 0 : 1] >> 56);
}

#ifdef __SSSE3__

/// The order of the elements of two bytes of bits: that of memory where the lowest bit comes first.
__m128i order_of(bool highest_first) {
    return highest_first ? _mm_set_epi64x(0x08090a0b0c0d0e0f, 0x0001020304050607)
                         : _mm_set_epi64x(0x0f0e0d0c0b0a0908, 0x0706050403020100);
}

/// Packs as many of n bytes as fill vectors, and returns how many.
int64_t pack_vectors(const uint8_t* from, uint8_t* to, int64_t n, bool highest_first) {
    const __m128i order = order_of(highest_first);
    int64_t i = 0;
#ifdef __AVX2__
    const __m256i wide_order = _mm256_broadcastsi128_si256(order);
    for (; i + 32 <= n; i += 32, to += 4) {
        const __m256i x = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from + i));
        const __m256i is_zero = _mm256_cmpeq_epi8(_mm256_shuffle_epi8(x, wide_order), _mm256_setzero_si256());
        put(reinterpret_cast<char*>(to), ~uint32_t(_mm256_movemask_epi8(is_zero)));
    }
#endif
    for (; i + 16 <= n; i += 16, to += 2) {
        const __m128i x = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + i));
        const __m128i is_zero = _mm_cmpeq_epi8(_mm_shuffle_epi8(x, order), _mm_setzero_si128());
        put(reinterpret_cast<char*>(to), uint16_t(~_mm_movemask_epi8(is_zero)));
    }
    return i;
}

/// Unpacks as many of n bytes as fill vectors, and returns how many.
int64_t unpack_vectors(const uint8_t* from, uint8_t* to, int64_t n, bool highest_first) {
    const auto bits = int64_t(kBits[highest_first ? 1 : 0]);
    int64_t i = 0;
    const auto get_at = [from](auto number, int64_t at) {
        return get<decltype(number)>(reinterpret_cast<const char*>(from + at));
    };
#ifdef __AVX2__
    const __m256i wide_places = _mm256_set_epi64x(0x0303030303030303, 0x0202020202020202, kOnes, 0);
    for (; i + 4 <= n; i += 4, to += 32) {
        const __m256i x = _mm256_shuffle_epi8(_mm256_set1_epi32(get_at(int32_t(), i)), wide_places);
        const __m256i is_zero =
            _mm256_cmpeq_epi8(_mm256_and_si256(x, _mm256_set1_epi64x(bits)), _mm256_setzero_si256());
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), _mm256_add_epi8(is_zero, _mm256_set1_epi8(1)));
    }
#endif
    const __m128i places = _mm_set_epi64x(kOnes, 0);
    for (; i + 2 <= n; i += 2, to += 16) {
        const __m128i x = _mm_shuffle_epi8(_mm_set1_epi16(get_at(int16_t(), i)), places);
        const __m128i is_zero = _mm_cmpeq_epi8(_mm_and_si128(x, _mm_set1_epi64x(bits)), _mm_setzero_si128());
        _mm_storeu_si128(reinterpret_cast<__m128i*>(to), _mm_add_epi8(is_zero, _mm_set1_epi8(1)));
    }
    return i;
}

#else

int64_t pack_vectors(const uint8_t*, uint8_t*, int64_t, bool) { return 0; }
int64_t unpack_vectors(const uint8_t*, uint8_t*, int64_t, bool) { return 0; }

#endif

void pack_bits(const uint8_t* from, uint8_t* to, int64_t n, bool highest_first) {
    for (int64_t i = pack_vectors(from, to, n, highest_first); i < n; i += 8) {
        uint64_t bytes = 0;
        for (int64_t k = 0; k < 8 && i + k < n; ++k) bytes |= uint64_t(from[i + k]) << (8 * k);
        to[i / 8] = pack_eight(bytes, highest_first);
    }
}

void unpack_bits(const uint8_t* from, uint8_t* to, int64_t n, bool highest_first) {
    for (int64_t i = unpack_vectors(from, to, n, highest_first); i < n; ++i)
        for (int k = 0; k < 8; ++k) to[8 * i + k] = from[i] >> (highest_first ? 7 - k : k) & 1;
}

}  // namespace

void collect_bit_packing(LoopLibrary& library) {
    library.pack_bits = pack_bits;
    library.unpack_bits = unpack_bits;
}

}  // namespace cuarray::host
