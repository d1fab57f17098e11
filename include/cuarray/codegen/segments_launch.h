// segments_launch.h -- which kernels fold parts of an axis, their grids and parameters.
#pragma once
#include <optional>
#include "cuarray/codegen/launch.h"
#include "cuarray/core/table.h"
#include "cuarray/kernel/segments.h"

namespace cuarray {

/// A Segments task (runtime/backend.h) on a device.
struct SegmentPlaces {
    Dims shape;
    int axis;
    int64_t count;
    DType dtype;
    Place values, result;
    uint64_t begins, ends;
    ReductionId row;
    LoopId loop;
};

/// Nothing where more than 8 other axes do not merge.
CUARRAY_API std::optional<NamedLaunch> plan_segments(const SegmentPlaces& places);

}  // namespace cuarray
