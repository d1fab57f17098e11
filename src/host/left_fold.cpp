// left_fold.cpp -- left folds with a binary loop, many of them advanced together as columns.
#include <algorithm>
#include <cstring>

#include "host/fold_space.h"
#include "host/tasks.h"
#include "host/threads.h"

namespace cuarray::host {
namespace {

class LeftFoldRun {
 public:
    LeftFoldRun(const LoopLibrary& library, const LeftFold& task)
        : task_(task),
          space_(space_of_thread()),
          plan_(space_.plan),
          loop_(library.loops[task.loop]),
          item_(item_size(loops()[task.loop].out[0])) {
        constexpr int64_t kAlwaysColumns = INT64_MAX;
        space_.lay_out(library, task, kAlwaysColumns);
        if (space_.n == 0 && !task.initial && space_.folds > 0)
            raise(ErrorKind::Value, task.name, ": zero-size array to a reduction which has no identity");
    }

    void operator()() {
        if (space_.folds == 0) return;
        const int64_t group = plan_.block, groups = (space_.folds + group - 1) / group;
        const int64_t elements = space_.folds * space_.n;
        const int64_t per_task = elements < 2 * kTaskElements ? groups : 1;
        parallel_for((groups + per_task - 1) / per_task, [&](int64_t i) {
            Scratch scratch;
            Machine machine(plan_, scratch, std::max<int64_t>(elements, 1));
            for (int64_t g = i * per_task; g < std::min(groups, (i + 1) * per_task); ++g)
                fold(machine, g * group, std::min(group, space_.folds - g * group));
        });
    }

 private:
    static FoldSpace& space_of_thread() {
        thread_local FoldSpace space;
        return space;
    }

    void fold(Machine& machine, int64_t first, int64_t folds) const {
        Scratch scratch;
        char* const acc = scratch.take(folds * item_);
        char* const values = scratch.take(plan_.block * item_);
        int64_t row = 0;
        if (task_.initial) {
            for (int64_t i = 0; i < folds; ++i) std::memcpy(acc + i * item_, task_.initial->bytes, size_t(item_));
        } else {
            std::memcpy(acc, machine.evaluate(first, folds, values), size_t(folds * item_));
            row = 1;
        }
        // If this group is all folds, rows are contiguous in the space: several are evaluated at once.
        const int64_t rows_at_once = folds == space_.folds ? std::max<int64_t>(1, plan_.block / folds) : 1;
        while (row < space_.n) {
            const int64_t rows = std::min(rows_at_once, space_.n - row);
            const void* const line = machine.evaluate(row * space_.folds + first, rows * folds, values);
            const auto* x = static_cast<const char*>(line);
            for (int64_t r = 0; r < rows; ++r) {
                const void* const in[] = {acc, x + r * folds * item_};
                void* const out[] = {acc};
                loop_(in, out, folds);
            }
            row += rows;
        }
        if (char* const to = space_.place(0, first))
            std::memcpy(to, acc, size_t(folds * item_));
        else
            space_.store(0, first, folds, acc);
    }

    const LeftFold& task_;
    FoldSpace& space_;
    const Plan& plan_;
    const BlockLoop loop_;
    const int64_t item_;
};

}  // namespace

void run(const LoopLibrary& library, const LeftFold& task) { LeftFoldRun(library, task)(); }

}  // namespace cuarray::host
