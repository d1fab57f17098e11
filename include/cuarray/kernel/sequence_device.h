// sequence_device.h -- the device kernels that draw the numbers of NumPy's Generator from a PCG64.
//
// Threads jump to their places and stride by jumps, so that results do not depend on the grid. Numbers that take
// several units are drawn in tiles, one at a time by a thread block: each thread tries some units quickly; the few
// others are listed and attempted, one per thread, and correct which units give numbers. Of a chain all units are
// attempted, and threads follow the parts of a tile. Where a tile's first number begins and goes is known from the
// tiles before: each publishes what follows from every entry, and then its end.
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

/// Where a number begins in a tile depends on those before it: on how many units behind the beginning of the tile the
/// last one ends. Fewer entries than this are told to later tiles.
constexpr u32 kTileEntries = 8;

/// From an entry to the end of a tile: the numbers drawn, and how far behind the tile the last one ends; -1 where that
/// is not certain.
struct TileExit {
    i32 numbers, entry;
};

/// What a tile tells later ones, in a word that is read and written at once. Map: its exit, if that is the same from
/// all entries, and for each entry how many numbers it has. End: its exit, and the numbers up to there. Stop: nothing
/// is certain from some tile on.
struct TileWord {
    static constexpr u64 kMap = 1, kEnd = 2, kStop = 3;
    /// The lowest bits of the fields. A map has the numbers from entry 0 and, of each entry, how many fewer, plus
    /// kFewest.
    static constexpr u32 kExit = 2, kNumbers = 12, kFewer = 24, kFewerBits = 5, kFewest = 8;
    static constexpr u32 kMostExit = (1u << (kNumbers - kExit)) - 1;
    u64 bits;
    CUARRAY_FN bool is_known() const { return bits & 3; }
    CUARRAY_FN bool is_map() const { return (bits & 3) == kMap; }
    CUARRAY_FN bool is_stop() const { return (bits & 3) == kStop; }
    CUARRAY_FN u32 exit() const { return u32(bits >> kExit) & kMostExit; }
    /// The numbers of a map from an entry, or those up to an end.
    CUARRAY_FN u32 numbers_from(u32 entry) const {
        const u32 fewer = u32(bits >> (kFewer + kFewerBits * entry)) % (1u << kFewerBits);
        return (u32(bits >> kNumbers) & 0xfff) + kFewest - fewer;
    }
    CUARRAY_FN i64 numbers() const { return i64(bits >> kNumbers); }
    static CUARRAY_FN TileWord end(i64 numbers, u32 exit, u32 most) {
        return {exit <= most ? kEnd | u64(exit) << kExit | u64(numbers) << kNumbers : kStop};
    }
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
    u64 number;                  ///< of the tile, or of the next one
    i64 first;                   ///< the index of the first number; -1: that is not known
    u32 entry;                   ///< with `first`: the unit where that number begins
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

/// What a thread has of its units.
template <class T, u32 count>
struct ThreadNumbers {
    T of[count];
};

/// A tile whose units are tried quickly. It is followed from the entries of maps alone.
template <class Draw>
struct TriedTile : Tile<Draw> {
    using T = typename Draw::Element;
    static constexpr u32 kMostEntry = kTileEntries - 1;
    using Numbers = ThreadNumbers<T, Tile<Draw>::kRounds * Tile<Draw>::kPieces>;
    u32 attempts;
    u32 related[kMostAttempts / 32];  ///< bits of the attempts that depend on what begins before them
    u32 behind;                       ///< the unit behind the last attempt, if it depends on nothing
    TileAttempt<T> attempt[Draw::kAttempts ? kMostAttempts : 1];
    u32 inside[Draw::kAttempts ? 256 : 1];
    T width[Draw::kAttempts ? 256 : 1];
};

/// A chain is followed by parts of a tile.
constexpr u32 kTileParts = 32, kPartUnits = kTileUnits / kTileParts;

/// A tile of a chain: the masks say first which attempts give numbers, if they are made.
template <class Draw>
struct ChainTile : Tile<Draw> {
    static constexpr u32 kMostEntry = TileWord::kMostExit;
    using Numbers = ThreadNumbers<typename Draw::Element, 1>;  ///< not used: all threads know all numbers
    static constexpr u16 kUnknown = 0xffff;
    static constexpr u32 kExitBits = 9;
    typename Draw::Element made[kTileUnits];
    u8 units[kTileUnits];                 ///< of the attempts; 0: not certain
    u16 exits[kTileParts][kTileEntries];  ///< of a part, by entry: its numbers, and the units behind its end
};

template <class Draw>
using KnownTile = choose_t<is_chain<Draw>, ChainTile<Draw>, TriedTile<Draw>>;

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

/// Takes the units within a number from those that begin one, and adds the number if there is one.
template <class Draw>
CUARRAY_FN void settle(Tile<Draw>& tile, const TileAttempt<typename Draw::Element>& known) {
    for (u32 unit = known.unit + 1; unit < known.unit + known.made.units && unit < kTileUnits; ++unit) {
        const typename Tile<Draw>::UnitPlace at = tile.place_of(unit);
        atomicAnd(&tile.masks[at.first + at.h], ~at.bit);
    }
    const typename Tile<Draw>::UnitPlace at = tile.place_of(known.unit);
    if (known.made.gives) atomicOr(&tile.masks[at.first + at.h], at.bit);
}

/// Attempts the units that were not accepted at once, and settles those that depend on nothing: which begin behind all
/// entries and overlap no other one.
template <class Draw>
CUARRAY_FN void attempt_units(const SequenceParameters& p, TriedTile<Draw>& tile, u64 first_word) {
    constexpr u32 pieces = Tile<Draw>::kPieces;
    const u32 t = threadIdx.x;
    if (t < kTileMasks)
        for (u32 rest = ~tile.masks[t]; rest; rest &= rest - 1) {
            const u32 bit = __ffs(int(rest)) - 1;
            const u32 unit = (t / pieces * 32 + bit) * pieces + t % pieces;
            const u32 k = unit - tile.rank(tile.place_of(unit));
            if (k < kMostAttempts) tile.attempt[k].unit = unit;
        }
    if (t == 0) tile.behind = 0;
    const u32 all = kTileUnits - tile.before[kTileMasks], attempts = all < kMostAttempts ? all : kMostAttempts;
    if (t == 0) tile.attempts = attempts;
    __syncthreads();
    TileAttempt<typename Draw::Element>& mine = tile.attempt[t < kMostAttempts ? t : 0];
    bool is_unusual = all > kMostAttempts;
    if (t < attempts) {
        const u32 word = mine.unit / pieces, h = mine.unit % pieces;
        const u128 state = jumped_by(p.place.jumps, tile.state, word);
        const u64 bits = word_at(p.place, first_word + word, state);
        UnitsBehind<Draw> units = {p.place, state, bits, h};
        mine.made = Draw::attempt(p, Draw::layers(), piece_of<Draw>(bits, h), units, mine.number);
        if (all > kMostAttempts) mine.made.is_certain = false;
        is_unusual = mine.made.units > 3 || !mine.made.is_certain;
    }
    is_unusual = __syncthreads_or(is_unusual);
    if (t < kMostAttempts) {
        const auto end = [&](u32 k) { return tile.attempt[k].unit + tile.attempt[k].made.units; };
        const bool exists = t < attempts;
        const bool is_related =
            exists && (is_unusual || mine.unit < kTileEntries || (t > 0 && end(t - 1) > mine.unit) ||
                       (t > 1 && end(t - 2) > mine.unit) || (t + 1 < attempts && end(t) > tile.attempt[t + 1].unit));
        const u32 related = __ballot_sync(0xffffffffu, is_related);
        if (t % 32 == 0) tile.related[t / 32] = related;
        if (exists && !is_related) {
            settle(tile, mine);
            if (t + 1 == attempts) tile.behind = end(t);
        }
    }
}

/// Keeps the layers of a ziggurat near, where units are tried quickly.
template <class Draw>
CUARRAY_FN void keep_layers(TriedTile<Draw>& tile) {
    if constexpr (Draw::kAttempts) {
        const Layers<typename Draw::Element> global = Draw::layers();
        tile.inside[threadIdx.x] = u32(global.inside[threadIdx.x] >> Draw::kLower);
        tile.width[threadIdx.x] = global.width[threadIdx.x];
    }
}
template <class Draw>
CUARRAY_FN void keep_layers(ChainTile<Draw>&) {}

/// Draws the units of a tile: the masks say then which give numbers, whatever is before the tile. `now` is the state of
/// the thread's first word.
template <class Draw>
CUARRAY_FN void draw_units(const SequenceParameters& p, TriedTile<Draw>& tile, u128 now, u64 first_word,
                           typename TriedTile<Draw>::Numbers& numbers) {
    using Known = Tile<Draw>;
    const UpperLayers<typename Draw::Element> layers = {tile.inside, tile.width};
    const u32 t = threadIdx.x;
#pragma unroll
    for (u32 r = 0; r < Known::kRounds; ++r) {
        if (r > 0) now = jumped(p.place.jumps[8], now);
        const u64 word = Known::kPieces == 1 ? pcg64_word(now) : word_at(p.place, first_word + r * kThreads + t, now);
#pragma unroll
        for (u32 h = 0; h < Known::kPieces; ++h) {
            const bool begins =
                Draw::try_quickly(p, layers, piece_of<Draw>(word, h), numbers.of[r * Known::kPieces + h]);
            const u32 mask = __ballot_sync(0xffffffffu, begins);
            if (t % 32 == 0) tile.masks[tile.own_place(r, h).first + h] = mask;
        }
    }
    add_masks(tile);
    if constexpr (Draw::kAttempts) {
        attempt_units(p, tile, first_word);
        add_masks(tile);
    }
}

/// Follows the attempts of a part of a tile from a unit to the one behind the last, and calls give(place) for each that
/// gives a number. False where one is not certain.
template <class Draw, class Give>
CUARRAY_FN bool follow_part(const ChainTile<Draw>& tile, u32 part, u32& unit, Give&& give) {
    while (unit < (part + 1) * kPartUnits) {
        const u32 units = tile.units[unit];
        if (units == 0) return false;
        const typename Tile<Draw>::UnitPlace at = tile.place_of(unit);
        if (tile.begins(at)) give(at);
        unit += units;
    }
    return true;
}

template <class Draw>
CUARRAY_FN void draw_units(const SequenceParameters& p, ChainTile<Draw>& tile, u128 now, u64 first_word,
                           typename ChainTile<Draw>::Numbers&) {
    using Known = ChainTile<Draw>;
    static_assert(kThreads == kTileParts * kTileEntries, "a thread follows a part from an entry");
    const u32 t = threadIdx.x;
#pragma unroll 1
    for (u32 r = 0; r < Known::kRounds; ++r) {
        if (r > 0) now = jumped(p.place.jumps[8], now);
        const u64 word = word_at(p.place, first_word + r * kThreads + t, now);
#pragma unroll 1
        for (u32 h = 0; h < Known::kPieces; ++h) {
            const u32 unit = (r * kThreads + t) * Known::kPieces + h;
            UnitsBehind<Draw> behind = {p.place, now, word, h};
            const Attempt made = Draw::attempt(p, Draw::layers(), piece_of<Draw>(word, h), behind, tile.made[unit]);
            tile.units[unit] = made.is_certain && made.units < 256 ? u8(made.units) : 0;
            const u32 mask = __ballot_sync(0xffffffffu, made.gives);
            if (t % 32 == 0) tile.masks[tile.own_place(r, h).first + h] = mask;
        }
    }
    __syncthreads();
    const u32 part = t / kTileEntries, entry = t % kTileEntries;
    u32 unit = part * kPartUnits + entry, numbers = 0;
    const bool is_certain = follow_part(tile, part, unit, [&](typename Known::UnitPlace) { ++numbers; });
    const u32 behind = unit - (part + 1) * kPartUnits;
    tile.exits[part][entry] = is_certain ? u16(numbers << Known::kExitBits | behind) : Known::kUnknown;
    __syncthreads();
}

/// Follows the first parts of a tile from an entry: the numbers, and how far behind these parts the last one ends.
template <class Draw>
CUARRAY_FN TileExit followed(const ChainTile<Draw>& tile, u32 entry, u32 parts = kTileParts) {
    using Known = ChainTile<Draw>;
    u32 unit = entry, numbers = 0;
    for (u32 part = entry / kPartUnits; part < parts; ++part) {
        const u32 from = unit - part * kPartUnits;
        if (from >= kPartUnits) continue;
        const u16 exit = from < kTileEntries ? tile.exits[part][from] : Known::kUnknown;
        if (exit != Known::kUnknown) {
            numbers += exit >> Known::kExitBits;
            unit = (part + 1) * kPartUnits + exit % (1u << Known::kExitBits);
        } else if (!follow_part(tile, part, unit, [&](typename Known::UnitPlace) { ++numbers; })) {
            return {-1, -1};
        }
    }
    return {i32(numbers), i32(unit - parts * kPartUnits)};
}

/// The exit of a tile from an entry. Called by a warp, whose first lane gets it.
template <class Draw>
CUARRAY_FN TileExit exit_from(ChainTile<Draw>& tile, u32 entry) {
    return followed(tile, entry);
}

/// Makes the masks those of the numbers from an entry that has an exit. Called by a warp.
template <class Draw>
CUARRAY_FN void correct_masks(ChainTile<Draw>& tile, u32 entry) {
    static_assert(kTileParts == 32 && kPartUnits == 64, "a lane has two masks");
    const u32 lane = threadIdx.x % 32;
    u32 unit = lane * kPartUnits + u32(followed(tile, entry, lane).entry);
    u64 masks = 0;
    follow_part(tile, lane, unit,
                [&](typename Tile<Draw>::UnitPlace at) { masks |= u64(at.bit) << 32 * ((at.first + at.h) % 2); });
    __syncwarp();
    tile.masks[2 * lane] = u32(masks), tile.masks[2 * lane + 1] = u32(masks >> 32);
}

/// Follows the attempts of a tile from an entry. With `corrects`, the masks are then those of the numbers.
template <bool corrects = false, class Draw>
CUARRAY_FN TileExit followed(TriedTile<Draw>& tile, u32 entry) {
    i32 numbers = i32(tile.before[kTileMasks]);
    u32 behind = entry;
    const auto drop = [&](u32 unit) {
        const typename Tile<Draw>::UnitPlace at = tile.place_of(unit);
        numbers -= tile.begins(at);
        if (corrects) tile.masks[at.first + at.h] &= ~at.bit;
    };
    for (u32 unit = 0; unit < entry; ++unit) drop(unit);
    if constexpr (Draw::kAttempts) {
#pragma unroll 1
        for (u32 k = 0; k < kMostAttempts; ++k) {
            const u32 rest = tile.related[k / 32] >> k % 32;  // from attempt k on
            if (!rest) {
                k |= 31;
                continue;
            }
            k += __ffs(int(rest)) - 1;
            const u32 begin = tile.attempt[k].unit;
            const Attempt made = tile.attempt[k].made;
            if (begin < behind) continue;
            if (!made.is_certain) return {-1, -1};
            behind = begin + made.units;
            for (u32 unit = begin + 1; unit < behind && unit < kTileUnits; ++unit) drop(unit);
            if (!made.gives) continue;
            ++numbers;
            const typename Tile<Draw>::UnitPlace at = tile.place_of(begin);
            if (corrects) tile.masks[at.first + at.h] |= at.bit;
        }
        if (tile.behind > behind) behind = tile.behind;
    }
    return {numbers, behind > kTileUnits ? i32(behind - kTileUnits) : 0};
}

/// The exit; the masks are then corrected already.
template <class Draw>
CUARRAY_FN TileExit exit_from(TriedTile<Draw>& tile, u32 entry) {
    return threadIdx.x % 32 == 0 ? followed<true>(tile, entry) : TileExit{-1, -1};
}
template <class Draw>
CUARRAY_FN void correct_masks(TriedTile<Draw>&, u32) {}

/// The map of a tile; unknown where it is none. Called by a warp.
template <class Known>
CUARRAY_FN TileWord map_of(Known& tile) {
    const u32 entry = threadIdx.x % kTileEntries;
    const TileExit exit = followed(tile, entry);
    const i32 numbers = __shfl_sync(0xffffffffu, exit.numbers, 0);
    const u32 fewer = u32(numbers - exit.numbers) + TileWord::kFewest;
    const i32 behind = __shfl_sync(0xffffffffu, exit.entry, 0);
    const bool fits =
        exit.numbers >= 0 && exit.entry == behind && u32(behind) < kTileEntries && fewer < 1u << TileWord::kFewerBits;
    if (!__all_sync(0xffffffffu, fits)) return {0};
    u64 bits = u64(fewer) << (TileWord::kFewer + TileWord::kFewerBits * entry);
#pragma unroll
    for (u32 step = 1; step < kTileEntries; step *= 2) bits |= __shfl_xor_sync(0xffffffffu, bits, step);
    return {TileWord::kMap | u64(exit.entry) << TileWord::kExit | u64(numbers) << TileWord::kNumbers | bits};
}

/// The end of the tile before one: from the nearest end that is published, and the maps behind it. Called by a warp,
/// whose lanes look at successive tiles; of the last lane's tile the exit alone is read. False where the maps do not
/// follow on that end, behind which the next tile begins at no entry of its map: then that one's end is waited for.
CUARRAY_FN bool find_end_before(const SequenceParameters& p, i64 tile, const TileWord& begin, TileWord& end) {
    constexpr int kLooks = 4;  // at once: the ends of tiles are known as fast as these come from memory
    constexpr i64 kApart = 31;
    const u32 all = 0xffffffffu, lane = threadIdx.x % 32;
    volatile u64* const words = p.tile_words + 1;
    const auto look = [&](i64 at) { return at < 0 ? begin : TileWord{words[at]}; };
    u32 numbers = 0, exit = 0;
    for (i64 first = tile - 1 - lane;; first -= kLooks * kApart) {
        TileWord seen[kLooks];
#pragma unroll
        for (int k = 0; k < kLooks; ++k) seen[k] = look(first - k * kApart);
#pragma unroll
        for (int k = 0; k < kLooks; ++k) {
            TileWord& word = seen[k];
            u32 ends, needed;
            for (;;) {
                ends = __ballot_sync(all, word.is_known() && !word.is_map());
                needed = ends ? (ends & (0u - ends)) - 1 : all;
                if (!(needed & ~__ballot_sync(all, word.is_known()))) break;
                __nanosleep(20);
                word = look(first - k * kApart);
            }
            const u32 entry = TileWord{__shfl_down_sync(all, word.bits, 1)}.exit();
            if (lane < kApart && (needed >> lane & 1)) numbers += word.numbers_from(entry);
            const bool is_next = first + lane == tile - 1 && k == 0;
            if (is_next) exit = __shfl_sync(all, word.exit(), 0);
            if (!ends) continue;
            word.bits = __shfl_sync(all, word.bits, __ffs(int(ends)) - 1);
            end = word;
            if (word.is_stop()) return true;
            if (word.exit() >= kTileEntries && !(is_next && (ends & 1))) return false;
#pragma unroll
            for (u32 step = 1; step < 32; step *= 2) numbers += __shfl_xor_sync(all, numbers, step);
            end = TileWord::end(word.numbers() + numbers, exit, TileWord::kMostExit);
            return true;
        }
    }
}

/// The same, waited for, where tiles can begin at entries up to `most`.
CUARRAY_FN TileWord end_before(const SequenceParameters& p, i64 tile, u32 most) {
    const TileWord begin = TileWord::end(p.begin.numbers, u32(p.begin.unit % kTileUnits), most);
    for (TileWord end;; __nanosleep(20))
        if (find_end_before(p, tile, begin, end)) return end;
}

/// Finds where a tile's numbers begin, tells later tiles, and corrects the masks. Called by a warp.
template <class Known>
CUARRAY_FN void join_tiles(const SequenceParameters& p, Known& tile, u64 number) {
    volatile u64* const own = p.tile_words + 1 + number;
    const bool leads = threadIdx.x % 32 == 0;
    const TileWord map = map_of(tile);
    if (leads && map.is_known() && number + 1 < p.tiles) *own = map.bits;
    const TileWord begin = end_before(p, i64(number), Known::kMostEntry);
    __syncwarp();  // all lanes have read the masks
    const i64 n = i64(p.numbers.n), unit = i64((u64(p.begin.unit) / kTileUnits + number) * kTileUnits);
    const i64 first = begin.is_stop() ? -1 : begin.numbers();
    TileExit exit = {-1, -1};
    TileWord end = {TileWord::kStop};
    if (first >= 0) exit = exit_from(tile, begin.exit());
    if (leads) {
        if (exit.numbers >= 0) end = TileWord::end(first + exit.numbers, u32(exit.entry), Known::kMostEntry);
        *own = end.bits;
        tile.entry = begin.exit();
        tile.first = end.is_stop() ? -1 : first;
        if (end.is_stop()) {
            if (first >= 0 && first < n) *p.end = {first, unit + tile.entry};
            if (first < 0 && number == 0) *p.end = p.begin;  // too far from the beginning of the tile
        } else if (number + 1 == p.tiles && end.numbers() < n) {
            *p.end = {end.numbers(), unit + kTileUnits + exit.entry};
        }
    }
    if (__shfl_sync(0xffffffffu, exit.numbers, 0) >= 0) correct_masks(tile, begin.exit());
}

/// Writes the numbers of a tile that are known by thread, and those of attempts.
template <class Draw>
CUARRAY_FN void write_numbers(const SequenceParameters& p, TriedTile<Draw>& tile, u64 number,
                              const typename TriedTile<Draw>::Numbers& numbers) {
    using T = typename Draw::Element;
    const i64 first = tile.first, rest = i64(p.numbers.n) - first;
    bool is_corrected = tile.entry > 0;
    if constexpr (Draw::kAttempts)
        for (u32 related : tile.related) is_corrected |= related != 0;
    if (is_corrected) add_masks(tile);
    const u32 count = rest <= kTileUnits ? u32(rest) : kTileUnits;
    const u64 to = reinterpret_cast<u64>(static_cast<T*>(p.numbers.result) + first);
    const auto write = [&](typename Tile<Draw>::UnitPlace at, T x) {
        const u32 i = tile.rank(at);
        if (tile.begins(at) && i < count) *reinterpret_cast<T*>(to + u64(i) * sizeof(T)) = x;
    };
#pragma unroll
    for (u32 r = 0; r < Tile<Draw>::kRounds; ++r)
#pragma unroll
        for (u32 h = 0; h < Tile<Draw>::kPieces; ++h)
            write(tile.own_place(r, h), numbers.of[r * Tile<Draw>::kPieces + h]);
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
            *p.end = {i64(p.numbers.n),
                      p.begin.unit / kTileUnits * kTileUnits + i64(number * kTileUnits + unit + units)};
        }
}

template <class Draw>
CUARRAY_FN void write_numbers(const SequenceParameters& p, ChainTile<Draw>& tile, u64 number,
                              const typename ChainTile<Draw>::Numbers&) {
    add_masks(tile);
    const i64 rest = i64(p.numbers.n) - tile.first;
    typename Draw::Element* const to = static_cast<typename Draw::Element*>(p.numbers.result) + tile.first;
    for (u32 unit = threadIdx.x; unit < kTileUnits; unit += kThreads) {
        const typename Tile<Draw>::UnitPlace at = tile.place_of(unit);
        const i64 i = tile.rank(at);
        if (!tile.begins(at) || i >= rest) continue;
        to[i] = tile.made[unit];
        if (i + 1 == rest)
            *p.end = {i64(p.numbers.n),
                      p.begin.unit / kTileUnits * kTileUnits + i64(number * kTileUnits + unit + tile.units[unit])};
    }
}

/// Takes the next tile, whose state follows from that of another word.
template <class Draw>
CUARRAY_FN void take_tile(const SequenceParameters& p, Tile<Draw>& tile, const u128& state, u64 word) {
    tile.number = atomicAdd(p.tile_words, u64(1));
    const u64 next = (u64(p.begin.unit) / kTileUnits + tile.number) * Tile<Draw>::kWords;
    if (tile.number < p.tiles) tile.state = jumped_by(p.place.jumps, state, next - word);
}

/// Numbers that take several units.
template <class Draw>
CUARRAY_FN void sequence_tiles(const SequenceParameters& p) {
    using Known = KnownTile<Draw>;
    alignas(16) __shared__ char bytes[sizeof(Known)];
    Known& tile = *reinterpret_cast<Known*>(bytes);
    const u32 t = threadIdx.x;
    keep_layers(tile);
    AffineMap to_own = {{1, 0}, {0, 0}};  // over as many words as threads come before
    for (int k = 0; t >> k; ++k)
        if (t >> k & 1) to_own = composed(to_own, p.place.jumps[k]);
    if (t == 0) take_tile(p, tile, p.place.state, 0);
    __syncthreads();
    for (;;) {
        const u64 number = tile.number;
        if (number >= p.tiles) return;
        const u64 first_word = (u64(p.begin.unit) / kTileUnits + number) * Known::kWords;
        typename Known::Numbers numbers;
        draw_units(p, tile, jumped(to_own, tile.state), first_word, numbers);
        if (t < 32)
            join_tiles(p, tile, number);
        else if (t == kThreads - 32)
            take_tile(p, tile, tile.state, first_word);
        __syncthreads();
        if (tile.first >= 0 && tile.first < i64(p.numbers.n)) write_numbers(p, tile, number, numbers);
        __syncthreads();
    }
}

}  // namespace cuarray::kernel
