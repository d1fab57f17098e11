// pool.cpp -- allocation and release of device memory, from pools in stream order or directly.
#include "pool.h"

#include <algorithm>

#include "capture.h"
#include "graph.h"
#include "host_memory.h"

namespace cudasim {
namespace {

constexpr uint64_t kChunk = 32 << 20;

uint64_t in_chunks(uint64_t bytes) { return (bytes + kChunk - 1) / kChunk * kChunk; }

/// The allocations of one device.
struct Arena {
    size_t direct = 0;
    std::unique_ptr<Pool> default_pool = std::make_unique<Pool>();
    /// Those of the host, in the first arena alone.
    Pool pinned{.host = HostRange::Kind::Pinned}, managed{.host = HostRange::Kind::Managed};
    Pool* pool = default_pool.get();
    std::vector<std::unique_ptr<Pool>> pools;
};

std::vector<Arena>& arenas() {
    static auto* all = [] {
        auto* made = new std::vector<Arena>(static_cast<size_t>(settings().devices));
        for (size_t i = 0; i < made->size(); ++i) (*made)[i].default_pool->device = static_cast<int>(i);
        return made;
    }();
    return *all;
}

Arena& arena(int device) { return arenas()[static_cast<size_t>(device)]; }

/// Bytes taken from the device: direct allocations and memory of the pools, in use or not.
size_t taken(int device) {
    size_t sum = arena(device).direct + arena(device).default_pool->reserved;
    for (auto& pool : arena(device).pools) sum += pool->reserved;
    return sum;
}

void give_to(Allocation& block, Pool* pool, Context& context, size_t size) {
    static uint64_t next_id = 1;
    block.pool = pool;
    block.context = &context;
    block.size = size;
    block.allocated = true;
    block.id = next_id++;
}

void drop_from_pool(Pool& pool, size_t index) {
    Allocation* block = pool.cached[index];
    pool.cached.erase(pool.cached.begin() + static_cast<long>(index));
    pool.carved -= block->capacity;
    give_back(*block);
}

/// Releases whole chunks until no more than `keep` bytes are reserved, or all chunks have blocks in use.
void shrink(Pool& pool, uint64_t keep) {
    if (pool.reserved <= keep) return;
    for (size_t i = pool.cached.size(); i-- > 0 && in_chunks(pool.carved) > keep;)
        if (pool.cached[i]->freed.reached()) drop_from_pool(pool, i);
    pool.reserved = std::min(pool.reserved, in_chunks(std::max(pool.carved, keep)));
}

/// Makes room in the pool for a block: whole chunks, or where the device has no room for one, just what is needed.
bool grow(Pool& pool, size_t capacity) {
    if (pool.carved + capacity <= pool.reserved) return true;
    const uint64_t needed = pool.carved + capacity - pool.reserved;
    for (const uint64_t more : {in_chunks(needed), needed}) {
        if (taken(pool.device) + more > settings().memory) continue;
        pool.reserved += more;
        pool.reserved_high = std::max(pool.reserved_high, pool.reserved);
        return true;
    }
    return false;
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

/// Host memory is there at once; what a stream does with it is not followed.
CUresult allocate_host(CUdeviceptr* out, size_t bytes, const Pool& pool, const Stream& stream) {
    if (stream.capture)
        return invalidate(*stream.capture, CUDA_ERROR_NOT_SUPPORTED, "an allocation from a pool of host memory");
    void* memory = nullptr;
    const CUresult result = make_host_range(&memory, bytes, *pool.host, CU_MEM_ATTACH_GLOBAL);
    *out = reinterpret_cast<CUdeviceptr>(memory);
    return result;
}

/// Allocates in stream order, from the given pool or from the current one of the stream's device.
CUresult allocate_pooled(CUdeviceptr* out, size_t bytes, Pool* given, CUstream stream_handle) {
    if (!out || bytes == 0) return CUDA_ERROR_INVALID_VALUE;
    CUresult error;
    auto stream = stream_of(stream_handle, error);
    if (!stream) return error;
    Pool& pool = given ? *given : *arena(stream->context->device).pool;
    if (pool.host) return allocate_host(out, bytes, pool, *stream);
    if (stream->capture) return capture_allocation(out, bytes, *stream);
    CUDASIM_REFUSE(refuse_implicit(*stream, "allocation"));
    CUDASIM_REFUSE(refuse_unsafe("cuMemAllocAsync"));  // seen on an H200: on a stream that is not captured
    size_t capacity = capacity_for(bytes);
    Allocation* block = reuse(pool, *stream, capacity);
    if (!block) {
        if (!grow(pool, capacity)) {
            shrink(pool, 0);
            if (!grow(pool, capacity)) return CUDA_ERROR_OUT_OF_MEMORY;
        }
        block = carve(pool.device, capacity);
        if (!block) return CUDA_ERROR_OUT_OF_MEMORY;
        pool.carved += capacity;
    }
    pool.used += capacity;
    pool.used_high = std::max(pool.used_high, pool.used);
    give_to(*block, &pool, driver().contexts[static_cast<size_t>(pool.device)], bytes);
    Operation operation{"allocation", [=] {
                            begin_life(*block, bytes);
                            return CUDA_SUCCESS;
                        }};
    operation.bookkeeping = true;
    enqueue(*stream, std::move(operation));
    *out = block->base;
    return CUDA_SUCCESS;
}

/// Takes memory that belongs to no pool.
CUresult reserve_direct(Allocation** out, size_t bytes, Context& context) {
    if (bytes == 0) return CUDA_ERROR_INVALID_VALUE;
    const int device = context.device;
    size_t capacity = capacity_for(bytes);
    if (taken(device) + capacity > settings().memory) return CUDA_ERROR_OUT_OF_MEMORY;
    Allocation* block = *out = carve(device, capacity);
    if (!block) return CUDA_ERROR_OUT_OF_MEMORY;
    arena(device).direct += capacity;
    give_to(*block, nullptr, context, bytes);
    return CUDA_SUCCESS;
}

CUresult allocate_direct(CUdeviceptr* out, size_t bytes, Context& context) {
    if (!out) return CUDA_ERROR_INVALID_VALUE;
    Allocation* block = nullptr;
    CUresult result = reserve_direct(&block, bytes, context);
    if (result != CUDA_SUCCESS) return result;
    begin_host_work("cuMemAlloc");
    begin_life(*block, bytes);
    *out = block->base;
    return CUDA_SUCCESS;
}

/// The allocated block that starts at the address, or null with a message.
Allocation* allocated_block(CUdeviceptr address) {
    Allocation* block = allocation_at(address);
    if (block && block->base == address && block->allocated) return block;
    say(format("free of 0x%llx: %s", address, describe(address).c_str()));
    return nullptr;
}

/// The immediate effect of a free on the host; the memory itself stays alive until the stream gets there.
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
    // cuMemFree often waits for the device, but this is not guaranteed.
    Context& context = *block->context;
    if (settings().progress != Progress::Lazy && driver().random.chance(2)) wait_for_all(context);
    if (block->of_graph && !block->outstanding) return CUDA_ERROR_INVALID_VALUE;
    begin_host_work("cuMemFree");
    if (block->of_graph) return free_of_graph_memory(*block, context).run();
    retire(*block);
    block->freed = {};
    std::string wrong = end_life(*block);
    if (!block->pool) give_back(*block);
    return fail_access(context, "cuMemFree", {wrong, Cause::Free});
}

CUresult free_in_stream(CUdeviceptr address, CUstream stream_handle) {
    CUresult error;
    auto stream = stream_of(stream_handle, error);
    if (!stream) return error;
    if (address == 0) return CUDA_SUCCESS;
    if (stream->capture) return capture_free(address, *stream);
    CUDASIM_REFUSE(refuse_implicit(*stream, "free"));
    if (const HostRange* range = host_range_at(address); range && range->base == address) {
        Operation operation{"free", [address, kind = range->kind] { return release_host_range(address, kind); }};
        operation.bookkeeping = true;
        enqueue(*stream, std::move(operation));
        return CUDA_SUCCESS;
    }
    Allocation* block = allocated_block(address);
    if (!block) return CUDA_ERROR_INVALID_VALUE;
    if (block->of_graph) {
        if (!block->outstanding) return CUDA_ERROR_INVALID_VALUE;
        enqueue(*stream, free_of_graph_memory(*block, *stream->context));
        return CUDA_SUCCESS;
    }
    retire(*block);
    Context& context = *stream->context;
    Operation operation{"free", [=, &context] {
                            std::string wrong = end_life(*block);
                            if (!block->pool) give_back(*block);
                            return fail_access(context, "free", {wrong, Cause::Free});
                        }};
    operation.bookkeeping = true;
    block->freed = {stream, stream->issued + 1};
    enqueue(*stream, std::move(operation));
    return CUDA_SUCCESS;
}

/// The address may be reused when neither a graph nor a launch uses it.
void give_back_graph_memory(Allocation& block) {
    if (!block.orphaned || block.outstanding) return;
    arena(block.device).direct -= block.capacity;
    block.of_graph = block.orphaned = block.allocated = false;
    give_back(block);
}

}  // namespace

Allocation* allocate_on_heap(size_t bytes, Context& context) {
    if (bytes == 0 || bytes > context.heap - context.heap_used) return nullptr;
    Allocation* block = carve(context.device, capacity_for(bytes));
    if (!block) return nullptr;
    context.heap_used += bytes;
    give_to(*block, nullptr, context, bytes);
    block->of_heap = true;
    begin_life(*block, bytes);
    return block;
}

std::string free_on_heap(Allocation& block) {
    block.context->heap_used -= block.size;
    block.allocated = block.of_heap = false;
    return end_life(block);
}

void free_memory_of(const Context& context) {
    for (auto& [base, block] : allocations()) {
        if (block.context != &context || !block.allocated || block.pool || block.of_graph) continue;
        if (!block.of_heap) {
            free_now(base);
        } else {
            free_on_heap(block);
            give_back(block);
        }
    }
}

CUresult reserve_graph_memory(Allocation** out, size_t bytes, Context& context) {
    CUresult result = reserve_direct(out, bytes, context);
    if (result == CUDA_SUCCESS) (*out)->of_graph = true;
    return result;
}

Operation start_of_graph_memory(Allocation& block, size_t bytes) {
    block.outstanding = true;
    Operation operation{"allocation in a graph", [&block, bytes] {
                            begin_life(block, bytes);
                            return CUDA_SUCCESS;
                        }};
    operation.bookkeeping = true;
    return operation;
}

Operation free_of_graph_memory(Allocation& block, Context& context) {
    block.outstanding = false;
    Operation operation{"free of a graph's memory", [&block, &context] {
                            std::string wrong = end_life(block);
                            give_back_graph_memory(block);
                            return fail_access(context, "free", {wrong, Cause::Free});
                        }};
    operation.bookkeeping = true;
    return operation;
}

void release_graph_memory(Allocation& block) {
    block.orphaned = true;
    if (!block.live) give_back_graph_memory(block);
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
    for (Arena& a : arenas()) {
        if (pool == a.default_pool.get() || pool == &a.pinned || pool == &a.managed) return pool;
        for (auto& other : a.pools)
            if (other.get() == pool) return pool;
    }
    return nullptr;
}

CUmemoryPool handle_of(Pool* pool) { return reinterpret_cast<CUmemoryPool>(pool); }

bool is_host(const CUmemLocation& location) {
    return location.type >= CU_MEM_LOCATION_TYPE_HOST && location.type <= CU_MEM_LOCATION_TYPE_HOST_NUMA_CURRENT;
}

/// The pool of a place and a kind of memory: the default one or, of a device, the current one.
CUresult pool_at(CUmemoryPool* out, const CUmemLocation* location, CUmemAllocationType type, bool current) {
    if (!out || !location) return CUDA_ERROR_INVALID_VALUE;
    if (!settings().pools) return CUDA_ERROR_NOT_SUPPORTED;
    if (type == CU_MEM_ALLOCATION_TYPE_MANAGED) {
        *out = handle_of(&arena(0).managed);
    } else if (is_host(*location)) {
        *out = handle_of(&arena(0).pinned);
    } else {
        if (location->type != CU_MEM_LOCATION_TYPE_DEVICE || !is_device(location->id)) return CUDA_ERROR_INVALID_DEVICE;
        *out = handle_of(current ? arena(location->id).pool : arena(location->id).default_pool.get());
    }
    return CUDA_SUCCESS;
}

}  // namespace

CUDASIM_API cuMemGetInfo_v2(size_t* free, size_t* total) {
    CUDASIM_ENTER(Context);
    *total = settings().total;
    *free = settings().memory - taken(current_context()->device);
    return CUDA_SUCCESS;
}

CUDASIM_API cuMemAlloc_v2(CUdeviceptr* out, size_t bytes) {
    CUDASIM_ENTER(Context);
    CUDASIM_REFUSE_UNSAFE();
    return allocate_direct(out, bytes, *current_context());
}

CUDASIM_API cuMemFree_v2(CUdeviceptr address) {
    CUDASIM_ENTER(Context);
    CUDASIM_REFUSE_UNSAFE();
    const HostRange* range = host_range_at(address);
    if (range && range->kind == HostRange::Kind::Managed) return release_host_range(address, range->kind);
    return free_now(address);
}

CUDASIM_API cuMemAllocAsync(CUdeviceptr* out, size_t bytes, CUstream stream) {
    CUDASIM_ENTER(Context);
    if (!settings().pools) return CUDA_ERROR_NOT_SUPPORTED;
    return allocate_pooled(out, bytes, nullptr, stream);
}

CUDASIM_API cuMemAllocFromPoolAsync(CUdeviceptr* out, size_t bytes, CUmemoryPool handle, CUstream stream) {
    CUDASIM_ENTER(Context);
    Pool* pool = as_pool(handle);
    return pool ? allocate_pooled(out, bytes, pool, stream) : CUDA_ERROR_INVALID_VALUE;
}

CUDASIM_API cuMemFreeAsync(CUdeviceptr address, CUstream stream) {
    CUDASIM_ENTER(Context);
    return free_in_stream(address, stream);
}

CUDASIM_API cuMemGetAddressRange_v2(CUdeviceptr* base, size_t* size, CUdeviceptr address) {
    CUDASIM_ENTER(Context);
    const Allocation* block = allocation_at(address);
    const HostRange* host = host_range_at(address);
    if (!host && (!block || !block->allocated)) return CUDA_ERROR_NOT_FOUND;
    if (base) *base = host ? host->base : block->base;
    if (size) *size = host ? host->size : block->size;
    return CUDA_SUCCESS;
}

CUDASIM_API cuDeviceGetDefaultMemPool(CUmemoryPool* out, CUdevice device) {
    CUDASIM_ENTER(Init);
    if (!is_device(device)) return CUDA_ERROR_INVALID_DEVICE;
    if (!settings().pools) return CUDA_ERROR_NOT_SUPPORTED;
    *out = handle_of(arena(device).default_pool.get());
    return CUDA_SUCCESS;
}

CUDASIM_API cuDeviceGetMemPool(CUmemoryPool* out, CUdevice device) {
    CUDASIM_ENTER(Init);
    if (!is_device(device)) return CUDA_ERROR_INVALID_DEVICE;
    if (!settings().pools) return CUDA_ERROR_NOT_SUPPORTED;
    *out = handle_of(arena(device).pool);
    return CUDA_SUCCESS;
}

CUDASIM_API cuDeviceSetMemPool(CUdevice device, CUmemoryPool handle) {
    CUDASIM_ENTER(Init);
    Pool* pool = as_pool(handle);
    if (!is_device(device)) return CUDA_ERROR_INVALID_DEVICE;
    if (!pool || pool->device != device) return CUDA_ERROR_INVALID_VALUE;
    arena(device).pool = pool;
    return CUDA_SUCCESS;
}

CUDASIM_API cuMemGetDefaultMemPool(CUmemoryPool* out, CUmemLocation* location, CUmemAllocationType type) {
    CUDASIM_ENTER(Init);
    return pool_at(out, location, type, false);
}

CUDASIM_API cuMemGetMemPool(CUmemoryPool* out, CUmemLocation* location, CUmemAllocationType type) {
    CUDASIM_ENTER(Init);
    return pool_at(out, location, type, true);
}

CUDASIM_API cuMemPoolCreate(CUmemoryPool* out, const CUmemPoolProps* props) {
    CUDASIM_ENTER(Init);
    if (!out || !props) return CUDA_ERROR_INVALID_VALUE;
    const bool managed = props->allocType == CU_MEM_ALLOCATION_TYPE_MANAGED;
    const bool of_device = props->location.type == CU_MEM_LOCATION_TYPE_DEVICE;
    if (!managed && props->allocType != CU_MEM_ALLOCATION_TYPE_PINNED) return CUDA_ERROR_INVALID_VALUE;
    if (of_device ? !is_device(props->location.id) : !managed && !is_host(props->location))
        return CUDA_ERROR_INVALID_VALUE;
    auto& pools = arena(of_device ? props->location.id : 0).pools;
    pools.push_back(std::make_unique<Pool>());
    pools.back()->device = of_device ? props->location.id : 0;
    if (managed || !of_device) pools.back()->host = managed ? HostRange::Kind::Managed : HostRange::Kind::Pinned;
    *out = handle_of(pools.back().get());
    return CUDA_SUCCESS;
}

CUDASIM_API cuMemPoolDestroy(CUmemoryPool handle) {
    CUDASIM_ENTER(Init);
    Pool* pool = as_pool(handle);
    if (!pool) return CUDA_ERROR_INVALID_VALUE;
    Arena& a = arena(pool->device);
    if (pool == a.default_pool.get() || pool == &a.pinned || pool == &a.managed) return CUDA_ERROR_NOT_PERMITTED;
    if (a.pool == pool) a.pool = a.default_pool.get();
    shrink(*pool, 0);
    // A pool with live allocations remains until they are freed; its owner can no longer use it.
    if (pool->reserved == 0)
        a.pools.erase(std::find_if(a.pools.begin(), a.pools.end(), [&](auto& p) { return p.get() == pool; }));
    return CUDA_SUCCESS;
}

CUDASIM_API cuMemPoolTrimTo(CUmemoryPool handle, size_t keep) {
    CUDASIM_ENTER(Init);
    CUDASIM_REFUSE_UNSAFE();
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
        case CU_MEMPOOL_ATTR_RELEASE_THRESHOLD: pool->threshold = *static_cast<uint64_t*>(value); return CUDA_SUCCESS;
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
        if (!is_device(map[i].location.id)) return CUDA_ERROR_INVALID_DEVICE;
        pool->accessible[static_cast<size_t>(map[i].location.id)] = map[i].flags == CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
    }
    return CUDA_SUCCESS;
}
