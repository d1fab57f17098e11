// repeat_in_chunks.h -- repeat of many elements, for tests of its chunks.
#pragma once
#include "cuarray/array/array.h"

namespace cuarray {

/// Each element along an axis by its count, so many copies at a time.
CUARRAY_API Array repeat_in_chunks(const Array& a, const Array& counts, int axis, int64_t chunk);

}  // namespace cuarray
