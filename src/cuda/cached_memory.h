// cached_memory.h -- memory whose release would wait for the GPU (cuMemAlloc, pinned, managed): blocks are cached
// for reuse and returned to the driver only by trim, when memory runs out, and at process exit.
#pragma once
#include <cstdint>
#include "cuarray/runtime/memory.h"
#include "cuda/block_cache.h"
#include "runtime/mutex.h"

namespace cuarray::cuda {

/// The driver calls of one kind of memory.
struct MemorySource {
    const char* name;
    bool is_host_visible;  ///< the host may access a new block at once, so no queued work may still use it
    CUresult (*allocate)(const Driver& driver, CUdeviceptr* address, size_t bytes);
    CUresult (*free)(const Driver& driver, CUdeviceptr address);
};
extern const MemorySource kDirectMemory, kPinnedMemory, kManagedMemory;

/// All blocks of one kind on one GPU. Methods may be called from any thread.
class CachedMemory {
 public:
    CachedMemory(const Context& context, const MemorySource& source) : context_(context), source_(source) {}

    /// A block of the class for work on `stream`: one last used there, an idle one, or a new one. With `wait`,
    /// also one in use on another stream, for which `stream` then waits. Null if memory has run out.
    CUdeviceptr allocate(int size_class, GpuStream& stream, bool wait);
    /// Caches a block that work queued on `stream` so far may still use.
    void keep(CUdeviceptr address, int size_class, GpuStream& stream);
    /// Returns idle cached blocks to the driver.
    void give_back();

    int64_t held() const;  ///< bytes from the driver, in use or cached
    int64_t kept() const;
    int64_t kept(const GpuStream& stream) const;
    const MemorySource& source() const { return source_; }

 private:
    CUdeviceptr take(int size_class, GpuStream& stream, bool wait);

    const Context& context_;
    const MemorySource& source_;
    mutable Mutex mutex_;
    BlockCache cache_;
    int64_t held_ = 0;
};

}  // namespace cuarray::cuda
