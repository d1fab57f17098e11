// items.h -- unaligned loads and stores of items, and prefetched access at offsets.
#pragma once

#include <cstdint>

namespace cuarray::host {

struct Bytes16 {
    uint64_t low, high;
};

/// An item at any address, which may alias any type.
template <class Item> struct [[gnu::packed, gnu::may_alias]] Loose {
    Item value;
};
template <class Item> Item get(const char* from) { return reinterpret_cast<const Loose<Item>*>(from)->value; }
template <class Item> void put(char* to, Item value) { reinterpret_cast<Loose<Item>*>(to)->value = value; }

/// Whether offsets span more memory than stays in L2 anyway.
[[gnu::noinline]] inline bool are_far_apart(const int64_t* offsets, int64_t n) {
    constexpr int64_t kNear = 128 * 1024;
    int64_t low = 0, high = 0;
#pragma omp simd reduction(min : low) reduction(max : high)
    for (int64_t k = 0; k < n; ++k) {
        const int64_t offset = offsets[k] - offsets[0];
        low = offset < low ? offset : low, high = offset > high ? offset : high;
    }
    return high - low > kNear;
}

/// Calls move(i) for each of `offsets` in order. If they are far apart, prefetches their cache lines kAhead iterations
/// early into L2, which supports more outstanding misses than L1.
template <class Move>
void for_each_place(const char* array, const int64_t* offsets, int64_t n, Move move) {
    constexpr int64_t kAhead = 64;
    int64_t i = 0;
    const auto ask = [=](int64_t k) { __builtin_prefetch(array + offsets[k], 0, 2); };
    if (are_far_apart(offsets, n)) {
        for (int64_t k = 0; k < kAhead && k < n; ++k) ask(k);
        for (; i + kAhead < n; ++i) {
            ask(i + kAhead);
            move(i);
        }
    }
    for (; i < n; ++i) move(i);
}

}  // namespace cuarray::host
