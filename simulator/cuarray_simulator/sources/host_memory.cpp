// host_memory.cpp -- pinned, registered and managed memory.
#include "host_memory.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <map>

#include "capture.h"
#include "memory.h"

namespace cudasim {
namespace {

std::map<uintptr_t, HostRange>& ranges() {
    static auto* all = new std::map<uintptr_t, HostRange>;
    return *all;
}

/// Bytes allocated by the driver, not only registered.
size_t made_bytes() {
    size_t made = 0;
    for (const auto& [base, range] : ranges())
        if (range.kind != HostRange::Kind::Registered) made += range.size;
    return made;
}

}  // namespace

CUresult make_host_range(void** out, size_t bytes, HostRange::Kind kind, unsigned flags) {
    if (!out || bytes == 0) return CUDA_ERROR_INVALID_VALUE;
    if (made_bytes() + bytes > settings().pinned) return CUDA_ERROR_OUT_OF_MEMORY;
    void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) return CUDA_ERROR_OUT_OF_MEMORY;
    std::memset(memory, kFresh, std::min(bytes, kPoisonEdge));
    add_host_range({reinterpret_cast<uintptr_t>(memory), bytes, kind, flags, current_context(), 0});
    *out = memory;
    return CUDA_SUCCESS;
}

HostRange* host_range_at(uintptr_t address) {
    auto& host = ranges();
    auto after = host.upper_bound(address);
    if (after == host.begin()) return nullptr;
    HostRange& range = std::prev(after)->second;
    return address < range.base + range.size ? &range : nullptr;
}

void add_host_range(const HostRange& range) {
    static uint64_t next_id = uint64_t(1) << 32;
    HostRange& added = ranges()[range.base] = range;
    added.id = next_id++;
}

void forget_globals(uintptr_t begin, uintptr_t end) {
    auto& host = ranges();
    host.erase(host.lower_bound(begin), host.lower_bound(end));
}

CUresult release_host_range(uintptr_t base, HostRange::Kind kind) {
    const HostRange* range = host_range_at(base);
    if (!range || range->base != base || range->kind != kind) return CUDA_ERROR_INVALID_VALUE;
    size_t size = range->size;
    ranges().erase(base);
    munmap(reinterpret_cast<void*>(base), size);
    return CUDA_SUCCESS;
}

}  // namespace cudasim

using namespace cudasim;

CUDASIM_API cuMemHostAlloc(void** out, size_t bytes, unsigned flags) {
    CUDASIM_ENTER(Context);
    CUDASIM_REFUSE_UNSAFE();
    return make_host_range(out, bytes, HostRange::Kind::Pinned, flags);
}

CUDASIM_API cuMemAllocHost_v2(void** out, size_t bytes) {
    CUDASIM_ENTER(Context);
    CUDASIM_REFUSE_UNSAFE();
    return make_host_range(out, bytes, HostRange::Kind::Pinned, 0);
}

CUDASIM_API cuMemFreeHost(void* memory) {
    CUDASIM_ENTER(Context);
    CUDASIM_REFUSE_UNSAFE();
    if (!memory) return CUDA_SUCCESS;
    return release_host_range(reinterpret_cast<uintptr_t>(memory), HostRange::Kind::Pinned);
}

CUDASIM_API cuMemAllocManaged(CUdeviceptr* out, size_t bytes, unsigned flags) {
    CUDASIM_ENTER(Context);
    CUDASIM_REFUSE_UNSAFE();
    if (flags != CU_MEM_ATTACH_GLOBAL && flags != CU_MEM_ATTACH_HOST) return CUDA_ERROR_INVALID_VALUE;
    void* memory = nullptr;
    CUresult result = make_host_range(&memory, bytes, HostRange::Kind::Managed, flags);
    if (result == CUDA_SUCCESS) *out = reinterpret_cast<CUdeviceptr>(memory);
    return result;
}

CUDASIM_API cuMemHostRegister_v2(void* memory, size_t bytes, unsigned flags) {
    CUDASIM_ENTER(Context);
    CUDASIM_REFUSE_UNSAFE();
    auto base = reinterpret_cast<uintptr_t>(memory);
    if (!memory || bytes == 0 || is_device_address(base)) return CUDA_ERROR_INVALID_VALUE;
    if (host_range_at(base) || host_range_at(base + bytes - 1)) return CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED;
    add_host_range({base, bytes, HostRange::Kind::Registered, flags, current_context(), 0});
    return CUDA_SUCCESS;
}

CUDASIM_API cuMemHostUnregister(void* memory) {
    CUDASIM_ENTER(Context);
    CUDASIM_REFUSE_UNSAFE();
    auto base = reinterpret_cast<uintptr_t>(memory);
    const HostRange* range = host_range_at(base);
    if (!range || range->base != base || range->kind != HostRange::Kind::Registered)
        return CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED;
    ranges().erase(base);
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
