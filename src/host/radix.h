// radix.h -- stable sorting of items by unsigned keys, least significant digit first.
#pragma once
#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <utility>
#if defined(__SSE2__)
#include <emmintrin.h>
#endif
#include "host/scratch.h"
#include "host/threads.h"

namespace cuarray::host {

/// Rows below this length are sorted by insertion.
constexpr int64_t kInsertion = 40;
/// Bits per digit for short and for long rows: the table of counts must pay for itself.
constexpr int kShortDigit = 8, kLongDigit = 11;
constexpr int64_t kLongRow = 16 * 1024;
/// From this many bytes on, rows are scattered by whole lines of kLine bytes: the lines of all buckets do not fit a
/// near cache.
constexpr int64_t kFarRow = int64_t(22) << 20, kLine = 128;

/// How many threads share a row.
inline int threads_of(int64_t n) { return int(std::clamp<int64_t>(n / kTaskElements, 1, thread_count())); }

/// Calls body(chunk, begin, end) for the chunks of n items.
template <class Body> void each_chunk(int64_t n, int chunks, Body body) {
    if (chunks == 1) return body(0, 0, n);
    parallel_for(chunks, [&](int64_t c) { body(int(c), n * c / chunks, n * (c + 1) / chunks); });
}

/// Whether each thread takes whole rows, rather than a chunk of a row.
inline bool takes_whole_rows(int64_t rows, int64_t n) { return threads_of(n) == 1 || rows >= 4 * thread_count(); }

/// The number of groups of rows that are distributed to threads, and the rows of spare memory that they need.
inline int64_t row_groups(int64_t rows, int64_t n) {
    if (!takes_whole_rows(rows, n)) return 1;
    return std::min({rows, (rows * n + kTaskElements - 1) / kTaskElements, int64_t(4) * thread_count()});
}
inline int64_t spare_rows(int64_t rows, int64_t n) { return n <= kInsertion ? 0 : row_groups(rows, n); }

/// Calls body(row, place, threads) for each row; `place` is a row of spare memory that no concurrent call uses.
template <class Body> void each_row(int64_t rows, int64_t n, Body body) {
    const int64_t groups = row_groups(rows, n);
    const int threads = takes_whole_rows(rows, n) ? 1 : threads_of(n);
    const auto run = [&](int64_t g) {
        for (int64_t row = rows * g / groups; row < rows * (g + 1) / groups; ++row) body(row, g, threads);
    };
    if (threads > 1) return run(0);
    parallel_for(groups, run);
}

/// Items to be ordered by their keys, in chunks for the threads.
template <class Item, class Key> struct KeyedRow {
    const Item* items;
    int64_t n;
    int chunks;  ///< one per thread
    Key key;

    /// A row of other items, ordered by the same keys.
    KeyedRow of(const Item* others, int64_t count) const { return {others, count, threads_of(count), key}; }
};

/// Properties of the keys of a row.
struct KeyStatistics {
    uint64_t differs = 0;  ///< bits in which keys differ
    bool is_sorted = true;
};

template <class Item, class Key> KeyStatistics key_statistics(KeyedRow<Item, Key> row) {
    Scratch scratch;
    KeyStatistics* const parts = scratch.take_array<KeyStatistics>(row.chunks);
    each_chunk(row.n, row.chunks, [&](int c, int64_t begin, int64_t end) {
        using K = decltype(row.key(row.items[0]));
        const K first = row.key(row.items[0]);
        K differs = 0, before = row.key(row.items[begin > 0 ? begin - 1 : 0]);
        bool falls = false;
        for (int64_t i = begin; i < end; ++i) {
            const K k = row.key(row.items[i]);
            differs |= K(k ^ first);
            falls |= k < before;
            before = k;
        }
        parts[c] = {differs, !falls};
    });
    KeyStatistics all;
    for (int c = 0; c < row.chunks; ++c) {
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

/// The counts of a digit by chunk and bucket; then the output positions of the first items.
struct DigitTable {
    Digit digit;
    int64_t* counts;  ///< counts[chunk][bucket]

    int64_t* of_chunk(int c) const { return counts + c * digit.buckets(); }
};

template <class Item, class Key> void count_digits(KeyedRow<Item, Key> row, DigitTable table) {
    std::memset(table.counts, 0, size_t(row.chunks * table.digit.buckets()) * sizeof(int64_t));
    each_chunk(row.n, row.chunks, [&](int c, int64_t begin, int64_t end) {
        int64_t* const mine = table.of_chunk(c);
        for (int64_t i = begin; i < end; ++i) ++mine[table.digit(row.key(row.items[i]))];
    });
}

/// Exclusive scan: counts[chunk][bucket] become the output positions of the first items.
inline void begin_buckets(int64_t* counts, int chunks, int64_t buckets) {
    int64_t before = 0;
    for (int64_t bucket = 0; bucket < buckets; ++bucket)
        for (int c = 0; c < chunks; ++c) before += std::exchange(counts[c * buckets + bucket], before);
}

/// One pass: scatters items by digit. The counts are an input and are overwritten.
template <class Item, class Key> void move_by_digit(Item* to, KeyedRow<Item, Key> row, DigitTable table) {
    begin_buckets(table.counts, row.chunks, table.digit.buckets());
    each_chunk(row.n, row.chunks, [&](int c, int64_t begin, int64_t end) {
        int64_t* const next = table.of_chunk(c);
        for (int64_t i = begin; i < end; ++i) to[next[table.digit(row.key(row.items[i]))]++] = row.items[i];
    });
}

/// Writes a 16-byte aligned line with non-temporal stores.
inline void put_line(void* to, const void* from) {
#if defined(__SSE2__)
    auto* const target = static_cast<__m128i*>(to);
    const auto* const source = static_cast<const __m128i*>(from);
    for (int i = 0; i < kLine / 16; ++i) _mm_stream_si128(target + i, _mm_load_si128(source + i));
#else
    std::memcpy(to, from, kLine);
#endif
}

/// move_by_digit for rows that exceed the near caches: the items of a bucket are buffered until they fill a line. If
/// `following` is not null, there is one chunk, and the following digit is counted in the same pass.
template <class Item, class Key>
void move_in_lines(Item* to, KeyedRow<Item, Key> row, DigitTable table, const DigitTable* following = nullptr) {
    constexpr int64_t kItems = kLine / int64_t(sizeof(Item));
    const int64_t buckets = table.digit.buckets();
    const int64_t skew = int64_t(reinterpret_cast<uintptr_t>(to) / sizeof(Item)) % kItems;
    begin_buckets(table.counts, row.chunks, buckets);
    const auto move = [&](int c, int64_t begin, int64_t end, auto count) {
        Scratch scratch;
        int64_t* const next = table.of_chunk(c);
        int64_t* const first = scratch.take_array<int64_t>(buckets);
        Item* const lines = scratch.take_array<Item>(buckets * kItems);
        std::copy(next, next + buckets, first);
        // Stores the items of a line that is shared with other buckets.
        const auto put_some = [&](int64_t bucket, int64_t line) {
            for (int64_t at = std::max(line, first[bucket]); at < next[bucket]; ++at)
                to[at] = lines[bucket * kItems + (at + skew) % kItems];
        };
        for (int64_t i = begin; i < end; ++i) {
            const Item item = row.items[i];
            const auto k = row.key(item);
            count(k);
            const int64_t bucket = table.digit(k), at = next[bucket]++, within = (at + skew) % kItems;
            lines[bucket * kItems + within] = item;
            if (within < kItems - 1) continue;
            const int64_t line = at - within;
            if (line < first[bucket])
                put_some(bucket, line);
            else
                put_line(to + line, lines + bucket * kItems);
        }
        for (int64_t bucket = 0; bucket < buckets; ++bucket)
            put_some(bucket, next[bucket] - (next[bucket] + skew) % kItems);
#if defined(__SSE2__)
        _mm_sfence();  // orders the non-temporal stores for other threads
#endif
    };
    if (following) {
        const auto [digit, counts] = *following;
        std::fill(counts, counts + digit.buckets(), 0);
        return move(0, 0, row.n, [&](auto k) { ++counts[digit(k)]; });
    }
    each_chunk(row.n, row.chunks, [&](int c, int64_t begin, int64_t end) { move(c, begin, end, [](auto) {}); });
}

/// Sorts the row into `to`, which may be its own memory; `spare` has room for n items unless n <= kInsertion.
template <class Item, class Key> void sort_items(Item* to, KeyedRow<Item, Key> row, Item* spare) {
    if (row.n <= kInsertion) return sort_by_insertion(to, row.items, row.n, row.key);
    const size_t bytes = size_t(row.n) * sizeof(Item);
    const KeyStatistics found = key_statistics(row);
    if (found.is_sorted) {
        if (to != row.items) std::memcpy(to, row.items, bytes);
        return;
    }
    const int low = std::countr_zero(found.differs), width = std::bit_width(found.differs) - low;
    const int widest = row.n < kLongRow ? kShortDigit : kLongDigit;
    const int most = (width + widest - 1) / widest, bits = (width + most - 1) / most;
    Digit digits[64];
    int passes = 0;
    for (int pass = 0; pass < most; ++pass) {
        const Digit digit{low + pass * bits, bits};
        if (digit(found.differs) != 0) digits[passes++] = digit;
    }
    if (passes % 2 && to == row.items) {
        std::memcpy(spare, row.items, bytes);
        row.items = spare;
    }
    Scratch scratch;
    const int64_t table = int64_t(row.chunks) << bits;
    int64_t* counts = scratch.take_array<int64_t>(2 * table);
    int64_t* following_counts = counts + table;
    const bool is_far = int64_t(bytes) >= kFarRow && reinterpret_cast<uintptr_t>(to) % sizeof(Item) == 0;
    const bool counts_ahead = is_far && row.chunks == 1;
    for (int pass = 0; pass < passes; ++pass) {
        Item* const target = (passes - pass) % 2 ? to : spare;
        const bool is_last = pass == passes - 1;
        const DigitTable now{digits[pass], counts}, following{digits[is_last ? pass : pass + 1], following_counts};
        if (pass == 0 || !counts_ahead) count_digits(row, now);
        if (is_far)
            move_in_lines(target, row, now, counts_ahead && !is_last ? &following : nullptr);
        else
            move_by_digit(target, row, now);
        std::swap(counts, following_counts);
        row.items = target;
    }
}

}  // namespace cuarray::host
