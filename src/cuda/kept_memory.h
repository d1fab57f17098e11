// kept_memory.h -- memory whose release would wait for the GPU (cuMemAlloc, pinned, managed): blocks are kept
// for reuse and returned only by trim, the way out of memory, and the end of the process.
#pragma once
#include <cstdint>
#include <mutex>
#include "cuarray/runtime/memory.h"
#include "cuda/block_cache.h"

namespace cuarray::cuda {

/// How the driver gives and takes one kind of memory.
struct MemorySource {
    const char* name;
    bool is_host_visible;  ///< the host may touch a new block at once, so nothing queued may still use it
    CUresult (*allocate)(const Driver& driver, CUdeviceptr* address, size_t bytes);
    CUresult (*free)(const Driver& driver, CUdeviceptr address);
};
extern const MemorySource kDirectMemory, kPinnedMemory, kManagedMemory;

/// All blocks of one kind on one GPU. Methods may be called from any thread.
class KeptMemory {
 public:
    KeptMemory(const Context& context, const MemorySource& source) : context_(context), source_(source) {}

    /// A block of the class for work on `stream`: one of its own, one that nothing uses any more, or a new
    /// one. With `wait`, also one in use on another stream, for which `stream` then waits. Null where memory
    /// has run out.
    CUdeviceptr allocate(int size_class, GpuStream& stream, bool wait);
    /// Keeps a block that work queued on `stream` so far may still use.
    void keep(CUdeviceptr address, int size_class, GpuStream& stream);
    /// Returns kept blocks to the driver, those that nothing uses any more.
    void give_back();

    int64_t held() const;  ///< bytes from the driver, in use or kept
    int64_t kept() const;
    int64_t kept(const GpuStream& stream) const;
    const MemorySource& source() const { return source_; }

 private:
    CUdeviceptr take(int size_class, GpuStream& stream, bool wait);

    const Context& context_;
    const MemorySource& source_;
    mutable std::mutex mutex_;
    BlockCache cache_;
    int64_t held_ = 0;
};

}  // namespace cuarray::cuda
