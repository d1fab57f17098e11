// explain.h -- why a launch may have failed: everything that the driver was told, and what it knows of the
// kernel.
#pragma once
#include "codegen/launch.h"
#include "cuda/kernels.h"

namespace cuarray::cuda {

/// Throws the error of a failed cuLaunchKernel with notes: grid, block, registers, shared memory, arguments
/// and the program with numbered lines.
[[noreturn]] void fail_launch(CUresult result, const Context& context, const Kernel& kernel,
                              const Launch& launch);
[[noreturn]] void fail_launch(CUresult result, const Context& context, CUfunction function,
                              const NamedLaunch& named, const char* name);

}  // namespace cuarray::cuda
