// fft.cpp -- Fourier transforms: up to three axes in one task, each after at most one copy, which also cuts and pads.
#include "cuarray/ops/fft.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "cuarray/ops/creation.h"
#include "cuarray/ops/joining.h"
#include "cuarray/ops/rearranging.h"
#include "cuarray/ops/shaping.h"
#include "ops/fourier_transform.h"

namespace cuarray::fft {
namespace {

constexpr size_t kTogether = 3;  // axes that one task transforms

bool is_from_real(AxisTransform kind) { return kind == AxisTransform::Rfft || kind == AxisTransform::Ihfft; }
bool is_to_real(AxisTransform kind) { return kind == AxisTransform::Irfft || kind == AxisTransform::Hfft; }
bool is_complex(AxisTransform kind) { return kind == AxisTransform::Fft || kind == AxisTransform::Ifft; }

using TransformSteps = std::vector<TransformStep>;

/// The steps divided into those of one task each: one transform to or from real numbers, or complex ones. A transform
/// to real numbers is alone: together with others, the library would want a Hermitian input.
std::vector<TransformSteps> tasks_of(std::span<const TransformStep> steps) {
    std::vector<TransformSteps> parts;
    for (const TransformStep& step : steps) {
        const auto has_axis = [&](const TransformStep& other) { return other.axis == step.axis; };
        if (!parts.empty() && is_complex(step.kind) && parts.back().size() < kTogether &&
            std::ranges::none_of(parts.back(), has_axis))
            parts.back().push_back(step);
        else
            parts.push_back({step});
    }
    return parts;
}

/// The first elements along each axis.
Array corner(const Array& array, const Dims& shape) { return array.view({shape, array.strides()}); }

/// The array with these lengths of its last axes, cut or padded with zeros: a copy in C order, or the same.
Array prepared(const Array& source, const Dims& lengths, DType dtype, bool copies) {
    Dims shape = source.shape(), common;
    for (int k = 0; k < lengths.size(); ++k) shape[shape.size() - lengths.size() + k] = lengths[k];
    const bool is_same = shape == source.shape();
    if (is_same && source.dtype() == dtype && source.is_c_contiguous() && !copies) return source;
    for (int d = 0; d < shape.size(); ++d) common.push_back(std::min(shape[d], source.shape()[d]));
    if (common == shape) return astype(corner(source, shape), dtype, 'C');
    const Array room = zeros(shape, dtype, 'C', source.device());
    if (count(common)) assign(corner(room, common), corner(source, common), "fft");
    return room;
}

/// Sets the imaginary part of a frequency of each line to 0.
void make_real(const Array& lines, int64_t frequency) {
    const DType part = real_part(lines.dtype());
    Layout layout = lines.layout();
    const int last = layout.ndim() - 1;
    const int64_t offset = frequency * layout.strides[last] + item_size(part);
    layout.shape.erase(last);
    layout.strides.erase(last);
    if (!lines.is_empty()) fill(lines.view(layout, offset, part), Scalar::of(part, 0.0), "fft");
}

/// Transforms the axes of a part; an array that nobody else has may be overwritten.
Array transform_part(const Array& x, TransformSteps part, bool is_single, bool is_spare, const char* name) {
    const AxisTransform kind = part[0].kind;
    if (is_from_real(kind)) std::ranges::rotate(part, part.begin() + 1);  // the real axis last
    Dims axes, places, lengths;
    for (const TransformStep& step : part) {
        places.push_back(x.ndim() - int64_t(part.size()) + axes.size());
        axes.push_back(step.axis);
        lengths.push_back(step.points);
    }
    const int64_t last = lengths.back();
    if (is_to_real(kind)) lengths.back() = last / 2 + 1;
    const DType complex = is_single ? DType::complex64 : DType::complex128;
    const DType dtype = is_from_real(kind) ? real_part(complex) : complex;
    Array source = moveaxis(x, axes, places);
    if (kind == AxisTransform::Hfft) {
        source = apply_row(row::conj, source);
        is_spare = true;
    }
    const bool is_copied = is_to_real(kind) && !is_spare;
    const Array ready = prepared(source, lengths, dtype, is_copied);
    const bool is_new = ready.storage_ref() != x.storage_ref();
    if (is_to_real(kind)) {
        // NumPy does not look at the imaginary parts of the first and of an even middle frequency.
        make_real(ready, 0);
        if (last % 2 == 0) make_real(ready, last / 2);
    }
    using Kind = FourierTransform::Kind;
    const Kind direction = is_from_real(kind)            ? Kind::FromReal
                           : is_to_real(kind)            ? Kind::ToReal
                           : kind == AxisTransform::Ifft ? Kind::Inverse
                                                         : Kind::Forward;
    const Array result = fourier_transform(ready, direction, int(part.size()), last, is_spare || is_new, name);
    return moveaxis(result, places, axes);
}

/// The factor of the results.
double scale_of(std::span<const TransformStep> steps, Norm norm) {
    const AxisTransform last = steps.back().kind;
    const bool is_hermitian = last == AxisTransform::Hfft || last == AxisTransform::Ihfft;
    if (is_hermitian && norm != Norm::Ortho) norm = norm == Norm::Backward ? Norm::Forward : Norm::Backward;
    double total = 1;
    for (const TransformStep& step : steps) total *= double(step.points);
    if (norm == Norm::Ortho) return 1 / std::sqrt(total);
    const bool is_inverse = last == AxisTransform::Ifft || is_to_real(last);
    return (norm == Norm::Backward) == is_inverse ? 1 / total : 1;
}

/// The transforms of a call, whose input is checked and of which half precision is computed in single precision.
Array run(const Array& a, TransformSteps steps, Norm norm, const char* name) {
    const Kind kind = info(a.dtype()).kind;
    if (a.dtype() == DType::bfloat16)
        raise(ErrorKind::Type, name, ": there is no transform of bfloat16; cast to float32 first");
    if (kind == Kind::Complex && is_from_real(steps[0].kind))
        raise(ErrorKind::Type, name, ": the input must be real, not ", info(a.dtype()).name);
    for (TransformStep& step : steps)
        if (step.points < 1)
            raise(ErrorKind::Value, name, ": ", step.points, " points along axis ", step.axis,
                  ", and a transform needs one at least");
    const bool is_half = a.dtype() == DType::float16;
    Array result = transformed(is_half ? astype(a, DType::float32) : a, steps, norm, name);
    return is_half && steps.size() == 1 && is_to_real(steps[0].kind) ? astype(result, DType::float16) : result;
}

Array run_axis(const Array& a, AxisTransform kind, std::optional<int64_t> n, int64_t axis, Norm norm,
               const char* name) {
    const int along = normalise_axis(axis, a.ndim(), name);
    const int64_t extent = a.shape()[along];
    return run(a, {{kind, n.value_or(is_to_real(kind) ? 2 * (extent - 1) : extent), along}}, norm, name);
}

/// Several axes, in NumPy's order; `kind` is the transform of the last one, `other` of the others.
Array run_axes(const Array& a, AxisTransform kind, AxisTransform other, const OptionalDims& s,
               const OptionalDims& given, Norm norm, const char* name) {
    Dims axes;
    if (given) {
        for (const int64_t axis : *given) axes.push_back(normalise_axis(axis, a.ndim(), name));
    } else {
        const int64_t count = s ? s->size() : a.ndim();
        for (int64_t k = -count; k < 0; ++k) axes.push_back(normalise_axis(k, a.ndim(), name));
    }
    if (s && s->size() != axes.size())
        raise(ErrorKind::Value, name, ": s has ", s->size(), " lengths, and axes has ", axes.size(), " axes");
    if (axes.empty()) {
        if (!is_complex(kind)) raise(ErrorKind::Axis, name, ": a real transform needs one axis at least");
        return a;
    }
    TransformSteps steps;
    Dims shape = a.shape();
    for (int k = 0; k < axes.size(); ++k) {
        const bool is_last = k == axes.size() - 1;
        const int64_t extent = shape[int(axes[k])];
        const bool doubles = is_last && !s && is_to_real(kind);
        const int64_t asked = s && (*s)[k] != -1 ? (*s)[k] : doubles ? 2 * (extent - 1) : extent;
        steps.push_back({is_last ? kind : other, asked, int(axes[k])});
    }
    if (!is_to_real(kind)) std::ranges::reverse(steps);
    return run(a, std::move(steps), norm, name);
}

Array rolled_by_half(const Array& x, const OptionalDims& given, bool is_back, const char* name) {
    Dims axes, shifts;
    if (given)
        for (const int64_t axis : *given) axes.push_back(normalise_axis(axis, x.ndim(), name));
    else
        for (int d = 0; d < x.ndim(); ++d) axes.push_back(d);
    for (const int64_t axis : axes) {
        const int64_t half = x.shape()[int(axis)] / 2;
        shifts.push_back(is_back ? -half : half);
    }
    return roll(x, shifts, axes);
}

Array frequencies(const Array& numbers, int64_t n, double d) {
    return apply_row(row::multiply, numbers, Scalar::of(DType::float64, 1.0 / (double(n) * d)));
}

void check_points(int64_t n, const char* name) {
    if (n < 1) raise(ErrorKind::Value, name, ": ", n, " points, and one is needed at least");
}

}  // namespace

Array transformed(const Array& a, std::span<const TransformStep> steps, Norm norm, const char* name) {
    const bool is_single = a.dtype() == DType::float32 || a.dtype() == DType::complex64;
    Array result = a;
    bool is_spare = false;
    for (const TransformSteps& part : tasks_of(steps)) {
        result = transform_part(result, part, is_single, is_spare, name);
        is_spare = true;
    }
    if (steps.back().kind == AxisTransform::Ihfft) result = apply_row(row::conj, result);
    // Axes were moved; results lie in C order.
    if (const double scale = scale_of(steps, norm); scale != 1) {
        const Argument args[] = {result, Argument(scale)};
        UfuncOptions options;
        options.order = 'C';
        return std::move(call(row::multiply, args, options).array[0]);
    }
    return result.is_c_contiguous() ? result : copy(result, 'C');
}

#define AXIS(name, kind)                                                            \
    Array name(const Array& a, std::optional<int64_t> n, int64_t axis, Norm norm) { \
        return run_axis(a, AxisTransform::kind, n, axis, norm, #name);              \
    }
AXIS(fft, Fft)
AXIS(ifft, Ifft)
AXIS(rfft, Rfft)
AXIS(irfft, Irfft)
AXIS(hfft, Hfft)
AXIS(ihfft, Ihfft)
#undef AXIS

#define AXES(name, kind, other)                                                              \
    Array name(const Array& a, const OptionalDims& s, const OptionalDims& axes, Norm norm) { \
        return run_axes(a, AxisTransform::kind, AxisTransform::other, s, axes, norm, #name); \
    }
AXES(fftn, Fft, Fft)
AXES(ifftn, Ifft, Ifft)
AXES(rfftn, Rfft, Fft)
AXES(irfftn, Irfft, Ifft)
#undef AXES

Array fftfreq(int64_t n, double d, const std::optional<Device>& device) {
    check_points(n, "fftfreq");
    const Array first = arange(0, (n - 1) / 2 + 1, {}, DType::none, device);
    return frequencies(concat({first, arange(-(n / 2), 0, {}, DType::none, device)}), n, d);
}

Array rfftfreq(int64_t n, double d, const std::optional<Device>& device) {
    check_points(n, "rfftfreq");
    return frequencies(arange(0, n / 2 + 1, {}, DType::none, device), n, d);
}

Array fftshift(const Array& x, const OptionalDims& axes) { return rolled_by_half(x, axes, false, "fftshift"); }
Array ifftshift(const Array& x, const OptionalDims& axes) { return rolled_by_half(x, axes, true, "ifftshift"); }

}  // namespace cuarray::fft
