// diagonals.cpp -- diagonal, trace, diag and diagflat: views, and a few elements written by the caller.
#include "cuarray/ops/diagonals.h"
#include <algorithm>
#include <cstring>
#include "cuarray/ops/reduction.h"
#include "cuarray/ops/shaping.h"
#include "ops/require_axes.h"

namespace cuarray {
namespace {

Array checked_diagonal(const Array& a, int64_t offset, int64_t axis1, int64_t axis2, const char* function) {
    require_axes(a, 2, function);
    const int rows = normalise_axis(axis1, a.ndim(), function), columns = normalise_axis(axis2, a.ndim(), function);
    if (rows == columns)
        raise(ErrorKind::Value, function, ": axis1 and axis2 cannot be the same, ", axis1, " and ", axis2);
    return view_of_diagonal(a, offset, rows, columns);
}

/// The extent of a square matrix with so many elements on its k-th diagonal.
int64_t extent_around(int64_t elements, int64_t k) {
    int64_t extent;
    if (k == INT64_MIN || __builtin_add_overflow(elements, k < 0 ? -k : k, &extent))
        raise(ErrorKind::Value, "diag: a matrix with ", elements, " elements on diagonal ", k,
              " has more rows than int64 counts");
    return extent;
}

/// Writes a few elements by the caller; false where that must be a task.
bool write_diagonal(const Array& diagonal, const Array& elements) {
    char* const to = elements.nbytes() > kFewBytes ? nullptr : direct_data(diagonal);
    const char* const from = to ? direct_data(elements) : nullptr;
    if (!from) return false;
    const int64_t item = item_size(elements.dtype());
    for (int64_t i = 0; i < elements.size(); ++i)
        std::memcpy(to + i * diagonal.strides()[0], from + i * elements.strides()[0], size_t(item));
    return true;
}

}  // namespace

Array view_of_diagonal(const Array& a, int64_t offset, int axis1, int axis2) {
    const int64_t down = a.strides()[axis1], right = a.strides()[axis2];
    const int64_t height = a.shape()[axis1] + std::min<int64_t>(offset, 0);
    const int64_t width = a.shape()[axis2] - std::max<int64_t>(offset, 0);
    Layout layout;
    for (int d = 0; d < a.ndim(); ++d) {
        if (d == axis1 || d == axis2) continue;
        layout.shape.push_back(a.shape()[d]);
        layout.strides.push_back(a.strides()[d]);
    }
    layout.shape.push_back(std::max<int64_t>(std::min(height, width), 0));
    layout.strides.push_back(down + right);
    if (count(layout.shape) == 0) return a.view(std::move(layout));
    return a.view(std::move(layout), offset >= 0 ? offset * right : -offset * down);
}

Array diagonal(const Array& a, int64_t offset, int64_t axis1, int64_t axis2) {
    Array view = checked_diagonal(a, offset, axis1, axis2, "diagonal");
    view.set_read_only();
    return view;
}

ArrayOrNumber trace(const Array& a, int64_t offset, int64_t axis1, int64_t axis2, DType dtype, Array* out) {
    const Array along = checked_diagonal(a, offset, axis1, axis2, "trace");
    Scalar sum;
    const bool is_plain = along.ndim() == 1 && dtype == DType::none && !out && along.nbytes() <= kFewBytes;
    if (is_plain && direct_data(along) && reduce_few(reduction::sum, copy(along), sum)) return sum;
    ReduceOptions options;
    options.all_axes = false, options.axes = {-1};
    options.dtype = dtype, options.out = out, options.name = "trace";
    return reduce(reduction::sum, along, options);
}

Array diag(const Array& v, int64_t k) {
    if (v.ndim() == 2) return diagonal(v, k);
    if (v.ndim() != 1) raise(ErrorKind::Value, "diag: the array has ", v.ndim(), " axes and 1 or 2 are needed");
    const int64_t extent = extent_around(v.size(), k);
    Scalar zero;
    zero.dtype = v.dtype();
    const Array result = full({extent, extent}, zero, v.device());
    const Array line = view_of_diagonal(result, k, 0, 1);
    if (!write_diagonal(line, v)) assign(line, v, "diag");
    return result;
}

Array diagflat(const Array& v, int64_t k) { return diag(ravel(v), k); }

}  // namespace cuarray
