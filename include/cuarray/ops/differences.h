// differences.h -- finite differences along an axis, and the integral of samples.
#pragma once
#include <optional>
#include <vector>
#include "cuarray/array/array.h"
#include "cuarray/ops/arguments.h"

namespace cuarray {

/// The n-th differences of neighbours along an axis, of the array joined to what is prepended and appended; an array
/// without axes there stands for a slice of length 1. Of bools: whether neighbours differ.
CUARRAY_API Array diff(const Array& a, int64_t n = 1, int64_t axis = -1, const std::optional<Array>& prepend = {},
                       const std::optional<Array>& append = {});

/// The differences of neighbours in C order, between other values.
CUARRAY_API Array ediff1d(const Array& ary, const std::optional<Array>& to_end = {},
                          const std::optional<Array>& to_begin = {});

/// The derivatives along axes, by default all: central differences in the interior, one-sided ones of edge_order 1 or 2
/// at the ends. `varargs` are no distances, one for all axes, or one number or array of coordinates for each.
CUARRAY_API std::vector<Array> gradient(const Array& f, const ArgumentList& varargs = {}, const OptionalDims& axis = {},
                                        int64_t edge_order = 1);

/// The integral along an axis by the trapezoidal rule, of samples at the coordinates x, or dx apart: a number where the
/// caller may compute it.
CUARRAY_API ArrayOrNumber trapezoid(const Array& y, const std::optional<Array>& x = {},
                                    const std::optional<Argument>& dx = Weak{Weak::Kind::Float, 0, false, 0, 1, 0},
                                    int64_t axis = -1);

}  // namespace cuarray
