// padding.cpp -- the interior is copied, then the margins of one axis after another are written.
#include "cuarray/ops/padding.h"
#include <algorithm>
#include <cstring>
#include <vector>
#include "cuarray/array/elements.h"
#include "cuarray/ops/selection.h"

namespace cuarray {
namespace {

constexpr char kPad[] = "pad";

/// The part of an array within [first, first + extent) along each axis.
Array window_of(const Array& array, const Dims& first, const Dims& shape) {
    int64_t offset = 0;
    for (int d = 0; d < shape.size(); ++d) offset += first[d] * array.strides()[d];
    return array.view({shape, array.strides()}, count(shape) ? offset : 0);
}

/// The elements of an axis from `first` on, in steps.
Array line_at(const Array& array, int axis, int64_t first, int64_t extent, int64_t step = 1) {
    Layout layout = array.layout();
    const int64_t offset = first * layout.strides[axis];
    layout.shape[axis] = extent;
    layout.strides[axis] *= step;
    return array.view(layout, count(layout.shape) ? offset : 0);
}

/// The element of the interior for a place that is counted from its start.
int64_t source_of(int64_t place, int64_t extent, PadMode mode) {
    if (mode == PadMode::Edge || extent == 1) return std::clamp<int64_t>(place, 0, extent - 1);
    const int64_t turn = mode == PadMode::Wrap ? extent : mode == PadMode::Reflect ? 2 * (extent - 1) : 2 * extent;
    const int64_t within = ((place % turn) + turn) % turn;
    return within < extent ? within : turn - within - (mode == PadMode::Symmetric);
}

/// The margins of an axis: earlier axes have their own already, later ones have none yet.
class Margins {
 public:
    Margins(const Array& whole, const Array& interior, int axis, PadWidth width)
        : whole_(whole), interior_(interior), axis_(axis), width_(width) {}

    void fill_with(const Scalar& before, const Scalar& after) {
        if (width_.before) fill(margin(true), before, kPad);
        if (width_.after) fill(margin(false), after, kPad);
    }
    void copy_elements(PadMode mode) {
        if (width_.before) copy_to(true, -width_.before, width_.before, mode);
        if (width_.after) copy_to(false, extent(), width_.after, mode);
    }

 private:
    int64_t extent() const { return interior_.shape()[axis_]; }
    Array margin(bool is_first) const {
        const int64_t width = is_first ? width_.before : width_.after;
        return line_at(whole_, axis_, is_first ? 0 : whole_.shape()[axis_] - width, width);
    }

    void copy_to(bool is_first, int64_t place, int64_t width, PadMode mode) {
        const int64_t first = source_of(place, extent(), mode), last = source_of(place + width - 1, extent(), mode);
        const int64_t step = width == 1 ? 1 : source_of(place + 1, extent(), mode) - first;
        if (mode == PadMode::Edge || extent() == 1)
            return assign(margin(is_first), line_at(interior_, axis_, first, 1), kPad);
        if (step && std::abs(step) == 1 && last == first + (width - 1) * step)
            return assign(margin(is_first), line_at(interior_, axis_, first, width, step), kPad);
        std::vector<int64_t> places(static_cast<size_t>(width));
        for (int64_t i = 0; i < width; ++i) places[size_t(i)] = source_of(place + i, extent(), mode);
        const Array positions = from_host(places.data(), {width}, {8}, DType::int64, interior_.device());
        assign(margin(is_first), take(interior_, positions, axis_), kPad);
    }

    const Array &whole_, &interior_;
    const int axis_;
    const PadWidth width_;
};

}  // namespace

Array pad(const Array& array, const PadWidths& widths, const Array& constants) {
    const Array cast = astype(constants.broadcast_to({array.ndim(), 2}, kPad), array.dtype());
    const Array table = to_device(copy(cast, 'C'), Device{});
    const int64_t item = item_size(table.dtype());
    std::vector<unsigned char> bytes(size_t(table.nbytes()));
    read_contiguous(table, bytes.data());
    std::vector<Scalar> scalars(size_t(table.size()));
    for (size_t k = 0; k < scalars.size(); ++k) {
        scalars[k].dtype = table.dtype();
        std::memcpy(scalars[k].bytes, bytes.data() + int64_t(k) * item, size_t(item));
    }
    return pad(array, widths, PadMode::Constant, scalars);
}

Array pad(const Array& array, const PadWidths& widths, PadMode mode, std::span<const Scalar> constants) {
    const int ndim = array.ndim();
    if (!constants.empty() && constants.size() != 2 * size_t(ndim))
        raise(ErrorKind::Value, kPad, ": ", constants.size(), " constants do not go with ", ndim, " axes");
    if (int(widths.size()) != ndim && widths.size() != 1)
        raise(ErrorKind::Value, kPad, ": ", widths.size(), " widths do not go with ", ndim, " axes");
    const auto width_of = [&](int d) { return widths[widths.size() == 1 ? 0 : size_t(d)]; };
    Dims shape = array.shape(), first;
    for (int d = 0; d < ndim; ++d) {
        const PadWidth width = width_of(d);
        if (width.before < 0 || width.after < 0)
            raise(ErrorKind::Value, kPad, ": pad_width can't contain negative values: (", width.before, ", ",
                  width.after, ")");
        const bool reads = mode != PadMode::Constant && mode != PadMode::Empty && width.before + width.after > 0;
        if (reads && shape[d] == 0)
            raise(ErrorKind::Value, kPad, ": can't extend empty axis ", d,
                  " using modes other than 'constant' or 'empty'");
        int64_t extent;
        if (__builtin_add_overflow(shape[d], width.before, &extent) ||
            __builtin_add_overflow(extent, width.after, &shape[d]))
            raise(ErrorKind::Value, kPad, ": axis ", d, " would be too long");
        first.push_back(width.before);
    }
    checked_size(shape, item_size(array.dtype()), kPad);
    const bool is_fortran = array.is_f_contiguous() && !array.is_c_contiguous();
    const Array result =
        is_fortran
            ? empty(shape, array.dtype(), array.device()).view({shape, f_strides(shape, item_size(array.dtype()))})
            : empty(shape, array.dtype(), array.device());
    const Scalar zero = convert(Scalar::of(DType::bool_, false), array.dtype());
    const bool are_zeros = mode == PadMode::Constant && constants.empty();
    if (are_zeros && result.nbytes() <= kFewBytes) {
        fill(result, zero, kPad);
        assign(window_of(result, first, array.shape()), array, kPad);
        return result;
    }
    assign(window_of(result, first, array.shape()), array, kPad);
    if (mode == PadMode::Empty) return result;
    Dims extents = array.shape();
    for (int d = 0; d < ndim; ++d) {
        const Array interior = window_of(result, first, extents);
        first[d] = 0;
        extents[d] = shape[d];
        const Array whole = window_of(result, first, extents);
        Margins margins(whole, interior, d, width_of(d));
        if (mode != PadMode::Constant)
            margins.copy_elements(mode);
        else if (are_zeros)
            margins.fill_with(zero, zero);
        else
            margins.fill_with(convert(constants[size_t(2 * d)], array.dtype()),
                              convert(constants[size_t(2 * d + 1)], array.dtype()));
    }
    return result;
}

}  // namespace cuarray
