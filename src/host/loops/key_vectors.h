// key_vectors.h -- vectors of sort keys: those of AVX-512, or of AVX2, which packs chosen lanes by a table.
//
// AVX2 compares signed numbers: its keys of 64 bits have their highest bit flipped.
#pragma once
#include <array>
#include <cstdint>

#if defined(__AVX512F__)
// g++ 12 warns of the undefined values in the intrinsics header.
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#pragma GCC diagnostic ignored "-Wuninitialized"
#endif
#if defined(__AVX2__)
#include <immintrin.h>

namespace cuarray::host {

constexpr int kKeyVectors = 16;  ///< that a network sorts

#if defined(__AVX512F__)

/// The lanes of two vectors that a step of a transposition takes: of the upper half where `d` lanes are exchanged.
template <class U, int d> struct Transposition {
    static constexpr int kLanes = 64 / sizeof(U);
    alignas(64) U low[kLanes] = {}, high[kLanes] = {};

    constexpr Transposition() {
        for (int lane = 0; lane < kLanes; ++lane) {
            low[lane] = U(lane & d ? kLanes + lane - d : lane);
            high[lane] = U(lane & d ? kLanes + lane : lane + d);
        }
    }
};

struct Avx512Keys32 {
    using U = uint32_t;
    using V = __m512i;
    using Mask = __mmask16;
    static constexpr int kLanes = 16;
    static constexpr Mask kAll = Mask(-1);
    static constexpr U kFlipped = 0, kLargest = U(-1);
    static bool less(U a, U b) { return a < b; }
    /// Lane l of the result is lane l ^ Xor.
    template <int Xor> static V partners(V v) {
        return _mm512_permutexvar_epi32(
            _mm512_xor_si512(_mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0),
                             _mm512_set1_epi32(Xor)),
            v);
    }
    /// Exchanges the lanes of `a` that have bit d with those of `b` that do not.
    template <int d> static void transpose(V& a, V& b) {
        static constexpr Transposition<U, d> lanes;
        const V low = _mm512_permutex2var_epi32(a, _mm512_load_si512(lanes.low), b);
        b = _mm512_permutex2var_epi32(a, _mm512_load_si512(lanes.high), b);
        a = low;
    }
    static V load(const U* p) { return _mm512_loadu_si512(p); }
    /// The first n lanes; the others are the largest key.
    static V load_some(const U* p, int n) {
        return _mm512_mask_loadu_epi32(_mm512_set1_epi32(-1), Mask((1u << n) - 1), p);
    }
    static void store(U* p, V v) { _mm512_storeu_si512(p, v); }
    static void store_some(U* p, int n, V v) { _mm512_mask_storeu_epi32(p, Mask((1u << n) - 1), v); }
    static V all(U x) { return _mm512_set1_epi32(int(x)); }
    static V smaller(V a, V b) { return _mm512_min_epu32(a, b); }
    static V larger(V a, V b) { return _mm512_max_epu32(a, b); }
    template <unsigned at> static V larger_at(V other, V a, V b) { return _mm512_mask_max_epu32(other, at, a, b); }
    static Mask below(V a, V b) { return _mm512_cmplt_epu32_mask(a, b); }
    /// The chosen lanes, one after the other from the first on.
    static V together(Mask m, V v) { return _mm512_maskz_compress_epi32(m, v); }
};

struct Avx512Keys64 {
    using U = uint64_t;
    using V = __m512i;
    using Mask = __mmask8;
    static constexpr int kLanes = 8;
    static constexpr Mask kAll = Mask(-1);
    static constexpr U kFlipped = 0, kLargest = U(-1);
    static bool less(U a, U b) { return a < b; }
    template <int Xor> static V partners(V v) {
        return _mm512_permutexvar_epi64(
            _mm512_xor_si512(_mm512_set_epi64(7, 6, 5, 4, 3, 2, 1, 0), _mm512_set1_epi64(Xor)), v);
    }
    template <int d> static void transpose(V& a, V& b) {
        static constexpr Transposition<U, d> lanes;
        const V low = _mm512_permutex2var_epi64(a, _mm512_load_si512(lanes.low), b);
        b = _mm512_permutex2var_epi64(a, _mm512_load_si512(lanes.high), b);
        a = low;
    }
    static V load(const U* p) { return _mm512_loadu_si512(p); }
    static V load_some(const U* p, int n) {
        return _mm512_mask_loadu_epi64(_mm512_set1_epi64(-1), Mask((1u << n) - 1), p);
    }
    static void store(U* p, V v) { _mm512_storeu_si512(p, v); }
    static void store_some(U* p, int n, V v) { _mm512_mask_storeu_epi64(p, Mask((1u << n) - 1), v); }
    static V all(U x) { return _mm512_set1_epi64(int64_t(x)); }
    /// first, first + 1, ...
    static V counted(int64_t first) {
        return _mm512_add_epi64(_mm512_set_epi64(7, 6, 5, 4, 3, 2, 1, 0), _mm512_set1_epi64(first));
    }
    static V smaller(V a, V b) { return _mm512_min_epu64(a, b); }
    static V larger(V a, V b) { return _mm512_max_epu64(a, b); }
    template <unsigned at> static V larger_at(V other, V a, V b) { return _mm512_mask_max_epu64(other, at, a, b); }
    static Mask below(V a, V b) { return _mm512_cmplt_epu64_mask(a, b); }
    static V together(Mask m, V v) { return _mm512_maskz_compress_epi64(m, v); }
};

using Vectors32 = Avx512Keys32;
using Vectors64 = Avx512Keys64;

#else

/// For each choice among `lanes` lanes the 32-bit parts of the chosen ones, from the first on.
template <int lanes> struct ChosenLanes {
    static constexpr int kParts = 8 / lanes;
    uint8_t of[1 << lanes][8] = {};

    constexpr ChosenLanes() {
        for (unsigned choice = 0; choice < 1u << lanes; ++choice)
            for (int lane = 0, k = 0; lane < lanes; ++lane)
                if (choice >> lane & 1)
                    for (int part = 0; part < kParts; ++part) of[choice][k++] = uint8_t(lane * kParts + part);
    }
};

template <int lanes> __m256i packed_lanes(unsigned choice, __m256i v) {
    static constexpr ChosenLanes<lanes> chosen;
    const __m128i parts = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(chosen.of[choice]));
    return _mm256_permutevar8x32_epi32(v, _mm256_cvtepu8_epi32(parts));
}

/// Exchanges the upper half of `a` and the lower one of `b`.
inline void transpose_halves(__m256i& a, __m256i& b) {
    const __m256i low = _mm256_permute2x128_si256(a, b, 0x20);
    b = _mm256_permute2x128_si256(a, b, 0x31);
    a = low;
}
/// The same in each half.
inline void transpose_quarters(__m256i& a, __m256i& b) {
    const __m256i low = _mm256_unpacklo_epi64(a, b);
    b = _mm256_unpackhi_epi64(a, b);
    a = low;
}

struct Avx2Keys32 {
    using U = uint32_t;
    using V = __m256i;
    using Mask = uint8_t;
    static constexpr int kLanes = 8;
    static constexpr Mask kAll = 0xff;
    static constexpr U kFlipped = 0, kLargest = U(-1);
    static bool less(U a, U b) { return a < b; }
    /// Lane l of the result is lane l ^ Xor.
    template <int Xor> static V partners(V v) {
        if constexpr (Xor < 4)
            return _mm256_shuffle_epi32(v, (Xor ^ 0) | (Xor ^ 1) << 2 | (Xor ^ 2) << 4 | (Xor ^ 3) << 6);
        else
            return _mm256_permutevar8x32_epi32(
                v, _mm256_xor_si256(_mm256_set_epi32(7, 6, 5, 4, 3, 2, 1, 0), _mm256_set1_epi32(Xor)));
    }
    /// Exchanges the lanes of `a` that have bit d with those of `b` that do not.
    template <int d> static void transpose(V& a, V& b) {
        if constexpr (d == 4) return transpose_halves(a, b);
        if constexpr (d == 2) return transpose_quarters(a, b);
        if constexpr (d == 1) {
            const V low = _mm256_blend_epi32(a, partners<1>(b), 0xaa);
            b = _mm256_blend_epi32(partners<1>(a), b, 0xaa);
            a = low;
        }
    }
    static V load(const U* p) { return _mm256_loadu_si256(reinterpret_cast<const V*>(p)); }
    /// The first n lanes; the others are the largest key.
    static V load_some(const U* p, int n) {
        const V there = lanes_before(n);
        return _mm256_blendv_epi8(_mm256_set1_epi32(-1), _mm256_maskload_epi32(reinterpret_cast<const int*>(p), there),
                                  there);
    }
    static void store(U* p, V v) { _mm256_storeu_si256(reinterpret_cast<V*>(p), v); }
    static void store_some(U* p, int n, V v) { _mm256_maskstore_epi32(reinterpret_cast<int*>(p), lanes_before(n), v); }
    static V all(U x) { return _mm256_set1_epi32(int(x)); }
    static V smaller(V a, V b) { return _mm256_min_epu32(a, b); }
    static V larger(V a, V b) { return _mm256_max_epu32(a, b); }
    template <unsigned at> static V larger_at(V other, V a, V b) {
        return _mm256_blend_epi32(other, larger(a, b), int(at));
    }
    static Mask below(V a, V b) {
        return Mask(~_mm256_movemask_ps(_mm256_castsi256_ps(_mm256_cmpeq_epi32(larger(a, b), a))));
    }
    /// The chosen lanes, one after the other from the first on.
    static V together(Mask m, V v) { return packed_lanes<kLanes>(m, v); }

 private:
    static V lanes_before(int n) {
        return _mm256_cmpgt_epi32(_mm256_set1_epi32(n), _mm256_set_epi32(7, 6, 5, 4, 3, 2, 1, 0));
    }
};

struct Avx2Keys64 {
    using U = uint64_t;
    using V = __m256i;
    using Mask = uint8_t;
    static constexpr int kLanes = 4;
    static constexpr Mask kAll = 0xf;
    static constexpr U kFlipped = U(1) << 63, kLargest = INT64_MAX;
    static bool less(U a, U b) { return int64_t(a) < int64_t(b); }
    template <int Xor> static V partners(V v) {
        return _mm256_permute4x64_epi64(v, (Xor ^ 0) | (Xor ^ 1) << 2 | (Xor ^ 2) << 4 | (Xor ^ 3) << 6);
    }
    template <int d> static void transpose(V& a, V& b) { d == 2 ? transpose_halves(a, b) : transpose_quarters(a, b); }
    static V load(const U* p) { return _mm256_loadu_si256(reinterpret_cast<const V*>(p)); }
    static V load_some(const U* p, int n) {
        const V there = lanes_before(n);
        return _mm256_blendv_epi8(all(kLargest), _mm256_maskload_epi64(reinterpret_cast<const long long*>(p), there),
                                  there);
    }
    static void store(U* p, V v) { _mm256_storeu_si256(reinterpret_cast<V*>(p), v); }
    static void store_some(U* p, int n, V v) {
        _mm256_maskstore_epi64(reinterpret_cast<long long*>(p), lanes_before(n), v);
    }
    static V all(U x) { return _mm256_set1_epi64x(int64_t(x)); }
    /// first, first + 1, ...
    static V counted(int64_t first) {
        return _mm256_add_epi64(_mm256_set_epi64x(3, 2, 1, 0), _mm256_set1_epi64x(first));
    }
    static V smaller(V a, V b) { return _mm256_blendv_epi8(a, b, _mm256_cmpgt_epi64(a, b)); }
    static V larger(V a, V b) { return _mm256_blendv_epi8(b, a, _mm256_cmpgt_epi64(a, b)); }
    template <unsigned at> static V larger_at(V other, V a, V b) {
        constexpr int parts = (at & 1 ? 0x3 : 0) | (at & 2 ? 0xc : 0) | (at & 4 ? 0x30 : 0) | (at & 8 ? 0xc0 : 0);
        return _mm256_blend_epi32(other, larger(a, b), parts);
    }
    static Mask below(V a, V b) { return Mask(_mm256_movemask_pd(_mm256_castsi256_pd(_mm256_cmpgt_epi64(b, a)))); }
    static V together(Mask m, V v) { return packed_lanes<kLanes>(m, v); }

 private:
    static V lanes_before(int n) { return _mm256_cmpgt_epi64(_mm256_set1_epi64x(n), _mm256_set_epi64x(3, 2, 1, 0)); }
};

using Vectors32 = Avx2Keys32;
using Vectors64 = Avx2Keys64;

#endif

}  // namespace cuarray::host

#endif
