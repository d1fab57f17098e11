// caller.h -- which library calls the driver: what is not simulated is refused by name.
#pragma once
#include <string>

namespace cudasim {

/// The library on the call stack that called the driver, as people name it: "PyTorch (libcudart.so.13)".
std::string calling_library();
/// Says once for each library that it uses CUDA's runtime.
void refuse_runtime();

}  // namespace cudasim
