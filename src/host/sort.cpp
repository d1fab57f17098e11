// sort.cpp -- stable radix sort of rows: values by their keys, or pairs of some key bits and an index.
//
// A stable order is unique, so results do not depend on the number of threads.
#include <algorithm>
#include <bit>
#include <cstring>
#include <type_traits>
#include <utility>

#include "core/dispatch.h"
#include "cuarray/kernel/sort.h"
#include "host/order_statistics.h"
#include "host/tasks.h"

namespace cuarray::host {
namespace {

/// Shorter rows are not worth a SIMD sorting network.
constexpr int64_t kNetwork = 5;

/// Fewer short rows leave lanes of their networks idle.
constexpr int64_t kShortRows = 4;

/// A row of at most this many items is sorted for its order statistics, or instead of being partitioned; the second
/// where SIMD selects.
constexpr int64_t kSortedWhole = 512, kSortedWholeBySimd = 128;

bool is_sorted_whole(const LoopLibrary& library, DType dtype, int64_t n) {
    return n <= (library.selects[int(dtype)] ? kSortedWholeBySimd : kSortedWhole);
}

/// With a SIMD sort of one row, longer rows are sorted one by one.
constexpr int64_t kTransposed = 16;

/// The loops that sort values or indices of the rows, if these are short; else null.
const ShortRowSorts* short_rows(const LoopLibrary& library, DType dtype, int64_t rows, int64_t n,
                                bool indices = false) {
    const bool has_sort = !indices && library.sorts[int(dtype)];
    return info(dtype).kind != Kind::Complex && n <= (has_sort ? kTransposed : kShortRow) && rows >= kShortRows
               ? library.short_rows + int(dtype)
               : nullptr;
}

/// Calls body(first, count) for groups of short rows.
template <class Body> void each_row_group(int64_t rows, int64_t n, Body body) {
    const int64_t groups = row_groups(rows, n);
    parallel_for(groups, [&](int64_t g) {
        const int64_t first = rows * g / groups;
        body(first, rows * (g + 1) / groups - first);
    });
}

/// The keys of values given as bits, and the loops of their dtype that compare many with pivots and select some. One
/// code orders all integers of a size, another all floats: where code is shared, compilation is short. Bools are true
/// by any byte but 0.
template <class Bits, Kind kKind> struct ValueKey {
    using Item = Bits;
    static constexpr int kParts = 1;
    bool descending;
    int bits;      ///< of a key
    Bits special;  ///< the bits of infinity; of integers those in which keys differ from them
    PartitionLoop parts;
    ValueSelectLoop select;
    SplitLoop split;

    Bits operator()(Bits x) const {
        if constexpr (kKind == Kind::Floating)
            return kernel::float_key(x, special, descending);
        else
            return Bits((kKind == Kind::Bool ? x != 0 : x) ^ special);
    }
    uint64_t part(Bits x, int) const { return (*this)(x); }
};

/// Calls body(key) with the ValueKey of a real dtype.
template <class Body> void with_value_key(const LoopLibrary& library, DType dtype, bool descending, Body body) {
    dispatch(dtype, [&]<class T>() {
        if constexpr (!is_complex<T>) {
            constexpr Kind kKind = is_same<T, bool> ? Kind::Bool : is_integer<T> ? Kind::Unsigned : Kind::Floating;
            using Bits = unsigned_t<T>;
            Bits special;
            if constexpr (kKind == Kind::Floating)
                special = ieee<T>::infinity;
            else
                special = kernel::key_flip<T>(descending);
            const int i = int(dtype);
            body(ValueKey<Bits, kKind>{descending, kernel::kKeyBits<T>, special, library.partitions[i],
                                       library.selects[i], library.splits[i]});
        }
    });
}

/// The keys of complex numbers, in two parts.
template <class T> struct ComplexValueKey {
    using Item = T;
    static constexpr int kParts = 2;
    bool descending;
    static constexpr int bits = kernel::kKeyBits<T>;

    uint64_t part(const T& x, int part) const { return kernel::key_part(x, part, descending); }
};

/// The key bits of a pair.
struct PairKey {
    int index_bits;
    uint64_t operator()(uint64_t pair) const { return pair >> index_bits; }
};

/// Sorts a row by SIMD; several threads first divide it by the highest digit of its keys. Returns false, with only the
/// spare memory written, if that is not possible, the row is sorted already, or the parts would be too unequal.
template <class Item, class Key>
bool sort_by_vectors(ValueSortLoop sort, Item* to, KeyedRow<Item, Key> row, Item* spare) {
    const int64_t n = row.n;
    const int threads = row.chunks;
    const bool descending = row.key.descending;
    if (threads == 1) return sort(row.items, to, spare, n, descending);
    const KeyStatistics found = key_statistics(row);
    if (found.is_sorted) return false;  // radix sort has nothing to do either
    const int width = std::bit_width(found.differs);
    const Digit digit{std::max(0, width - kLongDigit), kLongDigit};
    Scratch scratch;
    const int64_t buckets = digit.buckets();
    const DigitTable table{digit, scratch.take_array<int64_t>(threads * buckets)};
    int64_t* const begins = scratch.take_array<int64_t>(buckets + 1);
    count_digits(row, table);
    begins[0] = 0;
    for (int64_t b = 0; b < buckets; ++b) {
        int64_t size = 0;
        for (int c = 0; c < threads; ++c) size += table.of_chunk(c)[b];
        if (size > 2 * n / threads) return false;
        begins[b + 1] = begins[b] + size;
    }
    if (to == row.items) {
        std::memcpy(spare, to, size_t(n) * sizeof(Item));
        row.items = spare;
    }
    if (reinterpret_cast<uintptr_t>(to) % sizeof(Item) == 0)
        move_in_lines(to, row, table);
    else
        move_by_digit(to, row, table);
    parallel_for(buckets, [&](int64_t b) {
        const int64_t begin = begins[b], size = begins[b + 1] - begin;
        Item* const items = to + begin;
        if (size > 0 && !sort(items, items, spare + begin, size, descending))
            sort_items(items, KeyedRow<Item, Key>{items, size, 1, row.key}, spare + begin);
    });
    return true;
}

template <class T> Backend& backend_of(const T& task) { return *task.result.storage->backend; }

template <class Key> void sort_values(const LoopLibrary& library, const Sort& task, const Key& key) {
    using Item = typename Key::Item;
    const int64_t n = task.n;
    const DType dtype = task.values.dtype;
    const auto* from = reinterpret_cast<const Item*>(task.values.data());
    auto* to = reinterpret_cast<Item*>(task.result.data());
    if (const ShortRowSorts* const loops = short_rows(library, dtype, task.rows, n))
        return each_row_group(task.rows, n, [&](int64_t first, int64_t rows) {
            loops->values(from + first * n, to + first * n, rows, n, task.descending);
        });
    const ValueSortLoop by_vectors = n >= kNetwork ? library.sorts[int(dtype)] : nullptr;
    const int64_t spares = by_vectors ? row_groups(task.rows, n) : spare_rows(task.rows, n);
    const StorageRef memory = backend_of(task).allocate(spares * n * int64_t(sizeof(Item)));
    auto* const spare = static_cast<Item*>(memory->data);
    const bool all = task.kth.empty() || is_sorted_whole(library, dtype, n);
    each_row(task.rows, n, [&](int64_t r, int64_t place, int threads) {
        const KeyedRow row{from + r * n, n, threads, key};
        Item *const result = to + r * n, *const room = spare + place * n;
        if (all && by_vectors && sort_by_vectors(by_vectors, result, row, room)) return;
        if (all) return sort_items(result, row, room);
        partition_items<false>(result, row, room, task.kth);
    });
}

/// The indices of elements, partitioned at kth.
template <class Key> void partition_indices(const Sort& task, const Key& key) {
    using Item = typename Key::Item;
    const int64_t n = task.n;
    const auto* from = reinterpret_cast<const Item*>(task.values.data());
    auto* to = reinterpret_cast<int64_t*>(task.result.data());
    const StorageRef memory = backend_of(task).allocate(row_groups(task.rows, n) * n * int64_t(sizeof(Item)));
    auto* const spare = static_cast<Item*>(memory->data);
    each_row(task.rows, n, [&](int64_t row, int64_t place, int threads) {
        partition_items<true>(to + row * n, KeyedRow{from + row * n, n, threads, key}, spare + place * n, task.kth);
    });
}

/// Sorts one row's indices by the values.
template <class Key> class IndexSort {
    using Item = typename Key::Item;

 public:
    IndexSort(const LoopLibrary& library, const Key& key, const Item* values, uint64_t* pairs, uint64_t* spare,
              const Sort& task, int threads)
        : key_(key),
          values_(values),
          pairs_(pairs),
          spare_(spare),
          n_(task.n),
          threads_(threads),
          first_(!task.refines),
          by_vectors_(threads == 1 && n_ >= kNetwork ? library.sorts[int(DType::uint64)] : nullptr) {
        pairing_.index_bits = uint32_t(std::bit_width(uint64_t(task.n - 1)));
    }

    void operator()() {
        const bool is_sorted = Key::kParts == 1 && first_ && by_vectors_ && sort_whole_pairs();
        for (int part = 0; part < Key::kParts && !is_sorted; ++part) {
            pairing_.part = uint32_t(part);
            sort_by_part();
        }
        const uint64_t mask = index_mask();
        each_chunk(n_, threads_, [&](int, int64_t begin, int64_t end) {
            for (int64_t i = begin; i < end; ++i) pairs_[i] = first_ ? uint64_t(i) : pairs_[i] & mask;
        });
    }

 private:
    uint64_t index_mask() const { return (uint64_t(1) << pairing_.index_bits) - 1; }

    uint64_t key(const Item& x) const { return key_.part(x, int(pairing_.part)); }
    int room() const { return std::min(63, 64 - int(pairing_.index_bits)); }

    /// The range of bits [low, high) in which keys differ; computed only if a key may need several pieces.
    std::pair<int, int> bits_that_differ() const {
        if (key_.bits <= room()) return {0, key_.bits};
        const auto key_of = [this](const Item& x) { return key(x); };
        const uint64_t differs = key_statistics(KeyedRow{values_, n_, threads_, key_of}).differs;
        return {differs ? std::countr_zero(differs) : 0, std::bit_width(differs)};
    }

    void make_pairs_of(int low, int bits) {
        pairing_.shift = uint32_t(low);
        pairing_.bits = uint32_t(bits);
        make_pairs();
    }

    /// Sorts pairs of the highest key bits and the index. Their indices are then in the stable order, except for keys
    /// that are equal in these bits, which are sorted by the whole keys. Returns false if those are too many.
    bool sort_whole_pairs() {
        const auto [low, high] = bits_that_differ();
        const int bits = std::min(room(), high - low);
        if (bits == 0) return true;
        make_pairs_of(high - bits, bits);
        by_vectors_(pairs_, pairs_, spare_, n_, false);
        if (high - bits == low) return true;
        const uint64_t mask = index_mask();
        const auto piece = [&](int64_t i) { return pairs_[i] >> pairing_.index_bits; };
        int64_t undecided = 0;
        for (int64_t begin = 0, end; begin < n_; begin = end) {
            for (end = begin + 1; end < n_ && piece(end) == piece(begin);) ++end;
            if (end - begin == 1) continue;
            undecided += end - begin;
            if (undecided > n_ / 4) break;
            std::sort(pairs_ + begin, pairs_ + end, [&](uint64_t a, uint64_t b) {
                const uint64_t first = key(values_[a & mask]), second = key(values_[b & mask]);
                return first != second ? first < second : a < b;
            });
        }
        first_ = undecided > n_ / 4;
        return !first_;
    }

    void sort_by_part() {
        const auto [low, high] = bits_that_differ();
        for (int begin = low; begin < high; begin += room()) {
            make_pairs_of(begin, std::min(room(), high - begin));
            sort_items(pairs_, KeyedRow<uint64_t, PairKey>{pairs_, n_, threads_, {int(pairing_.index_bits)}}, spare_);
        }
    }

    void make_pairs() {
        const uint64_t mask = index_mask();
        const kernel::SortPairing pairing = pairing_;
        const auto pair = [&, this](uint64_t i) { return kernel::pair_of_key(pairing, key(values_[i]), i); };
        each_chunk(n_, threads_, [&](int, int64_t begin, int64_t end) {
            if (first_)
                for (int64_t i = begin; i < end; ++i) pairs_[i] = pair(uint64_t(i));
            else
                for (int64_t i = begin; i < end; ++i) pairs_[i] = pair(pairs_[i] & mask);
        });
        first_ = false;
    }

    const Key key_;
    const Item* const values_;
    uint64_t *const pairs_, *const spare_;
    const int64_t n_;
    const int threads_;
    bool first_;
    const ValueSortLoop by_vectors_;
    kernel::SortPairing pairing_{};
};

template <class Key> void sort_indices(const LoopLibrary& library, const Sort& task, const Key& key) {
    const int64_t n = task.n;
    const auto* from = reinterpret_cast<const typename Key::Item*>(task.values.data());
    auto* to = reinterpret_cast<uint64_t*>(task.result.data());
    if (const ShortRowSorts* const loops =
            task.refines ? nullptr : short_rows(library, task.values.dtype, task.rows, n, true))
        return each_row_group(task.rows, n, [&](int64_t first, int64_t rows) {
            loops->indices(from + first * n, reinterpret_cast<int64_t*>(to) + first * n, rows, n, task.descending);
        });
    const StorageRef memory = backend_of(task).allocate(row_groups(task.rows, n) * n * int64_t(sizeof(uint64_t)));
    auto* const spare = static_cast<uint64_t*>(memory->data);
    each_row(task.rows, n, [&](int64_t row, int64_t place, int threads) {
        IndexSort<Key>(library, key, from + row * n, to + row * n, spare + place * n, task, threads)();
    });
}

template <class Key>
void select_order_statistics(const LoopLibrary& library, const OrderStatistics& task, const Key& key) {
    using Item = typename Key::Item;
    const int64_t n = task.n, wanted = int64_t(task.kth.size());
    const DType dtype = task.values.dtype;
    const auto* from = reinterpret_cast<const Item*>(task.values.data());
    auto* to = reinterpret_cast<Item*>(task.result.data());
    if (const ShortRowSorts* const loops = short_rows(library, dtype, task.rows, n))
        return each_row_group(task.rows, n, [&](int64_t first, int64_t rows) {
            constexpr int64_t kBlock = 64;
            Scratch scratch;
            auto* const sorted = scratch.take_array<Item>(kBlock * n);
            for (int64_t begin = first; begin < first + rows; begin += kBlock) {
                const int64_t count = std::min(kBlock, first + rows - begin);
                loops->values(from + begin * n, sorted, count, n, false);
                for (int64_t r = 0; r < count; ++r)
                    for (int64_t k = 0; k < wanted; ++k)
                        to[(begin + r) * wanted + k] = sorted[r * n + task.kth[size_t(k)]];
            }
        });
    const ValueSortLoop by_vectors = n >= kNetwork ? library.sorts[int(dtype)] : nullptr;
    const bool sorts_whole = is_sorted_whole(library, dtype, n);
    const StorageRef memory =
        backend_of(task).allocate((1 + sorts_whole) * row_groups(task.rows, n) * n * int64_t(sizeof(Item)));
    auto* const spare = static_cast<Item*>(memory->data);
    each_row(task.rows, n, [&](int64_t row, int64_t place, int threads) {
        const KeyedRow items{from + row * n, n, threads, key};
        Item* const found = to + row * wanted;
        if (!sorts_whole) return select_items(found, items, spare + place * n, task.kth);
        Item *const sorted = spare + 2 * place * n, *const room = sorted + n;
        if (!by_vectors || !sort_by_vectors(by_vectors, sorted, items, room)) sort_items(sorted, items, room);
        for (int64_t k = 0; k < wanted; ++k) found[k] = sorted[task.kth[size_t(k)]];
    });
}

/// Interleaved searches, whose cache misses overlap.
constexpr int kRowsTogether = 8;

template <class T> bool ascend(const stored_t<T>* values, int64_t count) {
    const auto falls = [](const stored_t<T>& a, const stored_t<T>& b) {
        if constexpr (std::is_floating_point_v<T>)
            return !(a <= b);
        else
            return kernel::stands_before(kernel::whole_key(load<T>(b)), kernel::whole_key(load<T>(a)));
    };
    for (int64_t i = 1; i < count; ++i)
        if (falls(values[i - 1], values[i])) return false;
    return true;
}

/// The insertion positions of `count` values. Those of ascending values lie between those of the first and the last,
/// whose order holds in a table that does not ascend, too: a larger value turns right wherever a smaller one does.
template <class T>
void search_run(const stored_t<T>* sorted, int64_t n, const stored_t<T>* values, int64_t count, bool right,
                i64* places) {
    constexpr int64_t kFew = 2 * kRowsTogether;
    T some[kRowsTogether];
    i64 found[kRowsTogether];
    int64_t before = 0;
    if (count > kFew && n > kRowsTogether && ascend<T>(values, count)) {
        for (int v = 0; v < kRowsTogether; ++v) some[v] = load<T>(values[v == 0 ? 0 : count - 1]);
        kernel::search_sorted<T>(sorted, uint64_t(n), some, right, found);
        before = found[0];
        n = found[1] - before;
        if (n == 0) {
            std::fill(places, places + count, before);
            return;
        }
    }
    for (int64_t i = 0; i < count; i += kRowsTogether) {
        const int64_t together = std::min<int64_t>(kRowsTogether, count - i);
        for (int64_t v = 0; v < kRowsTogether; ++v) some[v] = load<T>(values[i + std::min(v, together - 1)]);
        kernel::search_sorted<T>(sorted + before, uint64_t(n), some, right, found);
        for (int64_t v = 0; v < together; ++v) places[i + v] = before + found[v];
    }
}

template <class T> void search_values(const SearchSorted& task) {
    constexpr int64_t kBlock = 4096, kRun = 64;
    const auto* sorted = reinterpret_cast<const stored_t<T>*>(task.sorted.data());
    const auto* values = reinterpret_cast<const stored_t<T>*>(task.values.data());
    auto* places = reinterpret_cast<i64*>(task.result.data());
    parallel_for((task.count + kBlock - 1) / kBlock, [&](int64_t block) {
        const int64_t end = std::min(task.count, (block + 1) * kBlock);
        for (int64_t i = block * kBlock; i < end; i += kRun)
            search_run<T>(sorted, task.n, values + i, std::min(kRun, end - i), task.right, places + i);
    });
}

}  // namespace

void run(const LoopLibrary& library, const Sort& task) {
    const DType dtype = task.values.dtype;
    if (info(dtype).kind == Kind::Complex)  // only the indices of complex numbers are sorted, and all of them
        return dispatch(dtype, [&]<class T>() {
            if constexpr (is_complex<T>) sort_indices(library, task, ComplexValueKey<T>{task.descending});
        });
    with_value_key(library, dtype, task.descending, [&](const auto& key) {
        if (!task.indices)
            sort_values(library, task, key);
        else if (task.kth.empty() || is_sorted_whole(library, dtype, task.n))
            sort_indices(library, task, key);
        else
            partition_indices(task, key);
    });
}

void run(const LoopLibrary& library, const OrderStatistics& task) {
    with_value_key(library, task.values.dtype, false,
                   [&](const auto& key) { select_order_statistics(library, task, key); });
}

void run(const LoopLibrary&, const SearchSorted& task) {
    dispatch(task.values.dtype, [&]<class T>() { search_values<T>(task); });
}

}  // namespace cuarray::host
