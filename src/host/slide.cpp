// slide.cpp -- sums of products of taps that slide along a line: its ends one by one, the rest in blocks.
#include <algorithm>

#include "cuarray/core/dispatch.h"
#include "cuarray/kernel/slide.h"
#include "host/tasks.h"
#include "host/threads.h"

namespace cuarray::host {
namespace {

/// Results at which taps lie beyond the line's ends.
void run_end(const Slide& task, int64_t begin, int64_t end) {
    dispatch(task.line.dtype, [&]<class T>() {
        const kernel::Slide p{task.n, task.taps, task.before, task.count, task.line.data(), task.row.data(), nullptr};
        auto* const to = reinterpret_cast<stored_t<T>*>(task.result.data());
        for (int64_t i = begin; i < end; ++i) to[i] = kernel::slide_at<T>(p, i - task.before);
    });
}

}  // namespace

void run_slide(const LoopLibrary& library, const Slide& task) {
    const DefaultFloatMode mode;
    const int64_t first = std::clamp<int64_t>(task.before, 0, task.count);
    const int64_t last = std::clamp<int64_t>(task.n - task.taps + 1 + task.before, first, task.count);
    const int64_t item = item_size(task.line.dtype), inside = last - first;
    const int64_t block = std::max<int64_t>(256, kTaskElements / task.taps);
    run_end(task, 0, first);
    parallel_for((inside + block - 1) / block, [&](int64_t i) {
        const int64_t begin = first + i * block, n = std::min(block, last - begin);
        library.slides[int(task.line.dtype)](task.line.data() + (begin - task.before) * item, task.row.data(), task.taps,
                                             task.result.data() + begin * item, n);
    });
    run_end(task, last, task.count);
}

}  // namespace cuarray::host
