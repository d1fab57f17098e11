// element_parts.h -- views of elements as another dtype, or of a part of each, and their bytes in reverse.
#pragma once
#include "cuarray/array/array.h"

namespace cuarray {

/// A view of the part of each element that begins at an offset in bytes and is of another dtype.
CUARRAY_API Array field(const Array& array, DType dtype, int64_t offset);

/// The same memory as elements of another dtype; where the item size differs the last axis changes its extent.
CUARRAY_API Array reinterpreted(const Array& array, DType dtype);

/// Writes the elements with the bytes of each number in reverse; complex ones have two. Both may be one array.
CUARRAY_API void swap_bytes(const Array& from, const Array& to);

}  // namespace cuarray
