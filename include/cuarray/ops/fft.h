// fft.h -- discrete Fourier transforms over one axis or several, and their frequencies, as numpy.fft has them.
#pragma once
#include <optional>
#include "cuarray/ops/arguments.h"
#include "cuarray/runtime/runtime.h"

namespace cuarray::fft {

/// Which direction is scaled by 1 / n; Ortho scales both by 1 / sqrt(n).
enum class Norm : uint8_t { Backward, Ortho, Forward };

/// result[k] is the sum of a[j] * exp(-2j * pi * j * k / n) over j, along an axis of n points, by default all; complex,
/// of single precision if `a` is. ifft has the other sign, and is the inverse. ValueError for fewer points than one.
CUARRAY_API Array fft(const Array& a, std::optional<int64_t> n = {}, int64_t axis = -1, Norm norm = Norm::Backward);
CUARRAY_API Array ifft(const Array& a, std::optional<int64_t> n = {}, int64_t axis = -1, Norm norm = Norm::Backward);
/// From real numbers to the n / 2 + 1 frequencies that are not negative; back from these to n real numbers, by default
/// an even number.
CUARRAY_API Array rfft(const Array& a, std::optional<int64_t> n = {}, int64_t axis = -1, Norm norm = Norm::Backward);
CUARRAY_API Array irfft(const Array& a, std::optional<int64_t> n = {}, int64_t axis = -1, Norm norm = Norm::Backward);
/// From half of a Hermitian line to n real frequencies, and back.
CUARRAY_API Array hfft(const Array& a, std::optional<int64_t> n = {}, int64_t axis = -1, Norm norm = Norm::Backward);
CUARRAY_API Array ihfft(const Array& a, std::optional<int64_t> n = {}, int64_t axis = -1, Norm norm = Norm::Backward);

/// Transforms of several axes, by default all, or as many of the last ones as `s` has numbers of points. The real axis
/// of rfftn and irfftn is the last one.
CUARRAY_API Array fftn(const Array& a, const OptionalDims& s = {}, const OptionalDims& axes = {},
                       Norm norm = Norm::Backward);
CUARRAY_API Array ifftn(const Array& a, const OptionalDims& s = {}, const OptionalDims& axes = {},
                        Norm norm = Norm::Backward);
CUARRAY_API Array rfftn(const Array& a, const OptionalDims& s = {}, const OptionalDims& axes = {},
                        Norm norm = Norm::Backward);
CUARRAY_API Array irfftn(const Array& a, const OptionalDims& s = {}, const OptionalDims& axes = {},
                         Norm norm = Norm::Backward);
/// The same of two axes.
inline Array fft2(const Array& a, const OptionalDims& s = {}, const Dims& axes = {-2, -1}, Norm norm = Norm::Backward) {
    return fftn(a, s, axes, norm);
}
inline Array ifft2(const Array& a, const OptionalDims& s = {}, const Dims& axes = {-2, -1},
                   Norm norm = Norm::Backward) {
    return ifftn(a, s, axes, norm);
}
inline Array rfft2(const Array& a, const OptionalDims& s = {}, const Dims& axes = {-2, -1},
                   Norm norm = Norm::Backward) {
    return rfftn(a, s, axes, norm);
}
inline Array irfft2(const Array& a, const OptionalDims& s = {}, const Dims& axes = {-2, -1},
                    Norm norm = Norm::Backward) {
    return irfftn(a, s, axes, norm);
}

/// The frequencies of n points that are d apart: 0 and the positive ones, then the negative ones; rfftfreq has those
/// that are not negative.
CUARRAY_API Array fftfreq(int64_t n, double d = 1, const std::optional<Device>& device = {});
CUARRAY_API Array rfftfreq(int64_t n, double d = 1, const std::optional<Device>& device = {});
/// Frequency 0 moved to the middle of axes, by default of all, and back.
CUARRAY_API Array fftshift(const Array& x, const OptionalDims& axes = {});
CUARRAY_API Array ifftshift(const Array& x, const OptionalDims& axes = {});

}  // namespace cuarray::fft
