// order_statistics.h -- order statistics of a row, and partition of a row at given ranks, without sorting it.
#pragma once
#include <cmath>
#include <span>
#include "host/radix.h"

namespace cuarray::host {

/// Copies the items of one bucket, in order, to `to`, which may be the row's memory if there is one chunk.
template <class Item, class Key>
void collect_bucket(Item* to, KeyedRow<Item, Key> row, DigitTable table, uint32_t bucket) {
    each_chunk(row.n, row.chunks, [&](int c, int64_t begin, int64_t end) {
        int64_t at = 0;
        for (int earlier = 0; earlier < c; ++earlier) at += table.of_chunk(earlier)[bucket];
        const int64_t room = at + table.of_chunk(c)[bucket];
        for (int64_t i = begin; i < end && at < room; ++i) {
            const Item item = row.items[i];
            to[at] = item;
            at += table.digit(row.key(item)) == bucket;
        }
    });
}

/// The maximum number of pivots of a partition, and the number of items compared with them at a time.
constexpr int kMostPivots = 8;
constexpr int64_t kPartBlock = 1024;

/// Calls visit(first, n, parts, counts) for blocks of items: the part of each item (see PartitionLoop), and the size of
/// each part. `parts` is padded with zeros to a multiple of 64 bytes.
template <class Item, class Key, class Visit>
void each_part_block(const Item* items, int64_t begin, int64_t end, Key key, std::span<const uint64_t> pivots,
                     Visit visit) {
    uint8_t parts[kPartBlock];
    for (int64_t first = begin; first < end; first += kPartBlock) {
        const int64_t n = std::min(kPartBlock, end - first);
        int64_t counts[2 * kMostPivots + 1] = {};
        key.parts(items + first, n, key.descending, pivots.data(), int(pivots.size()), parts, counts);
        std::memset(parts + n, 0, size_t(-n & 63));
        visit(first, n, parts, counts);
    }
}

/// A range of keys; both ends are part of it.
struct KeyRange {
    uint64_t low, high;
};

/// Copies the items from begin to end - 1 with keys of the range, in order, to `to`, and returns their number. Adds the
/// number of smaller ones to `below`.
template <class Item, class Key>
int64_t collect_between(Item* to, KeyedRow<Item, Key> row, int64_t begin, int64_t end, KeyRange range, int64_t& below) {
    const uint64_t pivots[] = {range.low, range.high};
    int64_t at = 0;
    each_part_block(row.items, begin, end, row.key, pivots,
                    [&](int64_t first, int64_t n, const uint8_t* parts, const int64_t* counts) {
                        below += counts[0];
                        for (int64_t i = 0; i < n; i += 64) {
                            uint64_t bits = 0;
                            for (int byte = 0; byte < 8; ++byte) {
                                uint64_t word;
                                std::memcpy(&word, parts + i + 8 * byte, 8);
                                // Of parts 0 ... 4, parts 1 to 3 have one of the lowest two bits set; the product packs
                                // these flags.
                                bits |=
                                    ((word | word >> 1) & 0x0101010101010101) * 0x0102040810204080 >> 56 << 8 * byte;
                            }
                            for (; bits != 0; bits &= bits - 1)
                                to[at++] = row.items[first + i + std::countr_zero(bits)];
                        }
                    });
    return at;
}

template <class Item, class Key>
void select_items(Item* result, KeyedRow<Item, Key> row, Item* spare, std::span<const int64_t> ranks);

/// Selects among the items with keys of the range; false, without a result, if the ranks are not among them or these
/// items are too many.
template <class Item, class Key>
bool select_between(Item* result, KeyedRow<Item, Key> row, Item* spare, std::span<const int64_t> ranks,
                    KeyRange range) {
    const int64_t n = row.n;
    const int chunks = row.chunks;
    Scratch scratch;
    int64_t* const below = scratch.take_array<int64_t>(2 * chunks);
    int64_t* const found = below + chunks;
    each_chunk(n, chunks, [&](int c, int64_t begin, int64_t end) {
        below[c] = 0;
        found[c] = collect_between(spare + begin, row, begin, end, range, below[c]);
    });
    int64_t before = 0, count = 0;
    for (int c = 0; c < chunks; ++c) count += found[c], before += below[c];
    if (ranks.front() < before || ranks.back() >= before + count || count > n / 4) return false;
    int64_t at = 0;
    for (int c = 0; c < chunks; at += found[c++])
        std::memmove(spare + at, spare + n * c / chunks, size_t(found[c]) * sizeof(Item));
    int64_t* const places = scratch.take_array<int64_t>(int64_t(ranks.size()));
    for (size_t k = 0; k < ranks.size(); ++k) places[k] = ranks[k] - before;
    select_items(result, row.of(spare, count), spare + count, {places, ranks.size()});
    return true;
}

/// Rows of this length on are not selected by SIMD.
constexpr int64_t kSelectedBySimd = int64_t(1) << 20;

/// Rows from this length on are sampled; the maximum numbers of samples, and of groups of ranks that are near each
/// other.
constexpr int64_t kSampledRow = 64 * 1024, kMostSamples = 16 * 1024;
constexpr int kMostGroups = 4;

/// The end of the group of ranks near ranks[k].
inline size_t group_end(std::span<const int64_t> ranks, size_t k, int64_t n) {
    size_t end = k + 1;
    while (end < ranks.size() && ranks[end] - ranks[k] <= n / 16) ++end;
    return end;
}

/// Selects a group of ranks between two items of a sample; false if the ranks are not between them.
template <class Item, class Key>
bool select_by_sample(Item* result, KeyedRow<Item, Key> row, Item* spare, std::span<const int64_t> ranks) {
    const int64_t n = row.n, samples = std::min(n / 64, kMostSamples), step = n / samples;
    Scratch scratch;
    Item* const sample = scratch.take_array<Item>(2 * samples);
    for (int64_t i = 0; i < samples; ++i) {
        // At a pseudo-random position in each step, so that periodic rows do not bias the sample.
        const uint64_t anywhere = uint64_t(i) * 0x9e3779b97f4a7c15 >> 32;
        sample[i] = row.items[i * step + int64_t(anywhere % uint64_t(step))];
    }
    sort_items(sample, KeyedRow<Item, Key>{sample, samples, 1, row.key}, sample + samples);
    // Four standard deviations of a rank among random samples.
    const double share = double(samples) / double(n), error = 2 * std::sqrt(double(samples)) + 1;
    const int64_t low = int64_t(double(ranks.front()) * share - error),
                  high = int64_t(double(ranks.back()) * share + error);
    using K = decltype(row.key(sample[0]));
    const K from_key = low < 0 ? K(0) : row.key(sample[low]), to_key = high >= samples ? K(-1) : row.key(sample[high]);
    return from_key != to_key && select_between(result, row, spare, ranks, {from_key, to_key});
}

/// Radix select: by the highest digit in which keys differ, then among the items of the buckets that contain ranks.
template <class Item, class Key>
void select_by_digit(Item* result, KeyedRow<Item, Key> row, Item* spare, std::span<const int64_t> ranks) {
    Scratch scratch;
    const KeyStatistics found = key_statistics(row);
    if (found.is_sorted) {
        for (size_t k = 0; k < ranks.size(); ++k) result[k] = row.items[ranks[k]];
        return;
    }
    const int high = std::bit_width(found.differs), bits = std::min(high, row.n < kLongRow ? kShortDigit : kLongDigit);
    const DigitTable table{{high - bits, bits}, scratch.take_array<int64_t>(int64_t(row.chunks) << bits)};
    count_digits(row, table);
    int64_t before = 0;
    size_t k = 0;
    for (uint32_t bucket = 0; k < ranks.size(); ++bucket) {
        int64_t count = 0;
        for (int c = 0; c < row.chunks; ++c) count += table.of_chunk(c)[bucket];
        size_t end = k;
        while (end < ranks.size() && ranks[end] < before + count) ++end;
        if (end > k) {
            Scratch inner;
            int64_t* const places = inner.take_array<int64_t>(int64_t(end - k));
            for (size_t r = k; r < end; ++r) places[r - k] = ranks[r] - before;
            collect_bucket(spare, row, table, bucket);
            // A bucket's spare memory follows it in `spare` if there is room; else it is allocated.
            Item* const more = 2 * count <= row.n ? spare + count : inner.take_array<Item>(count);
            select_items(result + k, row.of(spare, count), more, {places, end - k});
        }
        k = end;
        before += count;
    }
}

/// result[k] = item ranks[k] of the sorted row; ranks are ascending. `spare` has room for n items unless
/// n <= kInsertion.
template <class Item, class Key>
void select_items(Item* result, KeyedRow<Item, Key> row, Item* spare, std::span<const int64_t> ranks) {
    const int64_t n = row.n;
    if (n <= kInsertion) {
        Scratch scratch;
        Item* const sorted = scratch.take_array<Item>(n);
        sort_by_insertion(sorted, row.items, n, row.key);
        for (size_t k = 0; k < ranks.size(); ++k) result[k] = sorted[ranks[k]];
        return;
    }
    if constexpr (requires { row.key.select; }) {
        if (row.key.select && row.chunks == 1 && n < kSelectedBySimd) {
            Scratch scratch;
            Item* const other = scratch.take_array<Item>(n);
            if (row.key.select(row.items, spare, other, n, row.key.descending, ranks.data(), int64_t(ranks.size()),
                               result))
                return;
        }
    }
    int groups = 0;
    for (size_t k = 0; k < ranks.size(); k = group_end(ranks, k, n)) ++groups;
    if (n < kSampledRow || groups > kMostGroups) return select_by_digit(result, row, spare, ranks);
    for (size_t k = 0, end; k < ranks.size(); k = end) {
        end = group_end(ranks, k, n);
        const auto group = ranks.subspan(k, end - k);
        if (!select_by_sample(result + k, row, spare, group)) select_by_digit(result + k, row, spare, group);
    }
}

/// Writes the items, or their places, to `to`, partitioned: the items at `ranks`, at most 8 in ascending order, are
/// those of the sorted row, smaller ones come before and larger ones after, in their original order. `spare` has room
/// for n items; the row is not modified.
template <bool gives_places, class Out, class Item, class Key>
void partition_items(Out* to, KeyedRow<Item, Key> row, Item* spare, std::span<const int64_t> ranks) {
    const auto [from, n, chunks, key] = row;
    const auto take = [items = from](int64_t i) {
        if constexpr (gives_places)
            return i;
        else
            return items[i];
    };
    Scratch scratch;
    Item* const found = scratch.take_array<Item>(int64_t(ranks.size()));
    select_items(found, row, spare, ranks);
    uint64_t room[kMostPivots];
    int count = 0;
    for (size_t k = 0; k < ranks.size(); ++k) {
        const uint64_t pivot = key(found[k]);
        if (count == 0 || pivot != room[count - 1]) room[count++] = pivot;
    }
    if constexpr (requires { key.split; }) {
        if (key.split && chunks == 1 && count == 1)
            return key.split(from, n, key.descending, room[0], ranks[0], gives_places, to, scratch.take_array<Out>(n));
    }
    const std::span<const uint64_t> pivots(room, size_t(count));
    const int64_t parts = 2 * count + 1;
    int64_t* const places = scratch.take_array<int64_t>(chunks * parts);
    each_chunk(n, chunks, [&](int c, int64_t begin, int64_t end) {
        int64_t* const mine = places + c * parts;
        std::fill(mine, mine + parts, 0);
        each_part_block(from, begin, end, key, pivots, [&](int64_t, int64_t, const uint8_t*, const int64_t* counts) {
            for (int64_t part = 0; part < parts; ++part) mine[part] += counts[part];
        });
    });
    begin_buckets(places, chunks, parts);
    each_chunk(n, chunks, [&](int c, int64_t begin, int64_t end) {
        int64_t* const next = places + c * parts;
        each_part_block(from, begin, end, key, pivots,
                        [&](int64_t first, int64_t size, const uint8_t* part, const int64_t* counts) {
                            if (count > 1 || counts[1] > 0) {
                                for (int64_t i = 0; i < size; ++i) to[next[part[i]]++] = take(first + i);
                                return;
                            }
                            // With two parts the output positions stay in registers.
                            int64_t below = next[0], above = next[2];
                            for (int64_t i = 0; i < size; ++i) {
                                const int64_t is_above = part[i] >> 1;
                                to[below + ((above - below) & -is_above)] = take(first + i);
                                above += is_above;
                                below += 1 - is_above;
                            }
                            next[0] = below;
                            next[2] = above;
                        });
    });
}

}  // namespace cuarray::host
