// segmented_reduce_launch.h -- plans a segmented reduction: kernel, grid and parameters.
#pragma once
#include <optional>
#include "codegen/launch.h"
#include "cuarray/core/table.h"
#include "cuarray/kernel/segmented_reduce.h"

namespace cuarray {

/// The operands of a SegmentedReduce (runtime/task.h) in device memory.
struct SegmentedReduceOperands {
    Dims shape;
    int axis;
    int64_t count;
    DType dtype;
    DeviceOperand values, result;
    uint64_t begins, ends;
    ReductionId row;
    LoopId loop;
};

/// Empty if more than 8 other axes remain after merging.
CUARRAY_API std::optional<NamedLaunch> plan_segmented_reduce(const SegmentedReduceOperands& places);

}  // namespace cuarray
