// cached_memory.cpp -- reuse across streams by tickets and events, and the driver's calls for each kind of
// memory.
#include "cuda/cached_memory.h"
#include <string>
#include "runtime/hooks.h"

namespace cuarray::cuda {
namespace {

CUresult free_device(const Driver& driver, CUdeviceptr address) { return driver.cuMemFree.status(address); }

CUresult allocate_pinned(const Driver& driver, CUdeviceptr* address, size_t bytes) {
    void* memory = nullptr;
    const CUresult result =
        driver.cuMemHostAlloc.status(&memory, bytes, CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP);
    *address = reinterpret_cast<CUdeviceptr>(memory);
    return result;
}

}  // namespace

const MemorySource kDirectMemory = {
    "direct", false,
    [](const Driver& driver, CUdeviceptr* address, size_t bytes) { return driver.cuMemAlloc.status(address, bytes); },
    free_device};
const MemorySource kPinnedMemory = {"pinned", true, allocate_pinned, [](const Driver& driver, CUdeviceptr address) {
                                        return driver.cuMemFreeHost.status(reinterpret_cast<void*>(address));
                                    }};
const MemorySource kManagedMemory = {"managed", true,
                                     [](const Driver& driver, CUdeviceptr* address, size_t bytes) {
                                         return driver.cuMemAllocManaged.status(address, bytes, CU_MEM_ATTACH_GLOBAL);
                                     },
                                     free_device};

CUdeviceptr CachedMemory::take(int size_class, GpuStream& stream, bool wait) {
    FreeBlock block;
    {
        const std::lock_guard lock(mutex_);
        if (!source_.is_host_visible) block = cache_.take(stream, size_class);
        if (!block) block = cache_.take_any(size_class, true);
        if (!block && wait) block = cache_.take_any(size_class, false);
    }
    if (!block || block.is_idle()) return block.address;
    if (source_.is_host_visible)
        block.stream->wait();
    else if (block.stream != &stream)
        stream.wait_for(*block.stream);
    return block.address;
}

CUdeviceptr CachedMemory::allocate(int size_class, GpuStream& stream, bool wait) {
    const Current current(context_);
    if (const CUdeviceptr kept = take(size_class, stream, false)) return kept;
    CUdeviceptr address = 0;
    const RelaxedCapture relaxed(context_.driver);
    const CUresult result = source_.allocate(context_.driver, &address, size_t(class_bytes(size_class)));
    if (result == CUDA_ERROR_OUT_OF_MEMORY) return wait ? take(size_class, stream, true) : 0;
    if (result != CUDA_SUCCESS) fail(result, source_.name);
    const std::lock_guard lock(mutex_);
    held_ += class_bytes(size_class);
    return address;
}

void CachedMemory::keep(CUdeviceptr address, int size_class, GpuStream& stream) {
    // Issue a new ticket: a temporary is freed before the operation that uses it gets its ticket, and the stream's last
    // ticket may be known to have run.
    const uint64_t ticket = stream.Stream::issue().ticket();
    const std::lock_guard lock(mutex_);
    cache_.put({address, &stream, ticket, size_class});
}

void CachedMemory::give_back() {
    std::vector<FreeBlock> blocks;
    {
        const std::lock_guard lock(mutex_);
        blocks = cache_.take_all(true);
    }
    const Current current(context_);
    const RelaxedCapture relaxed(context_.driver);
    for (const FreeBlock& block : blocks) {
        const CUresult result = source_.free(context_.driver, block.address);
        if (result != CUDA_SUCCESS && is_alive())
            report_unraisable(std::string(source_.name) + " memory could not be freed: " + error_text(result));
        const std::lock_guard lock(mutex_);
        if (result == CUDA_SUCCESS)
            held_ -= class_bytes(block.size_class);
        else
            cache_.put(block);
    }
}

int64_t CachedMemory::held() const {
    const std::lock_guard lock(mutex_);
    return held_;
}

int64_t CachedMemory::kept() const {
    const std::lock_guard lock(mutex_);
    return cache_.bytes();
}

int64_t CachedMemory::kept(const GpuStream& stream) const {
    const std::lock_guard lock(mutex_);
    return cache_.bytes(stream);
}

}  // namespace cuarray::cuda
