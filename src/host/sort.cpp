// sort.cpp -- sorts rows by radix, stable: values by their keys, or pairs of a key's piece and an index.
//
// A stable order is unique, so nothing here depends on the number of threads but the time.
#include <algorithm>
#include <bit>
#include <cstring>
#include <type_traits>

#include "cuarray/core/dispatch.h"
#include "cuarray/kernel/sort.h"
#include "host/select.h"
#include "host/tasks.h"

namespace cuarray::host {
namespace {

/// The keys of values, and the loop that compares many with pivots.
template <class T> struct ValueKey {
    bool descending;
    PartLoop parts;
    auto operator()(stored_t<T> x) const { return kernel::sort_key(load<T>(x), descending); }
};

/// The key's piece in a pair.
struct PairKey {
    int index_bits;
    uint64_t operator()(uint64_t pair) const { return pair >> index_bits; }
};

template <class T> void sort_values(const LoopLibrary& library, Backend* backend, const Sort& task) {
    if constexpr (!is_complex<T>) {
        const int64_t n = task.n;
        const auto* from = reinterpret_cast<const stored_t<T>*>(task.values.data());
        auto* to = reinterpret_cast<stored_t<T>*>(task.result.data());
        const StorageRef memory = backend->allocate(spare_rows(task.rows, n) * n * int64_t(sizeof(T)));
        auto* const spare = static_cast<stored_t<T>*>(memory->data);
        const ValueKey<T> key{task.descending, library.parts[int(dtype_of<T>)]};
        each_row(task.rows, n, [&](int64_t row, int64_t place, int threads) {
            if (task.ranks.empty() || n <= kInsertion)
                return sort_items(to + row * n, from + row * n, spare + place * n, n, threads, key);
            const auto* const items = from + row * n;
            partition_items(to + row * n, items, spare + place * n, n, task.ranks, threads, key,
                            [items](int64_t i) { return items[i]; });
        });
    }
}

/// The places of elements, as far in order as the ranks ask for.
template <class T> void partition_indices(const LoopLibrary& library, Backend* backend, const Sort& task) {
    if constexpr (!is_complex<T>) {
        const int64_t n = task.n;
        const auto* from = reinterpret_cast<const stored_t<T>*>(task.values.data());
        auto* to = reinterpret_cast<int64_t*>(task.result.data());
        const StorageRef memory = backend->allocate(row_groups(task.rows, n) * n * int64_t(sizeof(T)));
        auto* const spare = static_cast<stored_t<T>*>(memory->data);
        each_row(task.rows, n, [&](int64_t row, int64_t place, int threads) {
            partition_items(to + row * n, from + row * n, spare + place * n, n, task.ranks, threads,
                            ValueKey<T>{task.descending, library.parts[int(dtype_of<T>)]}, [](int64_t i) { return i; });
        });
    }
}

/// Sorts one row's indices by the values.
template <class T> class IndexSort {
 public:
    IndexSort(const stored_t<T>* values, uint64_t* pairs, uint64_t* spare, const Sort& task, int threads)
        : values_(values), pairs_(pairs), spare_(spare), n_(task.n), threads_(threads), first_(!task.refines) {
        pairing_.descending = task.descending;
        pairing_.index_bits = uint32_t(std::bit_width(uint64_t(task.n - 1)));
    }

    void operator()() {
        for (int part = 0; part < kernel::kKeyParts<T>; ++part) {
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

    void sort_by_part() {
        const int room = std::min(63, 64 - int(pairing_.index_bits));
        int low = 0, high = kernel::kKeyBits<T>;
        if (high > room) {
            // Only where a key may need several pieces does it pay to ask which of its bits matter.
            const auto key = [this](const stored_t<T>& x) {
                return kernel::key_part(load<T>(x), int(pairing_.part), pairing_.descending != 0);
            };
            const uint64_t differs = survey(values_, n_, threads_, key).differs;
            if (differs == 0) return;
            low = std::countr_zero(differs);
            high = std::bit_width(differs);
        }
        for (; low < high; low += room) {
            pairing_.shift = uint32_t(low);
            pairing_.bits = uint32_t(std::min(room, high - low));
            make_pairs();
            sort_items(pairs_, pairs_, spare_, n_, threads_, PairKey{int(pairing_.index_bits)});
        }
    }

    void make_pairs() {
        const uint64_t mask = index_mask();
        const kernel::SortPairing pairing = pairing_;
        each_chunk(n_, threads_, [&](int, int64_t begin, int64_t end) {
            if (first_)
                for (int64_t i = begin; i < end; ++i) pairs_[i] = kernel::sort_pair<T>(pairing, values_, uint64_t(i));
            else
                for (int64_t i = begin; i < end; ++i)
                    pairs_[i] = kernel::sort_pair<T>(pairing, values_, pairs_[i] & mask);
        });
        first_ = false;
    }

    const stored_t<T>* const values_;
    uint64_t *const pairs_, *const spare_;
    const int64_t n_;
    const int threads_;
    bool first_;
    kernel::SortPairing pairing_{};
};

template <class T> void sort_indices(Backend* backend, const Sort& task) {
    const int64_t n = task.n;
    const auto* from = reinterpret_cast<const stored_t<T>*>(task.values.data());
    auto* to = reinterpret_cast<uint64_t*>(task.result.data());
    const StorageRef memory = backend->allocate(spare_rows(task.rows, n) * n * int64_t(sizeof(uint64_t)));
    auto* const spare = static_cast<uint64_t*>(memory->data);
    each_row(task.rows, n, [&](int64_t row, int64_t place, int threads) {
        IndexSort<T>(from + row * n, to + row * n, spare + place * n, task, threads)();
    });
}

template <class T> void select_values(const LoopLibrary& library, Backend* backend, const Select& task) {
    if constexpr (!is_complex<T>) {
        const int64_t n = task.n, ranks = int64_t(task.ranks.size());
        const auto* from = reinterpret_cast<const stored_t<T>*>(task.values.data());
        auto* to = reinterpret_cast<stored_t<T>*>(task.result.data());
        const StorageRef memory = backend->allocate(spare_rows(task.rows, n) * n * int64_t(sizeof(T)));
        auto* const spare = static_cast<stored_t<T>*>(memory->data);
        each_row(task.rows, n, [&](int64_t row, int64_t place, int threads) {
            select_items(to + row * ranks, from + row * n, spare + place * n, n, task.ranks, threads,
                         ValueKey<T>{false, library.parts[int(dtype_of<T>)]});
        });
    }
}

template <class T> void search_values(const Search& task) {
    constexpr int kTogether = 8;  // searches whose waits for memory overlap
    constexpr int64_t kBlock = 4096;
    const auto* sorted = reinterpret_cast<const stored_t<T>*>(task.sorted.data());
    const auto* values = reinterpret_cast<const stored_t<T>*>(task.values.data());
    auto* places = reinterpret_cast<i64*>(task.places.data());
    parallel_for((task.count + kBlock - 1) / kBlock, [&](int64_t block) {
        const int64_t end = std::min(task.count, (block + 1) * kBlock);
        for (int64_t i = block * kBlock; i < end; i += kTogether) {
            T some[kTogether];
            i64 found[kTogether];
            const int64_t count = std::min<int64_t>(kTogether, end - i);
            for (int64_t v = 0; v < kTogether; ++v) some[v] = load<T>(values[i + std::min(v, count - 1)]);
            kernel::search_sorted<T>(sorted, uint64_t(task.n), some, task.right, found);
            std::copy(found, found + count, places + i);
        }
    });
}

}  // namespace

void run_sort(const LoopLibrary& library, Backend* backend, const Sort& task) {
    dispatch(task.values.dtype, [&]<class T>() {
        if (!task.indices) sort_values<T>(library, backend, task);
        else if (task.ranks.empty() || is_complex<T> || task.n <= kInsertion) sort_indices<T>(backend, task);
        else partition_indices<T>(library, backend, task);
    });
}

void run_select(const LoopLibrary& library, Backend* backend, const Select& task) {
    dispatch(task.values.dtype, [&]<class T>() { select_values<T>(library, backend, task); });
}

void run_search(const Search& task) {
    dispatch(task.values.dtype, [&]<class T>() { search_values<T>(task); });
}

}  // namespace cuarray::host
