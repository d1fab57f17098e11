// correlate.cpp -- cross-correlations: blocks of results inside the signal; at its ends, over a padded copy.
#include <algorithm>
#include <cstring>

#include "host/scratch.h"
#include "host/tasks.h"
#include "host/threads.h"

namespace cuarray::host {
namespace {

/// Results whose taps extend past an end of the signal, computed from a padded copy of that end.
void run_end(const LoopLibrary& library, const Correlate& task, int64_t begin, int64_t end) {
    if (begin == end) return;
    const int64_t item = item_size(task.signal.dtype), start = begin - task.before, reach = end - begin + task.taps - 1;
    const int64_t low = std::clamp<int64_t>(-start, 0, reach), high = std::clamp<int64_t>(task.n - start, low, reach);
    Scratch scratch;
    char* const line = scratch.take(reach * item);
    std::memset(line, 0, size_t(low * item));
    std::memcpy(line + low * item, task.signal.data() + (start + low) * item, size_t((high - low) * item));
    std::memset(line + high * item, 0, size_t((reach - high) * item));
    library.correlations[int(task.signal.dtype)](line, task.weights.data(), task.taps,
                                                 task.result.data() + begin * item, end - begin, low, high);
}

}  // namespace

void run(const LoopLibrary& library, const Correlate& task) {
    const DefaultFloatMode mode;
    const int64_t first = std::clamp<int64_t>(task.before, 0, task.count);
    const int64_t last = std::clamp<int64_t>(task.n - task.taps + 1 + task.before, first, task.count);
    const int64_t item = item_size(task.signal.dtype), inside = last - first;
    const int64_t block = std::max<int64_t>(256, kTaskElements / task.taps);
    parallel_for((inside + block - 1) / block, [&](int64_t i) {
        const int64_t begin = first + i * block, n = std::min(block, last - begin);
        library.correlations[int(task.signal.dtype)](task.signal.data() + (begin - task.before) * item,
                                                     task.weights.data(), task.taps, task.result.data() + begin * item,
                                                     n, 0, n + task.taps - 1);
    });
    const int64_t ends[] = {0, first, last, task.count};
    const auto run_ends = [&](int64_t i) { run_end(library, task, ends[2 * i], ends[2 * i + 1]); };
    if (task.taps * task.taps > kTaskElements) return parallel_for(2, run_ends);
    run_ends(0), run_ends(1);  // to wake another thread takes longer
}

}  // namespace cuarray::host
