// memory.h -- the memory of one GPU: the driver's pool in stream order, a list of small blocks before it,
// kinds of memory that are kept, and the user's allocator.
#pragma once
#include <atomic>
#include <cstdint>
#include <mutex>
#include <span>
#include <vector>
#include "cuarray/runtime/memory.h"
#include "cuarray/runtime/runtime.h"
#include "cuda/kept_memory.h"

namespace cuarray::cuda {

/// A block that was handed out, and what is needed to take it back.
struct Allocation {
    enum class From : uint8_t { Pool, Direct, Pinned, Managed, Allocator };

    CUdeviceptr address = 0;
    int64_t bytes = 0;          ///< as asked for
    GpuStream* home = nullptr;  ///< in whose order it was allocated and will be freed
    GpuStream* foreign_stream = nullptr;  ///< the stream of another library that works on it, if it was taken for one
    From from = From::Pool;
    Ref<Allocator> allocator;
};

/// Memory of one GPU, handed out and taken back in the order of a stream's work. Where the driver has no
/// pools (some virtual GPUs), blocks come from cuMemAlloc and are kept, because cuMemFree would wait for the
/// device.
class DevicePool final : public Memory {
 public:
    DevicePool(Device device, const Context& context, GpuStream& default_stream);

    /// At least `bytes`, usable by work queued on `stream` from now on (whoever uses them on another stream
    /// waits for this moment; pinned and managed memory also by the host at once); MemoryError after
    /// everything was tried.
    Allocation allocate(int64_t bytes, GpuStream& stream, MemoryKind kind = MemoryKind::Device);
    /// Gives a block back that queued work may still use: `users` are the moments after which it is free, at
    /// most one per stream, and where it was seen by others (`shared`), so may be work on streams that are
    /// not ours. A user may be a foreign stream, which must not be handed to the driver any more. Never
    /// throws.
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

    KeptMemory& kept(Allocation::From from);
    void take(Allocation& allocation);
    [[noreturn]] void raise_no_room(const Allocation& allocation);
    bool take_once(Allocation& allocation, bool wait);
    CUdeviceptr ask_driver(int64_t bytes, GpuStream& stream);
    void take_back(const Allocation& allocation, std::span<const StreamPoint> users, bool shared);
    void put_away(const Allocation& allocation);
    void free_late() noexcept;
    void count(const Allocation& allocation, int sign);
    void collect_shared();
    void raise_threshold(CUmemoryPool pool);

    const Context& context_;
    GpuStream& default_stream_;
    bool caches_ = true;                       ///< unless CUARRAY_MEMORY_CACHE=off
    bool owns_threshold_ = false;              ///< nobody else had chosen the release threshold of the pool
    std::atomic<CUmemoryPool> pool_{nullptr};  ///< null: cuMemAlloc
    std::atomic<bool> is_given_{false};  ///< the pool is the user's choice, not the device's current one
    KeptMemory kept_[3];                 ///< direct, pinned, managed
    mutable std::mutex mutex_;
    BlockCache small_;  ///< small blocks of the driver's pool
    std::vector<StreamTotals> streams_;
    int64_t current_[5] = {}, blocks_[5] = {};  ///< by Allocation::From
    std::vector<Allocation> shared_;                 ///< wait for the next trim, where no event can tell
    std::vector<CUdevice> peers_;               ///< who may use the pool
    std::vector<std::pair<CUdeviceptr, GpuStream*>> late_;  ///< blocks that the next operation frees
};

}  // namespace cuarray::cuda
