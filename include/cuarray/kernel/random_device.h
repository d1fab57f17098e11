// random_device.h -- the device kernel of random draws: one thread per block of the sequence.
#pragma once
#include "cuarray/kernel/elementwise.h"
#include "cuarray/kernel/random.h"

namespace cuarray::kernel {

/// Bytes that a thread stores at once.
struct alignas(16) RandomPack {
    u64 word[2];
};

template <class Draw>
CUARRAY_FN void random_fill(const RandomParameters& p) {
    using T = typename Draw::Element;
    constexpr int count = kRandomElements<Draw>, pack = int(sizeof(RandomPack) / sizeof(T));
    const u64 block = u64(blockIdx.x) * kThreads + threadIdx.x;
    if (block == 0 && p.has_carried) draw_carried<Draw>(p);
    const i64 first = first_random<Draw>(p, block), least = carried_elements<Draw>(p), n = i64(p.n);
    if (first >= n) return;
    const RandomBlock words = philox(p.key, later(p.counter, block));
    alignas(16) T elements[count];
    draw_block<Draw>(p, block, words.word, elements);
    T* const to = static_cast<T*>(p.result) + first;
    if (first >= least && first + count <= n && reinterpret_cast<u64>(to) % sizeof(RandomPack) == 0) {
#pragma unroll
        for (int e = 0; e < count; e += pack) {
            RandomPack stored;
            CUARRAY_COPY(&stored, elements + e, sizeof stored);
            *reinterpret_cast<RandomPack*>(to + e) = stored;
        }
    } else {
#pragma unroll
        for (int e = 0; e < count; ++e)
            if (first + e >= least && first + e < n) to[e] = elements[e];
    }
}

}  // namespace cuarray::kernel
