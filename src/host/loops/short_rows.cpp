// short_rows.cpp -- stable sorts of short rows: a block of rows at a time, each in its own SIMD lane, by a network.
#include <algorithm>
#include <array>
#include <cstring>

#include "host/loops/sort_keys.h"
#include "host/loops/sorting_network.h"
#include "host/loops/tables.h"

namespace cuarray::host {
namespace {

using kernel::sort_key;

struct NetworkStep {
    uint8_t phase;
    Comparator exchange;
};

constexpr std::array<NetworkStep, kExchanges<kShortRow>> kSteps = [] {
    std::array<NetworkStep, kExchanges<kShortRow>> steps{};
    size_t at = 0;
    each_exchange<kShortRow>([&](int phase, Comparator exchange) { steps[at++] = {uint8_t(phase), exchange}; });
    return steps;
}();

/// The exchanges that sort n items: those with missing items would leave the others where they are.
class Network {
 public:
    explicit Network(int64_t n) {
        for (const NetworkStep& step : kSteps) {
            if (step.phase >= n) break;
            if (step.exchange.high < n) exchanges_[count_++] = step.exchange;
        }
    }
    const Comparator* begin() const { return exchanges_; }
    const Comparator* end() const { return exchanges_ + count_; }

 private:
    Comparator exchanges_[kExchanges<kShortRow>];
    int count_ = 0;
};

/// Sorts the lanes of items[position][lane].
template <class U, int L> void sort_lanes(U (*items)[L], const Network& network) {
    for (const auto [low, high] : network) {
        U* const a = items[low];
        U* const b = items[high];
#pragma GCC ivdep
        for (int lane = 0; lane < L; ++lane) {
            const U x = a[lane], y = b[lane];
            a[lane] = x < y ? x : y;
            b[lane] = x < y ? y : x;
        }
    }
}

/// Sorts the lanes by keys and then by places, which move along.
template <class U, int L> void sort_lanes(U (*keys)[L], U (*places)[L], const Network& network) {
    for (const auto [low, high] : network) {
        U* const a = keys[low];
        U* const b = keys[high];
        U* const p = places[low];
        U* const q = places[high];
#pragma GCC ivdep
        for (int lane = 0; lane < L; ++lane) {
            const U x = a[lane], y = b[lane], s = p[lane], t = q[lane];
            const bool falls = (y < x) | ((y == x) & (t < s));
            a[lane] = falls ? y : x;
            b[lane] = falls ? x : y;
            p[lane] = falls ? t : s;
            q[lane] = falls ? s : t;
        }
    }
}

/// Transposes `rows` rows of n items into lanes; other lanes are zero.
template <class U, int L> void to_lanes(U (*lanes)[L], const U* items, int64_t rows, int64_t n) {
    if (rows < L) std::fill(lanes[0], lanes[0] + n * L, U(0));
    for (int64_t r = 0; r < rows; ++r)
        for (int64_t i = 0; i < n; ++i) lanes[i][r] = items[r * n + i];
}

template <class T> class ShortRows {
    using U = unsigned_t<T>;
    using Stored = stored_t<T>;
    /// A key above its place, where a word has room for both; else two words.
    static constexpr bool kIsPair = sizeof(U) < 8;
    using Pair = choose_t<sizeof(U) <= 2, uint32_t, uint64_t>;
    static constexpr int kPlaceBits = 6;
    static_assert(kShortRow == int64_t(1) << kPlaceBits);
    static constexpr int kLanes = int(std::max<size_t>(16, 64 / sizeof(U))), kPairLanes = 16;

    /// Calls use(row, position, place) for the items of at most kPairLanes rows: in the sorted row, and in the row.
    template <class Use>
    static void sort_places(const Stored* x, int64_t rows, int64_t n, bool descending, const Network& network,
                            Use use) {
        alignas(64) Pair lanes[kShortRow][kPairLanes];
        Pair items[kShortRow * kPairLanes];
        for (int64_t i = 0; i < rows * n; ++i) items[i] = Pair(sort_key(load<T>(x[i]), descending));
        if constexpr (kIsPair)
            for (int64_t r = 0; r < rows; ++r)
                for (int64_t i = 0; i < n; ++i) items[r * n + i] = items[r * n + i] << kPlaceBits | Pair(i);
        to_lanes(lanes, items, rows, n);
        if constexpr (kIsPair) {
            sort_lanes(lanes, network);
            for (int64_t r = 0; r < rows; ++r)
                for (int64_t i = 0; i < n; ++i) use(r, i, int64_t(lanes[i][r] & (kShortRow - 1)));
        } else {
            alignas(64) Pair places[kShortRow][kPairLanes];
            for (int64_t i = 0; i < n; ++i) std::fill(places[i], places[i] + kPairLanes, Pair(i));
            sort_lanes(lanes, places, network);
            for (int64_t r = 0; r < rows; ++r)
                for (int64_t i = 0; i < n; ++i) use(r, i, int64_t(places[i][r]));
        }
    }

    /// Sorts values of which several may share a key.
    static void sort_by_places(const Stored* x, Stored* to, int64_t rows, int64_t n, bool descending,
                               const Network& network) {
        Stored copy[kShortRow * kPairLanes];
        for (int64_t begin = 0; begin < rows; begin += kPairLanes) {
            const int64_t count = std::min<int64_t>(kPairLanes, rows - begin);
            std::copy(x + begin * n, x + (begin + count) * n, copy);
            sort_places(copy, count, n, descending, network, [&](int64_t r, int64_t position, int64_t place) {
                to[(begin + r) * n + position] = copy[r * n + place];
            });
        }
    }

    static void sort_block(const Stored* x, Stored* to, int64_t rows, int64_t n, bool descending,
                           const Network& network) {
        alignas(64) U lanes[kShortRow][kLanes];
        U items[kShortRow * kLanes];
        U lost = 0;
        for (int64_t i = 0; i < rows * n; ++i) {
            const T value = load<T>(x[i]);
            const U key = sort_key(value, descending);
            lost |= bits_lost(value, key, descending);
            items[i] = key;
        }
        if (lost) return sort_by_places(x, to, rows, n, descending, network);
        to_lanes(lanes, items, rows, n);
        sort_lanes(lanes, network);
        for (int64_t r = 0; r < rows; ++r)
            for (int64_t i = 0; i < n; ++i) items[r * n + i] = lanes[i][r];
        for (int64_t i = 0; i < rows * n; ++i) {
            const U bits = bits_of_key<T>(items[i], descending);
            std::memcpy(to + i, &bits, sizeof bits);
        }
    }

 public:
    static void values(const void* from, void* to, int64_t rows, int64_t n, bool descending) {
        const Network network(n);
        for (int64_t r = 0; r < rows; r += kLanes)
            sort_block(static_cast<const Stored*>(from) + r * n, static_cast<Stored*>(to) + r * n,
                       std::min<int64_t>(kLanes, rows - r), n, descending, network);
    }

    static void indices(const void* from, int64_t* to, int64_t rows, int64_t n, bool descending) {
        const Network network(n);
        for (int64_t begin = 0; begin < rows; begin += kPairLanes)
            sort_places(static_cast<const Stored*>(from) + begin * n, std::min<int64_t>(kPairLanes, rows - begin), n,
                        descending, network,
                        [&](int64_t r, int64_t position, int64_t place) { to[(begin + r) * n + position] = place; });
    }
};

}  // namespace

void collect_short_rows(ShortRowSorts* to) {
#define DTYPE(name, type, ...) \
    if constexpr (!is_complex<type>) to[int(DType::name)] = {ShortRows<type>::values, ShortRows<type>::indices};
#include "cuarray/dtypes.def"
}

}  // namespace cuarray::host
