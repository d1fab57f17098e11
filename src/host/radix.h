// radix.h -- stable sorting and selecting of items by unsigned keys, least and most significant digits first.
#pragma once
#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <span>
#include <utility>
#include "host/scratch.h"
#include "host/threads.h"

namespace cuarray::host {

/// Rows below this length are sorted by insertion.
constexpr int64_t kInsertion = 40;
/// Digits of short rows and of long ones: a table of counts must be worth filling.
constexpr int kShortDigit = 8, kLongDigit = 11;
constexpr int64_t kLongRow = 16 * 1024;

/// How many threads share a row.
inline int threads_of(int64_t n) { return int(std::clamp<int64_t>(n / kTaskElements, 1, thread_count())); }

/// Calls body(chunk, begin, end) for the parts of a row.
template <class Body> void each_chunk(int64_t n, int chunks, Body body) {
    if (chunks == 1) return body(0, 0, n);
    parallel_for(chunks, [&](int64_t c) { body(int(c), n * c / chunks, n * (c + 1) / chunks); });
}

/// Whether the threads take a row each, and not parts of one.
inline bool takes_whole_rows(int64_t rows, int64_t n) { return threads_of(n) == 1 || rows >= 4 * thread_count(); }

/// The groups of rows that threads take, and how many rows of spare memory they need.
inline int64_t row_groups(int64_t rows, int64_t n) {
    if (!takes_whole_rows(rows, n)) return 1;
    return std::min({rows, (rows * n + kTaskElements - 1) / kTaskElements, int64_t(4) * thread_count()});
}
inline int64_t spare_rows(int64_t rows, int64_t n) { return n <= kInsertion ? 0 : row_groups(rows, n); }

/// Calls body(row, place, threads) for each row; `place` is a row of spare memory that nobody else uses meanwhile.
template <class Body> void each_row(int64_t rows, int64_t n, Body body) {
    const int64_t groups = row_groups(rows, n);
    const int threads = takes_whole_rows(rows, n) ? 1 : threads_of(n);
    const auto run = [&](int64_t g) {
        for (int64_t row = rows * g / groups; row < rows * (g + 1) / groups; ++row) body(row, g, threads);
    };
    if (threads > 1) return run(0);
    parallel_for(groups, run);
}

/// What the keys of a row have in common.
struct Survey {
    uint64_t differs = 0;  ///< bits in which keys differ
    bool is_sorted = true;
};

template <class Item, class Key> Survey survey(const Item* items, int64_t n, int chunks, Key key) {
    Scratch scratch;
    Survey* const parts = scratch.take_array<Survey>(chunks);
    each_chunk(n, chunks, [&](int c, int64_t begin, int64_t end) {
        using K = decltype(key(items[0]));
        const K first = key(items[0]);
        K differs = 0, before = key(items[begin > 0 ? begin - 1 : 0]);
        bool falls = false;
        for (int64_t i = begin; i < end; ++i) {
            const K k = key(items[i]);
            differs |= K(k ^ first);
            falls |= k < before;
            before = k;
        }
        parts[c] = {differs, !falls};
    });
    Survey all;
    for (int c = 0; c < chunks; ++c) {
        all.differs |= parts[c].differs;
        all.is_sorted &= parts[c].is_sorted;
    }
    return all;
}

template <class Item, class Key> void sort_by_insertion(Item* to, const Item* from, int64_t n, Key key) {
    for (int64_t i = 0; i < n; ++i) {
        const Item item = from[i];
        const auto k = key(item);
        int64_t at = i;
        for (; at > 0 && k < key(to[at - 1]); --at) to[at] = to[at - 1];
        to[at] = item;
    }
}

/// A digit of keys: `bits` bits from `shift` up.
struct Digit {
    int shift, bits;
    template <class K> uint32_t operator()(K key) const {
        return uint32_t(uint64_t(key) >> shift) & ((1u << bits) - 1);
    }
    int64_t buckets() const { return int64_t(1) << bits; }
};

/// counts[chunk][bucket] of the items' digits.
template <class Item, class Key, class Digit>
void count_digits(const Item* items, int64_t n, int chunks, Key key, Digit digit, int64_t* counts) {
    std::memset(counts, 0, size_t(chunks * digit.buckets()) * sizeof(int64_t));
    each_chunk(n, chunks, [&](int c, int64_t begin, int64_t end) {
        int64_t* const mine = counts + c * digit.buckets();
        for (int64_t i = begin; i < end; ++i) ++mine[digit(key(items[i]))];
    });
}

/// One pass: take(i) of the items goes where the item's digit belongs. The digits' counts are given and used up.
template <class Item, class Key, class Digit, class Out, class Take>
void move_by_digit(Out* to, const Item* from, int64_t n, int chunks, Key key, Digit digit, int64_t* counts, Take take) {
    int64_t before = 0;
    for (int64_t bucket = 0; bucket < digit.buckets(); ++bucket)
        for (int c = 0; c < chunks; ++c) before += std::exchange(counts[c * digit.buckets() + bucket], before);
    each_chunk(n, chunks, [&](int c, int64_t begin, int64_t end) {
        int64_t* const next = counts + c * digit.buckets();
        for (int64_t i = begin; i < end; ++i) {
            to[next[digit(key(from[i]))]++] = take(i);
        }
    });
}

/// Sorts `from` into `to`, which may be the same memory; `spare` has room for n items unless n <= kInsertion.
template <class Item, class Key>
void sort_items(Item* to, const Item* from, Item* spare, int64_t n, int chunks, Key key) {
    if (n <= kInsertion) return sort_by_insertion(to, from, n, key);
    const size_t bytes = size_t(n) * sizeof(Item);
    const Survey found = survey(from, n, chunks, key);
    if (found.is_sorted) {
        if (to != from) std::memcpy(to, from, bytes);
        return;
    }
    const int low = std::countr_zero(found.differs), width = std::bit_width(found.differs) - low;
    const int widest = n < kLongRow ? kShortDigit : kLongDigit;
    const int most = (width + widest - 1) / widest, bits = (width + most - 1) / most;
    const auto matters = [&](int pass) {
        return (found.differs >> (low + pass * bits) & ((uint64_t(1) << bits) - 1)) != 0;
    };
    int left = 0;
    for (int pass = 0; pass < most; ++pass) left += matters(pass);
    if (left % 2 && to == from) {
        std::memcpy(spare, from, bytes);
        from = spare;
    }
    Scratch scratch;
    int64_t* const counts = scratch.take_array<int64_t>(int64_t(chunks) << bits);
    for (int pass = 0; pass < most; ++pass) {
        if (!matters(pass)) continue;
        const Digit digit{low + pass * bits, bits};
        Item* const target = left-- % 2 ? to : spare;
        count_digits(from, n, chunks, key, digit, counts);
        move_by_digit(target, from, n, chunks, key, digit, counts, [from](int64_t i) { return from[i]; });
        from = target;
    }
}

/// The digit of a key among those of some pivots, ascending: 2 k + 1 where it is that of pivot k, else twice the number of
/// pivots below.
template <class K> struct BetweenPivots {
    static constexpr int kMost = 8;
    int count;
    K pivots[kMost];

    uint32_t operator()(K key) const {
        uint32_t digit = 0;
        for (int k = 0; k < count; ++k) digit += uint32_t(key >= pivots[k]) + uint32_t(key > pivots[k]);
        return digit;
    }
    int64_t buckets() const { return 2 * count + 1; }
};

/// Items of one bucket, in their order, to `to`, which may be the beginning of the same memory where there is one chunk.
template <class Item, class Key>
void collect_bucket(Item* to, const Item* from, int64_t n, int chunks, Key key, Digit digit, uint32_t bucket,
                    const int64_t* counts) {
    each_chunk(n, chunks, [&](int c, int64_t begin, int64_t end) {
        int64_t at = 0;
        for (int earlier = 0; earlier < c; ++earlier) at += counts[earlier * digit.buckets() + bucket];
        const int64_t room = at + counts[c * digit.buckets() + bucket];
        for (int64_t i = begin; i < end && at < room; ++i) {
            const Item item = from[i];
            to[at] = item;
            at += digit(key(item)) == bucket;
        }
    });
}

/// result[k] = the item that stands at place ranks[k], of ascending ones, of the sorted row. `spare` has room for n items
/// unless n <= kInsertion.
template <class Item, class Key>
void select_items(Item* result, const Item* from, Item* spare, int64_t n, std::span<const int64_t> ranks, int chunks,
                  Key key) {
    Scratch scratch;
    if (n <= kInsertion) {
        Item* const sorted = scratch.take_array<Item>(n);
        sort_by_insertion(sorted, from, n, key);
        for (size_t k = 0; k < ranks.size(); ++k) result[k] = sorted[ranks[k]];
        return;
    }
    const Survey found = survey(from, n, chunks, key);
    if (found.is_sorted) {
        for (size_t k = 0; k < ranks.size(); ++k) result[k] = from[ranks[k]];
        return;
    }
    const int high = std::bit_width(found.differs), bits = std::min(high, n < kLongRow ? kShortDigit : kLongDigit);
    const Digit digit{high - bits, bits};
    int64_t* const counts = scratch.take_array<int64_t>(int64_t(chunks) << bits);
    count_digits(from, n, chunks, key, digit, counts);
    int64_t before = 0;
    size_t k = 0;
    for (uint32_t bucket = 0; k < ranks.size(); ++bucket) {
        int64_t count = 0;
        for (int c = 0; c < chunks; ++c) count += counts[c * digit.buckets() + bucket];
        size_t end = k;
        while (end < ranks.size() && ranks[end] < before + count) ++end;
        if (end > k) {
            Scratch inner;
            int64_t* const places = inner.take_array<int64_t>(int64_t(end - k));
            for (size_t r = k; r < end; ++r) places[r - k] = ranks[r] - before;
            collect_bucket(spare, from, n, chunks, key, digit, bucket, counts);
            // A bucket's own spare memory lies behind it, where there is room; else it is new.
            Item* const more = 2 * count <= n ? spare + count : inner.take_array<Item>(count);
            select_items(result + k, spare, more, count, {places, end - k}, threads_of(count), key);
        }
        k = end;
        before += count;
    }
}

/// Brings take(i) of the items to `to` so that those stand at `ranks`, at most 8 ascending ones, that stand there in the
/// sorted row, smaller ones before and larger ones behind, each in their order. `spare` has room for n items; `from` is
/// left alone.
template <class Out, class Item, class Key, class Take>
void partition_items(Out* to, const Item* from, Item* spare, int64_t n, std::span<const int64_t> ranks, int chunks, Key key,
                     Take take) {
    using K = decltype(key(from[0]));
    Scratch scratch;
    Item* const found = scratch.take_array<Item>(int64_t(ranks.size()));
    select_items(found, from, spare, n, ranks, chunks, key);
    BetweenPivots<K> digit{0, {}};
    for (size_t k = 0; k < ranks.size(); ++k) {
        const K pivot = key(found[k]);
        if (digit.count == 0 || pivot != digit.pivots[digit.count - 1]) digit.pivots[digit.count++] = pivot;
    }
    int64_t* const counts = scratch.take_array<int64_t>(chunks * digit.buckets());
    count_digits(from, n, chunks, key, digit, counts);
    move_by_digit(to, from, n, chunks, key, digit, counts, take);
}

}  // namespace cuarray::host
