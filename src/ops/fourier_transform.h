// fourier_transform.h -- the task of discrete Fourier transforms over the last axes, by a device's library.
#pragma once
#include <span>

#include "cuarray/ops/fft.h"
#include "cuarray/runtime/task.h"

namespace cuarray {

/// Transforms the last `rank` axes (1 to 3) without scaling; `last` is the extent of the last axis of a real result, or
/// of its input. The dtype is float32 or float64 for FromReal, else complex. `is_spare`: nobody else uses the array, so
/// that a transform may overwrite it. NotImplementedError where the library is not installed.
Array fourier_transform(const Array& array, FourierTransform::Kind kind, int rank, int64_t last, bool is_spare,
                        const char* name);

namespace fft {

/// The transform of an axis, by its name in NumPy.
enum class AxisTransform : uint8_t { Fft, Ifft, Rfft, Irfft, Hfft, Ihfft };
struct TransformStep {
    AxisTransform kind;
    int64_t points;  ///< of the real side; lines are cut, or padded with zeros
    int axis;
};
/// Transforms of axes, one after another, at least one: the first may be from real numbers, the last to real ones. What
/// they ask for is checked already, and half precision is not among it.
CUARRAY_API Array transformed(const Array& a, std::span<const TransformStep> steps, Norm norm, const char* name);

}  // namespace fft
}  // namespace cuarray
