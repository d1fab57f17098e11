// segmented_reduce.cpp -- folds of segments of an axis: line by line if it is contiguous, else segment by segment.
#include <algorithm>
#include <cstring>

#include "cuarray/core/table.h"
#include "host/outer_walk.h"
#include "host/scratch.h"
#include "host/tasks.h"
#include "host/threads.h"

namespace cuarray::host {
namespace {

class SegmentedReduceRun {
 public:
    SegmentedReduceRun(const LoopLibrary& library, const SegmentedReduce& task)
        : task_(task), item_(item_size(task.values.dtype)) {
        Dims others, from, to;
        for (int d = 0; d < task.shape.size(); ++d) {
            if (d == task.axis) continue;
            others.push_back(task.shape[d]);
            from.push_back(task.values.strides[d]);
            to.push_back(task.result.strides[d]);
        }
        const Dims* const strides[] = {&to, &from};
        collapse(space_, others, strides);
        if (task.row != kNone)
            fold_ = library.reductions[task.row * library.dtype_count + int(task.values.dtype)].segmented_reduce;
        else
            loop_ = library.loops[task.loop];
        begins_ = reinterpret_cast<const int64_t*>(task.begins.data());
        ends_ = reinterpret_cast<const int64_t*>(task.ends.data());
    }

    void operator()() const {
        const int64_t lines = space_.size, n = task_.shape[task_.axis];
        // As many segments as hold a task's elements on average.
        const int64_t parts =
            std::clamp<int64_t>(kTaskElements * task_.count / std::max<int64_t>(n, 1), 1, task_.count);
        const int64_t groups = (task_.count + parts - 1) / parts;
        const int64_t per_task = std::max<int64_t>(1, kTaskElements / std::max(n, task_.count));
        const int64_t units = lines * groups;
        parallel_for((units + per_task - 1) / per_task, [&](int64_t i) {
            OuterWalk walk(space_, space_.ndim, i * per_task / groups);
            for (int64_t unit = i * per_task; unit < std::min(units, (i + 1) * per_task); ++unit) {
                const int64_t first = unit % groups * parts;
                fold(task_.values.data() + walk.offset(1), task_.result.data() + walk.offset(0), first,
                     std::min(parts, task_.count - first));
                if ((unit + 1) % groups == 0) walk.next();
            }
        });
    }

 private:
    void fold(const char* line, char* result, int64_t first, int64_t count) const {
        const int64_t step = task_.result.strides[task_.axis];
        char* const to = result + first * step;
        if (loop_) {
            for (int64_t k = 0; k < count; ++k) fold_in_order(line, first + k, to + k * step);
        } else if (step == item_) {
            fold_(line, begins_ + first, ends_ + first, count, to);
        } else {
            for (int64_t k = 0; k < count; ++k) fold_(line, begins_ + first + k, ends_ + first + k, 1, to + k * step);
        }
    }

    void fold_in_order(const char* line, int64_t k, char* to) const {
        if (begins_[k] >= ends_[k]) return;
        alignas(16) char value[2][16];
        int now = 0;
        std::memcpy(value[now], line + begins_[k] * item_, size_t(item_));
        for (int64_t i = begins_[k] + 1; i < ends_[k]; ++i) {
            const void* const in[] = {value[now], line + i * item_};
            void* const out[] = {value[now = !now]};
            loop_(in, out, 1);
        }
        std::memcpy(to, value[now], size_t(item_));
    }

    const SegmentedReduce& task_;
    const int64_t item_;
    Space space_;  ///< of the lines; operands: result, values
    decltype(ReductionLoops::segmented_reduce) fold_ = nullptr;
    BlockLoop loop_ = nullptr;
    const int64_t *begins_, *ends_;
};

/// Runs each segment as a reduction of its own, over all lines.
void fold_parts(const LoopLibrary& library, const SegmentedReduce& task) {
    Expr expr;
    expr.outputs = {expr.input(task.values.dtype)};
    const auto* const begins = reinterpret_cast<const int64_t*>(task.begins.data());
    const auto* const ends = reinterpret_cast<const int64_t*>(task.ends.data());
    View values = task.values, result = task.result;
    Dims shape = task.shape;
    const int64_t step = result.strides[task.axis];
    result.strides[task.axis] = 0;
    for (int64_t k = 0; k < task.count; ++k) {
        if (begins[k] >= ends[k]) continue;
        shape[task.axis] = ends[k] - begins[k];
        values.offset = task.values.offset + begins[k] * values.strides[task.axis];
        result.offset = task.result.offset + k * step;
        if (task.row != kNone)
            run(library, Reduce{&expr, shape, {&values, 1}, {&result, 1}, {task.axis}, task.row, nullptr, task.name});
        else
            run(library,
                LeftFold{&expr, shape, {&values, 1}, {&result, 1}, {task.axis}, task.loop, nullptr, task.name});
    }
}

}  // namespace

void run(const LoopLibrary& library, const SegmentedReduce& task) {
    if (count(task.shape) == 0 || task.count == 0) return;
    const DefaultFloatMode mode;
    if (task.values.strides[task.axis] == item_size(task.values.dtype))
        SegmentedReduceRun(library, task)();
    else
        fold_parts(library, task);
}

}  // namespace cuarray::host
