// indexing.cpp -- loops of gather and scatter at indices, and of compaction by a mask.
#include <bit>
#include <type_traits>

#include "cuarray/kernel/gather.h"
#include "host/loops/items.h"
#include "host/loops/tables.h"

namespace cuarray::host {
namespace {

using kernel::OutsideRule;

constexpr int64_t kWord = sizeof(int64_t);

template <OutsideRule Rule, bool More>
bool resolve_step(int64_t* offsets, const char* index, int64_t step, int64_t n, int64_t size, int64_t stride) {
    u64 outside = 0;
    for (int64_t i = 0; i < n; ++i) {
        const int64_t offset = kernel::position<Rule>(get<int64_t>(index + i * step), size, outside) * stride;
        offsets[i] = More ? offsets[i] + offset : offset;
    }
    return outside == 0;
}

template <OutsideRule Rule>
bool resolve(int64_t* offsets, const char* index, int64_t index_stride, int64_t n, int64_t size, int64_t stride,
             bool more) {
    // A compile-time step allows vectorisation.
    if (index_stride == kWord)
        return more ? resolve_step<Rule, true>(offsets, index, kWord, n, size, stride)
                    : resolve_step<Rule, false>(offsets, index, kWord, n, size, stride);
    return more ? resolve_step<Rule, true>(offsets, index, index_stride, n, size, stride)
                : resolve_step<Rule, false>(offsets, index, index_stride, n, size, stride);
}

template <class Item>
void gather(char* to, int64_t to_stride, const char* from, const int64_t* offsets, int64_t n) {
    for_each_place(from, offsets, n, [=](int64_t i) { put(to + i * to_stride, get<Item>(from + offsets[i])); });
}

template <class Item>
void scatter(char* to, const int64_t* offsets, const char* from, int64_t from_stride, int64_t n) {
    for_each_place(to, offsets, n, [=](int64_t i) { put(to + offsets[i], get<Item>(from + i * from_stride)); });
}

int64_t count_true(const uint8_t* mask, int64_t n) {
    using Bytes [[gnu::vector_size(32)]] = uint8_t;
    constexpr int64_t size = sizeof(Bytes);
    int64_t count = 0, i = 0;
    while (i + size <= n) {
        Bytes sums = {};
        for (const int64_t end = i + 255 * size; i < end && i + size <= n; i += size)  // before a byte overflows
            sums -= Bytes(get<Bytes>(reinterpret_cast<const char*>(mask + i)) != 0);
        for (int k = 0; k < size; ++k) count += sums[k];
    }
    for (; i < n; ++i) count += mask[i] != 0;
    return count;
}

/// Calls move(i, k), where k elements before i are true, for every true i and for some others: an unconditional move
/// costs less than a mispredicted branch. Skips words of zeros; ends at k = room. Returns the number of true elements.
template <class Move> int64_t walk(const uint8_t* mask, int64_t n, int64_t room, Move move) {
    int64_t found = 0, i = 0;
    for (; i + 8 <= n && found + 8 <= room; i += 8) {
        if (get<uint64_t>(reinterpret_cast<const char*>(mask + i)) == 0) continue;
        for (int64_t k = i; k < i + 8; ++k) {
            move(k, found);
            found += mask[k] != 0;
        }
    }
    for (; i < n && found < room; ++i) {
        move(i, found);
        found += mask[i] != 0;
    }
    return found;
}

/// Calls step(to_stride, from_stride), with compile-time constants if items are contiguous.
template <class Item, class Step> int64_t by_strides(int64_t to_stride, int64_t from_stride, Step step) {
    constexpr int64_t size = sizeof(Item);
    return to_stride == size && from_stride == size
               ? step(std::integral_constant<int64_t, size>(), std::integral_constant<int64_t, size>())
               : step(to_stride, from_stride);
}

template <class Item>
int64_t compress(char* to, int64_t to_stride, const char* from, int64_t from_stride, const uint8_t* mask, int64_t n,
                 int64_t room) {
    return by_strides<Item>(to_stride, from_stride, [=](auto to_step, auto from_step) {
        return walk(mask, n, room,
                    [=](int64_t i, int64_t k) { put(to + k * to_step, get<Item>(from + i * from_step)); });
    });
}

template <class Item>
int64_t expand(char* to, int64_t to_stride, const char* from, int64_t from_stride, const uint8_t* mask, int64_t n,
               int64_t room) {
    return by_strides<Item>(to_stride, from_stride, [=](auto to_step, auto from_step) {
        return walk(mask, n, room, [=](int64_t i, int64_t k) {
            const Item next = get<Item>(from + k * from_step), kept = get<Item>(to + i * to_step);
            put(to + i * to_step, mask[i] ? next : kept);
        });
    });
}

/// The places of the ones of a byte, from the lowest.
struct PlacesOfOnes {
    int64_t of[256][8];
};
constexpr PlacesOfOnes make_places() {
    PlacesOfOnes places{};
    for (unsigned byte = 0; byte < 256; ++byte)
        for (unsigned bit = 0, k = 0; bit < 8; ++bit)
            if (byte >> bit & 1) places.of[byte][k++] = bit;
    return places;
}
constexpr PlacesOfOnes kPlaces = make_places();

/// A bit for each of eight bytes: whether it is not zero.
unsigned bits_of_eight(const uint8_t* mask) {
    constexpr uint64_t low = 0x7f7f7f7f7f7f7f7f;
    const uint64_t word = get<uint64_t>(reinterpret_cast<const char*>(mask));
    const uint64_t ones = ((((word & low) + low) | word) & ~low) >> 7;
    return unsigned(ones * 0x0102040810204080 >> 56);
}

bool is_zero(const uint8_t* mask, int64_t n) {
    uint8_t any = 0;
    for (int64_t i = 0; i < n; ++i) any |= mask[i];
    return any == 0;
}

void find_true(int64_t* to, int64_t first, const uint8_t* mask, int64_t n, int64_t room) {
    constexpr int64_t kSkipped = 64;  // zeros at once: a branch for each word would be mispredicted more often
    int64_t found = 0, i = 0;
    for (; i + kSkipped <= n && found + kSkipped <= room; i += kSkipped) {
        if (is_zero(mask + i, kSkipped)) continue;
        for (int64_t word = i; word < i + kSkipped; word += 8) {
            const unsigned bits = bits_of_eight(mask + word);
            for (int half = 0; half < 8; half += 4) {
                using Four [[gnu::vector_size(32)]] = int64_t;
                const Four places = get<Four>(reinterpret_cast<const char*>(kPlaces.of[bits] + half)) + (first + word);
                put(reinterpret_cast<char*>(to + found + half), places);
            }
            found += std::popcount(bits);
        }
    }
    walk(mask + i, n - i, room - found, [=](int64_t j, int64_t k) { to[found + k] = first + i + j; });
}

template <class Item> void collect(IndexingLoops& loops, int log_size) {
    loops.gather[log_size] = gather<Item>;
    loops.scatter[log_size] = scatter<Item>;
    loops.compress[log_size] = compress<Item>;
    loops.expand[log_size] = expand<Item>;
}

}  // namespace

void collect_indexing(IndexingLoops& loops) {
    loops.resolve[int(OutsideRule::Raise)] = resolve<OutsideRule::Raise>;
    loops.resolve[int(OutsideRule::Wrap)] = resolve<OutsideRule::Wrap>;
    loops.resolve[int(OutsideRule::Clip)] = resolve<OutsideRule::Clip>;
    loops.count_true = count_true;
    loops.find_true = find_true;
    collect<uint8_t>(loops, 0);
    collect<uint16_t>(loops, 1);
    collect<uint32_t>(loops, 2);
    collect<uint64_t>(loops, 3);
    collect<Bytes16>(loops, 4);
}

}  // namespace cuarray::host
