// partition.cpp -- classification of elements: by the pivots of a partition, by the equally spaced edges of bins.
#include "cuarray/kernel/sort.h"
#include "host/loops/tables.h"

namespace cuarray::host {
namespace {

template <class T>
void find_parts(const void* from, int64_t n, bool descending, const uint64_t* pivots, int count, uint8_t* parts,
                int64_t* counts) {
    using U = unsigned_t<T>;
    const auto* const x = static_cast<const stored_t<T>*>(from);
    int64_t rest = n;  // elements that are not below the pivot
    for (int k = 0; k < count; ++k) {
        const U pivot = U(pivots[k]);
        uint32_t reach = 0, exceed = 0;
        const auto compare = [&](int64_t i, uint8_t before) {
            const U key = kernel::sort_key(load<T>(x[i]), descending);
            const bool reaches = key >= pivot, exceeds = key > pivot;
            parts[i] = uint8_t(before + reaches + exceeds);
            reach += reaches;
            exceed += exceeds;
        };
        if (k == 0)
            for (int64_t i = 0; i < n; ++i) compare(i, 0);
        else
            for (int64_t i = 0; i < n; ++i) compare(i, parts[i]);
        counts[2 * k] += rest - reach;
        counts[2 * k + 1] += reach - exceed;
        rest = exceed;
    }
    counts[2 * count] += rest;
}

template <class T>
int64_t guess_bins(const void* from, int64_t n, double first, double scale, double margin, int32_t count,
                   int32_t* bins) {
    const auto* const x = static_cast<const T*>(from);
    const T begin = T(first), factor = T(scale), end = T(count), low = T(margin), high = T(1 - margin);
    int32_t sure = 0;
    for (int64_t i = 0; i < n; ++i) {
        const T at = (x[i] - begin) * factor, inside = at >= 0 && at < end ? at : T(0);
        const int32_t bin = int32_t(inside);
        const T within = inside - T(bin);
        const bool is_sure = (within > low) & (within < high);
        bins[i] = is_sure ? bin : count;
        sure += is_sure;
    }
    return n - sure;
}

}  // namespace

void collect_parts(PartitionLoop* to) {
#define DTYPE(name, type, ...) \
    if constexpr (!is_complex<type>) to[int(DType::name)] = find_parts<type>;
#include "cuarray/dtypes.def"
}

void collect_guesses(GuessLoop* to) {
    to[int(DType::float32)] = guess_bins<f32>;
    to[int(DType::float64)] = guess_bins<f64>;
}

}  // namespace cuarray::host
