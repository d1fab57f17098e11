// philox.h -- the words of random draws: Philox 4x64-10, and positions in its sequence.
//
// Position. A block is 256 bits: the four 64-bit words philox(key, counter). A draw of n elements reads the words from
// number `first` of block `counter` on, and of the blocks after it, in order. A 64-bit word holds 32-bit numbers, these
// hold 16-bit and 8-bit ones and single bits, the lowest first. The first element may come from a 32-bit number carried
// over from the draw before. All of that is the order of NumPy's Generator over its Philox.
//
// Element i depends on its own bits alone, so that blocks can be drawn in any order. An integer whose bits would make
// some results more frequent than others is drawn again from a block that no sequence reaches: see `redrawn`.
#pragma once
#include "cuarray/kernel/types.h"

namespace cuarray::kernel {

/// Four words, or the counter that they are made of, its lowest word first.
struct RandomBlock {
    u64 word[4];
};

/// A draw of n elements to contiguous memory.
struct RandomParameters {
    u64 n;
    RandomBlock counter;  ///< of the block with the first word
    u64 key[2];
    u64 low, most;     ///< integers: low + 0 ... most
    u64 least;         ///< integers: products whose lower half is below this are rejected
    f64 start, width;  ///< others: start + width * number, or as the draw says
    f64 value[8];      ///< what else the draw needs
    const f64* of[3];  ///< in the place of the first ones of `value`: those of each element; or null
    void* result;
    u32 first;        ///< number of the first word in its block
    u32 carried;      ///< the 32-bit number for the first elements,
    u32 has_carried;  ///< if there is one
};

/// The lower and the upper 64 bits of a product.
CUARRAY_FN pair<u64, u64> wide_product(u64 a, u64 b) {
#ifdef __CUDACC__
    return {a * b, __umul64hi(a, b)};
#else
    const unsigned __int128 product = static_cast<unsigned __int128>(a) * b;
    return {u64(product), u64(product >> 64)};
#endif
}

/// One round of Philox 4x64 (Salmon, Moraes, Dror, Shaw: Parallel random numbers, as easy as 1, 2, 3, 2011).
CUARRAY_FN RandomBlock philox_round(RandomBlock x, u64 key, u64 next_key) {
    const pair<u64, u64> a = wide_product(0xD2E7470EE14C6C93u, x.word[0]),
                         b = wide_product(0xCA5A826395121157u, x.word[2]);
    return {{b.second ^ x.word[1] ^ key, b.first, a.second ^ x.word[3] ^ next_key, a.first}};
}

/// The keys of a round.
CUARRAY_FN u64 philox_key(const u64* key, int which, int round) {
    return key[which] + u64(round) * (which ? 0xBB67AE8584CAA73Bu : 0x9E3779B97F4A7C15u);
}

constexpr int kPhiloxRounds = 10;

/// The block of a counter.
CUARRAY_FN RandomBlock philox(const u64* key, RandomBlock x) {
#pragma unroll
    for (int round = 0; round < kPhiloxRounds; ++round)
        x = philox_round(x, philox_key(key, 0, round), philox_key(key, 1, round));
    return x;
}

/// The counter of a later block.
CUARRAY_FN RandomBlock later(RandomBlock counter, u64 blocks) {
    counter.word[0] += blocks;
    bool carry = counter.word[0] < blocks;
    for (int k = 1; k < 4; ++k) {
        counter.word[k] += carry;
        carry = carry && counter.word[k] == 0;
    }
    return counter;
}

/// More words for the bits that begin at byte `place` of a block, after a number of attempts: counters of sequences
/// stay below 2^255, unless they are set by hand.
CUARRAY_FN RandomBlock redrawn(const RandomParameters& p, u64 block, u32 place, u32 attempt) {
    RandomBlock counter = later(p.counter, block);
    counter.word[3] ^= u64(1) << 63 | u64(place) << 56 | u64(attempt + 1) << 24;
    return philox(p.key, counter);
}

}  // namespace cuarray::kernel
