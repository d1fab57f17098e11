// interpolation.h -- straight lines between points.
#pragma once
#include <optional>
#include "cuarray/ops/arguments.h"

namespace cuarray {

/// The values at x of the straight lines between points with ascending coordinates xp: `left` before the first point
/// and `right` behind the last one, by default their values. With a period the points may be in any order, and the
/// numbers beyond are not read. float64, or complex128 for complex fp; a number where x is one and the caller may
/// compute it.
CUARRAY_API ArrayOrNumber interp(const Argument& x, const Array& xp, const Array& fp,
                                 const std::optional<Argument>& left = {}, const std::optional<Argument>& right = {},
                                 const std::optional<Argument>& period = {});

}  // namespace cuarray
