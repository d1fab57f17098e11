// simt.h -- runs a kernel's grid on the CPU: threads are fibers, created only when a thread has to wait.
#pragma once
#include <string>

#include "cuda_abi.h"
#include "findings.h"
#include "module_abi.h"

namespace cudasim {

/// Shared memory that a block may have without opting in to more.
constexpr unsigned kStaticSharedLimit = 48 << 10;

/// One launch, ready to run: parameters hold addresses that the CPU can follow.
struct Grid {
    const cudasim_module* module;
    const cudasim_kernel* kernel;
    const char* parameters;
    cudasim_extent size, block;
    unsigned dynamic_shared;
    unsigned long long seed;
    struct Context* context;
    /// All blocks are resident, and may wait for each other.
    bool is_cooperative;
};

/// The result of a grid, and what ended it if there was an error.
struct GridResult {
    CUresult code = CUDA_SUCCESS;
    Finding finding;
};

/// Runs all blocks, in an order and an interleaving derived from the seed.
GridResult run_grid(const Grid& grid);

/// Ends the kernel that the calling thread is running, after a signal; returns if it runs none.
void end_kernel(int signal, const void* address);

/// Ends the kernel that the calling thread is running because of its time, if that is possible at this instruction.
void end_late_kernel(const void* instruction);

/// The table of functions that modules call.
const cudasim_runtime* simt_runtime();

}  // namespace cudasim
