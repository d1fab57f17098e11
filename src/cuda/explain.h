// explain.h -- why a launch may have failed: its arguments, and the kernel's attributes.
#pragma once
#include "codegen/launch.h"
#include "cuda/kernels.h"

namespace cuarray::cuda {

/// Throws the error of a failed cuLaunchKernel with notes: grid, block, registers, shared memory, arguments
/// and the program with numbered lines.
[[noreturn]] void fail_launch(CUresult result, const Context& context, const Kernel& kernel, const Launch& launch);
[[noreturn]] void fail_launch(CUresult result, const Context& context, CUfunction function, const NamedLaunch& named,
                              const char* name);

}  // namespace cuarray::cuda
