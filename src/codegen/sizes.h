// sizes.h -- constants of all launches: threads per block, and limits.
#pragma once
#include "cuarray/kernel/index.h"

namespace cuarray {

inline constexpr int kThreads = 256;  ///< per block, unless a kernel needs more
inline constexpr int kAxes = kernel::kMaxAxes, kOperands = kernel::kMaxOperands;
inline constexpr size_t kParameterBytes = 4096;  ///< limit of a kernel's parameters

}  // namespace cuarray
