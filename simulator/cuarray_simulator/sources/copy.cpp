// copy.cpp -- copies and fills. Device ranges are checked at the call and again when the work runs.
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "capture.h"
#include "host_memory.h"
#include "memory.h"
#include "work.h"

namespace cudasim {
namespace {

/// The number of bytes of a target that are poisoned while a copy to it is in flight.
constexpr size_t kSpoilt = 64 << 10;

CUresult illegal(Context& context, const char* what, const std::string& reason) {
    return fail_access(context, what, {reason, Cause::Copy});
}

/// At the call: a device range must lie in one allocated block.
bool range_is_allocated(const char* what, CUdeviceptr address, size_t bytes) {
    Allocation* block = allocation_at(address);
    if (block && block->allocated && address + bytes <= block->base + block->size) return true;
    say(format("%s: %zu bytes at 0x%llx: %s", what, bytes, address, describe(address).c_str()));
    return false;
}

bool pageable(CUdeviceptr address) { return !is_device_address(address) && !host_range_at(address); }

uint64_t checksum(const void* memory, size_t bytes) {
    const char* from = static_cast<const char*>(memory);
    uint64_t sum = bytes;
    for (uint64_t word = 0; bytes > 0; from += sizeof word) {
        size_t part = std::min(bytes, sizeof word);
        std::memcpy(&word, from, part);
        sum = (sum ^ word) * 0x9E3779B97F4A7C15ull;
        sum ^= sum >> 32;
        bytes -= part;
    }
    return sum;
}

/// Reads memory of the program that may be unmapped; false if it is.
bool read_host(std::string& into, CUdeviceptr from, size_t bytes) {
    into.resize(bytes);
    iovec local{into.data(), bytes}, remote{reinterpret_cast<void*>(from), bytes};
    return process_vm_readv(getpid(), &local, 1, &remote, 1, 0) == static_cast<ssize_t>(bytes);
}

struct Copy {
    const char* name;
    CUdeviceptr to, from;
    size_t bytes;
    bool between_devices = false;
};

/// With checks on: records that the work has read and written these bytes.
std::string note(const Copy& c) {
    std::string wrong;
    bool from_device = shadowed(allocation_at(c.from)), to_device = shadowed(allocation_at(c.to));
    if (from_device) wrong = touch_range(offset_of(c.from), c.bytes, Access::Read);
    if (to_device && wrong.empty()) wrong = touch_range(offset_of(c.to), c.bytes, Access::Write);
    if (from_device && to_device) copy_range(offset_of(c.to), offset_of(c.from), c.bytes);
    return wrong;
}

CUresult run_copy(Context& context, const Copy& c, const HostUse& to_use, const HostUse& from_use) {
    for (CUdeviceptr address : {c.to, c.from}) {
        Allocation* block = c.between_devices ? allocation_at(address) : nullptr;
        const Context& owner = block ? *block->context : context;
        if (Fault wrong = why_unusable(owner, address, c.bytes)) return illegal(context, c.name, wrong.message);
    }
    if (!to_use.still_there() || !from_use.still_there())
        return illegal(context, c.name, "pinned memory was freed while a copy of it was in flight");
    std::string wrong = note(c);
    if (!wrong.empty()) return illegal(context, c.name, wrong);
    std::memcpy(view(c.to), view(c.from), c.bytes);
    return CUDA_SUCCESS;
}

/// Makes the run of a copy whose host side, if it has one, is pinned: until it has run, the program may
/// neither write the source nor read the target, which is poisoned.
std::function<CUresult()> pinned_copy(Context& context, const Copy& c, const HostUse& to, const HostUse& from) {
    bool settled = from.range() && from.range()->of_host() && !from.range()->writing;
    uint64_t sum = settled ? checksum(view(c.from), c.bytes) : 0;
    if (from.range()) ++from.range()->reading;
    if (HostRange* range = to.range()) {
        bool free = range->of_host() && !range->reading && !range->writing;
        if (free) std::memset(view(c.to), 0xCD, std::min(c.bytes, kSpoilt));
        ++range->writing;
    }
    return [=, &context] {
        if (from.range()) --from.range()->reading;
        if (to.range()) --to.range()->writing;
        if (settled && from.range() && checksum(view(c.from), c.bytes) != sum)
            return illegal(context, c.name, "pinned memory was changed while a copy of it was in flight");
        return run_copy(context, c, to, from);
    };
}

CUresult run_pageable_copy(Context& context, const Copy& c, uint64_t expected) {
    std::string bytes;
    if (!read_host(bytes, c.from, c.bytes))
        return illegal(context, c.name, "pageable memory was freed before an asynchronous copy had read it");
    if (checksum(bytes.data(), bytes.size()) != expected)
        return illegal(context, c.name, "pageable memory was changed before an asynchronous copy had read it");
    return run_copy(context, {c.name, c.to, reinterpret_cast<CUdeviceptr>(bytes.data()), c.bytes}, HostUse(c.to),
                    HostUse(0));
}

/// Queues a copy. Copies between devices go through the system where peers have no access, so that is no
/// error here.
CUresult enqueue(const Copy& c, CUstream stream_handle, Point* point = nullptr) {
    CUresult error;
    auto stream = stream_of(stream_handle, error);
    if (!stream) return error;
    if (c.bytes == 0) return CUDA_SUCCESS;
    for (CUdeviceptr address : {c.to, c.from})
        if (is_device_address(address) && !range_is_allocated(c.name, address, c.bytes))
            return CUDA_ERROR_INVALID_VALUE;
    if (!c.to || !c.from) return CUDA_ERROR_INVALID_VALUE;
    if (c.to < c.from + c.bytes && c.from < c.to + c.bytes) {
        say(format("%s: source and destination overlap", c.name));
        return CUDA_ERROR_INVALID_VALUE;
    }
    Context& context = *stream->context;
    const bool is_node = stream->capture && stream->capture->adds_nodes;
    if (stream->capture && !is_node && (pageable(c.from) || pageable(c.to)))
        return invalidate(*stream->capture, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED,
                          format("%s of pageable memory", c.name));
    MakeOperation make;
    if (pageable(c.from) && !is_node) {
        std::string bytes(reinterpret_cast<const char*>(c.from), c.bytes);
        uint64_t sum = checksum(bytes.data(), bytes.size());
        // The driver may read pageable memory at the call or later; which one is seeded.
        if (driver().random.chance(2))
            make = [=, &context, saved = std::move(bytes)] {
                return Operation{c.name, [=, &context] {
                                     auto from = reinterpret_cast<CUdeviceptr>(saved.data());
                                     return run_copy(context, {c.name, c.to, from, c.bytes}, HostUse(c.to), HostUse(0));
                                 }};
            };
        else
            make = [=, &context] {
                return Operation{c.name, [=, &context] { return run_pageable_copy(context, c, sum); }};
            };
    } else {
        make = [=, &context, to = HostUse(c.to), from = HostUse(c.from)] {
            return Operation{c.name, pinned_copy(context, c, to, from)};
        };
    }
    return submit(*stream, CU_GRAPH_NODE_TYPE_MEMCPY, std::move(make), point);
}

CUresult copy_and_wait(const Copy& c) {
    CUDASIM_REFUSE(refuse_unsafe(c.name));
    Point end;
    CUresult result = enqueue(c, CU_STREAM_LEGACY, &end);
    return result == CUDA_SUCCESS && end.stream ? wait_for(*current_context(), end) : result;
}

CUdeviceptr address_of(const void* host) { return reinterpret_cast<CUdeviceptr>(host); }

template <class T>
CUresult enqueue_fill(const char* name, CUdeviceptr to, T value, size_t count, CUstream stream_handle, bool wait) {
    CUresult error;
    auto stream = stream_of(stream_handle, error);
    if (!stream) return error;
    size_t bytes = count * sizeof(T);
    if (count == 0) return CUDA_SUCCESS;
    bool known = is_device_address(to) ? range_is_allocated(name, to, bytes) : host_range_at(to) != nullptr;
    if (!known || to % sizeof(T) != 0) return CUDA_ERROR_INVALID_VALUE;
    Context& context = *stream->context;
    auto run = [=, &context] {
        std::string reason = why_unusable(context, to, bytes).message;
        if (reason.empty() && shadowed(allocation_at(to))) reason = touch_range(offset_of(to), bytes, Access::Write);
        if (!reason.empty()) return illegal(context, name, reason);
        auto* items = reinterpret_cast<T*>(view(to));
        std::fill(items, items + count, value);
        return CUDA_SUCCESS;
    };
    Point end;
    CUresult result = submit(*stream, CU_GRAPH_NODE_TYPE_MEMSET, [=] { return Operation{name, run}; }, &end);
    return wait && result == CUDA_SUCCESS ? wait_for(context, end) : result;
}

}  // namespace

CUresult queue_copy(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream) {
    return enqueue(Copy{"copy", to, from, bytes}, stream);
}

CUresult queue_fill(CUdeviceptr to, unsigned value, unsigned element, size_t count, CUstream stream) {
    if (element == 1) return enqueue_fill("fill", to, static_cast<unsigned char>(value), count, stream, false);
    if (element == 2) return enqueue_fill("fill", to, static_cast<unsigned short>(value), count, stream, false);
    return element == 4 ? enqueue_fill("fill", to, value, count, stream, false) : CUDA_ERROR_INVALID_VALUE;
}

}  // namespace cudasim

using namespace cudasim;

CUDASIM_API cuMemcpyAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream) {
    CUDASIM_ENTER(Context);
    return enqueue(Copy{"copy", to, from, bytes}, stream);
}

CUDASIM_API cuMemcpy(CUdeviceptr to, CUdeviceptr from, size_t bytes) {
    CUDASIM_ENTER(Context);
    return copy_and_wait({"copy", to, from, bytes});
}

CUDASIM_API cuMemcpyHtoDAsync_v2(CUdeviceptr to, const void* from, size_t bytes, CUstream stream) {
    CUDASIM_ENTER(Context);
    return enqueue(Copy{"copy to device", to, address_of(from), bytes}, stream);
}

CUDASIM_API cuMemcpyHtoD_v2(CUdeviceptr to, const void* from, size_t bytes) {
    CUDASIM_ENTER(Context);
    return copy_and_wait({"copy to device", to, address_of(from), bytes});
}

CUDASIM_API cuMemcpyDtoHAsync_v2(void* to, CUdeviceptr from, size_t bytes, CUstream stream) {
    CUDASIM_ENTER(Context);
    return enqueue(Copy{"copy to host", address_of(to), from, bytes}, stream);
}

CUDASIM_API cuMemcpyDtoH_v2(void* to, CUdeviceptr from, size_t bytes) {
    CUDASIM_ENTER(Context);
    return copy_and_wait({"copy to host", address_of(to), from, bytes});
}

CUDASIM_API cuMemcpyDtoDAsync_v2(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream) {
    CUDASIM_ENTER(Context);
    return enqueue(Copy{"copy on device", to, from, bytes}, stream);
}

CUDASIM_API cuMemcpyDtoD_v2(CUdeviceptr to, CUdeviceptr from, size_t bytes) {
    CUDASIM_ENTER(Context);
    return copy_and_wait({"copy on device", to, from, bytes});
}

CUDASIM_API cuMemcpyPeerAsync(CUdeviceptr to, CUcontext to_context, CUdeviceptr from, CUcontext from_context,
                              size_t bytes, CUstream stream) {
    CUDASIM_ENTER(Context);
    Context *target = as_context(to_context), *source = as_context(from_context);
    if (!target || !source) return CUDA_ERROR_INVALID_CONTEXT;
    Allocation *to_block = allocation_at(to), *from_block = allocation_at(from);
    bool fits = to_block && from_block && to_block->device == target->device && from_block->device == source->device;
    if (bytes && !fits) return CUDA_ERROR_INVALID_VALUE;
    return enqueue(Copy{"copy between devices", to, from, bytes, true}, stream);
}

CUDASIM_API cuMemsetD8Async(CUdeviceptr to, unsigned char value, size_t count, CUstream stream) {
    CUDASIM_ENTER(Context);
    return enqueue_fill("fill", to, value, count, stream, false);
}

CUDASIM_API cuMemsetD16Async(CUdeviceptr to, unsigned short value, size_t count, CUstream stream) {
    CUDASIM_ENTER(Context);
    return enqueue_fill("fill", to, value, count, stream, false);
}

CUDASIM_API cuMemsetD32Async(CUdeviceptr to, unsigned value, size_t count, CUstream stream) {
    CUDASIM_ENTER(Context);
    return enqueue_fill("fill", to, value, count, stream, false);
}

CUDASIM_API cuMemsetD8_v2(CUdeviceptr to, unsigned char value, size_t count) {
    CUDASIM_ENTER(Context);
    return enqueue_fill("fill", to, value, count, CU_STREAM_LEGACY, true);
}

CUDASIM_API cuMemsetD16_v2(CUdeviceptr to, unsigned short value, size_t count) {
    CUDASIM_ENTER(Context);
    return enqueue_fill("fill", to, value, count, CU_STREAM_LEGACY, true);
}

CUDASIM_API cuMemsetD32_v2(CUdeviceptr to, unsigned value, size_t count) {
    CUDASIM_ENTER(Context);
    return enqueue_fill("fill", to, value, count, CU_STREAM_LEGACY, true);
}
