// random_device.h -- the device kernel of random draws: one thread per block of the sequence.
#pragma once
#include "cuarray/kernel/distributions.h"
#include "cuarray/kernel/elementwise.h"

namespace cuarray::kernel {

/// Bytes that a thread stores at once.
struct alignas(16) RandomPack {
    u64 word[2];
};

template <class Draw, class T>
CUARRAY_FN bool draw_group(const RandomParameters& p, u64 block, const u64* words, T* to) {
    if constexpr (is_of_each<Draw>)
        return Draw::draw(parameter(p, 0, block), parameter(p, 1, block), parameter(p, 2, block), words, to);
    else
        return Draw::draw(p, words, to);
}

template <class Draw>
CUARRAY_FN void random_fill(const RandomParameters& p) {
    using T = typename Draw::Element;
    constexpr int count = kRandomElements<Draw>, groups = 4 / Draw::kWords, bytes = Draw::kElements * int(sizeof(T));
    // So many groups at once fill a pack, if a block does.
    constexpr bool packs = groups * bytes % int(sizeof(RandomPack)) == 0;
    constexpr int step = packs && bytes < int(sizeof(RandomPack)) ? int(sizeof(RandomPack)) / bytes : 1;
    constexpr int made = step * Draw::kElements;
    const u64 block = u64(blockIdx.x) * kThreads + threadIdx.x;
    if (block == 0 && p.has_carried) draw_carried<Draw>(p);
    const i64 first = first_random<Draw>(p, block), least = carried_elements<Draw>(p), n = i64(p.n);
    if (first >= n) return;
    const RandomBlock words = philox(p.key, later(p.counter, block));
    T* const to = static_cast<T*>(p.result) + first;
    const bool is_whole = first >= least && first + count <= n && reinterpret_cast<u64>(to) % sizeof(RandomPack) == 0;
    bool rejected = false;
#pragma unroll
    for (int g = 0; g < groups; g += step) {
        alignas(16) T elements[made];
#pragma unroll
        for (int k = 0; k < step; ++k)
            rejected |= draw_group<Draw>(p, block, words.word + (g + k) * Draw::kWords, elements + k * Draw::kElements);
        const int at = g * Draw::kElements;
        if (packs && is_whole) {
#pragma unroll
            for (int e = 0; e < made; e += int(sizeof(RandomPack) / sizeof(T))) {
                RandomPack stored;
                CUARRAY_COPY(&stored, elements + e, packs ? sizeof stored : 0);
                *reinterpret_cast<RandomPack*>(to + at + e) = stored;
            }
        } else {
#pragma unroll
            for (int e = 0; e < made; ++e)
                if (first + at + e >= least && first + at + e < n) to[at + e] = elements[e];
        }
    }
    if constexpr (Draw::kRedraws)
        for (int e = 0; rejected && e < count; ++e) {
            const int g = e / Draw::kElements;
            if (first + e < least || first + e >= n) continue;
            RandomBlock group = group_of<Draw>(words.word, 0);
#pragma unroll
            for (int k = 1; k < groups; ++k)
                if (k == g) group = group_of<Draw>(words.word, k);
            to[e] = Draw::accepted(p, block, u32(8 * g * Draw::kWords), group, e % Draw::kElements);
        }
}

}  // namespace cuarray::kernel
