// gather_device.h -- the device kernels of gather and scatter.
//
// A thread moves a few items, a thread block apart, so that consecutive threads access consecutive items. If
// several values may be scattered to one position, a first kernel finds the winner, which is the last one in
// C order, by an atomic maximum of element numbers; only the winners are stored.
#pragma once
#include "cuarray/kernel/elementwise.h"
#include "cuarray/kernel/gather.h"

namespace cuarray::kernel {

/// An item of 16 bytes.
struct alignas(16) Item16 {
    u64 low, high;
};

/// Items per thread, whose loads overlap.
template <int K>
constexpr int kChosenLanes = K <= 2 ? 4 : 1;

/// Byte offsets of an element and of its position in the array, the key of the position, and the element's
/// number in C order.
struct ElementLocation {
    i64 element, place, key, number;
};

CUARRAY_FN i64 position_by(u32 rule, i64 index, i64 size, u64& outside) {
    if (rule == u32(Outside::Raise)) return position<Outside::Raise>(index, size, outside);
    return rule == u32(Outside::Wrap) ? position<Outside::Wrap>(index, size, outside)
                                      : position<Outside::Clip>(index, size, outside);
}

/// Computes the spot of element `at`; reports an index out of bounds and returns false.
template <class Index, int K>
CUARRAY_FN bool locate_element(const IndexedAccessParameters<Index, K>& p, u64 at, ElementLocation& spot,
                               const FaultSink& sink) {
    typename Index::type rest = typename Index::type(at);
    i64 index[K ? K : 1] = {};
    spot = {0, 0, 0, 0};
#pragma unroll 1
    for (int d = int(p.axes) - 1; d >= 0; --d) {
        const typename Index::type outer = p.extents[d].quotient(rest);
        const i64 coordinate = i64(rest - outer * p.extents[d].size);
        rest = outer;
        spot.element += coordinate * p.elements.strides[d];
        spot.place += coordinate * p.array.strides[d];
        spot.key += coordinate * p.keys.strides[d];
        spot.number += coordinate * p.numbers.strides[d];
#pragma unroll
        for (int k = 0; k < K; ++k) index[k] += coordinate * p.indices[k].positions.strides[d];
    }
    bool found = true;
#pragma unroll
    for (int k = 0; k < K; ++k) {
        const IndexOperand& axis = p.indices[k];
        const i64 given = *reinterpret_cast<const i64*>(axis.positions.data + index[k]);
        u64 outside = 0;
        const i64 place = position_by(p.rule, given, axis.size, outside);
        if (outside) report(sink, given, axis.axis + 1, axis.size);
        found = found && !outside;
        spot.place += place * axis.stride;
        spot.key += place * axis.weight;
    }
    return found;
}

template <class Item, class Index, int K>
CUARRAY_FN void gather(const IndexedAccessParameters<Index, K>& p, const FaultSink& sink) {
    constexpr int lanes = kChosenLanes<K>;
    const u64 first = u64(blockIdx.x) * (kThreads * lanes) + threadIdx.x;
    Item items[lanes];
    i64 to[lanes];
#pragma unroll
    for (int u = 0; u < lanes; ++u) {
        ElementLocation spot;
        items[u] = Item{};
        to[u] = 0;
        if (first + u * kThreads >= p.size) continue;
        if (locate_element(p, first + u * kThreads, spot, sink))
            items[u] = *reinterpret_cast<const Item*>(p.array.data + spot.place);
        to[u] = spot.element;
    }
#pragma unroll
    for (int u = 0; u < lanes; ++u)
        if (first + u * kThreads < p.size) *reinterpret_cast<Item*>(p.elements.data + to[u]) = items[u];
}

/// The slot of a key, or the empty slot at which its probe sequence ends, which `takes` claims. Keys are stored
/// plus one: zero is an empty slot.
CUARRAY_FN u64 hashed_slot(u64* hashed, u64 slots, u64 key, bool takes) {
    u64 slot = (key * 0x9e3779b97f4a7c15ull >> 20) & (slots - 1);
    for (;;) {
        const u64 known = takes ? atomicCAS(&hashed[slot], u64(0), key + 1) : hashed[slot];
        if (known == key + 1 || known == 0) return slot;
        slot = (slot + 1) & (slots - 1);
    }
}

/// Finds the winner of each position: the maximum of the element numbers, stored plus one.
template <class Index, int K>
CUARRAY_FN void claim_places(const IndexedAccessParameters<Index, K>& p, const FaultSink& sink) {
    const u64 at = u64(blockIdx.x) * kThreads + threadIdx.x;
    ElementLocation spot;
    if (at >= p.size || !locate_element(p, at, spot, sink)) return;
    const u64 slot = p.hashed ? hashed_slot(p.hashed, p.slots, u64(spot.key), true) : u64(spot.key);
    atomicMax(&p.winners[slot], u64(spot.number) + 1);
}

/// Stores an item, atomically if another thread may store the same one.
template <class Item>
CUARRAY_FN void store_item(Item* to, Item item, bool meets) {
    if constexpr (sizeof(Item) == 4 || sizeof(Item) == 8) {
        if (meets) {
            atomicExch(to, item);
            return;
        }
    }
    *to = item;
}

template <class Item, class Index, int K>
CUARRAY_FN void scatter(const IndexedAccessParameters<Index, K>& p, const FaultSink& sink) {
    constexpr int lanes = kChosenLanes<K>;
    const u64 first = u64(blockIdx.x) * (kThreads * lanes) + threadIdx.x;
#pragma unroll
    for (int u = 0; u < lanes; ++u) {
        ElementLocation spot;
        const u64 at = first + u * kThreads;
        if (at >= p.size || !locate_element(p, at, spot, sink)) continue;
        if (p.winners) {
            const u64 slot = p.hashed ? hashed_slot(p.hashed, p.slots, u64(spot.key), false) : u64(spot.key);
            if (p.winners[slot] != u64(spot.number) + 1) continue;
        }
        const Item item = *reinterpret_cast<const Item*>(p.elements.data + spot.element);
        store_item(reinterpret_cast<Item*>(p.array.data + spot.place), item, p.meets && !p.winners);
    }
}

}  // namespace cuarray::kernel
