// memory.cpp -- the arena of device memory, its blocks and pools, and host memory the driver knows.
#include "memory.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <map>

namespace cudasim {
namespace {

// An unlikely upper half, so that no pair of 32-bit sizes in a parameter block looks like an address.
constexpr CUdeviceptr kDeviceBase = 0x5E3D00000000;
constexpr CUdeviceptr kViewBase = 0x6E3D00000000;
constexpr size_t kSpan = size_t(256) << 30;
constexpr size_t kGuard = 256;
constexpr size_t kPoisonEdge = 64 << 10;
constexpr size_t kReturnToSystem = 1 << 20;
constexpr unsigned char kFresh = 0xCD, kFreed = 0xDD, kGuardByte = 0xB7;

/// Address space of one device: a frontier, and the blocks that may be used again, by capacity.
struct Arena {
    CUdeviceptr frontier = 0, end = 0;
    size_t direct = 0;
    std::map<size_t, std::deque<Allocation*>> unused;
    std::unique_ptr<Pool> default_pool;
    Pool* pool = nullptr;
    std::vector<std::unique_ptr<Pool>> pools;
};

struct Memory {
    std::vector<Arena> arenas = std::vector<Arena>(settings().devices);
    std::map<CUdeviceptr, Allocation> blocks;
    std::map<uintptr_t, HostRange> host;
    uint64_t next_id = 1;
    int file = -1;
};

Memory& memory() {
    static auto* state = new Memory;
    return *state;
}

Arena& arena(int device) { return memory().arenas[static_cast<size_t>(device)]; }

/// Eight sizes per power of two, so that freed blocks fit again.
size_t capacity_for(size_t bytes) {
    size_t step = 512;
    while (step * 16 <= bytes) step *= 2;
    return (bytes + step - 1) / step * step;
}

void fill(CUdeviceptr address, size_t bytes, unsigned char value) { std::memset(view(address), value, bytes); }

void poison(const Allocation& block, size_t size, unsigned char value) {
    size_t edge = std::min(size, kPoisonEdge);
    fill(block.base, edge, value);
    fill(block.base + size - edge, edge, value);
}

void set_guards(const Allocation& block) {
    fill(block.base - kGuard, kGuard, kGuardByte);
    fill(block.base + block.live_size, kGuard, kGuardByte);
}

bool all_guard(CUdeviceptr address) {
    static const std::string expected(kGuard, static_cast<char>(kGuardByte));
    return std::memcmp(view(address), expected.data(), kGuard) == 0;
}

void begin_life(Allocation& block, size_t size) {
    block.live = true;
    block.live_size = size;
    poison(block, size, kFresh);
    set_guards(block);
}

CUresult end_life(Allocation& block) {
    block.live = false;
    if (block.capacity >= kReturnToSystem)
        fallocate(memory().file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
                  static_cast<off_t>(block.base - kDeviceBase), static_cast<off_t>(block.live_size));
    poison(block, block.live_size, kFreed);
    return CUDA_SUCCESS;
}

/// Bytes taken from the device: direct allocations and what the pools hold, in use or not.
size_t taken(int device) {
    size_t sum = arena(device).direct + arena(device).default_pool->reserved;
    for (auto& pool : arena(device).pools) sum += pool->reserved;
    return sum;
}

Allocation* carve(int device, size_t capacity) {
    Arena& a = arena(device);
    auto& unused = a.unused[capacity];
    if (!unused.empty()) {
        Allocation* block = unused.front();
        unused.pop_front();
        return block;
    }
    // Blocks start at odd multiples of 256: CUDA promises no larger alignment.
    CUdeviceptr base = a.frontier + kGuard;
    if (base + capacity + kGuard > a.end) return nullptr;
    a.frontier = base + capacity + kGuard;
    Allocation& block = memory().blocks[base];
    block.base = base;
    block.capacity = capacity;
    block.device = device;
    return &block;
}

void give_to(Allocation& block, Pool* pool, size_t size) {
    block.pool = pool;
    block.size = size;
    block.allocated = true;
    block.id = memory().next_id++;
}

void drop_from_pool(Pool& pool, size_t index) {
    Allocation* block = pool.cached[index];
    pool.cached.erase(pool.cached.begin() + static_cast<long>(index));
    pool.reserved -= block->capacity;
    arena(block->device).unused[block->capacity].push_back(block);
}

void shrink(Pool& pool, uint64_t keep) {
    for (size_t i = pool.cached.size(); i-- > 0 && pool.reserved > keep;)
        if (pool.cached[i]->freed.reached()) drop_from_pool(pool, i);
}

/// A freed block of the pool that work on `stream` may use: freed there, or freed and long done elsewhere.
Allocation* reuse(Pool& pool, Stream& stream, size_t capacity) {
    for (size_t i = pool.cached.size(); i-- > 0;) {
        Allocation* block = pool.cached[i];
        bool usable = block->freed.stream.get() == &stream || (pool.reuse[1] && block->freed.reached());
        if (block->capacity != capacity || !usable) continue;
        pool.cached.erase(pool.cached.begin() + static_cast<long>(i));
        return block;
    }
    return nullptr;
}

CUresult allocate_pooled(CUdeviceptr* out, size_t bytes, Pool& pool, CUstream stream_handle) {
    if (!out || bytes == 0) return CUDA_ERROR_INVALID_VALUE;
    CUresult error;
    auto stream = stream_of(stream_handle, error);
    if (!stream) return error;
    size_t capacity = capacity_for(bytes);
    Allocation* block = reuse(pool, *stream, capacity);
    if (!block) {
        if (taken(pool.device) + capacity > settings().memory) shrink(pool, 0);
        if (taken(pool.device) + capacity > settings().memory) return CUDA_ERROR_OUT_OF_MEMORY;
        block = carve(pool.device, capacity);
        if (!block) return CUDA_ERROR_OUT_OF_MEMORY;
        pool.reserved += capacity;
        pool.reserved_high = std::max(pool.reserved_high, pool.reserved);
    }
    pool.used += capacity;
    pool.used_high = std::max(pool.used_high, pool.used);
    give_to(*block, &pool, bytes);
    Operation operation{"allocation", [=] {
                            begin_life(*block, bytes);
                            return CUDA_SUCCESS;
                        }};
    operation.bookkeeping = true;
    enqueue(*stream, std::move(operation));
    *out = block->base;
    return CUDA_SUCCESS;
}

CUresult allocate_direct(CUdeviceptr* out, size_t bytes, int device) {
    if (!out || bytes == 0) return CUDA_ERROR_INVALID_VALUE;
    size_t capacity = capacity_for(bytes);
    if (taken(device) + capacity > settings().memory) return CUDA_ERROR_OUT_OF_MEMORY;
    Allocation* block = carve(device, capacity);
    if (!block) return CUDA_ERROR_OUT_OF_MEMORY;
    arena(device).direct += capacity;
    give_to(*block, nullptr, bytes);
    begin_life(*block, bytes);
    *out = block->base;
    return CUDA_SUCCESS;
}

/// The allocated block that starts at the address, or null with a message.
Allocation* allocated_block(CUdeviceptr address) {
    Allocation* block = block_at(address);
    if (block && block->base == address && block->allocated) return block;
    say(format("free of 0x%llx: %s", address, describe(address).c_str()));
    return nullptr;
}

/// What the host sees at once when a block is freed; the memory itself lives on until the stream gets there.
void retire(Allocation& block) {
    block.allocated = false;
    if (block.pool) {
        block.pool->used -= block.capacity;
        block.pool->cached.push_back(&block);
    } else {
        arena(block.device).direct -= block.capacity;
    }
}

CUresult free_now(CUdeviceptr address) {
    if (address == 0) return CUDA_SUCCESS;
    Allocation* block = allocated_block(address);
    if (!block) return CUDA_ERROR_INVALID_VALUE;
    // cuMemFree often waits for the device, but nothing promises it.
    Context& context = driver().contexts[static_cast<size_t>(block->device)];
    if (settings().progress != Progress::Lazy && driver().random.chance(2)) wait_for_all(context);
    retire(*block);
    block->freed = {};
    end_life(*block);
    if (!block->pool) arena(block->device).unused[block->capacity].push_back(block);
    return CUDA_SUCCESS;
}

CUresult free_in_stream(CUdeviceptr address, CUstream stream_handle) {
    CUresult error;
    auto stream = stream_of(stream_handle, error);
    if (!stream) return error;
    if (address == 0) return CUDA_SUCCESS;
    Allocation* block = allocated_block(address);
    if (!block) return CUDA_ERROR_INVALID_VALUE;
    retire(*block);
    Operation operation{"free", [=] {
                            end_life(*block);
                            if (!block->pool) arena(block->device).unused[block->capacity].push_back(block);
                            return CUDA_SUCCESS;
                        }};
    operation.bookkeeping = true;
    block->freed = {stream, stream->issued + 1};
    enqueue(*stream, std::move(operation));
    return CUDA_SUCCESS;
}

}  // namespace

const int64_t kViewOffset = static_cast<int64_t>(kViewBase) - static_cast<int64_t>(kDeviceBase);

void map_device_memory() {
    Memory& m = memory();
    size_t total = kSpan * m.arenas.size();
    m.file = static_cast<int>(syscall(SYS_memfd_create, "cudasim", MFD_CLOEXEC));
    bool sized = m.file >= 0 && ftruncate(m.file, static_cast<off_t>(total)) == 0;
    constexpr int kFixed = MAP_FIXED_NOREPLACE | MAP_NORESERVE;
    void* device = mmap(reinterpret_cast<void*>(kDeviceBase), total, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | kFixed, -1, 0);
    void* seen = mmap(reinterpret_cast<void*>(kViewBase), total, PROT_READ | PROT_WRITE, MAP_SHARED | kFixed, m.file, 0);
    if (!sized || device == MAP_FAILED || seen == MAP_FAILED) {
        say(format("cannot map device memory: %s", std::strerror(errno)));
        std::abort();
    }
    for (size_t i = 0; i < m.arenas.size(); ++i) {
        Arena& a = m.arenas[i];
        a.frontier = kDeviceBase + i * kSpan;
        a.end = a.frontier + kSpan;
        a.default_pool = std::make_unique<Pool>();
        a.default_pool->device = static_cast<int>(i);
        a.pool = a.default_pool.get();
    }
}

bool is_device_address(CUdeviceptr address) {
    return address - kDeviceBase < kSpan * static_cast<size_t>(settings().devices);
}

char* view(CUdeviceptr address) {
    CUdeviceptr shown = is_device_address(address) ? address + static_cast<CUdeviceptr>(kViewOffset) : address;
    return reinterpret_cast<char*>(shown);
}

Allocation* block_at(CUdeviceptr address) {
    auto& blocks = memory().blocks;
    auto after = blocks.upper_bound(address);
    if (after == blocks.begin()) return nullptr;
    Allocation& block = std::prev(after)->second;
    return address < block.base + block.capacity ? &block : nullptr;
}

const HostRange* host_range_at(uintptr_t address) {
    auto& host = memory().host;
    auto after = host.upper_bound(address);
    if (after == host.begin()) return nullptr;
    const HostRange& range = std::prev(after)->second;
    return address < range.base + range.size ? &range : nullptr;
}

void add_host_range(const HostRange& range) {
    HostRange& added = memory().host[range.base] = range;
    added.id = memory().next_id++;
}

void remove_host_range(uintptr_t base) { memory().host.erase(base); }

std::string describe(CUdeviceptr address) {
    Allocation* block = block_at(address);
    if (!block) return is_device_address(address) ? "device memory that was never allocated" : "no device address";
    const char* state = block->allocated ? "allocated" : "freed";
    return format("byte %llu of a block of %zu bytes (%s) on device %d", address - block->base, block->size, state,
                  block->device);
}

std::string objection(const Context& context, CUdeviceptr address, size_t bytes) {
    if (!is_device_address(address)) return "";
    Allocation* block = block_at(address);
    if (!block) return format("0x%llx is device memory that was never allocated", address);
    if (!block->live) return format("0x%llx: the memory is not alive at this time in its stream: %s", address, describe(address).c_str());
    if (address + bytes > block->base + block->live_size)
        return format("%zu bytes at 0x%llx reach past the end of a block of %zu bytes", bytes, address, block->live_size);
    auto device = static_cast<size_t>(block->device);
    if (block->device == context.device) return "";
    bool pool_access = block->pool && context.device < static_cast<int>(block->pool->accessible.size()) &&
                       block->pool->accessible[static_cast<size_t>(context.device)];
    bool allowed = block->pool ? pool_access : context.peers[device];
    return allowed ? "" : format("0x%llx lies on device %d, to which device %d has no peer access", address, block->device, context.device);
}

bool guards_intact(const Allocation& block) {
    return !block.live || (all_guard(block.base - kGuard) && all_guard(block.base + block.live_size));
}

void shrink_pools(int device) {
    Arena& a = arena(device);
    shrink(*a.default_pool, a.default_pool->threshold);
    for (auto& pool : a.pools) shrink(*pool, pool->threshold);
}

}  // namespace cudasim

using namespace cudasim;

namespace {

Pool* as_pool(CUmemoryPool handle) {
    auto* pool = reinterpret_cast<Pool*>(handle);
    for (Arena& a : memory().arenas) {
        if (a.default_pool.get() == pool) return pool;
        for (auto& other : a.pools)
            if (other.get() == pool) return pool;
    }
    return nullptr;
}

CUmemoryPool handle_of(Pool* pool) { return reinterpret_cast<CUmemoryPool>(pool); }

bool exists(CUdevice device) { return device >= 0 && device < settings().devices; }

CUresult make_host_range(void** out, size_t bytes, HostRange::Kind kind, unsigned flags) {
    if (!out || bytes == 0) return CUDA_ERROR_INVALID_VALUE;
    void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) return CUDA_ERROR_OUT_OF_MEMORY;
    std::memset(memory, kFresh, std::min(bytes, kPoisonEdge));
    add_host_range({reinterpret_cast<uintptr_t>(memory), bytes, kind, flags, current_context(), 0});
    *out = memory;
    return CUDA_SUCCESS;
}

CUresult release_host_range(uintptr_t base, HostRange::Kind kind) {
    const HostRange* range = host_range_at(base);
    if (!range || range->base != base || range->kind != kind) return CUDA_ERROR_INVALID_VALUE;
    size_t size = range->size;
    remove_host_range(base);
    munmap(reinterpret_cast<void*>(base), size);
    return CUDA_SUCCESS;
}

}  // namespace

CUDASIM_API cuMemGetInfo_v2(size_t* free, size_t* total) {
    CUDASIM_ENTER(Context);
    *total = settings().memory;
    *free = settings().memory - taken(current_context()->device);
    return CUDA_SUCCESS;
}

CUDASIM_API cuMemAlloc_v2(CUdeviceptr* out, size_t bytes) {
    CUDASIM_ENTER(Context);
    return allocate_direct(out, bytes, current_context()->device);
}

CUDASIM_API cuMemFree_v2(CUdeviceptr address) {
    CUDASIM_ENTER(Context);
    const HostRange* range = host_range_at(address);
    if (range && range->kind == HostRange::Kind::Managed) return release_host_range(address, range->kind);
    return free_now(address);
}

CUDASIM_API cuMemAllocAsync(CUdeviceptr* out, size_t bytes, CUstream stream) {
    CUDASIM_ENTER(Context);
    if (!settings().pools) return CUDA_ERROR_NOT_SUPPORTED;
    return allocate_pooled(out, bytes, *arena(current_context()->device).pool, stream);
}

CUDASIM_API cuMemAllocFromPoolAsync(CUdeviceptr* out, size_t bytes, CUmemoryPool handle, CUstream stream) {
    CUDASIM_ENTER(Context);
    Pool* pool = as_pool(handle);
    return pool ? allocate_pooled(out, bytes, *pool, stream) : CUDA_ERROR_INVALID_VALUE;
}

CUDASIM_API cuMemFreeAsync(CUdeviceptr address, CUstream stream) {
    CUDASIM_ENTER(Context);
    return free_in_stream(address, stream);
}

CUDASIM_API cuMemGetAddressRange_v2(CUdeviceptr* base, size_t* size, CUdeviceptr address) {
    CUDASIM_ENTER(Context);
    Allocation* block = block_at(address);
    if (!block || !block->allocated) return CUDA_ERROR_NOT_FOUND;
    if (base) *base = block->base;
    if (size) *size = block->size;
    return CUDA_SUCCESS;
}

CUDASIM_API cuDeviceGetDefaultMemPool(CUmemoryPool* out, CUdevice device) {
    CUDASIM_ENTER(Init);
    if (!exists(device)) return CUDA_ERROR_INVALID_DEVICE;
    if (!settings().pools) return CUDA_ERROR_NOT_SUPPORTED;
    *out = handle_of(arena(device).default_pool.get());
    return CUDA_SUCCESS;
}

CUDASIM_API cuDeviceGetMemPool(CUmemoryPool* out, CUdevice device) {
    CUDASIM_ENTER(Init);
    if (!exists(device)) return CUDA_ERROR_INVALID_DEVICE;
    if (!settings().pools) return CUDA_ERROR_NOT_SUPPORTED;
    *out = handle_of(arena(device).pool);
    return CUDA_SUCCESS;
}

CUDASIM_API cuDeviceSetMemPool(CUdevice device, CUmemoryPool handle) {
    CUDASIM_ENTER(Init);
    Pool* pool = as_pool(handle);
    if (!exists(device)) return CUDA_ERROR_INVALID_DEVICE;
    if (!pool || pool->device != device) return CUDA_ERROR_INVALID_VALUE;
    arena(device).pool = pool;
    return CUDA_SUCCESS;
}

CUDASIM_API cuMemPoolCreate(CUmemoryPool* out, const CUmemPoolProps* props) {
    CUDASIM_ENTER(Init);
    bool valid = out && props && props->allocType == CU_MEM_ALLOCATION_TYPE_PINNED &&
                 props->location.type == CU_MEM_LOCATION_TYPE_DEVICE && exists(props->location.id);
    if (!valid) return CUDA_ERROR_INVALID_VALUE;
    auto& pools = arena(props->location.id).pools;
    pools.push_back(std::make_unique<Pool>());
    pools.back()->device = props->location.id;
    *out = handle_of(pools.back().get());
    return CUDA_SUCCESS;
}

CUDASIM_API cuMemPoolDestroy(CUmemoryPool handle) {
    CUDASIM_ENTER(Init);
    Pool* pool = as_pool(handle);
    if (!pool) return CUDA_ERROR_INVALID_VALUE;
    Arena& a = arena(pool->device);
    if (pool == a.default_pool.get()) return CUDA_ERROR_NOT_PERMITTED;
    if (a.pool == pool) a.pool = a.default_pool.get();
    shrink(*pool, 0);
    // A pool with living allocations stays until they are freed; its owner only loses the right to use it.
    if (pool->reserved == 0)
        a.pools.erase(std::find_if(a.pools.begin(), a.pools.end(), [&](auto& p) { return p.get() == pool; }));
    return CUDA_SUCCESS;
}

CUDASIM_API cuMemPoolTrimTo(CUmemoryPool handle, size_t keep) {
    CUDASIM_ENTER(Init);
    Pool* pool = as_pool(handle);
    if (!pool) return CUDA_ERROR_INVALID_VALUE;
    shrink(*pool, keep);
    return CUDA_SUCCESS;
}

CUDASIM_API cuMemPoolSetAttribute(CUmemoryPool handle, CUmemPool_attribute key, void* value) {
    CUDASIM_ENTER(Init);
    Pool* pool = as_pool(handle);
    if (!pool || !value) return CUDA_ERROR_INVALID_VALUE;
    switch (key) {
        case CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES:
        case CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC:
        case CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES:
            pool->reuse[key - 1] = *static_cast<int*>(value);
            return CUDA_SUCCESS;
        case CU_MEMPOOL_ATTR_RELEASE_THRESHOLD:
            pool->threshold = *static_cast<uint64_t*>(value);
            return CUDA_SUCCESS;
        case CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH:
        case CU_MEMPOOL_ATTR_USED_MEM_HIGH:
            if (*static_cast<uint64_t*>(value) != 0) return CUDA_ERROR_INVALID_VALUE;
            if (key == CU_MEMPOOL_ATTR_USED_MEM_HIGH)
                pool->used_high = pool->used;
            else
                pool->reserved_high = pool->reserved;
            return CUDA_SUCCESS;
        default: return CUDA_ERROR_INVALID_VALUE;
    }
}

CUDASIM_API cuMemPoolGetAttribute(CUmemoryPool handle, CUmemPool_attribute key, void* value) {
    CUDASIM_ENTER(Init);
    Pool* pool = as_pool(handle);
    if (!pool || !value) return CUDA_ERROR_INVALID_VALUE;
    auto* number = static_cast<uint64_t*>(value);
    switch (key) {
        case CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES:
        case CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC:
        case CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES: *static_cast<int*>(value) = pool->reuse[key - 1]; break;
        case CU_MEMPOOL_ATTR_RELEASE_THRESHOLD: *number = pool->threshold; break;
        case CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT: *number = pool->reserved; break;
        case CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH: *number = pool->reserved_high; break;
        case CU_MEMPOOL_ATTR_USED_MEM_CURRENT: *number = pool->used; break;
        case CU_MEMPOOL_ATTR_USED_MEM_HIGH: *number = pool->used_high; break;
        default: return CUDA_ERROR_INVALID_VALUE;
    }
    return CUDA_SUCCESS;
}

CUDASIM_API cuMemPoolSetAccess(CUmemoryPool handle, const CUmemAccessDesc* map, size_t count) {
    CUDASIM_ENTER(Init);
    Pool* pool = as_pool(handle);
    if (!pool || (!map && count)) return CUDA_ERROR_INVALID_VALUE;
    pool->accessible.resize(static_cast<size_t>(settings().devices));
    for (size_t i = 0; i < count; ++i) {
        if (map[i].location.type != CU_MEM_LOCATION_TYPE_DEVICE) return CUDA_ERROR_INVALID_VALUE;
        if (!exists(map[i].location.id)) return CUDA_ERROR_INVALID_DEVICE;
        pool->accessible[static_cast<size_t>(map[i].location.id)] = map[i].flags == CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
    }
    return CUDA_SUCCESS;
}

CUDASIM_API cuMemHostAlloc(void** out, size_t bytes, unsigned flags) {
    CUDASIM_ENTER(Context);
    return make_host_range(out, bytes, HostRange::Kind::Pinned, flags);
}

CUDASIM_API cuMemAllocHost_v2(void** out, size_t bytes) {
    CUDASIM_ENTER(Context);
    return make_host_range(out, bytes, HostRange::Kind::Pinned, 0);
}

CUDASIM_API cuMemFreeHost(void* memory) {
    CUDASIM_ENTER(Context);
    if (!memory) return CUDA_SUCCESS;
    return release_host_range(reinterpret_cast<uintptr_t>(memory), HostRange::Kind::Pinned);
}

CUDASIM_API cuMemAllocManaged(CUdeviceptr* out, size_t bytes, unsigned flags) {
    CUDASIM_ENTER(Context);
    if (flags != CU_MEM_ATTACH_GLOBAL && flags != CU_MEM_ATTACH_HOST) return CUDA_ERROR_INVALID_VALUE;
    void* memory = nullptr;
    CUresult result = make_host_range(&memory, bytes, HostRange::Kind::Managed, flags);
    if (result == CUDA_SUCCESS) *out = reinterpret_cast<CUdeviceptr>(memory);
    return result;
}

CUDASIM_API cuMemHostRegister_v2(void* memory, size_t bytes, unsigned flags) {
    CUDASIM_ENTER(Context);
    auto base = reinterpret_cast<uintptr_t>(memory);
    if (!memory || bytes == 0 || is_device_address(base)) return CUDA_ERROR_INVALID_VALUE;
    if (host_range_at(base) || host_range_at(base + bytes - 1)) return CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED;
    add_host_range({base, bytes, HostRange::Kind::Registered, flags, current_context(), 0});
    return CUDA_SUCCESS;
}

CUDASIM_API cuMemHostUnregister(void* memory) {
    CUDASIM_ENTER(Context);
    auto base = reinterpret_cast<uintptr_t>(memory);
    const HostRange* range = host_range_at(base);
    if (!range || range->base != base || range->kind != HostRange::Kind::Registered)
        return CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED;
    remove_host_range(base);
    return CUDA_SUCCESS;
}

CUDASIM_API cuMemHostGetDevicePointer_v2(CUdeviceptr* out, void* memory, unsigned flags) {
    CUDASIM_ENTER(Context);
    if (!out || flags || !host_range_at(reinterpret_cast<uintptr_t>(memory))) return CUDA_ERROR_INVALID_VALUE;
    *out = reinterpret_cast<CUdeviceptr>(memory);
    return CUDA_SUCCESS;
}

CUDASIM_API cuMemHostGetFlags(unsigned* flags, void* memory) {
    CUDASIM_ENTER(Context);
    const HostRange* range = host_range_at(reinterpret_cast<uintptr_t>(memory));
    if (!flags || !range) return CUDA_ERROR_INVALID_VALUE;
    *flags = range->flags;
    return CUDA_SUCCESS;
}
