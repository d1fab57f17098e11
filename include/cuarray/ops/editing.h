// editing.h -- elements removed from an axis, and inserted into one.
#pragma once
#include <span>
#include "cuarray/array/array.h"

namespace cuarray {

/// A copy without the elements of an axis for which `is_kept`, one byte for each, is 0; for all others it is 1.
CUARRAY_API Array erase(const Array& array, int axis, std::span<const uint8_t> is_kept);

/// A copy with the elements of `values` along an axis, each before the element of `array` at its place, those of one
/// place in their order. Places are from 0 to the extent of the axis, one for each element; the other axes and the
/// dtype are those of the array.
CUARRAY_API Array insert(const Array& array, int axis, std::span<const int64_t> places, const Array& values);

}  // namespace cuarray
