// sorting_network.h -- Batcher's odd-even merge sort: which items are compared and exchanged, whatever their values.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace cuarray::host {

/// The smaller item goes to `low`.
struct Comparator {
    uint8_t low, high;
};

/// Calls visit(phase, exchange) for n items; phase p sorts runs of 2 p items. For fewer items, exchanges with missing
/// ones are left out.
template <int n, class Visit> constexpr void each_exchange(Visit visit) {
    for (int phase = 1; phase < n; phase *= 2)
        for (int step = phase; step >= 1; step /= 2)
            for (int begin = step % phase; begin + step < n; begin += 2 * step)
                for (int i = begin; i < std::min(begin + step, n - step); ++i)
                    if (i / (2 * phase) == (i + step) / (2 * phase))
                        visit(phase, Comparator{uint8_t(i), uint8_t(i + step)});
}

template <int n> constexpr size_t kExchanges = [] {
    size_t count = 0;
    each_exchange<n>([&](int, Comparator) { ++count; });
    return count;
}();

}  // namespace cuarray::host
