// outside.h -- what becomes of an index out of bounds.
#pragma once

namespace cuarray {

/// An error (negative indices count from the end), the index modulo the extent, or the nearest position: as
/// kernel::OutsideRule, which is text of kernels.
enum class Outside : unsigned char { Raise, Wrap, Clip };

}  // namespace cuarray
