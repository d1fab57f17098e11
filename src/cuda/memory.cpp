// memory.cpp -- allocates and frees in stream order, and chooses where blocks come from.
#include "cuda/memory.h"
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include "cuda/runtime.h"
#include "runtime/hooks.h"

namespace cuarray::cuda {
namespace {

// The largest block in the free list of small blocks, and the bytes that the list may hold: enough for the temporaries
// of a loop.
constexpr int64_t kSmall = 1 << 20, kMostSmall = 64 << 20;

// Freed memory that other libraries may still use is collected from so many bytes, or blocks, on.
constexpr int64_t kMostShared = 64 << 20;
constexpr size_t kMostSharedBlocks = 64;

int64_t number_of(const GpuStream& stream) { return stream.handle(); }

/// Small blocks are rounded up to a size class, for reuse; large ones only to 512 bytes, to waste little.
int64_t pooled_size(int64_t bytes) {
    return bytes <= kSmall ? class_bytes(class_of(bytes)) : (bytes + 511) / 512 * 512;
}

Allocation::From origin_of(MemoryKind kind, bool has_pool) {
    switch (kind) {
        case MemoryKind::Device: return has_pool ? Allocation::From::Pool : Allocation::From::Direct;
        case MemoryKind::Direct: return Allocation::From::Direct;
        case MemoryKind::Pinned: return Allocation::From::Pinned;
        case MemoryKind::Managed: return Allocation::From::Managed;
    }
    return Allocation::From::Pool;
}

/// Reports a failed free, which cannot be raised.
void report_lost(const std::exception& error) {
    ContextCache::invalidate();
    if (is_alive()) report_unraisable(std::string("a block of cuda memory could not be freed: ") + error.what());
}

}  // namespace

DevicePool::DevicePool(Device device, const Context& context, GpuStream& default_stream)
    : Memory(device),
      context_(context),
      default_stream_(default_stream),
      kept_{{context, kDirectMemory}, {context, kPinnedMemory}, {context, kManagedMemory}} {
    const char* wish = std::getenv("CUARRAY_MEMORY_CACHE");
    caches_ = !(wish && std::strcmp(wish, "off") == 0);
    use_pool({});
}

// With the default threshold of 0 the pool returns its memory to the system at every synchronisation and must
// allocate it again. Another threshold is the application's choice and stays.
void DevicePool::raise_threshold(CUmemoryPool pool) {
    uint64_t threshold = 0;
    context_.driver.cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &threshold);
    owns_threshold_ = threshold == 0 || (pool == raised_ && threshold == raised_to_);
    apply_limit(limit());
}

void DevicePool::apply_limit(int64_t bytes) {
    uint64_t threshold = bytes == kNoLimit ? UINT64_MAX : uint64_t(bytes);
    if (owns_threshold_) {
        context_.driver.cuMemPoolSetAttribute(pool_, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &threshold);
        raised_ = pool_, raised_to_ = threshold;
    }
    if (bytes != kNoLimit) give_back();
}

void DevicePool::use_pool(const PoolChoice& choice) {
    const Current current(context_);
    CUmemoryPool pool = nullptr;
    if (choice.kind == PoolChoice::Kind::Given) {
        uint64_t reserved = 0;
        pool = reinterpret_cast<CUmemoryPool>(choice.handle);
        if (!context_.has_pools)
            raise(ErrorKind::Value, "memory.use_pool: cuda:", context_.index, " has no memory pools");
        if (const CUresult result =
                context_.driver.cuMemPoolGetAttribute.status(pool, CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT, &reserved))
            raise(ErrorKind::Value, "memory.use_pool: ", choice.handle, " is no memory pool: ", error_text(result));
    } else if (choice.kind == PoolChoice::Kind::Current && context_.has_pools) {
        context_.driver.cuDeviceGetMemPool(&pool, context_.device);
    }
    if (pool == pool_) return;
    drop_cached();
    pool_ = pool;
    owns_threshold_ = false;
    if (pool && choice.kind == PoolChoice::Kind::Current) raise_threshold(pool);
    is_given_ = choice.kind == PoolChoice::Kind::Given;
    for (const CUdevice peer : peers_) open_to(peer);
}

void DevicePool::open_to(CUdevice other) {
    if (std::find(peers_.begin(), peers_.end(), other) == peers_.end()) peers_.push_back(other);
    if (!pool_) return;
    const CUmemAccessDesc access = {{CU_MEM_LOCATION_TYPE_DEVICE, other}, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
    const Current current(context_);
    context_.driver.cuMemPoolSetAccess(pool_, &access, 1);
}

CachedMemory& DevicePool::kept(Allocation::From from) { return kept_[int(from) - int(Allocation::From::Direct)]; }

CUdeviceptr DevicePool::ask_driver(int64_t bytes, GpuStream& stream) {
    const Current current(context_);
    const Driver& driver = context_.driver;
    const RelaxedCapture relaxed(driver);  // on a stream beside a capture, the driver may refuse to enlarge its pool
    CUdeviceptr address = 0;
    const CUmemoryPool pool = pool_;
    const CUresult result = is_given_
                                ? driver.cuMemAllocFromPoolAsync.status(&address, size_t(bytes), pool, stream.queue())
                                : driver.cuMemAllocAsync.status(&address, size_t(bytes), stream.queue());
    if (result == CUDA_ERROR_OUT_OF_MEMORY) return 0;
    if (result != CUDA_SUCCESS) fail(result, is_given_ ? "cuMemAllocFromPoolAsync" : "cuMemAllocAsync");
    return address;
}

bool DevicePool::take_once(Allocation& allocation, bool wait) {
    if (allocation.from == Allocation::From::Pool)
        allocation.address = ask_driver(caches_ ? pooled_size(allocation.bytes) : allocation.bytes, *allocation.home);
    else
        allocation.address = kept(allocation.from).allocate(class_of(allocation.bytes), *allocation.home, wait);
    return allocation.address != 0;
}

void DevicePool::take(Allocation& allocation) {
    if (allocation.from == Allocation::From::Allocator) {
        ContextCache::invalidate();
        const Current current(context_);
        allocation.address =
            reinterpret_cast<CUdeviceptr>(ask(*allocation.allocator, allocation.bytes, number_of(*allocation.home)));
        return;
    }
    if (allocation.from != Allocation::From::Pinned && allocation.bytes > int64_t(context_.memory))
        raise_no_memory(allocation.bytes);
    if (allocation.bytes > kLargestBlock) raise_no_room(allocation);
    if (has_many_shared()) collect_shared();
    if (take_once(allocation, false)) return;
    ContextCache::invalidate();
    if (!find_room([&] { return take_once(allocation, true); })) raise_no_room(allocation);
}

void DevicePool::raise_no_room(const Allocation& allocation) {
    if (allocation.from != Allocation::From::Pinned) raise_no_memory(allocation.bytes);
    const std::lock_guard lock(mutex_);
    const int which = int(Allocation::From::Pinned);
    raise(ErrorKind::Memory, "pinned host memory: ", allocation.bytes, " bytes asked (", size_text(allocation.bytes),
          "), which the driver refuses to lock; arrays hold ", size_text(current_[which]), " of it in ", blocks_[which],
          " blocks, ", size_text(kept(Allocation::From::Pinned).kept()), " are kept for reuse");
}

Allocation DevicePool::allocate(int64_t bytes, GpuStream& stream, MemoryKind kind) {
    Allocation allocation;
    allocation.bytes = bytes;
    allocation.home = &stream;
    allocation.from = origin_of(kind, pool_ != nullptr);
    if (kind == MemoryKind::Device && has_allocator() && (allocation.allocator = allocator()))
        allocation.from = Allocation::From::Allocator;
    const bool is_ours = kind != MemoryKind::Pinned;  // the limit applies to device memory
    if (is_ours && !account_.has_room(bytes)) {
        ContextCache::invalidate();
        find_room_in_limit(bytes);
    }
    if (!take_small(allocation)) {
        take(allocation);
        const std::lock_guard lock(mutex_);
        count(allocation, 1);
    }
    if (is_ours && !account_.add(bytes)) {
        {
            const std::lock_guard lock(mutex_);
            count(allocation, -1);
        }
        take_back(allocation, {}, false);
        raise_no_memory(bytes);
    }
    return allocation;
}

/// Takes and counts a block from the list of small ones, with one lock.
bool DevicePool::take_small(Allocation& allocation) {
    if (allocation.from != Allocation::From::Pool || allocation.bytes > kSmall) return false;
    const std::lock_guard lock(mutex_);
    const FreeBlock block = small_.take(*allocation.home, class_of(allocation.bytes));
    if (!block) return false;
    allocation.address = block.address;
    count(allocation, 1);
    return true;
}

void DevicePool::count(const Allocation& allocation, int sign) {
    current_[int(allocation.from)] += sign * allocation.bytes;
    blocks_[int(allocation.from)] += sign;
    auto lane = std::find_if(streams_.begin(), streams_.end(),
                             [&](const StreamTotals& l) { return l.stream == allocation.home; });
    if (lane == streams_.end()) lane = streams_.insert(lane, {allocation.home});
    lane->bytes += sign * allocation.bytes;
    lane->blocks += sign;
}

void DevicePool::release(const Allocation& allocation, std::span<const StreamPoint> users, bool shared) noexcept {
    if (allocation.from != Allocation::From::Pinned) account_.remove(allocation.bytes);
    if (!is_alive()) return;  // in a forked child, a thread that no longer exists may hold the lock
    try {
        if (give_small(allocation, users, shared)) return;
        {
            const std::lock_guard lock(mutex_);
            count(allocation, -1);
        }
        take_back(allocation, users, shared);
    } catch (const std::exception& error) { report_lost(error); }
}

/// Counts a small block, and puts it into the list, with one lock.
bool DevicePool::give_small(const Allocation& allocation, std::span<const StreamPoint> users, bool shared) {
    if (shared || allocation.foreign_stream || allocation.from != Allocation::From::Pool || allocation.bytes > kSmall ||
        !caches_)
        return false;
    allocation.home->wait_for(users);
    const std::lock_guard lock(mutex_);
    if (!keep_small(allocation)) return false;
    count(allocation, -1);
    return true;
}

bool DevicePool::keep_small(const Allocation& allocation) {
    if (small_.bytes() + pooled_size(allocation.bytes) > std::min(kMostSmall, limit() - account_.current()))
        return false;
    small_.put({allocation.address, allocation.home, allocation.home->issued(), class_of(allocation.bytes)});
    return true;
}

void DevicePool::take_back(const Allocation& allocation, std::span<const StreamPoint> users, bool shared) {
    if (allocation.foreign_stream) allocation.home->wait_for_queued(*allocation.foreign_stream);
    allocation.home->wait_for(users);
    if (!shared) return put_away(allocation);
    const std::lock_guard lock(mutex_);
    share(allocation);
}

void DevicePool::share(const Allocation& allocation) {
    shared_.push_back(allocation);
    shared_bytes_ += allocation.bytes;
}

void DevicePool::put_away(const Allocation& allocation) {
    if (allocation.from == Allocation::From::Allocator) {
        ContextCache::invalidate();
        const Current current(context_);
        allocation.allocator->free(device, reinterpret_cast<void*>(allocation.address), allocation.bytes,
                                   number_of(*allocation.home));
        return;
    }
    if (allocation.from != Allocation::From::Pool)
        return kept(allocation.from).keep(allocation.address, class_of(allocation.bytes), *allocation.home);
    if (caches_ && allocation.bytes <= kSmall) {
        const std::lock_guard lock(mutex_);
        if (keep_small(allocation)) return;
    }
    const Current current(context_);
    context_.driver.cuMemFreeAsync(allocation.address, allocation.home->queue());
}

bool DevicePool::has_many_shared() const {
    const std::lock_guard lock(mutex_);
    return context_.driver.cuCtxRecordEvent && (shared_bytes_ > kMostShared || shared_.size() > kMostSharedBlocks);
}

/// Whether a capture is known that an event or a wait for the whole context would break. Of other libraries, only
/// captures of blocking streams are.
bool DevicePool::is_captured() const {
    if (GpuRuntime::is_any_captured()) return true;
    int status = 0;
    auto* const legacy = reinterpret_cast<CUstream>(kLegacyStream);
    return context_.driver.cuStreamIsCapturing.status(legacy, &status) == CUDA_ERROR_STREAM_CAPTURE_IMPLICIT;
}

/// Makes the blocks' streams wait for all work of the context; false while anything is known to be captured.
bool DevicePool::wait_for_others(std::span<const Allocation> blocks) {
    const std::lock_guard lock(GpuRuntime::capture_gate());
    const Current current(context_);
    if (is_captured()) return false;
    if (!context_.driver.cuCtxRecordEvent) {  // before 12.5
        const RelaxedCapture relaxed(context_.driver);
        context_.driver.cuCtxSynchronize();
        return true;
    }
    std::vector<GpuStream*> homes;
    for (const Allocation& block : blocks)
        if (std::find(homes.begin(), homes.end(), block.home) == homes.end()) homes.push_back(block.home);
    for (GpuStream* const home : homes) home->wait_for_context();
    return true;
}

// Other libraries may use exported memory on streams that only an event of the whole context covers, and that event
// breaks every capture. A block is freed wherever its last reference goes, so also in captures: it is kept until much
// has come together, trim is called, or memory has run out.
void DevicePool::collect_shared() {
    std::vector<Allocation> blocks;
    {
        const std::lock_guard lock(mutex_);
        blocks.swap(shared_);
        shared_bytes_ = 0;
    }
    if (blocks.empty()) return;
    std::string trouble;
    bool is_ordered = false;
    try {
        is_ordered = wait_for_others(blocks);
    } catch (const std::exception& error) { trouble = error.what(); }
    if (!is_ordered) {
        {
            const std::lock_guard lock(mutex_);
            for (const Allocation& block : blocks) share(block);
        }
        if (!trouble.empty() && is_alive()) report_unraisable("freed memory that was exported is kept: " + trouble);
        return;
    }
    for (const Allocation& block : blocks) try {
            put_away(block);
        } catch (const std::exception& error) { report_lost(error); }
}

void DevicePool::drop_cached() {
    std::vector<FreeBlock> blocks;
    {
        const std::lock_guard lock(mutex_);
        blocks = small_.take_all(false);
    }
    const Current current(context_);
    for (const FreeBlock& block : blocks) context_.driver.cuMemFreeAsync(block.address, block.stream->queue());
    for (CachedMemory& kind : kept_) kind.give_back();
}

void DevicePool::trim() {
    collect_shared();
    give_back();
}

void DevicePool::give_back() {
    const Current current(context_);
    drop_cached();
    std::vector<GpuStream*> streams;
    {
        const std::lock_guard lock(mutex_);
        for (const StreamTotals& lane : streams_) streams.push_back(lane.stream);
    }
    for (GpuStream* stream : streams) stream->wait();
    for (CachedMemory& kind : kept_) kind.give_back();
    const RelaxedCapture relaxed(context_.driver);
    if (pool_) context_.driver.cuMemPoolTrimTo(pool_, 0);
}

MemoryStats DevicePool::stats() const {
    MemoryStats stats;
    stats.current = account_.current(), stats.peak = account_.peak(), stats.limit = account_.limit();
    size_t free = 0, total = context_.memory;
    uint64_t reserved = 0;
    if (is_alive()) {
        const Current current(context_);
        context_.driver.cuMemGetInfo.status(&free, &total);
        if (pool_) context_.driver.cuMemPoolGetAttribute.status(pool_, CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT, &reserved);
    }
    stats.available = int64_t(free), stats.total = int64_t(total);
    stats.reserved = int64_t(reserved);
    const std::lock_guard lock(mutex_);
    const auto add_kind = [&](const char* name, Allocation::From from, int64_t cached) {
        const int64_t current = current_[int(from)], blocks = blocks_[int(from)];
        if (current > 0 || cached > 0 || blocks > 0) stats.kinds.push_back({name, current, cached, blocks});
    };
    add_kind("device", Allocation::From::Pool, std::max(int64_t(reserved) - current_[0], int64_t(0)));
    for (const CachedMemory& kind : kept_) {
        const auto from = Allocation::From(int(Allocation::From::Direct) + int(&kind - kept_));
        add_kind(kind.source().name, from, kind.kept());
        if (from != Allocation::From::Pinned) stats.reserved += kind.held();
    }
    add_kind("lent", Allocation::From::Allocator, 0);
    for (const int64_t blocks : blocks_) stats.allocations += blocks;
    stats.allocations -= blocks_[int(Allocation::From::Pinned)];  // not device memory, as in `current`
    for (const StreamTotals& lane : streams_) {
        char name[32] = "default";
        if (lane.stream != &default_stream_)
            std::snprintf(name, sizeof name, "%#llx", static_cast<unsigned long long>(number_of(*lane.stream)));
        int64_t cached = small_.bytes(*lane.stream);
        for (const CachedMemory& kind : kept_) cached += kind.kept(*lane.stream);
        stats.streams.push_back({name, lane.bytes, cached, lane.blocks});
    }
    return stats;
}

std::string DevicePool::why_unusable(void* address, int64_t bytes) const {
    const Current current(context_);
    const auto at = reinterpret_cast<CUdeviceptr>(address);
    const auto ask = [&](int what, auto& answer) {
        return context_.driver.cuPointerGetAttribute.status(&answer, what, at) == CUDA_SUCCESS;
    };
    int type = 0, ordinal = -1;
    if (!ask(CU_POINTER_ATTRIBUTE_MEMORY_TYPE, type) || type != CU_MEMORYTYPE_DEVICE) return "is no memory of a GPU";
    if (ask(CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, ordinal) && ordinal != context_.index)
        return "is memory of cuda:" + std::to_string(ordinal);
    CUdeviceptr start = 0;
    size_t size = 0;
    if (ask(CU_POINTER_ATTRIBUTE_RANGE_START_ADDR, start) && ask(CU_POINTER_ATTRIBUTE_RANGE_SIZE, size) &&
        at + uint64_t(bytes) > start + size)
        return "is the beginning of " + std::to_string(start + size - at) + " bytes only";
    return "";
}

}  // namespace cuarray::cuda
