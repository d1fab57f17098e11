// shaping.h -- views of the same elements with other axes: reshaped, permuted, flipped, broadcast.
#pragma once
#include <initializer_list>
#include <optional>
#include <span>
#include <vector>
#include "cuarray/array/array.h"
#include "cuarray/core/integers.h"
#include "cuarray/ops/arguments.h"

namespace cuarray {

/// The elements in another shape, of which one extent may be -1. Order 'C', 'F' or 'A'. A view where possible; `copy`
/// says always or never (ValueError where a copy is needed).
CUARRAY_API Array reshape(const Array& a, const Dims& shape, char order = 'C', std::optional<bool> copy = {});
/// All elements along one axis, contiguous: a view where possible. Order 'C', 'F', 'A' or 'K'.
CUARRAY_API Array ravel(const Array& a, char order = 'C');

namespace functions {

using namespace cuarray;

/// The axes in another order, by default reversed.
CUARRAY_API Array permute_dims(const Array& a, const OptionalDims& axes = {});
/// The elements of these axes, or of all, in reverse order.
CUARRAY_API Array flip(const Array& m, const OptionalDims& axis = {});

}  // namespace functions

using functions::permute_dims, functions::flip;
/// The same of axes in braces, and of one axis; {} stands for None.
inline Array permute_dims(const Array& a, std::initializer_list<int64_t> axes) {
    return axes.size() ? permute_dims(a, Dims(axes)) : permute_dims(a);
}
inline Array flip(const Array& m, std::initializer_list<int64_t> axis) {
    return axis.size() ? flip(m, Dims(axis)) : flip(m);
}
/// permute_dims under NumPy's name.
inline Array transpose(const Array& a, const OptionalDims& axes = {}) { return permute_dims(a, axes); }
inline Array transpose(const Array& a, std::initializer_list<int64_t> axes) { return permute_dims(a, axes); }

/// The last two axes exchanged.
CUARRAY_API Array matrix_transpose(const Array& x);
CUARRAY_API Array swapaxes(const Array& a, int64_t axis1, int64_t axis2);
/// Axes moved to other positions; the others keep their order.
CUARRAY_API Array moveaxis(const Array& a, const Dims& source, const Dims& destination);
/// One axis moved to the position before `start`.
CUARRAY_API Array rollaxis(const Array& a, int64_t axis, int64_t start = 0);
/// A view with any strides, from `offset` bytes after the first element on; ValueError where it leaves the memory.
CUARRAY_API Array as_strided(const Array& x, const Dims& shape, const Dims& strides, int64_t offset = 0);

/// New axes of length 1, at these positions of the result.
CUARRAY_API Array expand_dims(const Array& a, const AxisList& axis);
/// Without axes of length 1: all of them, or these.
CUARRAY_API Array squeeze(const Array& a, const OptionalAxes& axis = {});
/// With at least so many axes: (n,) becomes (1, n) and (1, n, 1); (m, n) becomes (m, n, 1).
CUARRAY_API Array atleast_1d(const Array& a);
CUARRAY_API Array atleast_2d(const Array& a);
CUARRAY_API Array atleast_3d(const Array& a);

/// A read-only view at a larger shape.
CUARRAY_API Array broadcast_to(const Array& array, const Dims& shape);
CUARRAY_API Dims broadcast_shapes(std::span<const Dims> args);
/// The arrays at their common shape; those that change it are read-only.
CUARRAY_API std::vector<Array> broadcast_arrays(const ArrayList& args);

CUARRAY_API Array fliplr(const Array& m);  ///< flip(m, 1)
CUARRAY_API Array flipud(const Array& m);  ///< flip(m, 0)
/// Rotated by k quarter turns, from the first of two axes towards the second.
CUARRAY_API Array rot90(const Array& m, int64_t k = 1, const Dims& axes = {0, 1});

}  // namespace cuarray
