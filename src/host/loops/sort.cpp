// sort.cpp -- sorts values, and selects some, by SIMD: quicksort and quickselect of keys, whose lanes are packed, and
// bitonic networks for short ranges.
//
// Equal keys are equal values, so any sorted order is the stable one.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <utility>

#include "host/loops/key_vectors.h"
#include "host/loops/sort_keys.h"
#include "host/loops/sorting_network.h"
#include "host/loops/tables.h"

#if defined(__AVX2__)

namespace cuarray::host {
namespace {

using kernel::sort_key;

/// The exchanges that sort n items, in order.
template <int n>
constexpr std::array<Comparator, kExchanges<n>> kNetwork = [] {
    std::array<Comparator, kExchanges<n>> network{};
    size_t at = 0;
    each_exchange<n>([&](int, Comparator exchange) { network[at++] = exchange; });
    return network;
}();

template <class T> class KeySort {
    using S = choose_t<sizeof(T) == 4, Vectors32, Vectors64>;
    using U = typename S::U;
    using V = typename S::V;
    using Mask = typename S::Mask;
    static constexpr int kLanes = S::kLanes, kVectors = kKeyVectors, kBlock = kVectors * kLanes;
    static constexpr int kSample = 64 / int(sizeof(U));
    static constexpr int64_t kRun = 1024;

    /// A key as the vectors compare it.
    static U ordered_key(T value, bool descending) { return sort_key(value, descending) ^ S::kFlipped; }

    // Networks

    /// Compares and exchanges lanes l and l ^ Xor: the larger value goes to the lane with the highest bit of Xor.
    template <int Xor> static V ordered(V v) {
        constexpr unsigned upper = [] {
            unsigned lanes = 0;
            for (int lane = 0; lane < kLanes; ++lane)
                if (unsigned(lane) & std::bit_floor(unsigned(Xor))) lanes |= 1u << lane;
            return lanes;
        }();
        const V other = S::template partners<Xor>(v);
        return S::template larger_at<upper>(S::smaller(v, other), v, other);
    }
    template <int Step, int M> static void order_lanes(V (&v)[M]) {
#pragma GCC unroll 16
        for (int i = 0; i < M; ++i) v[i] = ordered<Step>(v[i]);
        if constexpr (Step > 1) order_lanes<Step / 2>(v);
    }
    /// Sorts runs of `Size` lanes, then runs of twice the size.
    template <int Size, int M> static void sort_lanes(V (&v)[M]) {
#pragma GCC unroll 16
        for (int i = 0; i < M; ++i) v[i] = ordered<Size - 1>(v[i]);
        if constexpr (Size > 2) order_lanes<Size / 4>(v);
        if constexpr (Size < kLanes) sort_lanes<Size * 2>(v);
    }
    /// Merges pairs of runs of `Run` sorted vectors.
    template <int Run, int M> static void merge_runs(V (&v)[M]) {
#pragma GCC unroll 16
        for (int begin = 0; begin < M; begin += 2 * Run)
#pragma GCC unroll 16
            for (int i = 0; i < Run; ++i) {
                V &a = v[begin + i], &b = v[begin + 2 * Run - 1 - i];
                const V other = S::template partners<kLanes - 1>(b);
                b = S::larger(a, other);
                a = S::smaller(a, other);
            }
#pragma GCC unroll 16
        for (int step = Run / 2; step > 0; step /= 2)
#pragma GCC unroll 16
            for (int i = 0; i < M; ++i) {
                if (i & step) continue;
                const V a = v[i], b = v[i + step];
                v[i] = S::smaller(a, b);
                v[i + step] = S::larger(a, b);
            }
        order_lanes<kLanes / 2>(v);
        if constexpr (2 * Run < M) merge_runs<2 * Run>(v);
    }
    /// Sorts each lane of the vectors.
    template <size_t... k, int M> static void sort_columns(V (&v)[M], std::index_sequence<k...>) {
        const auto order = [](V& a, V& b) {
            const V smaller = S::smaller(a, b);
            b = S::larger(a, b);
            a = smaller;
        };
        (order(v[kNetwork<M>[k].low], v[kNetwork<M>[k].high]), ...);
    }
    /// Transposes the square of as many vectors as there are lanes.
    template <int step = 0> static CUARRAY_FN void transpose(V* v) {
#pragma GCC unroll 16
        for (int i = 0; i < kLanes; ++i)
            if (!(i & 1 << step)) S::template transpose<1 << step>(v[i], v[i + (1 << step)]);
        if constexpr (2 << step < kLanes) transpose<step + 1>(v);
    }
    template <int M> static void sort_vectors(V (&v)[M]) {
        if constexpr (M >= kLanes && M >= 8) {
            // Columns, which become runs of M keys.
            sort_columns(v, std::make_index_sequence<kExchanges<M>>());
            constexpr int kRuns = M / kLanes;
            V runs[M];
#pragma GCC unroll 2
            for (int k = 0; k < kRuns; ++k) transpose(v + k * kLanes);
#pragma GCC unroll 16
            for (int i = 0; i < M; ++i) runs[i] = v[i % kRuns * kLanes + i / kRuns];
            merge_runs<kRuns>(runs);
#pragma GCC unroll 16
            for (int i = 0; i < M; ++i) v[i] = runs[i];
        } else {
            sort_lanes<2>(v);
            if constexpr (M > 1) merge_runs<1>(v);
        }
    }

    template <int M> static void sort_some(const U* from, U* to, int64_t n) {
        if constexpr (M > 1)
            if (n <= M / 2 * kLanes) return sort_some<M / 2>(from, to, n);
        V v[M];
        const int whole = int(n / kLanes), rest = int(n % kLanes);
#pragma GCC unroll 16
        for (int i = 0; i < M; ++i)
            v[i] = i < whole    ? S::load(from + i * kLanes)
                   : i == whole ? S::load_some(from + i * kLanes, rest)
                                : S::all(S::kLargest);
        sort_vectors(v);
#pragma GCC unroll 16
        for (int i = 0; i < M; ++i) {
            if (i < whole)
                S::store(to + i * kLanes, v[i]);
            else if (i == whole)
                S::store_some(to + i * kLanes, rest, v[i]);
        }
    }

    // Quicksort

    /// The median of a sample of the keys.
    static U choose_pivot(const U* keys, int64_t n) {
        constexpr int kMost = 4 * kSample;
        U some[kMost];
        const int count = n < 1024 ? kSample : kMost;
        for (int64_t i = 0; i < count; ++i) some[i] = keys[n / count * i + n / count / 2];
        sort_some<kMost / kLanes>(some, some, count);
        return some[count / 2];
    }

    /// A key of a sample that lies beyond a rank, on the side with more keys, as nearly as a sample tells: most of
    /// these can be left out.
    static U choose_pivot_near(const U* keys, int64_t n, int64_t rank) {
        constexpr int kCount = 8 * kSample;
        U some[kCount];
        for (int i = 0; i < kCount; ++i) some[i] = keys[n / kCount * i + n / kCount / 2];
        sort_some<kCount / kLanes>(some, some, kCount);
        const double share = double(rank) / double(n), at = share * kCount;
        const double margin = 2 * std::sqrt(at * (1 - share)) + 1;
        return some[std::clamp(int(share < 0.5 ? at + margin : at - margin), 0, kCount - 1)];
    }

    /// Moves keys for which `goes(vector)` is true to `to`, the others to the front of `keys`; returns how many went.
    template <class Goes> static int64_t part(U* keys, U* to, int64_t n, Goes goes) {
        U *went = to, *stayed = keys;
        int64_t i = 0;
        const auto move = [&](V v) {
            const Mask m = goes(v);
            S::store(went, S::together(m, v));
            S::store(stayed, S::together(Mask(~m & S::kAll), v));
            const int count = std::popcount(unsigned(m));
            went += count;
            stayed += kLanes - count;
        };
        // Keys that stay may only overwrite keys that have been read.
        for (; i + 4 * kLanes <= n; i += 4 * kLanes) {
            const V a = S::load(keys + i), b = S::load(keys + i + kLanes), c = S::load(keys + i + 2 * kLanes),
                    d = S::load(keys + i + 3 * kLanes);
            move(a), move(b), move(c), move(d);
        }
        for (; i + kLanes <= n; i += kLanes) move(S::load(keys + i));
        if (const int rest = int(n - i); rest > 0) {
            const auto there = Mask((1u << rest) - 1);
            const V v = S::load_some(keys + i, rest);
            const Mask m = goes(v) & there, others = Mask(~m) & there;
            const int count = std::popcount(unsigned(m));
            S::store_some(went, count, S::together(m, v));
            S::store_some(stayed, rest - count, S::together(others, v));
            went += count;
        }
        return went - to;
    }

    /// Converts keys to values in place.
    void finish(U* keys, int64_t n) const {
        for (int64_t i = 0; i < n; ++i) keys[i] = bits_of_key<T>(keys[i] ^ S::kFlipped, descending_);
    }

    /// Sorts keys to `spare` or in place. The smaller keys go to the front of the result; the larger ones are sorted
    /// from the other buffer into the rest of the result.
    void sort(U* keys, U* spare, int64_t n, bool to_spare, int depth) const {
        while (n > kBlock) {
            U* const result = to_spare ? spare : keys;
            if (depth-- == 0) {
                std::sort(keys, keys + n, S::less);
                if (to_spare) std::copy(keys, keys + n, spare);
                return finish(result, n);
            }
            const U pivot = choose_pivot(keys, n);
            const V pivots = S::all(pivot);
            const auto is_below = [pivots](V v) { return S::below(v, pivots); };
            const auto is_not_below = [pivots](V v) { return Mask(~S::below(v, pivots) & S::kAll); };
            int64_t low = to_spare ? part(keys, spare, n, is_below) : n - part(keys, spare, n, is_not_below);
            U* const rest = to_spare ? keys : spare;  // holds the keys that are not below
            if (low > 0) {
                sort(rest, result + low, n - low, true, depth);
            } else {
                // The pivot is the smallest key: the keys equal to it are sorted.
                const int64_t larger = part(rest, result, n, [pivots](V v) { return S::below(pivots, v); });
                std::copy(result, result + larger, rest);
                std::fill(result, result + (n - larger), pivot);
                finish(result, n - larger);
                if (larger == 0) return;
                keys = rest, spare = result + (n - larger), n = larger, to_spare = true;
                continue;
            }
            // The smaller keys are at the front of the result, and the other buffer is free.
            spare = rest, keys = result, n = low, to_spare = false;
        }
        U* const result = to_spare ? spare : keys;
        sort_some<kVectors>(keys, result, n);
        finish(result, n);
    }

    /// Quickselect: found[k] = key ranks[k], counted from `first` on, of n keys in order.
    static void select(U* keys, U* spare, int64_t n, int64_t first, const int64_t* ranks, int64_t count, U* found,
                       int depth) {
        while (n > kBlock && depth-- > 0) {
            const U pivot = choose_pivot_near(keys, n, ranks[count / 2] - first);
            const V pivots = S::all(pivot);
            const int64_t high = part(keys, spare, n, [pivots](V v) { return Mask(~S::below(v, pivots) & S::kAll); });
            const int64_t low = n - high;
            if (low > 0) {
                const int64_t before = std::lower_bound(ranks, ranks + count, first + low) - ranks;
                if (before > 0) select(keys, spare + high, low, first, ranks, before, found, depth);
                ranks += before, found += before, count -= before;
                std::swap(keys, spare);
                spare += low, n = high, first += low;
            } else {
                // The pivot is the smallest key.
                const int64_t larger = part(spare, keys, n, [pivots](V v) { return S::below(pivots, v); });
                const int64_t equal = n - larger;
                for (; count > 0 && *ranks < first + equal; ++ranks, --count) *found++ = pivot;
                n = larger, first += equal;
            }
            if (count == 0) return;
        }
        if (n > kBlock)
            std::sort(keys, keys + n, S::less);
        else
            sort_some<kVectors>(keys, keys, n);
        for (int64_t k = 0; k < count; ++k) found[k] = keys[ranks[k] - first];
    }

    /// Rows from this length on are sampled before keys are selected; the maximum number of samples.
    static constexpr int64_t kSampledRow = 16 * 1024, kMostSamples = 4096;

    /// The keys between which `ranks` lie, as a sample tells; false if that may be too many.
    static bool bound_by_sample(const stored_t<T>* x, int64_t n, bool descending, const int64_t* ranks, int64_t count,
                                U (&bounds)[2]) {
        const int64_t samples = std::min(n / 64, kMostSamples), step = n / samples;
        U sample[kMostSamples + kLanes], spare[kMostSamples + kLanes];
        for (int64_t i = 0; i < samples; ++i) {
            // At a pseudo-random position in each step, so that periodic rows do not bias the sample.
            const uint64_t anywhere = uint64_t(i) * 0x9e3779b97f4a7c15 >> 32;
            sample[i] = ordered_key(load<T>(x[i * step + int64_t(anywhere % uint64_t(step))]), descending);
        }
        const auto place = [&](int64_t rank, int side) {
            const double share = double(rank) / double(n), middle = share * double(samples);
            // Four standard deviations of a rank among random samples.
            return int64_t(middle + side * (4 * std::sqrt(middle * (1 - share)) + 4));
        };
        const int64_t low = place(ranks[0], -1), high = place(ranks[count - 1], 1);
        if (high - low > samples / 4) return false;
        const int64_t places[] = {std::max<int64_t>(low, 0), std::min(high, samples - 1)};
        select(sample, spare, samples, 0, places, 2, bounds, 2 * std::bit_width(uint64_t(samples)));
        if (low < 0) bounds[0] = S::kFlipped;
        if (high >= samples) bounds[1] = S::kLargest;
        return true;
    }

    /// Writes the keys from bounds[0] to bounds[1] to `keys`, at most a quarter of n, and their number to `found`;
    /// counts the smaller ones. False if there are more.
    static bool collect(const stored_t<T>* x, int64_t n, bool descending, const U (&bounds)[2], U* keys, int64_t& below,
                        int64_t& found) {
        constexpr int64_t kTogether = 512;
        const V low = S::all(bounds[0]), high = S::all(bounds[1]);
        const int64_t most = n / 4;
        U block[kTogether];
        U* to = keys;
        below = 0;
        for (int64_t first = 0; first < n; first += kTogether) {
            const int64_t count = std::min(kTogether, n - first);
            if (to - keys > most) return false;
            for (int64_t i = 0; i < count; ++i) block[i] = ordered_key(load<T>(x[first + i]), descending);
            const auto take = [&](V v, Mask there) {
                const Mask smaller = S::below(v, low) & there, larger = S::below(high, v);
                const Mask taken = Mask(~(smaller | larger)) & there;
                below += std::popcount(unsigned(smaller));
                S::store(to, S::together(taken, v));
                to += std::popcount(unsigned(taken));
            };
            const int64_t whole = count / kLanes * kLanes;
            for (int64_t i = 0; i < whole; i += kLanes) take(S::load(block + i), S::kAll);
            if (const int rest = int(count - whole); rest > 0)
                take(S::load_some(block + whole, rest), Mask((1u << rest) - 1));
        }
        found = to - keys;
        return true;
    }

    /// Selects among the keys between two of a sample; false if the ranks are not there, or if different values may
    /// have the same key.
    static bool select_by_sample(const stored_t<T>* x, U* keys, U* spare, int64_t n, bool descending,
                                 const int64_t* ranks, int64_t count, U* found) {
        U bounds[2];
        int64_t below, between;
        if (n < kSampledRow || !bound_by_sample(x, n, descending, ranks, count, bounds) ||
            !collect(x, n, descending, bounds, keys, below, between) || ranks[0] < below ||
            ranks[count - 1] >= below + between)
            return false;
        select(keys, spare, between, below, ranks, count, found, 2 * std::bit_width(uint64_t(between)));
        if (std::none_of(found, found + count, [&](U key) { return may_be_shared<T>(key ^ S::kFlipped, descending); }))
            return true;
        U lost = 0;
        for (int64_t i = 0; i < n; ++i) {
            const T value = load<T>(x[i]);
            lost |= bits_lost(value, sort_key(value, descending), descending);
        }
        return lost == 0;
    }

    /// Writes the keys of values; false if different values have the same key.
    static bool make_keys(const stored_t<T>* x, U* keys, int64_t n, bool descending) {
        U differs = 0;
        for (int64_t i = 0; i < n; ++i) {
            const T value = load<T>(x[i]);
            const U key = sort_key(value, descending);
            differs |= bits_lost(value, key, descending);
            keys[i] = key ^ S::kFlipped;
        }
        return !differs;
    }

    // Partition

    /// Where the items of one part go. Up to `end`, more may be written than are taken.
    template <class Item> struct SplitPart {
        Item *at, *end;

        /// Lanes of a vector.
        void take(Mask lanes, V v) {
            const int count = std::popcount(unsigned(lanes));
            const V packed = S::together(lanes, v);
            if (at + kLanes <= end)
                S::store(reinterpret_cast<U*>(at), packed);
            else
                S::store_some(reinterpret_cast<U*>(at), count, packed);
            at += count;
        }
        /// The places of lanes, from `first` on.
        void take_places(unsigned lanes, int64_t first) {
            using P = Vectors64;
            for (int lane = 0; lane < kLanes; lane += P::kLanes) {
                const auto some = typename P::Mask(lanes >> lane & P::kAll);
                const int count = std::popcount(unsigned(some));
                const typename P::V packed = P::together(some, P::counted(first + lane));
                if (at + P::kLanes <= end)
                    P::store(reinterpret_cast<uint64_t*>(at), packed);
                else
                    P::store_some(reinterpret_cast<uint64_t*>(at), count, packed);
                at += count;
            }
        }
    };

    /// Item is U for values, int64_t for places.
    template <class Item>
    static void split(const stored_t<T>* x, int64_t n, bool descending, U pivot, int64_t rank, Item* to, Item* spare) {
        constexpr bool gives_places = !is_same<Item, U>;
        constexpr int64_t kTogether = 512;
        // At most `rank` are smaller, and at most those after it are larger.
        SplitPart<Item> smaller{to, to + rank}, same{spare, spare + n}, larger{to + rank + 1, to + n};
        const V pivots = S::all(pivot);
        U keys[kTogether];
        const int64_t whole = n / kLanes * kLanes;
        for (int64_t first = 0; first < whole; first += kTogether) {
            const int64_t count = std::min(kTogether, whole - first);
            for (int64_t i = 0; i < count; ++i) keys[i] = ordered_key(load<T>(x[first + i]), descending);
            for (int64_t i = 0; i < count; i += kLanes) {
                const V key = S::load(keys + i);
                const Mask low = S::below(key, pivots), high = S::below(pivots, key),
                           rest = Mask(~(low | high) & S::kAll);
                if constexpr (gives_places) {
                    smaller.take_places(low, first + i), larger.take_places(high, first + i);
                    if (rest) same.take_places(rest, first + i);
                } else {
                    const V v = S::load(reinterpret_cast<const U*>(x) + first + i);
                    smaller.take(low, v), larger.take(high, v);
                    if (rest) same.take(rest, v);
                }
            }
        }
        for (int64_t i = whole; i < n; ++i) {
            const U key = ordered_key(load<T>(x[i]), descending);
            SplitPart<Item>& part = S::less(key, pivot) ? smaller : S::less(pivot, key) ? larger : same;
            *part.at++ = gives_places ? Item(i) : Item(std::bit_cast<U>(x[i]));
        }
        const int64_t equal = same.at - spare;
        Item *const begin = to + rank + 1, *const place = smaller.at + equal;
        if (place != begin) std::copy_backward(begin, larger.at, to + n);
        std::copy(spare, same.at, smaller.at);
    }

    explicit KeySort(bool descending) : descending_(descending) {}
    bool descending_;

 public:
    /// A ValueSortLoop.
    static bool run(const void* from, void* to, void* spare, int64_t n, bool descending) {
        const auto* const x = static_cast<const stored_t<T>*>(from);
        U* const keys = static_cast<U*>(spare);
        U falls = 0;
        if (!make_keys(x, keys, n, descending)) return false;
        for (int64_t i = 1; i < n && !falls; i += kRun) {
            const int64_t end = std::min(n, i + kRun);
            for (int64_t k = i; k < end; ++k) falls |= U(S::less(keys[k], keys[k - 1]));
        }
        if (!falls) {
            if (to != from) std::copy(x, x + n, static_cast<stored_t<T>*>(to));
            return true;
        }
        KeySort(descending).sort(keys, static_cast<U*>(to), n, true, 2 * std::bit_width(uint64_t(n)));
        return true;
    }

    /// A SplitLoop.
    static void run_split(const void* from, int64_t n, bool descending, uint64_t pivot, int64_t rank, bool gives_places,
                          void* to, void* spare) {
        const auto run = [&]<class Item>(Item*) {
            split(static_cast<const stored_t<T>*>(from), n, descending, U(pivot) ^ S::kFlipped, rank,
                  static_cast<Item*>(to), static_cast<Item*>(spare));
        };
        gives_places ? run(static_cast<int64_t*>(nullptr)) : run(static_cast<U*>(nullptr));
    }

    /// A ValueSelectLoop.
    static bool run_select(const void* from, void* keys, void* spare, int64_t n, bool descending, const int64_t* ranks,
                           int64_t count, void* found) {
        const auto* const x = static_cast<const stored_t<T>*>(from);
        U *const result = static_cast<U*>(found), *const all = static_cast<U*>(keys),
                 *const more = static_cast<U*>(spare);
        if (!select_by_sample(x, all, more, n, descending, ranks, count, result)) {
            if (!make_keys(x, all, n, descending)) return false;
            select(all, more, n, 0, ranks, count, result, 2 * std::bit_width(uint64_t(n)));
        }
        KeySort(descending).finish(result, count);
        return true;
    }
};

}  // namespace

void collect_sorts(ValueSortLoop* sorts, ValueSelectLoop* selects, SplitLoop* splits) {
#define DTYPE(name, type, ...)                                 \
    if constexpr (!is_complex<type> && sizeof(type) >= 4) {    \
        sorts[int(DType::name)] = KeySort<type>::run;          \
        selects[int(DType::name)] = KeySort<type>::run_select; \
        splits[int(DType::name)] = KeySort<type>::run_split;   \
    }
#include "cuarray/dtypes.def"
}

}  // namespace cuarray::host

#else

namespace cuarray::host {

void collect_sorts(ValueSortLoop*, ValueSelectLoop*, SplitLoop*) {}

}  // namespace cuarray::host

#endif
