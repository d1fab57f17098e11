// memory.cpp -- allocating and freeing in stream order, and the ladder of an allocation that fails.
#include "cuda/memory.h"
#include <cstdlib>
#include <cstring>
#include "cuarray/runtime/hooks.h"

namespace cuarray::cuda {

Pool::Pool(const Context& context, GpuStream& stream) : context_(context), stream_(stream) {
    const char* wish = std::getenv("CUARRAY_MEMORY_CACHE");
    caches_ = !(wish && std::strcmp(wish, "off") == 0);
    if (!context.has_pools) return;
    const Current current(context);
    const Driver& driver = context.driver;
    driver.cuDeviceGetMemPool(&pool_, context.device);
    // With the default of 0 the pool returns its memory to the system at every wait and has to fetch it
    // again.
    uint64_t threshold = 0;
    driver.cuMemPoolGetAttribute(pool_, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &threshold);
    if (threshold != 0) return;
    threshold = UINT64_MAX;
    driver.cuMemPoolSetAttribute(pool_, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &threshold);
}

CUdeviceptr Pool::take_free(int64_t bytes, GpuStream& stream) {
    if (&stream != &stream_) return 0;
    const std::lock_guard lock(mutex_);
    const auto found = free_.find(bytes);
    if (found == free_.end() || found->second.empty()) return 0;
    const CUdeviceptr block = found->second.back();
    found->second.pop_back();
    free_bytes_ -= bytes;
    return block;
}

CUresult Pool::ask(int64_t bytes, CUdeviceptr& block, GpuStream& stream) {
    if (pool_) return context_.driver.cuMemAllocAsync.status(&block, size_t(bytes), stream.handle());
    const RelaxedCapture relaxed(context_.driver);
    return context_.driver.cuMemAlloc.status(&block, size_t(bytes));
}

void Pool::give_back(CUdeviceptr block) {
    if (pool_)
        context_.driver.cuMemFreeAsync(block, stream_.handle());
    else
        context_.driver.cuMemFree(block);
}

CUdeviceptr Pool::allocate(int64_t bytes, GpuStream& stream) {
    if (bytes > int64_t(context_.memory)) out_of_memory(bytes);
    bytes = rounded(bytes);
    CUdeviceptr block = take_free(bytes, stream);
    if (!block) {
        const Current current(context_);
        CUresult result = ask(bytes, block, stream);
        if (result == CUDA_ERROR_OUT_OF_MEMORY) {
            relieve_memory_pressure();
            trim();
            result = ask(bytes, block, stream);
        }
        if (result == CUDA_ERROR_OUT_OF_MEMORY) out_of_memory(bytes);
        if (result != CUDA_SUCCESS) fail(result, pool_ ? "cuMemAllocAsync" : "cuMemAlloc");
        if (!pool_) {
            const std::lock_guard lock(mutex_);
            owned_ += bytes;
        }
    }
    const std::lock_guard lock(mutex_);
    current_ += bytes;
    ++blocks_;
    if (current_ > peak_) peak_ = current_;
    return block;
}

void Pool::release(CUdeviceptr block, int64_t bytes, std::span<const StreamPoint> users,
                   bool shared) noexcept {
    if (!is_alive()) return;
    bytes = rounded(bytes);
    try {
        {
            const std::lock_guard lock(mutex_);
            current_ -= bytes;
            --blocks_;
            if (shared && !context_.driver.cuCtxRecordEvent) {
                shared_.emplace_back(block, bytes);
                return;
            }
        }
        stream_.wait_for(users);
        if (shared) {
            const Current current(context_);
            stream_.wait_for_context();
        }
        keep_or_give_back(block, bytes);
    } catch (const std::exception& error) {
        if (is_alive()) warn(std::string("a block of cuda memory could not be freed: ") + error.what());
    }
}

void Pool::keep_or_give_back(CUdeviceptr block, int64_t bytes) {
    {
        const std::lock_guard lock(mutex_);
        if (!pool_ || (caches_ && bytes <= kSmall && free_bytes_ + bytes <= kKept)) {
            free_[bytes].push_back(block);
            free_bytes_ += bytes;
            return;
        }
    }
    const Current current(context_);
    give_back(block);
}

// Nothing but the whole device tells when streams that are not ours have finished: a driver older than 12.5
// has no event for that. Only trim and the way out of memory come here.
void Pool::collect_shared() {
    std::vector<std::pair<CUdeviceptr, int64_t>> blocks;
    {
        const std::lock_guard lock(mutex_);
        blocks.swap(shared_);
    }
    if (blocks.empty()) return;
    context_.driver.cuCtxSynchronize();
    for (const auto& [block, bytes] : blocks) keep_or_give_back(block, bytes);
}

void Pool::empty_free_list() {
    std::map<int64_t, std::vector<CUdeviceptr>> blocks;
    {
        const std::lock_guard lock(mutex_);
        blocks.swap(free_);
        free_bytes_ = 0;
    }
    for (const auto& [bytes, list] : blocks)
        for (const CUdeviceptr block : list) {
            give_back(block);
            const std::lock_guard lock(mutex_);
            if (!pool_) owned_ -= bytes;
        }
}

void Pool::trim() {
    const Current current(context_);
    if (!pool_) stream_.wait();
    collect_shared();
    empty_free_list();
    if (!pool_) return;
    stream_.wait();
    context_.driver.cuMemPoolTrimTo(pool_, 0);
}

MemoryStats Pool::stats() const {
    MemoryStats stats;
    {
        const std::lock_guard lock(mutex_);
        stats.current = current_;
        stats.peak = peak_;
        stats.reserved = owned_;
        stats.limit = int64_t(context_.memory);
        stats.allocations = blocks_;
    }
    uint64_t reserved = 0;
    if (pool_ && context_.driver.cuMemPoolGetAttribute.status(pool_, CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT,
                                                              &reserved) == CUDA_SUCCESS)
        stats.reserved = int64_t(reserved);
    return stats;
}

void Pool::out_of_memory(int64_t bytes) const {
    size_t free = 0, total = context_.memory;
    {
        const Current current(context_);
        context_.driver.cuMemGetInfo.status(&free, &total);
    }
    raise(ErrorKind::Memory, "cuda:", context_.index, ": ", bytes, " bytes were asked for; ", free, " of ",
          total, " are free, and arrays of this process hold ", stats().current);
}

}  // namespace cuarray::cuda
