// fourier_transform.h -- the task of discrete Fourier transforms over the last axes, by a device's library.
#pragma once
#include "cuarray/array/array.h"
#include "cuarray/runtime/task.h"

namespace cuarray {

/// Transforms the last `rank` axes (1 to 3) without scaling; `last` is the extent of the last axis of a real result, or
/// of its input. The dtype is float32 or float64 for FromReal, else complex. `is_spare`: nobody else uses the array, so
/// that a transform may overwrite it. NotImplementedError where the library is not installed.
Array fourier_transform(const Array& array, FourierTransform::Kind kind, int rank, int64_t last, bool is_spare,
                        const char* name);

}  // namespace cuarray
