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
template <class Offset>
struct ElementLocation {
    Offset element, place, key, number;
};

CUARRAY_FN i64 position_by(u32 rule, i64 index, i64 size, u64& outside) {
    if (rule == u32(OutsideRule::Raise)) return position<OutsideRule::Raise>(index, size, outside);
    return rule == u32(OutsideRule::Wrap) ? position<OutsideRule::Wrap>(index, size, outside)
                                          : position<OutsideRule::Clip>(index, size, outside);
}

/// Computes the spots of V elements together, so that strides are loaded once and the loads of indices overlap. An
/// index out of bounds is reported, and its element is not found.
template <class Index, int K, int V>
CUARRAY_FN void locate_elements(const IndexedAccessParameters<Index, K>& p, const u64 (&at)[V],
                                ElementLocation<typename Index::offset> (&spots)[V], bool (&found)[V],
                                const FaultSink& sink) {
    using number = typename Index::type;
    using Offset = typename Index::offset;
    number rest[V] = {};
    Offset index[V][K ? K : 1] = {};
    i64 given[V][K ? K : 1] = {};
    const auto move = [&](int u, int d, number coordinate) {
        const auto along = [&](const IndexedOperand& operand) {
            return Offset(coordinate) * Offset(operand.strides[d]);
        };
        spots[u].element += along(p.elements);
        spots[u].place += along(p.array);
        spots[u].key += along(p.keys);
        spots[u].number += along(p.numbers);
#pragma unroll
        for (int k = 0; k < K; ++k) index[u][k] += along(p.indices[k].positions);
    };
#pragma unroll
    for (int u = 0; u < V; ++u) rest[u] = number(at[u]), spots[u] = {0, 0, 0, 0}, found[u] = true;
#pragma unroll 1
    for (int d = int(p.axes) - 1; d > 0; --d) {
#pragma unroll
        for (int u = 0; u < V; ++u) {
            const number outer = p.extents[d].quotient(rest[u]);
            move(u, d, rest[u] - outer * p.extents[d].size);
            rest[u] = outer;
        }
    }
#pragma unroll
    for (int u = 0; u < V; ++u) {
        move(u, 0, rest[u]);
#pragma unroll
        for (int k = 0; k < K; ++k)
            given[u][k] = *reinterpret_cast<const i64*>(p.indices[k].positions.data + index[u][k]);
    }
#pragma unroll
    for (int k = 0; k < K; ++k) {
        const IndexOperand& axis = p.indices[k];
#pragma unroll
        for (int u = 0; u < V; ++u) {
            u64 outside = 0;
            const i64 place = position_by(p.rule, given[u][k], axis.size, outside);
            if (outside) report(sink, given[u][k], axis.axis + 1, axis.size);
            found[u] = found[u] && !outside;
            spots[u].place += Offset(place) * Offset(axis.stride);
            spots[u].key += Offset(place) * Offset(axis.weight);
        }
    }
}

/// Computes the spot of element `at`; reports an index out of bounds and returns false.
template <class Index, int K>
CUARRAY_FN bool locate_element(const IndexedAccessParameters<Index, K>& p, u64 at,
                               ElementLocation<typename Index::offset>& spot, const FaultSink& sink) {
    ElementLocation<typename Index::offset> spots[1] = {};
    bool found[1] = {};
    locate_elements(p, {at}, spots, found, sink);
    spot = spots[0];
    return found[0];
}

/// The elements of this thread, a thread block apart; those beyond the last one are the first one again.
template <class Index, int K>
struct ChosenElements {
    static constexpr int V = kChosenLanes<K>;
    u64 at[V] = {};
    ElementLocation<typename Index::offset> spots[V] = {};
    bool exists[V] = {}, found[V] = {};
    /// Returns false if there are none.
    CUARRAY_FN bool locate(const IndexedAccessParameters<Index, K>& p, const FaultSink& sink) {
        const u64 first = u64(blockIdx.x) * (kThreads * V) + threadIdx.x;
        if (first >= p.size) return false;
#pragma unroll
        for (int u = 0; u < V; ++u) {
            exists[u] = first + u * kThreads < p.size;
            at[u] = exists[u] ? first + u * kThreads : first;
        }
        locate_elements(p, at, spots, found, sink);
        return true;
    }
};

template <class Item, class Index, int K>
CUARRAY_FN void gather(const IndexedAccessParameters<Index, K>& p, const FaultSink& sink) {
    ChosenElements<Index, K> chosen;
    if (!chosen.locate(p, sink)) return;
    Item items[chosen.V] = {};
#pragma unroll
    for (int u = 0; u < chosen.V; ++u)
        if (chosen.found[u]) items[u] = *reinterpret_cast<const Item*>(p.array.data + chosen.spots[u].place);
#pragma unroll
    for (int u = 0; u < chosen.V; ++u)
        if (chosen.exists[u]) *reinterpret_cast<Item*>(p.elements.data + chosen.spots[u].element) = items[u];
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

/// The slot of a position in the table of winners.
template <class Index, int K>
CUARRAY_FN u64 winner_slot(const IndexedAccessParameters<Index, K>& p, i64 key, bool takes) {
    return p.hashed ? hashed_slot(p.hashed, p.slots, u64(key), takes) : u64(key);
}

/// Finds the winner of each position: the maximum of the element numbers, stored plus one.
template <class Index, int K>
CUARRAY_FN void claim_places(const IndexedAccessParameters<Index, K>& p, const FaultSink& sink) {
    ChosenElements<Index, K> chosen;
    if (!chosen.locate(p, sink)) return;
#pragma unroll
    for (int u = 0; u < chosen.V; ++u) {
        if (!chosen.exists[u] || !chosen.found[u]) continue;
        atomicMax(&p.winners[winner_slot(p, chosen.spots[u].key, true)],
                  typename Index::type(chosen.spots[u].number) + 1);
    }
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
    ChosenElements<Index, K> chosen;
    if (!chosen.locate(p, sink)) return;
    bool stores[chosen.V] = {};
#pragma unroll
    for (int u = 0; u < chosen.V; ++u) {
        stores[u] = chosen.exists[u] && chosen.found[u];
        if (p.winners && stores[u])
            stores[u] = p.winners[winner_slot(p, chosen.spots[u].key, false)] ==
                        typename Index::type(chosen.spots[u].number) + 1;
    }
    Item items[chosen.V] = {};
#pragma unroll
    for (int u = 0; u < chosen.V; ++u)
        if (stores[u]) items[u] = *reinterpret_cast<const Item*>(p.elements.data + chosen.spots[u].element);
#pragma unroll
    for (int u = 0; u < chosen.V; ++u)
        if (stores[u])
            store_item(reinterpret_cast<Item*>(p.array.data + chosen.spots[u].place), items[u], p.meets && !p.winners);
}

}  // namespace cuarray::kernel
