// histogram_launch.cpp -- plans a step of a histogram.
#include "codegen/histogram_launch.h"

#include <algorithm>
#include <cstring>
#include <string>

#include "codegen/sizes.h"

namespace cuarray {
namespace {

/// Values per counting thread at least, since each reads the edges first; and the most blocks, each of which merges a
/// table.
constexpr int64_t kCountedValues = 8, kMostHistogramBlocks = 2048;

}  // namespace

NamedLaunch plan_histogram(HistogramStep step, DType values, const kernel::HistogramParameters& task) {
    static_assert(sizeof task <= sizeof(Launch::parameters));
    constexpr const char* functions[] = {"histogram_counts", "histogram_bins", "histogram_sums"};
    const std::string function = functions[int(step)], type = info(values).text;
    const bool typed = step != HistogramStep::Sums;
    NamedLaunch to;
    to.kernel.is_optimised = true;  // a tenth fewer instructions, as fast to compile
    to.kernel.entry = function + "_" + (typed ? type : "f64");
    to.kernel.parameters = "HistogramParameters";
    to.kernel.function = function + (typed ? "<" + type + ">" : "");
    to.kernel.threads = kThreads;
    const int64_t threads = step == HistogramStep::Sums ? 32 * task.bins : int64_t(task.n);
    int64_t blocks = (threads + kThreads - 1) / kThreads;
    if (step == HistogramStep::Counts) blocks = std::min((blocks - 1) / kCountedValues + 1, kMostHistogramBlocks);
    to.launch.set_grid(function, blocks, kThreads);
    std::memcpy(to.launch.parameters, &task, sizeof task);
    return to;
}

}  // namespace cuarray
