// memory.h -- device memory in stream order: the driver's pool, a free list of small blocks before it, and
// what happens when memory runs out.
#pragma once
#include <cstdint>
#include <map>
#include <mutex>
#include <span>
#include <utility>
#include <vector>
#include "cuarray/runtime/backend.h"
#include "cuda/stream.h"

namespace cuarray::cuda {

/// Memory of one GPU, handed out and taken back in the order of a stream's work. Where the driver has no
/// pools (some virtual GPUs), the free list keeps every block, because cuMemFree would wait for the device.
class Pool {
 public:
    /// `stream` is the device's default one.
    Pool(const Context& context, GpuStream& stream);

    /// A block of rounded(bytes), usable by work queued on `stream` from now on (whoever uses it on another
    /// stream waits for this moment); MemoryError after everything was tried.
    CUdeviceptr allocate(int64_t bytes, GpuStream& stream);
    /// Gives a block back that queued work may still use: `users` are the moments after which it is free, at
    /// most one per stream, and where it was seen by others (`shared`), so may be work on streams that are
    /// not ours. A user may be a foreign stream, which must not be handed to the driver any more. Never
    /// throws.
    void release(CUdeviceptr block, int64_t bytes, std::span<const StreamPoint> users, bool shared) noexcept;
    /// Returns all cached memory to the system.
    void trim();
    MemoryStats stats() const;

    static int64_t rounded(int64_t bytes) { return (bytes + kGrain - 1) / kGrain * kGrain; }

 private:
    static constexpr int64_t kGrain = 512;
    static constexpr int64_t kSmall = 1 << 20,
                             kKept = 64 << 20;  ///< what the free list takes, and how much of it

    CUdeviceptr take_free(int64_t bytes, GpuStream& stream);
    CUresult ask(int64_t bytes, CUdeviceptr& block, GpuStream& stream);
    void give_back(CUdeviceptr block);
    void keep_or_give_back(CUdeviceptr block, int64_t bytes);
    void empty_free_list();
    void collect_shared();
    [[noreturn]] void out_of_memory(int64_t bytes) const;

    const Context& context_;
    GpuStream& stream_;
    CUmemoryPool pool_ = nullptr;
    bool caches_ = true;
    mutable std::mutex mutex_;
    std::map<int64_t, std::vector<CUdeviceptr>> free_;
    std::vector<std::pair<CUdeviceptr, int64_t>>
        shared_;  ///< wait for the next trim, where no event can tell
    int64_t free_bytes_ = 0, owned_ = 0, current_ = 0, peak_ = 0, blocks_ = 0;
};

}  // namespace cuarray::cuda
