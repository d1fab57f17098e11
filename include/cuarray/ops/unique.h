// unique.h -- the different elements of an array, or its different slices.
#pragma once
#include <optional>
#include <vector>
#include "cuarray/array/array.h"

namespace cuarray {

/// The different elements in ascending order, or the different slices along an axis; then, as far as asked for, int64
/// arrays of the first position of each, of the position of each element among them (of the shape of `ar`, or with an
/// axis 1-d), and of their numbers. NaN equals NaN, unless it is not to, or is in a slice of an array of several axes.
/// The result is sorted in any case.
CUARRAY_API std::vector<Array> unique(const Array& ar, bool return_index = false, bool return_inverse = false,
                                      bool return_counts = false, const std::optional<int64_t>& axis = {},
                                      bool equal_nan = true, bool sorted = true);

}  // namespace cuarray
