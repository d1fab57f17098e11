// client.h -- what the simulated libraries are made of: like NVIDIA's, they are clients of the driver. Their kernels
// are CUDA text, so that streams, captures, memory and races are checked as in any other kernel.
#pragma once
#include <atomic>
#include <cstdint>

#include "cuda_abi.h"

#define CUDASIM_LIBRARY extern "C" __attribute__((visibility("default")))

namespace cudasim {

/// The current context of this thread, or null.
CUcontext current_context();
/// A part of the library's version, which is that of the driver: major, minor, patch level. False for another one.
bool library_property(int which, int* value);
/// Allocates and frees device memory, as a library does when it makes a handle: an error in a strict capture.
CUresult touch_memory();
/// New device memory with a copy of the bytes, and its end.
CUresult upload(const void* bytes, size_t count, CUdeviceptr* address);
CUresult free_memory(CUdeviceptr address);
/// Queues a copy of the host's bytes to the device, which may read them when the stream comes to it.
CUresult copy_later(void* to, const void* bytes, size_t count, CUstream stream);

/// A launch of a kernel that takes one structure.
struct ClientLaunch {
    const char* types;  ///< the beginning of the text
    const char* text;   ///< CUDA text, compiled at the first use of each entry with each beginning
    const char* entry;
    int64_t threads;  ///< in all; blocks have 128
    void* parameters;
};
CUresult launch(const ClientLaunch& what, CUstream stream);

/// Reports misuse that the real library does not detect, and returns `status`.
int misuse(const char* library, const char* message, int status);

/// A call of a library. Its time counts as the driver's, and its handle is used by one thread at a time.
class InUse {
 public:
    InUse(std::atomic<bool>& flag, const char* library);
    ~InUse();

 private:
    std::atomic<bool>& flag_;
    uint64_t begin_, inside_;  ///< the driver's clock, and its time in entry points
};

}  // namespace cudasim
