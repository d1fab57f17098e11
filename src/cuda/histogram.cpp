// histogram.cpp -- histograms on a GPU: counts with atomics; weights are sorted by bin and summed per bin.
#include <bit>
#include "codegen/histogram_launch.h"
#include "cuda/backend.h"

namespace cuarray::cuda {

void GpuBackend::execute(const Histogram& task) {
    kernel::HistogramParameters p{};
    p.n = uint64_t(task.n), p.bins = task.bins, p.guesses = task.equal_bins;
    p.values = reinterpret_cast<const void*>(address_of(task.values));
    if (task.edges.storage) p.edges = reinterpret_cast<const void*>(address_of(task.edges));
    const auto run = [&](HistogramStep step) {
        NamedLaunch named = plan_histogram(step, task.values.dtype, p);
        launch(named, task.name);
    };
    clear(address_of(task.result), task.bins * int64_t(sizeof(u64)));
    if (!task.weights.storage) {
        p.counts = reinterpret_cast<u64*>(address_of(task.result));
        run(HistogramStep::Counts);
    } else if (task.n > 0) {
        const int64_t word = sizeof(u64);
        const StorageRef bins = allocate(task.n * word), order = allocate(task.n * word);
        p.counts = reinterpret_cast<u64*>(address_of(*bins, 0));
        run(HistogramStep::Bins);
        sort_places({1,
                     task.n,
                     {bins.get(), 0, DType::uint64, {word}},
                     {order.get(), 0, DType::int64, {word}},
                     true,
                     false,
                     false,
                     task.name},
                    std::bit_width(uint64_t(task.bins)));
        p.order = reinterpret_cast<const u64*>(address_of(*order, 0));
        p.weights = reinterpret_cast<const f64*>(address_of(task.weights));
        p.sums = reinterpret_cast<f64*>(address_of(task.result));
        run(HistogramStep::Sums);
    }
}

}  // namespace cuarray::cuda
