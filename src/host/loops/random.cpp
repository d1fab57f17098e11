// random.cpp -- random draws: the words of some blocks, then their elements.
#include <algorithm>

#include "cuarray/kernel/distributions.h"
#include "host/loops/tables.h"
#include "host/loops/vectors.h"

namespace cuarray::host {
namespace {

using namespace kernel;

/// Blocks at a time: their words stay in the L1 cache.
constexpr int64_t kTile = 64;

#if defined(__AVX512DQ__)

/// Both halves of the products with a constant.
inline void multiply(uint64_t factor, __m512i x, __m512i& low, __m512i& high) {
    const Words by = Words{} + factor;
    low = __m512i(by * Words(x));
    high = __m512i(product_high(by, Words(x)));
}

/// The words of sixteen blocks, whose counters differ in the lowest word; `words` is aligned.
inline void draw_sixteen(const RandomBlock& first, const u64* keys, u64* words) {
    __m512i x[2][4];
    for (int v = 0; v < 2; ++v) {
        x[v][0] = _mm512_add_epi64(_mm512_set1_epi64(int64_t(first.word[0]) + 8 * v),
                                   _mm512_setr_epi64(0, 4, 1, 5, 2, 6, 3, 7));
        for (int w = 1; w < 4; ++w) x[v][w] = _mm512_set1_epi64(int64_t(first.word[w]));
    }
#pragma GCC unroll 10
    for (int round = 0; round < kPhiloxRounds; ++round) {
        const __m512i k = _mm512_set1_epi64(int64_t(keys[2 * round])),
                      l = _mm512_set1_epi64(int64_t(keys[2 * round + 1]));
#pragma GCC unroll 2
        for (int v = 0; v < 2; ++v) {
            __m512i low_a, high_a, low_b, high_b;
            multiply(0xD2E7470EE14C6C93u, x[v][0], low_a, high_a);
            multiply(0xCA5A826395121157u, x[v][2], low_b, high_b);
            x[v][0] = _mm512_ternarylogic_epi64(high_b, x[v][1], k, 0x96), x[v][1] = low_b;
            x[v][2] = _mm512_ternarylogic_epi64(high_a, x[v][3], l, 0x96), x[v][3] = low_a;
        }
    }
    const __m512i front = _mm512_setr_epi64(0, 1, 8, 9, 2, 3, 10, 11),
                  back = _mm512_setr_epi64(4, 5, 12, 13, 6, 7, 14, 15);
    for (int v = 0; v < 2; ++v)
        for (int odd = 0; odd < 2; ++odd) {
            const __m512i a = odd ? _mm512_unpackhi_epi64(x[v][0], x[v][1]) : _mm512_unpacklo_epi64(x[v][0], x[v][1]);
            const __m512i b = odd ? _mm512_unpackhi_epi64(x[v][2], x[v][3]) : _mm512_unpacklo_epi64(x[v][2], x[v][3]);
            _mm512_store_si512(words + 32 * v + 16 * odd, _mm512_permutex2var_epi64(a, front, b));
            _mm512_store_si512(words + 32 * v + 16 * odd + 8, _mm512_permutex2var_epi64(a, back, b));
        }
}
#endif

[[gnu::noinline]] void draw_words(const RandomParameters& p, int64_t block, int64_t blocks, u64* words) {
    u64 keys[2 * kPhiloxRounds];
    for (int k = 0; k < 2 * kPhiloxRounds; ++k) keys[k] = philox_key(p.key, k % 2, k / 2);
    const RandomBlock first = later(p.counter, uint64_t(block));
    const bool carries = first.word[0] + uint64_t(blocks) < first.word[0];
    int64_t b = 0;
#if defined(__AVX512DQ__)
    for (; !carries && b + 16 <= blocks; b += 16)
        draw_sixteen({{first.word[0] + uint64_t(b), first.word[1], first.word[2], first.word[3]}}, keys, words + 4 * b);
#endif
    for (; b < blocks; ++b) {
        RandomBlock x = {{first.word[0] + uint64_t(b), first.word[1], first.word[2], first.word[3]}};
        if (carries) x = later(first, uint64_t(b));
#pragma GCC unroll 10
        for (int round = 0; round < kPhiloxRounds; ++round) x = philox_round(x, keys[2 * round], keys[2 * round + 1]);
#pragma GCC unroll 4
        for (int w = 0; w < 4; ++w) words[4 * b + w] = x.word[w];
    }
}

template <class Draw> struct RandomLoopOf {
    using T = typename Draw::Element;
    static constexpr int64_t kCount = kRandomElements<Draw>, kGroups = 4 / Draw::kWords;

    static void draw_elements(const RandomParameters& p, int64_t block, int64_t blocks, const u64* words, T* to) {
        const RandomParameters q = p;  // no alias of what is stored
        if constexpr (is_of_each<Draw>)
            return draw_each(q, block, blocks, words, to);
        else if constexpr (Draw::kRedraws)
            draw_again(q, block, blocks, words, to,
                       [&](int64_t g) { return Draw::draw(q, words + g * Draw::kWords, to + g * Draw::kElements); });
        else {
#pragma omp simd
            for (int64_t g = 0; g < blocks * kGroups; ++g)
                Draw::draw(q, words + g * Draw::kWords, to + g * Draw::kElements);
        }
    }

    /// Calls draw for all groups, and replaces the elements of those that it rejects.
    template <class DrawGroup>
    static void draw_again(const RandomParameters& q, int64_t block, int64_t blocks, const u64* words, T* to,
                           const DrawGroup& draw) {
        const int64_t groups = blocks * kGroups;
        uint64_t rejected[kTile * kGroups];  // as wide as words, for vectors
#pragma omp simd
        for (int64_t g = 0; g < groups; ++g) rejected[g] = draw(g);
        if (std::find(rejected, rejected + groups, 1u) == rejected + groups) return;
        for (int64_t g = 0; g < groups; ++g)
            for (int e = 0; rejected[g] && e < Draw::kElements; ++e)
                to[g * Draw::kElements + e] =
                    Draw::accepted(q, uint64_t(block + g / kGroups), uint32_t(g % kGroups * 8 * Draw::kWords),
                                   group_of<Draw>(words, int(g)), e);
    }

    /// Elements with parameters of their own: one of a block.
    static void draw_each(const RandomParameters& q, int64_t block, int64_t blocks, const u64* words, T* to) {
        alignas(64) double same[3][kTile];
        const double* of[3];
        bool is_shared = true;
        for (int k = 0; k < 3; ++k) {
            std::fill_n(same[k], blocks, q.value[k]);
            of[k] = q.of[k] ? q.of[k] + block : same[k];
            is_shared &= !q.of[k];
        }
        const double *const a = of[0], *const b = of[1], *const c = of[2];
        const auto draw = [&](int64_t g) { return Draw::draw(a[g], b[g], c[g], words + 4 * g, to + g); };
        if constexpr (requires { typename Draw::Setup; }) {
            typename Draw::Setup setup = Draw::setup(a[0], b[0], c[0]);
            for (int64_t g = 0; g < blocks; ++g) {
                if (!is_shared && g > 0) setup = Draw::setup(a[g], b[g], c[g]);
                to[g] = Draw::number(q, uint64_t(block + g), group_of<Draw>(words, int(g)), setup);
            }
        } else if constexpr (Draw::kRedraws) {
            draw_again(q, block, blocks, words, to, draw);
        } else {
#pragma omp simd
            for (int64_t g = 0; g < blocks; ++g) draw(g);
        }
    }

    static void run(const void* parameters, int64_t begin, int64_t end) {
        const RandomParameters& p = *static_cast<const RandomParameters*>(parameters);
        const int64_t n = int64_t(p.n), least = carried_elements<Draw>(p);
        alignas(64) u64 words[4 * kTile];
        T* const result = static_cast<T*>(p.result);
        if (begin == 0 && p.has_carried) draw_carried<Draw>(p);
        for (int64_t block = begin; block < end; block += kTile) {
            const int64_t blocks = std::min(kTile, end - block), first = first_random<Draw>(p, uint64_t(block));
            draw_words(p, block, blocks, words);
            const bool is_whole = first >= least && first + blocks * kCount <= n;
            alignas(64) T elements[kTile * kCount];
            draw_elements(p, block, blocks, words, is_whole ? result + first : elements);
            if (is_whole) continue;
            const int64_t from = std::max(first, least), to = std::min(first + blocks * kCount, n);
            if (from < to) std::copy(elements + (from - first), elements + (to - first), result + from);
        }
    }
};

constexpr RandomLoop kLoops[] = {
#define DRAW(name, ...) RandomLoopOf<__VA_ARGS__>::run,
#include "cuarray/random_draws.def"
#undef DRAW
};

}  // namespace

const RandomLoop* random_loops() { return kLoops; }

}  // namespace cuarray::host
