// diagonals.cpp -- diagonal, trace, diag and diagflat: views, and a few elements written by the caller.
#include "cuarray/ops/diagonals.h"
#include <algorithm>
#include <cstring>
#include "cuarray/array/elements.h"
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

/// A small matrix written by the caller; an empty handle where it is none.
Array matrix_of_few(const Array& v, int64_t k, int64_t extent) {
    const int64_t item = item_size(v.dtype());
    if (extent > kFewBytes || extent * extent * item > 4 * kFewBytes) return {};
    const char* const from = direct_data(v);
    if (!from) return {};
    Array matrix = empty({extent, extent}, v.dtype(), v.device());
    char* to = direct_data(matrix);
    if (!to) return {};
    std::memset(to, 0, size_t(matrix.nbytes()));
    to += (k >= 0 ? k : -k * extent) * item;
    const int64_t n = v.size(), step = v.strides()[0], next = (extent + 1) * item;
    for (int64_t i = 0; i < n; ++i) std::memcpy(to + i * next, from + i * step, size_t(item));
    return matrix;
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
    if (Array few = matrix_of_few(v, k, extent); few.defined()) return few;
    Scalar zero;
    zero.dtype = v.dtype();
    Array result = full({extent, extent}, zero, v.device());
    assign(view_of_diagonal(result, k, 0, 1), v, "diag");
    return result;
}

Array diagflat(const Array& v, int64_t k) { return diag(ravel(v), k); }

}  // namespace cuarray
