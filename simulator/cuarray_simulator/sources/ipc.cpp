// ipc.cpp -- handles for other processes: the memory that has one; a process cannot open its own.
#include <cstring>

#include "capture.h"
#include "memory.h"

using namespace cudasim;

namespace {

constexpr char kMark[] = "cudasim memory";

}  // namespace

CUDASIM_API cuIpcGetMemHandle(CUipcMemHandle* out, CUdeviceptr address) {
    CUDASIM_ENTER(Context);
    const Allocation* block = allocation_at(address);
    if (!out || !block || !block->allocated) return CUDA_ERROR_INVALID_VALUE;
    if (block->pool || block->of_graph) {
        say(format("cuIpcGetMemHandle: only memory of cuMemAlloc can be shared: %s", describe(address).c_str()));
        return CUDA_ERROR_INVALID_VALUE;
    }
    std::memset(out, 0, sizeof *out);
    std::memcpy(out->reserved, kMark, sizeof kMark);
    std::memcpy(out->reserved + sizeof kMark, &block->base, sizeof block->base);
    return CUDA_SUCCESS;
}

CUDASIM_API cuIpcOpenMemHandle_v2(CUdeviceptr* out, CUipcMemHandle handle, unsigned flags) {
    CUDASIM_ENTER(Context);
    CUDASIM_REFUSE_UNSAFE();
    if (!out || flags != 1 || std::memcmp(handle.reserved, kMark, sizeof kMark) != 0) return CUDA_ERROR_INVALID_VALUE;
    CUdeviceptr base;
    std::memcpy(&base, handle.reserved + sizeof kMark, sizeof base);
    // Each process has its own simulated devices, so memory shared by another one is not available.
    return allocation_at(base) ? CUDA_ERROR_INVALID_CONTEXT : CUDA_ERROR_NOT_SUPPORTED;
}

CUDASIM_API cuIpcCloseMemHandle(CUdeviceptr) {
    CUDASIM_ENTER(Context);
    return CUDA_ERROR_INVALID_VALUE;
}
