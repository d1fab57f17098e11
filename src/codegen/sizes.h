// sizes.h -- constants of all launches: threads per block, and limits.
#pragma once
#include <bit>
#include <cstdint>
#include "cuarray/kernel/index.h"

namespace cuarray {

inline constexpr int kThreads = 256;  ///< per block, unless a kernel needs more
inline constexpr int kAxes = kernel::kMaxAxes, kOperands = kernel::kMaxOperands;
inline constexpr size_t kParameterBytes = 4096;  ///< limit of a kernel's parameters

/// The bits of the numbers below `count`.
inline int bits_for(int64_t count) { return count <= 1 ? 0 : int(std::bit_width(uint64_t(count - 1))); }

}  // namespace cuarray
