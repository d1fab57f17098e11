// memory.h -- the memory of one GPU: the driver's stream-ordered pool, a free list of small blocks in front of it,
// cached kinds of memory, and the user's allocator.
#pragma once
#include <atomic>
#include <cstdint>
#include <span>
#include <vector>
#include "cuarray/runtime/memory.h"
#include "cuarray/runtime/runtime.h"
#include "cuda/cached_memory.h"
#include "runtime/mutex.h"

namespace cuarray::cuda {

/// An allocated block, and what is needed to free it.
struct Allocation {
    enum class From : uint8_t { Pool, Direct, Pinned, Managed, Allocator };

    CUdeviceptr address = 0;
    int64_t bytes = 0;                    ///< as requested
    GpuStream* home = nullptr;            ///< the stream that allocates and frees it
    GpuStream* foreign_stream = nullptr;  ///< the stream of another library that it was allocated for, or null
    From from = From::Pool;
    Ref<Allocator> allocator;
};

/// Memory of one GPU, allocated and freed in stream order. If the driver has no pools (some virtual GPUs), blocks
/// come from cuMemAlloc and are cached, because cuMemFree would wait for the device.
class DevicePool final : public Memory {
 public:
    DevicePool(Device device, const Context& context, GpuStream& default_stream);

    /// A block of at least `bytes`, usable by work queued on `stream` from now on; users on another stream must wait
    /// for this point. Pinned and managed memory is usable by the host at once. MemoryError after every way to
    /// free memory was tried.
    Allocation allocate(int64_t bytes, GpuStream& stream, MemoryKind kind = MemoryKind::Device);
    /// Frees a block. `users`: stream points that must have run before reuse, at most one per stream. `shared`:
    /// other libraries' streams may use it, too. A user may be a foreign stream, whose handle must not be passed to
    /// the driver any more. Never throws.
    void release(const Allocation& allocation, std::span<const StreamPoint> users, bool shared) noexcept;

    /// Lets another GPU read and write the blocks of the pool.
    void open_to(CUdevice other);

    MemoryStats stats() const override;
    void use_pool(const PoolChoice& choice) override;
    void drop_cached() override;
    void trim() override;
    std::string why_unusable(void* address, int64_t bytes) const override;

 protected:
    void apply_limit(int64_t bytes) override;

 private:
    /// Live blocks of one stream.
    struct StreamTotals {
        GpuStream* stream;
        int64_t bytes = 0, blocks = 0;
    };

    CachedMemory& kept(Allocation::From from);
    void take(Allocation& allocation);
    bool take_small(Allocation& allocation);
    [[noreturn]] void raise_no_room(const Allocation& allocation);
    bool take_once(Allocation& allocation, bool wait);
    CUdeviceptr ask_driver(int64_t bytes, GpuStream& stream);
    void take_back(const Allocation& allocation, std::span<const StreamPoint> users, bool shared);
    bool give_small(const Allocation& allocation, std::span<const StreamPoint> users, bool shared);
    void put_away(const Allocation& allocation);
    void give_back();
    bool has_many_shared() const;
    void collect_shared();
    bool is_captured() const;
    bool wait_for_others(std::span<const Allocation> blocks);
    // Under the lock:
    void share(const Allocation& allocation);
    bool keep_small(const Allocation& allocation);
    void count(const Allocation& allocation, int sign);
    void raise_threshold(CUmemoryPool pool);

    const Context& context_;
    GpuStream& default_stream_;
    bool caches_ = true;             ///< unless CUARRAY_MEMORY_CACHE=off
    bool owns_threshold_ = false;    ///< the pool had the default release threshold, which we may set
    CUmemoryPool raised_ = nullptr;  ///< the pool whose threshold was set last, and to what
    uint64_t raised_to_ = 0;
    std::atomic<CUmemoryPool> pool_{nullptr};  ///< null: cuMemAlloc
    std::atomic<bool> is_given_{false};        ///< the pool is the user's choice, not the device's current one
    CachedMemory kept_[3];                     ///< direct, pinned, managed
    mutable Mutex mutex_;
    BlockCache small_;  ///< small blocks of the driver's pool
    std::vector<StreamTotals> streams_;
    int64_t current_[5] = {}, blocks_[5] = {};  ///< by Allocation::From
    std::vector<Allocation> shared_;            ///< freed, but other libraries may still use them
    int64_t shared_bytes_ = 0;
    std::vector<CUdevice> peers_;  ///< GPUs that may access the pool
};

}  // namespace cuarray::cuda
