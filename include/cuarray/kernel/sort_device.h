// sort_device.h -- the device kernels of a stable LSD radix sort of rows: eight bits of the keys per pass.
//
// A long row is cut into tiles, one per thread block. A pass is three kernels: blocks count the digits of their tiles,
// warps scan the counts, and each block sorts its tile by the digit in shared memory and scatters runs of equal digits
// to their destinations. Rows no longer than a tile are sorted completely in shared memory, several per block.
// The result does not depend on the order in which blocks run.
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
    for (u32 w = 0; w < warp; ++w) before += sums[w];
    return before;
}

/// An item's digit.
template <class T>
CUARRAY_FN u32 digit_of(stored_t<T> item, u32 shift, u32 descending) {
    return u32(u64(sort_key(load<T>(item), descending != 0)) >> shift) & (kDigits - 1);
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
/// item of digit threadIdx.x.
template <int V>
CUARRAY_FN u32 order_tile(u32 (&words)[V], DigitCounts& shared) {
    const u32 warp = threadIdx.x / 32, below = (1u << threadIdx.x % 32) - 1, t = threadIdx.x;
    for (u32 w = 0; w < kSortWarps; ++w) shared.counts[w][t] = 0;
    __syncthreads();
#pragma unroll
    for (int j = 0; j < V; ++j) {
        const u32 digit = digit_in(words[j]);
        const u32 same = __match_any_sync(0xffffffffu, digit);
        const u32 before = shared.counts[warp][digit];
        __syncwarp();
        if ((same & below) == 0) shared.counts[warp][digit] = before + __popc(same);
        __syncwarp();
        words[j] += before + __popc(same & below);
    }
    __syncthreads();
    u32 total = 0;
    for (u32 w = 0; w < kSortWarps; ++w) total += shared.counts[w][t];
    const u32 begin = sum_before(total, shared.sums);
    u32 next = begin;
    for (u32 w = 0; w < kSortWarps; ++w) {
        const u32 count = shared.counts[w][t];
        shared.counts[w][t] = next;
        next += count;
    }
    __syncthreads();
#pragma unroll
    for (int j = 0; j < V; ++j) words[j] += shared.counts[warp][digit_in(words[j])];
    return begin;
}

/// The tile of this block: its first item in the array, and the number of its items.
template <class T>
struct SortTile {
    u64 row, tile, first;
    u32 items;
    CUARRAY_FN explicit SortTile(const SortPass& p) {
        row = blockIdx.x / p.tiles;
        tile = blockIdx.x - row * p.tiles;
        const u64 begin = tile * sort_tile(sizeof(T)), left = p.n - begin;
        first = row * p.n + begin;
        items = u32(left < sort_tile(sizeof(T)) ? left : sort_tile(sizeof(T)));
    }
};

/// The items of this thread and their digits; positions past the tile's end have the last digit.
template <class T, int V>
CUARRAY_FN void load_items(const stored_t<T>* from, u32 count, stored_t<T> (&items)[V]) {
#pragma unroll
    for (int j = 0; j < V; ++j) {
        const u32 at = tile_place<V>(j);
        items[j] = at < count ? from[at] : stored_t<T>{};
    }
}
template <class T, int V>
CUARRAY_FN void digits_of(const stored_t<T> (&items)[V], u32 count, u32 shift, u32 descending, u32 (&words)[V]) {
#pragma unroll
    for (int j = 0; j < V; ++j) {
        const u32 digit = tile_place<V>(j) < count ? digit_of<T>(items[j], shift, descending) : kDigits - 1;
        words[j] = word_of(row_in(words[j]), digit);
    }
}

/// First kernel of a pass: counts the digits of a tile.
template <class T, class Count>
CUARRAY_FN void sort_count(const SortPass& p) {
    constexpr int V = kSortLanes<T>;
    __shared__ u32 counts[kDigits];
    const SortTile<T> tile(p);
    stored_t<T> items[V];
    load_items<T>(static_cast<const stored_t<T>*>(p.from) + tile.first, tile.items, items);
    counts[threadIdx.x] = 0;
    __syncthreads();
#pragma unroll
    for (int j = 0; j < V; ++j)
        if (tile_place<V>(j) < tile.items) atomicAdd(&counts[digit_of<T>(items[j], p.shift, p.descending)], 1u);
    __syncthreads();
    static_cast<Count*>(p.counts)[(tile.row * kDigits + threadIdx.x) * p.tiles + tile.tile] = counts[threadIdx.x];
}

/// Second kernel: a warp scans the counts of one digit over the tiles of its row.
template <class Count>
CUARRAY_FN void sort_add_up(const SortPass& p) {
    constexpr u32 V = 4;
    const u32 lane = threadIdx.x % 32;
    const u64 digit = u64(blockIdx.x) * kSortWarps + threadIdx.x / 32;
    Count* counts = static_cast<Count*>(p.counts) + digit * p.tiles;
    Count carry = 0;
#pragma unroll 1
    for (u64 first = 0; first < p.tiles; first += V * 32) {
        Count x[V];
#pragma unroll
        for (u32 u = 0; u < V; ++u) {
            const u64 at = first + u * 32 + lane;
            x[u] = at < p.tiles ? counts[at] : 0;
        }
#pragma unroll
        for (u32 u = 0; u < V; ++u) {
            Count sum = x[u];
#pragma unroll
            for (u32 step = 1; step < 32; step *= 2) {
                const Count below = __shfl_up_sync(0xffffffffu, sum, step);
                if (lane >= step) sum += below;
            }
            const u64 at = first + u * 32 + lane;
            if (at < p.tiles) counts[at] = carry + sum - x[u];
            carry += __shfl_sync(0xffffffffu, sum, 31);
        }
    }
    if (lane == 0) p.totals[digit] = carry;
}

/// Third kernel: sorts a tile by digit and scatters its items.
template <class T, class Count>
CUARRAY_FN void sort_scatter(const SortPass& p) {
    constexpr int V = kSortLanes<T>;
    __shared__ DigitCounts shared;
    __shared__ u64 sums[kSortWarps];
    __shared__ u64 begins[kDigits];
    alignas(16) __shared__ char bytes[sort_tile(sizeof(T)) * sizeof(T)];
    auto* ordered = reinterpret_cast<stored_t<T>*>(bytes);
    const SortTile<T> tile(p);
    stored_t<T> items[V];
    u32 words[V] = {};
    load_items<T>(static_cast<const stored_t<T>*>(p.from) + tile.first, tile.items, items);
    digits_of<T>(items, tile.items, p.shift, p.descending, words);
    const u32 begin = order_tile(words, shared);
    const u64 digit = tile.row * kDigits + threadIdx.x;
    begins[threadIdx.x] = sum_before(p.totals[tile.row * kDigits + threadIdx.x], sums) +
                          static_cast<const Count*>(p.counts)[digit * p.tiles + tile.tile] - begin;
#pragma unroll
    for (int j = 0; j < V; ++j) ordered[place_in(words[j])] = items[j];
    __syncthreads();
    stored_t<T>* to = static_cast<stored_t<T>*>(p.to) + tile.row * p.n;
#pragma unroll
    for (int j = 0; j < V; ++j) {
        const u32 at = u32(j) * kThreads + threadIdx.x;
        if (at >= tile.items) continue;
        const stored_t<T> item = ordered[at];
        to[begins[digit_of<T>(item, p.shift, p.descending)] + at] = item;
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
        order_tile(words, shared);
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

/// Builds the pairs in place.
template <class T>
CUARRAY_FN void sort_make_pairs(const SortPairing& p) {
    const u64 at = u64(blockIdx.x) * kThreads + threadIdx.x;
    if (at >= p.rows * p.n) return;
    const u64 row = p.rows > 1 ? at / p.n * p.n : 0;
    const u64 index = p.first ? at - row : p.pairs[at] & ((u64(1) << p.index_bits) - 1);
    p.pairs[at] = sort_pair<T>(p, static_cast<const stored_t<T>*>(p.values) + row, index);
}

/// Extracts the indices of pairs; may run in place.
CUARRAY_FN void sort_take_indices(const SortPairing& p) {
    const u64 at = u64(blockIdx.x) * kThreads + threadIdx.x;
    if (at < p.rows * p.n) p.indices[at] = p.pairs[at] & ((u64(1) << p.index_bits) - 1);
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
