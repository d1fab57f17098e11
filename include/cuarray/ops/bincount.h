// bincount.h -- how often each number occurs.
#pragma once
#include <optional>
#include "cuarray/array/array.h"
#include "cuarray/ops/arguments.h"

namespace cuarray {

/// Integers that are counted; an empty list has no dtype.
struct CountedIntegers : IndexArray {
    using IndexArray::IndexArray;
};
/// The number of elements, integers or bools along one axis, that are 0, 1, ...: int64; or the sums of their weights,
/// in float64, added in the order of the elements. At least `minlength` counts. ValueError for a negative number or
/// another shape of the weights, TypeError for other dtypes. Waits for the largest number.
CUARRAY_API Array bincount(const CountedIntegers& x, const std::optional<Array>& weights = {}, int64_t minlength = 0);

}  // namespace cuarray
