// vectors.h -- GCC's vector types, for loops that it does not vectorise well by itself.
#pragma once
#include <cstdint>
#include <cstring>
#ifdef __x86_64__
#include <immintrin.h>
#endif

namespace cuarray::host {

template <class T, int lanes> struct VectorType {
    typedef T type [[gnu::vector_size(lanes * sizeof(T))]];
};
template <class T, int lanes> using Vector = typename VectorType<T, lanes>::type;

/// From any address.
template <class T, int lanes> [[gnu::always_inline]] inline Vector<T, lanes> load_vector(const T* from) {
    Vector<T, lanes> vector;
    std::memcpy(&vector, from, sizeof vector);
    return vector;
}

#ifdef __AVX512F__
constexpr int kWordLanes = 8;
#elif defined(__AVX2__)
constexpr int kWordLanes = 4;
#else
constexpr int kWordLanes = 2;
#endif
/// As many 64-bit words as registers hold.
using Words = Vector<uint64_t, kWordLanes>;
using ShortWords = Vector<uint32_t, 2 * kWordLanes>;  ///< of 32 bits

/// Whether n numbers, two or more, are all one.
template <class T> bool are_one(const T* x, int64_t n) {
    if (x[1] != x[0]) return false;
    T differing = 0;
#pragma omp simd reduction(| : differing)
    for (int64_t i = 0; i < n; ++i) differing |= T(x[i] ^ x[0]);
    return differing == 0;
}

/// The products of the lower halves of words, one instruction that GCC does not find.
[[gnu::always_inline]] inline Words product_of_low_halves(Words a, Words b) {
#ifdef __AVX512F__
    return Words(_mm512_mul_epu32(__m512i(a), __m512i(b)));
#elif defined(__AVX2__)
    return Words(_mm256_mul_epu32(__m256i(a), __m256i(b)));
#elif defined(__x86_64__)
    return Words(_mm_mul_epu32(__m128i(a), __m128i(b)));
#else
    return (a & 0xffffffff) * (b & 0xffffffff);
#endif
}

/// The upper halves of the products of 32-bit words, and of 64-bit ones.
[[gnu::always_inline]] inline ShortWords product_high(ShortWords a, ShortWords b) {
    const Words even = product_of_low_halves(Words(a), Words(b)) >> 32;
    const Words odd = product_of_low_halves(Words(a) >> 32, Words(b) >> 32) & ~uint64_t(0xffffffff);
    return ShortWords(even | odd);
}
[[gnu::always_inline]] inline Words product_high(Words a, Words b) {
    const Words a_high = a >> 32, b_high = b >> 32;
    const Words across = product_of_low_halves(a_high, b) + (product_of_low_halves(a, b) >> 32);
    const Words other = product_of_low_halves(a, b_high) + (across & 0xffffffff);
    return product_of_low_halves(a_high, b_high) + (across >> 32) + (other >> 32);
}

/// Folds a vector to one number; combine(V, V) is associative and commutative.
template <int lanes, class V, class Combine>
[[gnu::always_inline]] inline auto fold_vector(V vector, Combine&& combine) {
#pragma GCC unroll 8
    for (int d = lanes / 2; d > 0; d /= 2) {
        decltype(vector != vector) partner = {};
        for (int l = 0; l < lanes; ++l) partner[l] = (l + d) % lanes;
        vector = combine(vector, __builtin_shuffle(vector, partner));
    }
    return vector[0];
}

}  // namespace cuarray::host
