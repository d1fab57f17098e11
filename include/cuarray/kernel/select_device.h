// select_device.h -- the device kernels of order statistics: a radix selection from the highest digit down.
//
// A pass reads the values once: blocks count the next digit of those whose higher digits are a wanted element's, and
// one block per row takes the digit in which the wanted rank lies. Counts are integers, so results do not depend on the
// order in which blocks run.
#pragma once
#include "cuarray/kernel/select.h"
#include "cuarray/kernel/sort_device.h"

namespace cuarray::kernel {

/// Values that a thread loads before it looks at the first.
constexpr int kSelectLanes = 8;

/// First kernel of a pass: counts the next digits of the values in each group.
template <class T, class Count>
CUARRAY_FN void select_count(const SelectParameters& p) {
    using U = unsigned_t<T>;
    constexpr int V = kSelectLanes;
    constexpr u64 kTile = u64(V) * kThreads;
    __shared__ u32 counts[kMostSelected * kDigits];
    __shared__ U prefixes[kMostSelected];
    const u64 row = blockIdx.x / p.blocks;
    const u32 groups = p.first ? 1 : p.selections[row].groups, t = threadIdx.x;
    for (u32 g = 0; g < groups; ++g) counts[g * kDigits + t] = 0;
    if (t < groups) prefixes[t] = U(p.first ? 0 : p.selections[row].prefixes[t]);
    __syncthreads();
    const auto* const values = static_cast<const stored_t<T>*>(p.values) + row * p.n;
    const auto count = [&](const stored_t<T>(&items)[V], int present) {
        U higher[V];
        u32 digits[V];
#pragma unroll
        for (int v = 0; v < V; ++v) {
            const U key = U(sort_key(load<T>(items[v]), false) >> p.shift);
            higher[v] = U(key >> kDigitBits), digits[v] = u32(key) & (kDigits - 1);
        }
#pragma unroll 1
        for (u32 g = 0; g < groups; ++g) {
            const U prefix = prefixes[g];
            bool some = false;
#pragma unroll
            for (int v = 0; v < V; ++v) some |= higher[v] == prefix;
            if (!some) continue;
            u32* const of_group = counts + g * kDigits;
#pragma unroll
            for (int v = 0; v < V; ++v)
                if (higher[v] == prefix && v < present) atomicAdd(&of_group[digits[v]], 1u);
        }
    };
#pragma unroll 1
    for (u64 first = (blockIdx.x - row * p.blocks) * kTile + t; first < p.n; first += p.blocks * kTile) {
        stored_t<T> items[V];
        const u64 left = (p.n - first + kThreads - 1) / kThreads;
        if (left >= V) {
#pragma unroll
            for (int v = 0; v < V; ++v) items[v] = values[first + u64(v) * kThreads];
            count(items, V);
        } else {
#pragma unroll
            for (int v = 0; v < V; ++v) items[v] = values[v < left ? first + u64(v) * kThreads : first];
            count(items, int(left));
        }
    }
    __syncthreads();
    Count* const all = static_cast<Count*>(p.counts) + row * p.wanted * kDigits;
    for (u32 at = t; at < groups * kDigits; at += kThreads)
        if (counts[at]) atomicAdd(&all[at], Count(counts[at]));
}

/// Second kernel, a block per row: the wanted elements' next digit, and their new groups; after the last pass their
/// values. Clears the counts.
template <class T, class Count>
CUARRAY_FN void select_digit(const SelectParameters& p) {
    __shared__ u64 sums[kSortWarps];
    __shared__ u64 digits[kMostSelected];
    __shared__ u64 ranks[kMostSelected];
    const u64 row = blockIdx.x;
    const u32 t = threadIdx.x;
    Selection& selection = p.selections[row];
    Count* const counts = static_cast<Count*>(p.counts) + row * p.wanted * kDigits;
    for (u32 w = 0; w < p.wanted; ++w) {
        const u32 group = p.first ? 0 : selection.group_of[w];
        const u64 rank = p.first ? p.ranks[w] : selection.ranks[w], prefix = p.first ? 0 : selection.prefixes[group];
        const u64 count = counts[group * kDigits + t], before = sum_before(count, sums);
        if (rank - before < count) digits[w] = prefix << kDigitBits | t, ranks[w] = rank - before;
        __syncthreads();
    }
    for (u32 w = 0; w < p.wanted; ++w) counts[w * kDigits + t] = 0;
    if (t == 0) {
        u32 groups = 0;
        for (u32 w = 0; w < p.wanted; ++w) {
            if (w == 0 || digits[w] != digits[w - 1]) selection.prefixes[groups++] = digits[w];
            selection.group_of[w] = groups - 1, selection.ranks[w] = ranks[w];
        }
        selection.groups = groups;
    }
    if (p.shift == 0 && t < p.wanted)
        static_cast<stored_t<T>*>(p.result)[row * p.wanted + t] = store<T>(number_of_key<T>(unsigned_t<T>(digits[t])));
}

/// The elements of a row's part: contiguous.
struct RowPart {
    u64 begin, end;
    CUARRAY_FN RowPart(const SelectParameters& p, u32 part)
        : begin(p.n * part / p.blocks), end(p.n * (part + 1) / p.blocks) {}
};

/// After the last pass, for keys that elements of different bits share: counts those of each part of a row.
template <class T, class Count>
CUARRAY_FN void select_parts(const SelectParameters& p) {
    __shared__ u32 sums[kSortWarps];
    const u64 row = blockIdx.x / p.blocks;
    const u32 part = u32(blockIdx.x - row * p.blocks), t = threadIdx.x;
    const Selection& selection = p.selections[row];
    const auto* const values = static_cast<const stored_t<T>*>(p.values) + row * p.n;
    for (u32 g = 0; g < selection.groups; ++g) {
        const auto key = unsigned_t<T>(selection.prefixes[g]);
        if (!is_shared_key<T>(key)) continue;
        const RowPart range(p, part);
        u32 equal = 0;
        for (u64 at = range.begin + t; at < range.end; at += kThreads)
            equal += sort_key(load<T>(values[at]), false) == key;
        const u32 before = sum_before(equal, sums);
        if (t == kThreads - 1)
            static_cast<Count*>(p.counts)[(row * p.wanted + g) * kDigits + part] = Count(before + equal);
        __syncthreads();
    }
}

/// The elements themselves, in the order of the row; a block per row.
template <class T, class Count>
CUARRAY_FN void select_equals(const SelectParameters& p) {
    __shared__ u64 sums[kSortWarps];
    __shared__ u32 places[kSortWarps];
    __shared__ u64 left;
    __shared__ u32 part;
    const u64 row = blockIdx.x;
    const u32 t = threadIdx.x;
    const Selection& selection = p.selections[row];
    const auto* const values = static_cast<const stored_t<T>*>(p.values) + row * p.n;
    for (u32 w = 0; w < p.wanted; ++w) {
        const u32 group = selection.group_of[w];
        const auto key = unsigned_t<T>(selection.prefixes[group]);
        if (!is_shared_key<T>(key)) continue;
        const u64 rank = selection.ranks[w];
        const u64 count = static_cast<const Count*>(p.counts)[(row * p.wanted + group) * kDigits + t];
        const u64 before = sum_before(count, sums);
        if (rank - before < count) part = t, left = rank - before;
        __syncthreads();
        const RowPart range(p, part);
        u64 wanted = left;
        for (u64 first = range.begin; first < range.end; first += kThreads) {
            const u64 at = first + t;
            const stored_t<T> item = values[at < range.end ? at : first];
            const u32 is_equal = at < range.end && sort_key(load<T>(item), false) == key;
            const u32 place = sum_before(is_equal, places);
            if (is_equal && place == wanted) static_cast<stored_t<T>*>(p.result)[row * p.wanted + w] = item;
            const u32 all = u32(__syncthreads_count(int(is_equal)));
            if (wanted < all) break;
            wanted -= all;
        }
        __syncthreads();
    }
}

}  // namespace cuarray::kernel
