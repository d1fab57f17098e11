// sort_device.h -- the device kernels of a stable LSD radix sort of rows: eight bits of the keys per pass.
//
// A long row is cut into tiles, one per thread block. One kernel counts the digits of all passes. A pass is one kernel:
// each block sorts its tile by the digit in shared memory, looks back at the counts that earlier tiles have published,
// and scatters runs of equal digits to their destinations. A block takes the next tile by an atomic ticket, so that
// the tiles it waits for have started. Rows no longer than a tile are sorted completely in shared memory, several per
// block. The result does not depend on the order in which blocks run.
// States and starts are written and read in the same kernel by different blocks: their pointers are neither const nor
// __restrict__.
#pragma once
#include "cuarray/kernel/elementwise.h"
#include "cuarray/kernel/sort.h"

namespace cuarray::kernel {

constexpr u32 kSortWarps = kThreads / 32;

/// Items per thread.
template <class T>
constexpr int kSortLanes = int(sort_tile(sizeof(T)) / kThreads);

/// The count of each digit in a warp's items; then the position of its first item.
struct DigitCounts {
    u32 counts[kSortWarps][kDigits];
    u32 sums[kSortWarps];
};

/// The exclusive sum of `x` over the threads of the block. `sums` may be reused after a barrier.
template <class Sum>
CUARRAY_FN Sum sum_before(Sum x, Sum* sums) {
    const u32 warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    Sum sum = x;
#pragma unroll
    for (u32 step = 1; step < 32; step *= 2) {
        const Sum below = __shfl_up_sync(0xffffffffu, sum, step);
        if (lane >= step) sum += below;
    }
    if (lane == 31) sums[warp] = sum;
    __syncthreads();
    Sum before = sum - x;
#pragma unroll
    for (u32 w = 0; w < kSortWarps - 1; ++w) before += w < warp ? sums[w] : 0;
    return before;
}

/// An item's digit.
template <class T>
CUARRAY_FN u32 digit_of(stored_t<T> item, u32 shift, u32 descending) {
    return u32(sort_key(load<T>(item), descending != 0) >> shift) & (kDigits - 1);
}

/// The position in the tile of this thread's item j: each warp holds a contiguous run.
template <int V>
CUARRAY_FN u32 tile_place(int j) {
    return threadIdx.x / 32 * (32 * V) + u32(j) * 32 + threadIdx.x % 32;
}

/// A word of an item, so that few registers are needed: its place in the tile in bits 0-15, its digit in bits 16-23,
/// and its row in the others.
CUARRAY_FN u32 place_in(u32 word) { return word & 0xffffu; }
CUARRAY_FN u32 digit_in(u32 word) { return word >> 16 & (kDigits - 1); }
CUARRAY_FN u32 row_in(u32 word) { return word >> 24; }
CUARRAY_FN u32 word_of(u32 row, u32 digit) { return row << 24 | digit << 16; }

/// Adds to words without places the positions of the tile's items sorted by digit; returns the position of the first
/// item of digit threadIdx.x. Calls publish(number of items with that digit) before the positions are known.
template <int V, class Publish>
CUARRAY_FN u32 order_tile(u32 (&words)[V], DigitCounts& shared, const Publish& publish) {
    const u32 warp = threadIdx.x / 32, below = (1u << threadIdx.x % 32) - 1, t = threadIdx.x;
    u32* const own = shared.counts[warp];
#pragma unroll
    for (u32 w = 0; w < kSortWarps; ++w) shared.counts[w][t] = 0;
    __syncthreads();
#pragma unroll
    for (int j = 0; j < V; ++j) {
        const u32 digit = digit_in(words[j]);
        const u32 same = __match_any_sync(0xffffffffu, digit);
        const u32 before = own[digit], lower = __popc(same & below);
        __syncwarp();
        if (lower == 0) own[digit] = before + __popc(same);
        __syncwarp();
        words[j] += before + lower;
    }
    __syncthreads();
    u32 counts[kSortWarps], total = 0;
#pragma unroll
    for (u32 w = 0; w < kSortWarps; ++w) counts[w] = shared.counts[w][t], total += counts[w];
    publish(total);
    const u32 begin = sum_before(total, shared.sums);
    u32 next = begin;
#pragma unroll
    for (u32 w = 0; w < kSortWarps; ++w) {
        shared.counts[w][t] = next;
        next += counts[w];
    }
    __syncthreads();
#pragma unroll
    for (int j = 0; j < V; ++j) words[j] += own[digit_in(words[j])];
    return begin;
}

/// The items of this thread in a tile of `count`, and their digits; positions past the tile's end have the last digit.
template <class T, int V>
CUARRAY_FN void load_items(const stored_t<T>* from, u32 count, stored_t<T> (&items)[V]) {
    if (count == V * kThreads) {
#pragma unroll
        for (int j = 0; j < V; ++j) items[j] = from[tile_place<V>(j)];
    } else {
#pragma unroll
        for (int j = 0; j < V; ++j) items[j] = tile_place<V>(j) < count ? from[tile_place<V>(j)] : stored_t<T>{};
    }
}
template <class T, int V>
CUARRAY_FN void digits_of(const stored_t<T> (&items)[V], u32 count, u32 shift, u32 descending, u32 (&words)[V]) {
#pragma unroll
    for (int j = 0; j < V; ++j) words[j] = word_of(row_in(words[j]), digit_of<T>(items[j], shift, descending));
    if (count == V * kThreads) return;
#pragma unroll
    for (int j = 0; j < V; ++j)
        if (tile_place<V>(j) >= count) words[j] |= word_of(0, kDigits - 1);
}

/// The passes over the items of a type, at most.
template <class T>
constexpr u32 kMostPasses = (kKeyBits<T> + kDigitBits - 1) / kDigitBits;
template <>
constexpr u32 kMostPasses<SortPair> = 32 / kDigitBits;

/// Decides which passes run and where they read and write: by turns, the last one to p.to. If the first one would write
/// where it reads, a needless one runs as well; the caller sees to it that this is not so if all of them do.
CUARRAY_FN void plan_steps(const SortPass& p, u32 needless) {
    const bool from_to = p.from == p.to, from_spare = p.from == p.spare;
    u32 left = p.passes - __popc(needless);
    const bool is_wrong = left == 0 ? !from_to : left % 2 ? from_to : from_spare;
    if (is_wrong && needless) needless &= needless - 1, ++left;
    u32 reads = 0;
#pragma unroll 1
    for (u32 pass = 0; pass < p.passes; ++pass) {
        u32 step = 0;
        if (!(needless >> pass & 1u)) {
            const u32 writes = left % 2 ? kStepWritesTo : 0;
            step = kStepRuns | reads | writes;
            reads = writes ? kStepReadsTo : kStepReadsSpare;
            --left;
        }
        p.steps[pass] = step;
    }
}

/// Counts the digits of all passes; the last block of a row makes positions of its counts.
template <class T, class Count>
CUARRAY_FN void sort_count(const SortPass& p) {
    constexpr u32 V = 8;
    __shared__ u32 counts[kMostPasses<T>][kDigits];
    __shared__ Count sums[kSortWarps];
    __shared__ bool is_last;
    __shared__ u32 needless;  // passes, a bit each
    const u32 row = blockIdx.x / p.blocks, t = threadIdx.x;
    const auto* const from = static_cast<const stored_t<T>*>(p.from) + row * p.n;
#pragma unroll
    for (u32 pass = 0; pass < kMostPasses<T>; ++pass) counts[pass][t] = 0;
    __syncthreads();
    const auto add = [&](stored_t<T> item) {
        const u64 key = u64(sort_key(load<T>(item), p.descending != 0)) >> p.shift;
#pragma unroll
        for (u32 pass = 0; pass < kMostPasses<T>; ++pass)
            atomicAdd(&counts[pass][u32(key >> pass * kDigitBits) & (kDigits - 1)], 1u);
    };
    const u64 step = u64(p.blocks) * (V * kThreads);
#pragma unroll 1
    for (u64 first = u64(blockIdx.x - row * p.blocks) * (V * kThreads) + t; first < p.n; first += step) {
        stored_t<T> items[V];
        if (p.n - first > (V - 1) * kThreads) {
#pragma unroll
            for (u32 v = 0; v < V; ++v) items[v] = from[first + v * kThreads];
#pragma unroll
            for (u32 v = 0; v < V; ++v) add(items[v]);
        } else {
#pragma unroll 1
            for (u64 at = first; at < p.n; at += kThreads) add(from[at]);
        }
    }
    __syncthreads();
    Count* const starts = static_cast<Count*>(p.starts) + u64(row) * p.passes * kDigits + t;
#pragma unroll 1
    for (u32 pass = 0; pass < p.passes; ++pass)
        if (const u32 count = counts[pass][t]) atomicAdd(starts + pass * kDigits, Count(count));
    __syncthreads();
    if (t == 0) {
        __threadfence();  // the barrier ordered the other threads' counts; the last block sees them
        is_last = atomicAdd(p.tickets + p.passes + row, 1u) == p.blocks - 1;
        __threadfence();
        needless = 0;
    }
    __syncthreads();
    if (!is_last) return;
#pragma unroll 1
    for (u32 pass = 0; pass < p.passes; ++pass) {
        volatile Count* const start = starts + pass * kDigits;
        const Count count = *start;
        if (p.rows == 1 && count == p.n) needless |= 1u << pass;  // one thread does, at most
        *start = sum_before(count, sums);
        __syncthreads();
    }
    if (t == 0 && row == 0) plan_steps(p, needless);
}

/// The tile that a block has taken.
struct SortTile {
    u32 row, tile;
};

/// The number of items of a digit in the earlier tiles of a row, of which `count` is the number in this tile, and
/// `state` its word, already published.
template <class Count>
CUARRAY_FN Count items_before(volatile Count* state, u32 tile, Count count, u32 pass) {
    using State = SortState<Count>;
    if (tile == 0) return 0;
    Count before = 0;
    volatile Count* at = state;
#pragma unroll 1
    for (;;) {
        at -= kDigits;
        Count word;
        while ((word = *at) < State::own(pass)) __nanosleep(20);
        before += word & State::number;
        if (word >= State::all(pass)) break;
    }
    *state = State::all(pass) | (before + count);
    return before;
}

/// One pass: sorts a tile by its digit and scatters its items.
template <class T, class Count>
CUARRAY_FN void sort_scatter(const SortPass& p) {
    constexpr int V = kSortLanes<T>;
    constexpr u32 kTile = sort_tile(sizeof(T));
    using State = SortState<Count>;
    __shared__ DigitCounts shared;
    __shared__ SortTile taken;
    __shared__ Count begins[kDigits];
    __shared__ unsigned char digits[kTile];
    alignas(16) __shared__ char bytes[kTile * sizeof(T)];
    auto* ordered = reinterpret_cast<stored_t<T>*>(bytes);
    const u32 t = threadIdx.x, step = p.steps[p.pass];
    if (!(step & kStepRuns)) return;
    const void* const source = step & kStepReadsTo ? p.to : step & kStepReadsSpare ? p.spare : p.from;
    if (t == 0) {
        const u32 ticket = atomicAdd(p.tickets + p.pass, 1u);
        taken.row = p.rows > 1 ? ticket / p.tiles : 0;
        taken.tile = ticket - taken.row * p.tiles;
    }
    __syncthreads();
    const u32 row = taken.row, tile = taken.tile;
    const u64 begin = u64(tile) * kTile, left = p.n - begin;
    const u32 count = u32(left < kTile ? left : kTile);
    stored_t<T> items[V];
    u32 words[V] = {};
    load_items<T>(static_cast<const stored_t<T>*>(source) + row * p.n + begin, count, items);
    digits_of<T>(items, count, p.shift, p.descending, words);
    volatile Count* const state = static_cast<Count*>(p.states) + (u64(row) * p.tiles + tile) * kDigits + t;
    u32 own = 0;  // items of digit t; a row's last tile, at which none looks back, counts positions past its end too
    const u32 first = order_tile(words, shared, [&](u32 total) {
        own = total;
        *state = (tile ? State::own(p.pass) : State::all(p.pass)) | Count(total);
    });
    const Count start = static_cast<const Count*>(p.starts)[(u64(row) * p.passes + p.pass) * kDigits + t];
#pragma unroll
    for (int j = 0; j < V; ++j) {
        ordered[place_in(words[j])] = items[j];
        digits[place_in(words[j])] = static_cast<unsigned char>(digit_in(words[j]));
    }
    begins[t] = start + items_before<Count>(state, tile, own, p.pass) - first;
    __syncthreads();
    stored_t<T>* const to = static_cast<stored_t<T>*>(step & kStepWritesTo ? p.to : p.spare) + row * p.n;
    if (count == kTile) {
#pragma unroll
        for (u32 j = 0; j < V; ++j) {
            const u32 at = j * kThreads + t;
            to[Count(begins[digits[at]] + at)] = ordered[at];
        }
    } else {
#pragma unroll 1
        for (u32 at = t; at < count; at += kThreads) to[Count(begins[digits[at]] + at)] = ordered[at];
    }
}

/// Sorts rows no longer than a tile, as many per thread block as fit: by all digits of the keys, then by row.
template <class T>
CUARRAY_FN void sort_short(const SortPass& p) {
    constexpr int V = kSortLanes<T>;
    constexpr u32 kTile = sort_tile(sizeof(T));
    __shared__ DigitCounts shared;
    __shared__ unsigned char ordered_rows[kTile];
    alignas(16) __shared__ char bytes[kTile * sizeof(T)];
    auto* ordered = reinterpret_cast<stored_t<T>*>(bytes);
    const u64 row = u64(blockIdx.x) * p.rows_per_tile, left = p.rows - row;
    const u32 count = u32((left < p.rows_per_tile ? left : p.rows_per_tile) * p.n);
    stored_t<T> items[V];
    u32 words[V] = {};
    load_items<T>(static_cast<const stored_t<T>*>(p.from) + row * p.n, count, items);
#pragma unroll
    for (int j = 0; j < V; ++j) words[j] = word_of(tile_place<V>(j) / u32(p.n), 0);
    const u32 passes = (p.bits + kDigitBits - 1) / kDigitBits, all = passes + (p.rows_per_tile > 1);
#pragma unroll 1
    for (u32 pass = 0; pass < all; ++pass) {
        if (pass < passes) {
            digits_of<T>(items, count, p.shift + pass * kDigitBits, p.descending, words);
        } else {
#pragma unroll
            for (int j = 0; j < V; ++j)
                words[j] = word_of(0, tile_place<V>(j) < count ? row_in(words[j]) : kDigits - 1);
        }
        order_tile(words, shared, [](u32) {});
#pragma unroll
        for (int j = 0; j < V; ++j) {
            ordered[place_in(words[j])] = items[j];
            ordered_rows[place_in(words[j])] = static_cast<unsigned char>(row_in(words[j]));
        }
        __syncthreads();
#pragma unroll
        for (int j = 0; j < V; ++j) {
            items[j] = ordered[tile_place<V>(j)];
            words[j] = word_of(ordered_rows[tile_place<V>(j)], 0);
        }
    }
    stored_t<T>* to = static_cast<stored_t<T>*>(p.to) + row * p.n;
#pragma unroll
    for (int j = 0; j < V; ++j)
        if (tile_place<V>(j) < count) to[tile_place<V>(j)] = items[j];
}

/// Calls make(at) for the elements of this thread.
template <class Make>
CUARRAY_FN void each_pair(const SortPairing& p, const Make& make) {
    const u64 size = p.rows * p.n, first = u64(blockIdx.x) * (kPaired * kThreads) + threadIdx.x;
#pragma unroll
    for (u32 j = 0; j < kPaired; ++j)
        if (first + j * kThreads < size) make(first + j * kThreads);
}

/// Builds the pairs in place.
template <class T, bool SeveralRows>
CUARRAY_FN void sort_make_pairs(const SortPairing& p) {
    const u64 mask = (u64(1) << p.index_bits) - 1;
    const bool is_short = (p.rows * p.n) >> 32 == 0;
    each_pair(p, [&](u64 at) {
        u64 row = 0;
        if (SeveralRows) row = is_short ? u64(u32(at) / u32(p.n)) * p.n : at / p.n * p.n;
        const u64 index = p.first ? at - row : p.pairs[at] & mask;
        p.pairs[at] = sort_pair<T>(p, static_cast<const stored_t<T>*>(p.values) + row, index);
    });
}

/// Extracts the indices of pairs; may run in place.
CUARRAY_FN void sort_take_indices(const SortPairing& p) {
    const u64 mask = (u64(1) << p.index_bits) - 1;
    each_pair(p, [&](u64 at) { p.indices[at] = p.pairs[at] & mask; });
}

/// Binary searches, kSearched values per thread; Size is an unsigned type that holds n.
template <class T, class Size>
CUARRAY_FN void search(const SearchSortedParameters& p) {
    const u64 first = u64(blockIdx.x) * (kThreads * kSearched) + threadIdx.x;
    T values[kSearched];
    i64 places[kSearched];
    for (u32 v = 0; v < kSearched; ++v) {
        const u64 at = first + v * kThreads;
        values[v] = load<T>(static_cast<const stored_t<T>*>(p.values)[at < p.count ? at : 0]);
    }
    search_sorted<T>(static_cast<const stored_t<T>*>(p.sorted), Size(p.n), values, p.right != 0, places);
    for (u32 v = 0; v < kSearched; ++v)
        if (const u64 at = first + v * kThreads; at < p.count) p.places[at] = places[v];
}

}  // namespace cuarray::kernel
