// element_parts.h -- views of a part of each element, and its bytes in reverse.
#pragma once
#include "cuarray/array/array.h"

namespace cuarray {

/// A view of the part of each element that begins at an offset in bytes and is of another dtype.
CUARRAY_API Array field(const Array& array, DType dtype, int64_t offset);

/// Writes the elements with the bytes of each number in reverse; complex ones have two. Both may be one array.
CUARRAY_API void swap_bytes(const Array& from, const Array& to);

}  // namespace cuarray
