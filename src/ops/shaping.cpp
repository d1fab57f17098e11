// shaping.cpp -- views with other axes: arithmetic on layouts.
#include "cuarray/ops/shaping.h"
#include <algorithm>
#include <numeric>
#include "cuarray/array/elements.h"
#include "ops/order.h"
#include "ops/require_axes.h"

namespace cuarray {
namespace {

Dims axes_in_order(int ndim) {
    Dims axes = Dims::filled(ndim, 0);
    std::iota(axes.begin(), axes.end(), int64_t(0));
    return axes;
}

/// Axes made non-negative, in the given order; ValueError for a repeated one.
Dims distinct_axes(const Dims& axes, int ndim, const char* function) {
    if (axes.size() > 1) normalise_axes(axes, ndim, function);
    Dims result = axes;
    for (int64_t& axis : result) axis = normalise_axis(axis, ndim, function);
    return result;
}

bool contains(const Dims& axes, int64_t axis) { return std::find(axes.begin(), axes.end(), axis) != axes.end(); }

Array with_reversed(const Array& m, const Dims& axes) {
    Layout layout = m.layout();
    int64_t offset = 0;
    for (const int64_t axis : axes) {
        int64_t& stride = layout.strides[int(axis)];
        if (layout.shape[int(axis)] > 1) offset += (layout.shape[int(axis)] - 1) * stride;
        stride = -stride;
    }
    return m.view(std::move(layout), m.is_empty() ? 0 : offset);
}

}  // namespace

Array reshape(const Array& a, const Dims& shape, char order, std::optional<bool> copy) {
    check_order(order, "CFA", "reshape");
    return a.reshape(shape, order, copy == true, copy == false);
}

Array ravel(const Array& a, char order) {
    check_order(order, "CFAK", "ravel");
    if (order != 'F' && a.is_c_contiguous()) return a.view({{a.size()}, {item_size(a.dtype())}});
    Array flat;
    if (order == 'K') {
        const Dims* strides[] = {&a.strides()};
        flat = a.transpose(memory_order(a.shape(), strides)).reshape({-1});
    } else {
        flat = a.reshape({-1}, order);
    }
    // Unlike reshape(-1), the result is contiguous: a line of evenly spaced elements is copied.
    return flat.is_c_contiguous() ? flat : copy(flat, 'C');
}

Array functions::permute_dims(const Array& a, const OptionalDims& axes) {
    Dims order = axes ? *axes : axes_in_order(a.ndim());
    if (!axes) std::reverse(order.begin(), order.end());
    if (order.size() != a.ndim())
        raise(ErrorKind::Value, "transpose: axes ", to_string(order), " do not match an array of ", a.ndim(),
              " dimensions");
    return a.transpose(axes ? distinct_axes(order, a.ndim(), "transpose") : order);
}

Array matrix_transpose(const Array& x) {
    require_axes(x, 2, "matrix_transpose");
    return swapaxes(x, -2, -1);
}

Array as_strided(const Array& x, const Dims& shape, const Dims& strides, int64_t offset) {
    constexpr char kName[] = "as_strided";
    if (shape.size() != strides.size())
        raise(ErrorKind::Value, kName, ": ", shape.size(), " extents but ", strides.size(), " strides");
    checked_size(shape, item_size(x.dtype()), kName);
    Layout layout{shape, strides};
    const Extent bytes = extent(layout, item_size(x.dtype()));
    int64_t low = x.offset(), high = x.offset();
    bool is_outside = __builtin_add_overflow(low, offset, &low) || __builtin_add_overflow(low, bytes.low, &low);
    is_outside |= __builtin_add_overflow(high, offset, &high) || __builtin_add_overflow(high, bytes.high, &high);
    is_outside |= low < 0 || high > x.storage().bytes;
    if (layout.size() && is_outside)
        raise(ErrorKind::Value, kName, ": bytes ", low, " to ", high, " are outside the memory of ", x.storage().bytes,
              " bytes");
    return x.view(std::move(layout), offset);
}

Array swapaxes(const Array& a, int64_t axis1, int64_t axis2) {
    Dims axes = axes_in_order(a.ndim());
    std::swap(axes[normalise_axis(axis1, a.ndim(), "swapaxes")], axes[normalise_axis(axis2, a.ndim(), "swapaxes")]);
    return a.transpose(axes);
}

Array moveaxis(const Array& a, const Dims& source, const Dims& destination) {
    const Dims from = distinct_axes(source, a.ndim(), "moveaxis"),
               to = distinct_axes(destination, a.ndim(), "moveaxis");
    if (from.size() != to.size())
        raise(ErrorKind::Value, "moveaxis: ", from.size(), " source axes but ", to.size(), " destinations");
    Dims order;
    for (int64_t axis = 0; axis < a.ndim(); ++axis)
        if (!contains(from, axis)) order.push_back(axis);
    for (int64_t place = 0; place < a.ndim(); ++place) {  // ascending, so that later insertions move none
        const auto* const found = std::find(to.begin(), to.end(), place);
        if (found != to.end()) order.insert(int(place), from[int(found - to.begin())]);
    }
    return a.transpose(order);
}

Array rollaxis(const Array& a, int64_t axis, int64_t start) {
    const int ndim = a.ndim(), from = normalise_axis(axis, ndim, "rollaxis");
    if (start < -ndim || start > ndim)
        raise(ErrorKind::Axis, "rollaxis: start ", start, " is out of bounds for ", ndim, " axes");
    if (start < 0) start += ndim;
    return moveaxis(a, {from}, {start - (from < start)});
}

Array expand_dims(const Array& a, const AxisList& axis) {
    const int ndim = a.ndim() + axis.size();
    const Dims added = distinct_axes(axis, ndim, "expand_dims");
    if (ndim > kMaxDims)
        raise(ErrorKind::Value, "expand_dims: the result has ", ndim, " axes; the limit is ", kMaxDims);
    Dims shape;
    for (int at = 0, old = 0; at < ndim; ++at) shape.push_back(contains(added, at) ? 1 : a.shape()[old++]);
    return a.reshape(shape, 'C', false, true);
}

Array squeeze(const Array& a, const OptionalAxes& axis) {
    const Dims dropped = axis ? normalise_axes(*axis, a.ndim(), "squeeze") : Dims{};
    for (const int64_t one : dropped)
        if (a.shape()[int(one)] != 1)
            raise(ErrorKind::Value, "squeeze: axis ", one, " of shape ", to_string(a.shape()),
                  " has an extent other than 1");
    Layout layout;
    for (int d = 0; d < a.ndim(); ++d) {
        if (axis ? contains(dropped, d) : a.shape()[d] == 1) continue;
        layout.shape.push_back(a.shape()[d]);
        layout.strides.push_back(a.strides()[d]);
    }
    return a.view(std::move(layout));
}

Array atleast_1d(const Array& a) { return a.ndim() ? a.view(a.layout()) : a.reshape({1}); }
Array atleast_2d(const Array& a) { return a.ndim() > 1 ? a.view(a.layout()) : a.reshape({1, a.size()}); }
Array atleast_3d(const Array& a) { return a.ndim() > 2 ? a.view(a.layout()) : expand_dims(atleast_2d(a), {2}); }

Array broadcast_to(const Array& array, const Dims& shape) {
    Array view = array.broadcast_to(shape);
    view.set_read_only();
    return view;
}

Dims broadcast_shapes(std::span<const Dims> args) {
    std::vector<const Dims*> pointers;
    for (const Dims& shape : args) pointers.push_back(&shape);
    return broadcast(pointers, "broadcast_shapes");
}

std::vector<Array> broadcast_arrays(const ArrayList& args) {
    std::vector<const Dims*> shapes;
    for (const Array* const array : args) shapes.push_back(&array->shape());
    const Dims common = broadcast(shapes, "broadcast_arrays");
    std::vector<Array> result;
    for (const Array* const array : args)
        result.push_back(array->shape() == common ? array->view(array->layout()) : broadcast_to(*array, common));
    return result;
}

Array functions::flip(const Array& m, const OptionalDims& axis) {
    const Dims axes = axis ? distinct_axes(*axis, m.ndim(), "flip") : axes_in_order(m.ndim());
    return m.ndim() ? with_reversed(m, axes) : copy(m);
}

Array fliplr(const Array& m) {
    require_axes(m, 2, "fliplr");
    return with_reversed(m, {1});
}

Array flipud(const Array& m) {
    require_axes(m, 1, "flipud");
    return with_reversed(m, {0});
}

Array rot90(const Array& m, int64_t k, const Dims& axes) {
    if (axes.size() != 2) raise(ErrorKind::Value, "rot90: axes has ", axes.size(), " entries and must have 2");
    for (const int64_t axis : axes)
        if (axis < -m.ndim() || axis >= m.ndim())
            raise(ErrorKind::Value, "rot90: axes ", to_string(axes), " are out of range for ", m.ndim(), " axes");
    const int64_t first = normalise_axis(axes[0], m.ndim(), "rot90"),
                  second = normalise_axis(axes[1], m.ndim(), "rot90");
    if (first == second) raise(ErrorKind::Value, "rot90: axes ", to_string(axes), " must differ");
    switch (k & 3) {
        case 0: return m.view(m.layout());
        case 1: return swapaxes(with_reversed(m, {second}), first, second);
        case 2: return with_reversed(m, {first, second});
        default: return with_reversed(swapaxes(m, first, second), {second});
    }
}

}  // namespace cuarray
