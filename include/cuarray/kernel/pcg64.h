// pcg64.h -- the words of NumPy's PCG64 (XSL-RR 128/64), from any place of its sequence.
//
// A step of the state is an affine map modulo 2^128, and so is a jump of any number of steps (O'Neill: PCG, a family of
// simple fast space-efficient statistically good algorithms for random number generation, 2014). A word is a function
// of the state behind its step, so that words can be drawn in any order.
//
// Units. A draw reads numbers of 64, 32, 16 or 8 bits or single bits in order, the lowest ones of a word first. A
// 32-bit number that the draw before has left is the upper half of word 0: the draw then begins at its first unit.
#pragma once
#include "cuarray/kernel/philox.h"

namespace cuarray::kernel {

/// A number of 128 bits, in memory and in registers.
struct u128 {
    u64 low, high;
};
using WideNumber = unsigned __int128;

CUARRAY_FN WideNumber wide(u128 x) { return WideNumber(x.high) << 64 | x.low; }
CUARRAY_FN u128 narrow(WideNumber x) { return {u64(x), u64(x >> 64)}; }
CUARRAY_FN u128 add_wide(u128 a, u128 b) { return narrow(wide(a) + wide(b)); }

/// x -> factor * x + summand modulo 2^128: a jump in the sequence.
struct AffineMap {
    u128 factor, summand;
};

CUARRAY_FN u128 jumped(const AffineMap& jump, u128 state) {
    return narrow(wide(jump.factor) * wide(state) + wide(jump.summand));
}

/// One jump after the other.
CUARRAY_FN AffineMap composed(const AffineMap& first, const AffineMap& second) {
    return {narrow(wide(first.factor) * wide(second.factor)), jumped(second, first.summand)};
}

/// The word of a state: low ^ high, rotated to the right by the upper six bits.
CUARRAY_FN u64 pcg64_word(u128 state) {
    const u64 x = state.high ^ state.low;
    const u32 count = u32(state.high >> 58);
#ifdef __CUDACC__
    const bool crosses = i32(u32(state.high >> 32)) < 0;  // by 32 or more
    const u32 a = crosses ? u32(x >> 32) : u32(x), b = crosses ? u32(x) : u32(x >> 32);
    return u64(__funnelshift_r(b, a, count)) << 32 | __funnelshift_r(a, b, count);
#else
    return x >> count | x << (-count & 63);
#endif
}

/// Numbers of words are below this power of two.
constexpr int kPcg64Jumps = 48;

/// Where a draw is in the sequence of a PCG64.
struct Pcg64Place {
    u128 state;                    ///< of word 0
    AffineMap jumps[kPcg64Jumps];  ///< over 2^k words
    u64 carried;                   ///< with `has_carried`: word 0, whose upper half alone is read
    u32 has_carried;
};

/// Where a draw of numbers that take several units ends: the numbers drawn so far, and the unit behind the last one.
struct SequenceEnd {
    i64 numbers, unit;
};

/// A draw from a PCG64 to contiguous memory.
struct SequenceParameters {
    RandomParameters numbers;  ///< n, the range or the distribution, the result
    Pcg64Place place;
    f64 margin;  ///< comparisons with exp and log1p are certain where the sides differ by more than this share
    u64 words;   ///< that elements of the same bits each are made from
    /// Of numbers that take several units:
    SequenceEnd begin;  ///< what is drawn already
    u64 likely;         ///< units that the others are likely to take
    u64 tiles;          ///< on a GPU: so many are drawn at most
    u64* tile_words;    ///< on a GPU, all zero: one that counts the tiles taken, and one for each tile
    SequenceEnd* end;   ///< as far as the draw has come: `numbers` are fewer than n where the next is not certain
};

/// The state so many words behind another; `jumps` are those over 2^k words.
template <class Count>
CUARRAY_FN u128 jumped_by(const AffineMap* jumps, u128 state, Count words) {
    for (int k = 0; words >> k; ++k)
        if (words >> k & 1) state = jumped(jumps[k], state);
    return state;
}

/// The state of a word.
CUARRAY_FN u128 state_at(const Pcg64Place& place, u64 word) { return jumped_by(place.jumps, place.state, word); }

/// A word of a draw, given its state.
CUARRAY_FN u64 word_at(const Pcg64Place& place, u64 word, u128 state) {
    return word == 0 && place.has_carried ? place.carried : pcg64_word(state);
}

}  // namespace cuarray::kernel
