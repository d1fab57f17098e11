// sequence_device.h -- the device kernels that draw the numbers of NumPy's Generator from a PCG64.
//
// Threads jump to their places and stride by jumps, so that results do not depend on the grid. Numbers that take
// several units are drawn in tiles, one per thread block: each thread tries some units quickly; the few others are
// listed and attempted, one per thread; one thread follows these from an entry and corrects which units give numbers.
// The first kernel does so for every entry, and the host follows the exits from tile to tile; the second one then
// writes numbers to their places.
#pragma once
#include "cuarray/kernel/elementwise.h"
#include "cuarray/kernel/random_device.h"
#include "cuarray/kernel/sequence.h"

namespace cuarray::kernel {

/// Elements that take the same bits each. The number of blocks is a power of two, or all words are read at once.
template <class Draw>
CUARRAY_FN void sequence_fill(const SequenceParameters& p) {
    using T = typename Draw::Element;
    constexpr int count = Draw::kElements, made = 2 * count;
    static_assert(made * sizeof(T) % sizeof(RandomPack) == 0, "two words fill packs");
    const i64 n = i64(p.numbers.n), skipped = p.place.has_carried ? count / 2 : 0;
    const u64 stride = 2 * u64(kThreads) * gridDim.x;
    const AffineMap& jump = p.place.jumps[31 - __clz(int(stride))];
    u64 word = 2 * (u64(blockIdx.x) * kThreads + threadIdx.x);
    if (word >= p.words) return;
    u128 state = state_at(p.place, word);
    for (;;) {
        const u64 words[2] = {word_at(p.place, word, state), pcg64_word(jumped(p.place.jumps[0], state))};
        alignas(16) T elements[made];
        Draw::draw(p.numbers, words, elements);
        Draw::draw(p.numbers, words + 1, elements + count);
        const i64 first = i64(word) * count - skipped;
        T* const to = static_cast<T*>(p.numbers.result) + first;
        if (first >= 0 && first + made <= n && reinterpret_cast<u64>(to) % sizeof(RandomPack) == 0) {
#pragma unroll
            for (int e = 0; e < made; e += int(sizeof(RandomPack) / sizeof(T))) {
                RandomPack stored;
                CUARRAY_COPY(&stored, elements + e, sizeof stored);
                *reinterpret_cast<RandomPack*>(to + e) = stored;
            }
        } else {
#pragma unroll
            for (int e = 0; e < made; ++e)
                if (first + e >= 0 && first + e < n) to[e] = elements[e];
        }
        word += stride;
        if (word >= p.words) return;
        state = jumped(jump, state);
    }
}

constexpr u32 kTileMasks = kTileUnits / 32, kMostAttempts = 64;

/// A unit that is not accepted at once, and what its attempt made.
template <class T>
struct TileAttempt {
    u32 unit;
    Attempt made;
    T number;
};

/// What the threads of a block know of a tile. Units are numbered from its beginning. Bit b of mask g * pieces + h is
/// for piece h of word 32 g + b: whether a number begins there, as far as is known.
template <class Draw>
struct Tile {
    using T = typename Draw::Element;
    static constexpr u32 kPieces = 64 / Draw::kBits, kWords = kTileUnits / kPieces, kRounds = kWords / kThreads;
    u32 masks[kTileMasks];
    u32 before[kTileMasks + 1];  ///< numbers of the masks before
    u128 state;                  ///< of the first word
    u32 attempts;
    TileAttempt<T> attempt[Draw::kAttempts ? kMostAttempts : 1];
    u32 inside[Draw::kAttempts ? 256 : 1];
    T width[Draw::kAttempts ? 256 : 1];
    /// The first mask of a unit's words, its piece, and its bit.
    struct UnitPlace {
        u32 first, h, bit;
    };
    CUARRAY_FN static UnitPlace place_of(u32 unit) {
        return {unit / kPieces / 32 * kPieces, unit % kPieces, 1u << unit / kPieces % 32};
    }
    /// That of a unit of this thread.
    CUARRAY_FN static UnitPlace own_place(u32 round, u32 h) {
        return {(round * (kThreads / 32) + threadIdx.x / 32) * kPieces, h, 1u << threadIdx.x % 32};
    }
    CUARRAY_FN bool begins(UnitPlace at) const { return (masks[at.first + at.h] & at.bit) != 0; }
    /// The numbers that begin before a unit.
    CUARRAY_FN u32 rank(UnitPlace at) const {
        u32 rank = before[at.first];
#pragma unroll
        for (u32 h = 0; h < kPieces; ++h)
            rank += __popc(masks[at.first + h] & (h < at.h ? 2 * at.bit - 1 : at.bit - 1));
        return rank;
    }
};

/// A unit of a word.
template <class Draw>
CUARRAY_FN u64 piece_of(u64 word, u32 h) {
    if constexpr (Draw::kBits == 64)
        return word;
    else
        return word >> Draw::kBits * h & ((u64(1) << Draw::kBits) - 1);
}

/// The units behind one, given the state of its word.
template <class Draw>
struct UnitsBehind {
    const Pcg64Place& place;
    u128 state;
    u64 word;
    u32 piece;
    CUARRAY_FN u64 next() {
        constexpr u32 pieces = 64 / Draw::kBits;
        if (++piece % pieces == 0) {
            state = jumped(place.jumps[0], state);
            word = pcg64_word(state);
        }
        return piece_of<Draw>(word, piece % pieces);
    }
};

/// Adds up the masks' numbers. All threads call it.
template <class Draw>
CUARRAY_FN void add_masks(Tile<Draw>& tile) {
    __syncthreads();
    if (threadIdx.x < 32) {
        const u32 a = __popc(tile.masks[2 * threadIdx.x]), b = __popc(tile.masks[2 * threadIdx.x + 1]);
        u32 sum = a + b;
#pragma unroll
        for (u32 step = 1; step < 32; step *= 2) {
            const u32 below = __shfl_up_sync(0xffffffffu, sum, step);
            if (threadIdx.x >= step) sum += below;
        }
        tile.before[2 * threadIdx.x] = sum - a - b, tile.before[2 * threadIdx.x + 1] = sum - b;
        if (threadIdx.x == 31) tile.before[kTileMasks] = sum;
    }
    __syncthreads();
}

/// Attempts the units that were not accepted at once.
template <class Draw>
CUARRAY_FN void attempt_units(const SequenceParameters& p, Tile<Draw>& tile, u64 first_word) {
    constexpr u32 pieces = Tile<Draw>::kPieces;
    if (threadIdx.x < kTileMasks)
        for (u32 rest = ~tile.masks[threadIdx.x]; rest; rest &= rest - 1) {
            const u32 bit = __ffs(int(rest)) - 1;
            const u32 unit = (threadIdx.x / pieces * 32 + bit) * pieces + threadIdx.x % pieces;
            const u32 k = unit - tile.rank(tile.place_of(unit));
            if (k < kMostAttempts) tile.attempt[k].unit = unit;
        }
    if (threadIdx.x == 0) tile.attempts = kTileUnits - tile.before[kTileMasks];
    __syncthreads();
    if (tile.attempts <= kMostAttempts && threadIdx.x < tile.attempts) {
        TileAttempt<typename Draw::Element>& mine = tile.attempt[threadIdx.x];
        const u32 word = mine.unit / pieces, h = mine.unit % pieces;
        const u128 state = jumped_by(p.place.jumps, tile.state, word);
        const u64 bits = word_at(p.place, first_word + word, state);
        UnitsBehind<Draw> units = {p.place, state, bits, h};
        mine.made = Draw::attempt(p, Draw::layers(), piece_of<Draw>(bits, h), units, mine.number);
    }
    __syncthreads();
}

/// Follows the attempts of a tile from an entry. With `corrects`, the masks are then those of the numbers.
template <bool corrects, class Draw>
CUARRAY_FN TileExit followed(Tile<Draw>& tile, u32 entry) {
    TileExit exit = {i64(tile.before[kTileMasks]), i64(entry)};
    const auto drop = [&](u32 unit) {
        const typename Tile<Draw>::UnitPlace at = tile.place_of(unit);
        exit.numbers -= tile.begins(at);
        if (corrects) tile.masks[at.first + at.h] &= ~at.bit;
    };
    for (u32 unit = 0; unit < entry; ++unit) drop(unit);
    if constexpr (Draw::kAttempts) {
        if (tile.attempts > kMostAttempts) return {-1, -1};
        for (u32 k = 0; k < tile.attempts; ++k) {
            const u32 begin = tile.attempt[k].unit;
            const Attempt made = tile.attempt[k].made;
            if (begin < exit.entry) continue;
            if (!made.is_certain) return {-1, -1};
            exit.entry = begin + made.units;
            for (u32 unit = begin + 1; unit < exit.entry && unit < kTileUnits; ++unit) drop(unit);
            if (!made.gives) continue;
            ++exit.numbers;
            const typename Tile<Draw>::UnitPlace at = tile.place_of(begin);
            if (corrects) tile.masks[at.first + at.h] |= at.bit;
        }
    }
    exit.entry = exit.entry > kTileUnits ? exit.entry - kTileUnits : 0;
    return exit;
}

/// Calls use(tile number, tile, numbers of this thread) for each tile of this block, which is known but for its entry.
/// The number of blocks is a power of two, or that of tiles.
template <class Draw, class Use>
CUARRAY_FN void each_tile(const SequenceParameters& p, Use&& use) {
    using T = typename Draw::Element;
    using Known = Tile<Draw>;
    alignas(16) __shared__ char bytes[sizeof(Known)];
    Known& tile = *reinterpret_cast<Known*>(bytes);
    const UpperLayers<T> layers = {tile.inside, tile.width};
    if constexpr (Draw::kAttempts) {
        const Layers<T> global = Draw::layers();
        tile.inside[threadIdx.x] = u32(global.inside[threadIdx.x] >> Draw::kLower);
        tile.width[threadIdx.x] = global.width[threadIdx.x];
        __syncthreads();
    }
    const u64 stride = u64(Known::kWords) * gridDim.x;
    const AffineMap& to_next_round = p.place.jumps[8];
    const AffineMap& to_next_tile = p.place.jumps[31 - __clz(int(stride))];
    u64 first_word = (p.first_tile + blockIdx.x) * Known::kWords;
    u128 state = state_at(p.place, first_word + threadIdx.x);
    for (u64 number = blockIdx.x; number < p.tiles; number += gridDim.x, first_word += stride) {
        T numbers[Known::kRounds * Known::kPieces];
        if (Draw::kAttempts && threadIdx.x == 0) tile.state = state;
        u128 now = state;
#pragma unroll
        for (u32 r = 0; r < Known::kRounds; ++r) {
            if (r > 0) now = jumped(to_next_round, now);
            const u64 word =
                Known::kPieces == 1 ? pcg64_word(now) : word_at(p.place, first_word + r * kThreads + threadIdx.x, now);
#pragma unroll
            for (u32 h = 0; h < Known::kPieces; ++h) {
                const bool begins =
                    Draw::try_quickly(p, layers, piece_of<Draw>(word, h), numbers[r * Known::kPieces + h]);
                const u32 mask = __ballot_sync(0xffffffffu, begins);
                if (threadIdx.x % 32 == 0) tile.masks[tile.own_place(r, h).first + h] = mask;
            }
        }
        add_masks(tile);
        if constexpr (Draw::kAttempts) attempt_units(p, tile, first_word);
        use(number, tile, numbers);
        __syncthreads();
        state = jumped(to_next_tile, state);
    }
}

/// The exits of each tile, for every entry.
template <class Draw>
CUARRAY_FN void sequence_map(const SequenceParameters& p) {
    each_tile<Draw>(p, [&](u64 number, Tile<Draw>& tile, const typename Draw::Element*) {
        if (threadIdx.x < kTileEntries)
            p.exits[number * kTileEntries + threadIdx.x] = followed<false>(tile, threadIdx.x);
    });
}

/// The numbers of each tile, from the entries that are known now.
template <class Draw>
CUARRAY_FN void sequence_write(const SequenceParameters& p) {
    using T = typename Draw::Element;
    each_tile<Draw>(p, [&](u64 number, Tile<Draw>& tile, const T* numbers) {
        const TilePlace place = p.places[number];
        if (place.entry < 0) return;
        if (threadIdx.x == 0) followed<true>(tile, u32(place.entry));
        add_masks(tile);
        const i64 rest = i64(p.numbers.n) - place.first;
        const u32 count = rest <= kTileUnits ? u32(rest) : kTileUnits;
        const u64 to = reinterpret_cast<u64>(static_cast<T*>(p.numbers.result) + place.first);
        const auto write = [&](typename Tile<Draw>::UnitPlace at, T x) {
            const u32 i = tile.rank(at);
            if (tile.begins(at) && i < count) *reinterpret_cast<T*>(to + u64(i) * sizeof(T)) = x;
        };
#pragma unroll
        for (u32 r = 0; r < Tile<Draw>::kRounds; ++r)
#pragma unroll
            for (u32 h = 0; h < Tile<Draw>::kPieces; ++h)
                write(tile.own_place(r, h), numbers[r * Tile<Draw>::kPieces + h]);
        __syncthreads();  // those of attempts replace what was written for their units
        if constexpr (Draw::kAttempts)
            if (threadIdx.x < tile.attempts)
                write(tile.place_of(tile.attempt[threadIdx.x].unit), tile.attempt[threadIdx.x].number);
        // The last number of the draw.
        if (rest <= kTileUnits)
            for (u32 unit = threadIdx.x; unit < kTileUnits; unit += kThreads) {
                const typename Tile<Draw>::UnitPlace at = tile.place_of(unit);
                if (!tile.begins(at) || i64(tile.rank(at)) + 1 != rest) continue;
                u32 units = 1;
                if constexpr (Draw::kAttempts)
                    for (u32 k = 0; k < tile.attempts; ++k)
                        if (tile.attempt[k].unit == unit) units = tile.attempt[k].made.units;
                *p.end = i64((p.first_tile + number) * kTileUnits + unit + units);
            }
    });
}

}  // namespace cuarray::kernel
