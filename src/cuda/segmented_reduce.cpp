// segmented_reduce.cpp -- segmented reductions on a GPU: plan, launch; beyond 8 axes, one launch per index of an axis.
#include "codegen/segmented_reduce_launch.h"
#include "cuda/backend.h"

namespace cuarray::cuda {

void GpuBackend::execute(const SegmentedReduce& task) {
    if (count(task.shape) == 0) return;
    std::optional<NamedLaunch> named = plan_segmented_reduce({
        task.shape,
        task.axis,
        task.count,
        task.values.dtype,
        {address_of(task.values), &task.values.strides},
        {address_of(task.result), &task.result.strides},
        address_of(task.begins),
        address_of(task.ends),
        task.row,
        task.loop,
    });
    if (named) return launch(*named, task.name);
    const int outer = task.axis == 0 ? 1 : 0;
    SegmentedReduce part = task;
    part.axis -= outer == 0;
    part.shape.erase(outer);
    for (View* view : {&part.values, &part.result}) view->strides.erase(outer);
    for (int64_t i = 0; i < task.shape[outer]; ++i) {
        part.values.offset = task.values.offset + i * task.values.strides[outer];
        part.result.offset = task.result.offset + i * task.result.strides[outer];
        execute(part);
    }
}

}  // namespace cuarray::cuda
