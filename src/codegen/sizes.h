// sizes.h -- what all launches have in common: the threads of a block, the edge of a tile, the greatest numbers.
#pragma once
#include "cuarray/kernel/index.h"

namespace cuarray {

inline constexpr int kThreads = 256;  ///< of a block, where a kernel does not want more
inline constexpr int kTile = 32;      ///< elements along each edge of a transposing tile
inline constexpr int kAxes = kernel::kMaxAxes, kOperands = kernel::kMaxOperands;
inline constexpr size_t kParameterBytes = 4096;  ///< that a kernel can take at most

}  // namespace cuarray
