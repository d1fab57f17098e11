// packed.h -- arrays as contiguous, aligned memory, for tasks that require it.
#pragma once
#include <cstdint>
#include "cuarray/array/array.h"

namespace cuarray {

/// Whether the address of every element is a multiple of the dtype's alignment.
inline bool is_aligned(const Array& array) {
    uint64_t places = uint64_t(reinterpret_cast<uintptr_t>(array.data()));
    for (const int64_t stride : array.strides()) places |= uint64_t(stride);
    return array.is_empty() || places % uint64_t(info(array.dtype()).align) == 0;
}

/// The same elements, contiguous in C order and aligned.
inline Array packed(const Array& array) {
    return array.is_empty() || (array.is_c_contiguous() && is_aligned(array)) ? array : copy(array, 'C');
}

}  // namespace cuarray
