// print.h -- printf of kernels.
#pragma once

namespace cudasim {

/// Prints to standard output what CUDA's vprintf would: the arguments lie packed, each at a multiple of its size.
/// Returns their number.
int print(const char* pattern, const char* arguments);

}  // namespace cudasim
