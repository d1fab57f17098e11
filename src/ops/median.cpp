// median.cpp -- medians: the middle elements in sorted order, and the last one, which shows whether there is a NaN.
#include <algorithm>
#include "cuarray/ops/reduction.h"
#include "cuarray/ops/sort.h"
#include "ops/binary_loop.h"
#include "ops/reduced_axes.h"

namespace cuarray {
namespace {

/// The array with the folded axes as one, the last.
Array rows_to_fold(const Array& array, const ReducedAxes& axes) {
    Dims order, shape;
    for (int d = 0; d < array.ndim(); ++d) {
        if (std::ranges::find(axes.folded, d) != axes.folded.end()) continue;
        order.push_back(d);
        shape.push_back(array.shape()[d]);
    }
    for (const int64_t d : axes.folded) order.push_back(d);
    shape.push_back(axes.folds);
    return array.transpose(order).reshape(shape);
}

/// The elements of the last axis from one position to before another.
Array columns(const Array& rows, int64_t begin, int64_t end) {
    Layout layout = rows.layout();
    layout.shape.back() = end - begin;
    return rows.view(layout, rows.is_empty() ? 0 : begin * layout.strides.back());
}

}  // namespace

Array median(const Array& a, const OptionalDims& axis, Array* out, bool, bool keepdims) {
    constexpr char name[] = "median";
    ReduceOptions options;
    options.all_axes = !axis;
    if (axis) options.axes = normalise_axes(*axis, a.ndim(), name);
    options.keepdims = keepdims;
    options.out = out;
    const ReducedAxes axes = plan_axes(a, options, name);
    const Array rows = rows_to_fold(a, axes);
    const int last = rows.ndim() - 1;
    const int64_t n = axes.folds;
    const bool may_be_nan = info(a.dtype()).kind >= Kind::Floating;
    ReduceOptions line;
    line.all_axes = false;
    line.axes = {last};
    line.name = name;
    Array result;
    if (n == 0) {
        result = reduce(reduction::mean, rows, line);
    } else {
        const int64_t ranks[] = {(n - 1) / 2, n / 2, n - 1};
        const bool is_one = ranks[0] == ranks[1];
        const std::span<const int64_t> all(ranks + is_one, ranks + 2 + may_be_nan);
        // As in NumPy, the type of `out` helps to choose that of the mean.
        if (may_be_nan) line.dtype = out ? promote(a.dtype(), out->dtype()) : a.dtype();
        const Array found = order_statistics(rows, last, all, name);
        const int64_t middle = 2 - is_one;
        result = reduce(reduction::mean, columns(found, 0, middle), line);
        if (may_be_nan) {
            const Array largest = columns(found, middle, middle + 1).reshape(result.shape());
            result = apply_row(row::where, apply_row(row::isnan, largest), largest, result);
        }
    }
    result = result.reshape(axes.result_shape);
    check_out(a, options, axes, result.dtype(), name);
    return write_output(std::move(result), options, name);
}

}  // namespace cuarray
