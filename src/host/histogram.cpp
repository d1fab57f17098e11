// histogram.cpp -- counts values by bin in one table per thread; sums weights serially.
#include <algorithm>
#include <cmath>
#include <limits>

#include "core/dispatch.h"
#include "cuarray/kernel/histogram.h"
#include "host/radix.h"
#include "host/tasks.h"

namespace cuarray::host {
namespace {

/// The number of tables of counts: several only if they are small compared with the number of values.
int tables_for(int64_t n, int64_t bins) { return bins > n / 8 ? 1 : threads_of(n); }

/// Values whose bins are guessed at a time, and the maximum number of bins for guesses.
constexpr int64_t kGuessBlock = 1024, kMostGuessed = 1 << 20;

/// Nearly equally spaced edges: `scale` bins per unit, and the distance from the nearest edges, in bins, beyond which
/// rounding cannot change the bin of a value.
template <class T> struct Spacing {
    T scale;
    double margin;

    explicit Spacing(const kernel::BinEdges<T, i64>& e) : scale(e.scale()), margin(0) {
        for (i64 i = 0; i <= e.bins; ++i)
            margin = std::max(margin, std::abs(double((e.edges[i] - e.first) * scale) - double(i)));
        margin += 8 * double(std::numeric_limits<T>::epsilon()) * double(e.bins);
    }
    bool is_even() const { return margin < 0.25; }  // not where it is NaN
};

/// Calls visit(bin, i) for the values begin..end - 1 that fall into a bin. Invariant conditions are tested before the
/// loop.
template <class T, class Visit>
void each_bin(const LoopLibrary& library, const kernel::HistogramParameters& p, int64_t begin, int64_t end,
              Visit visit) {
    const T *const values = static_cast<const T*>(p.values), *const edges = static_cast<const T*>(p.edges);
    const i64 bins = p.bins;
    const auto run = [=](auto bin_of) {
        for (int64_t i = begin; i < end; ++i)
            if (const i64 bin = bin_of(values[i]); bin >= 0) visit(bin, i);
    };
    if constexpr (is_integer<T>)
        if (!edges) return run([=](T value) { return u64(value) < u64(bins) ? i64(value) : -1; });
    const kernel::BinEdges<T, i64> sides(edges, bins);
    if constexpr (is_float<T>) {
        const GuessLoop guess = library.guesses[int(dtype_of<T>)];
        const Spacing<T> spacing(sides);
        if (p.guesses && !(bins <= kMostGuessed && spacing.is_even()))
            return run([=](T value) { return kernel::bin_by_guess(sides, spacing.scale, value); });
        if (p.guesses) {
            for (int64_t first = begin; first < end; first += kGuessBlock) {
                const int64_t n = std::min(kGuessBlock, end - first);
                int32_t guesses[kGuessBlock];
                const int64_t unsure = guess(values + first, n, double(edges[0]), double(spacing.scale), spacing.margin,
                                             int32_t(bins), guesses);
                for (int64_t i = 0; unsure > 0 && i < n; ++i)
                    if (guesses[i] == bins)
                        guesses[i] = int32_t(kernel::bin_by_guess(sides, spacing.scale, values[first + i]));
                for (int64_t i = 0; i < n; ++i)
                    if (guesses[i] >= 0) visit(guesses[i], first + i);
            }
            return;
        }
    }
    run([=](T value) { return kernel::bin_by_search(sides, value); });
}

template <class T> void histogram(const LoopLibrary& library, const Histogram& task) {
    kernel::HistogramParameters p{};
    p.n = uint64_t(task.n), p.bins = task.bins, p.guesses = task.equal_bins;
    p.values = task.values.data();
    p.edges = task.edges.storage ? task.edges.data() : nullptr;
    if (task.weights.storage) {
        const auto* weights = reinterpret_cast<const f64*>(task.weights.data());
        auto* const sums = reinterpret_cast<f64*>(task.result.data());
        std::fill(sums, sums + task.bins, 0.0);
        each_bin<T>(library, p, 0, task.n, [=](i64 bin, int64_t i) { sums[bin] += weights[i]; });
        return;
    }
    auto* const result = reinterpret_cast<int64_t*>(task.result.data());
    const int tables = tables_for(task.n, task.bins);
    Scratch scratch;
    int64_t* const more = tables > 1 ? scratch.take_array<int64_t>((tables - 1) * task.bins) : nullptr;
    each_chunk(task.n, tables, [&](int c, int64_t begin, int64_t end) {
        int64_t* const counts = c ? more + (c - 1) * task.bins : result;
        std::fill(counts, counts + task.bins, 0);
        each_bin<T>(library, p, begin, end, [=](i64 bin, int64_t) { ++counts[bin]; });
    });
    for (int c = 1; c < tables; ++c)
        for (int64_t b = 0; b < task.bins; ++b) result[b] += more[(c - 1) * task.bins + b];
}

}  // namespace

void run(const LoopLibrary& library, const Histogram& task) {
    switch (task.values.dtype) {
        case DType::float32: return histogram<f32>(library, task);
        case DType::float64: return histogram<f64>(library, task);
        case DType::uint64: return histogram<u64>(library, task);
        default: return histogram<i64>(library, task);
    }
}

}  // namespace cuarray::host
