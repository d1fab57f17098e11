// transfer.cpp -- byte copies between the host and a GPU, within a GPU, and between GPUs.
#include "cuda/backend.h"

namespace cuarray::cuda {

void GpuBackend::write(Storage& to, int64_t offset, const void* from, int64_t bytes) {
    if (bytes == 0) return;
    GpuStream& stream = runtime_.current();
    stream.refuse_in_capture("a copy from the host");
    const Transfer transfer{&to, nullptr, "write"};
    Operation operation(stream, transfer);
    runtime_.chunks.upload(stream, address_of(to, offset), from, bytes);
    operation.end();
}

void GpuBackend::read(void* to, Storage& from, int64_t offset, int64_t bytes) {
    if (bytes == 0) return;
    GpuStream& stream = runtime_.current();
    stream.refuse_in_capture("a copy to the host");
    const Transfer transfer{nullptr, &from, "read"};
    Operation operation(stream, transfer);
    const uint64_t reached = runtime_.chunks.download(stream, to, address_of(from, offset), bytes);
    // What other threads have queued here during the wait has not run.
    const uint64_t own = operation.end().ticket();
    stream.finish(own == reached + 1 ? own : reached);
    runtime_.raise_faults();
}

void GpuBackend::copy(Storage& to, int64_t to_offset, Storage& from, int64_t from_offset, int64_t bytes) {
    if (bytes == 0) return;
    const bool to_here = to.backend == this, from_here = from.backend == this;
    Storage& other = to_here ? from : to;
    if (to_here && from_here)
        copy_within(to, to_offset, from, from_offset, bytes);
    else if (!to_here && !to.backend->is_host_accessible())
        to.backend->copy(to, to_offset, from, from_offset, bytes);
    else if (!other.backend->is_host_accessible())
        copy_from_peer(to, to_offset, static_cast<GpuBackend&>(*from.backend), from, from_offset, bytes);
    else if (const StorageRef pinned = runtime_.pinned_memory_at(other.data); pinned.get() == &other)
        copy_pinned(to, to_offset, from, from_offset, bytes);
    else if (pinned)
        copy_shown(*pinned, to, to_offset, from, from_offset, bytes);
    else if (to_here)
        write(to, to_offset, static_cast<const char*>(from.data) + from_offset, bytes);
    else
        read(static_cast<char*>(to.data) + to_offset, from, from_offset, bytes);
}

// A copy between a GPU and pinned memory is not staged and does not wait: the host waits when it accesses the
// memory.
void GpuBackend::copy_pinned(Storage& to, int64_t to_offset, Storage& from, int64_t from_offset, int64_t bytes) {
    const Transfer transfer{&to, &from, "copy"};
    Operation operation(runtime_.current(), transfer);
    {
        const Current current(runtime_.context);
        const Driver& driver = runtime_.context.driver;
        if (to.backend == this)
            driver.cuMemcpyHtoDAsync(address_of(to, to_offset), static_cast<const char*>(from.data) + from_offset,
                                     size_t(bytes), operation.stream().queue());
        else
            driver.cuMemcpyDtoHAsync(static_cast<char*>(to.data) + to_offset, address_of(from, from_offset),
                                     size_t(bytes), operation.stream().queue());
    }
    operation.stream().mark(operation.end());
}

// A view of pinned memory through NumPy: its user does not wait and may change it as soon as the call returns. It is
// copied like pageable memory, after the GPUs have finished with it.
void GpuBackend::copy_shown(Storage& pinned, Storage& to, int64_t to_offset, Storage& from, int64_t from_offset,
                            int64_t bytes) {
    const bool to_here = to.backend == this;
    wait_on_host(pinned, !to_here);
    if (to_here)
        write(to, to_offset, static_cast<const char*>(from.data) + from_offset, bytes);
    else
        read(static_cast<char*>(to.data) + to_offset, from, from_offset, bytes);
}

void GpuBackend::copy_within(Storage& to, int64_t to_offset, Storage& from, int64_t from_offset, int64_t bytes) {
    CUdeviceptr source = address_of(from, from_offset);
    const CUdeviceptr target = address_of(to, to_offset);
    if (source == target) return;
    const Transfer transfer{&to, &from, "copy"};
    Operation operation(runtime_.current(), transfer);
    const auto overlap = uint64_t(bytes) > (source < target ? target - source : source - target);
    const StorageRef between = overlap ? allocate(bytes) : StorageRef();
    const Current current(runtime_.context);
    const Driver& driver = runtime_.context.driver;
    if (overlap) {
        driver.cuMemcpyDtoDAsync(address_of(*between, 0), source, size_t(bytes), operation.stream().queue());
        operation.stream().queued();
        source = address_of(*between, 0);
    }
    driver.cuMemcpyDtoDAsync(target, source, size_t(bytes), operation.stream().queue());
    operation.end();
}

void GpuBackend::copy_from_peer(Storage& to, int64_t to_offset, GpuBackend& peer, Storage& from, int64_t from_offset,
                                int64_t bytes) {
    // Every GPU can access managed memory: the GPU of the other side makes a local copy.
    if (GpuRuntime::is_managed(to)) return peer.copy_within(to, to_offset, from, from_offset, bytes);
    if (GpuRuntime::is_managed(from)) return copy_within(to, to_offset, from, from_offset, bytes);
    const Transfer transfer{&to, &from, "copy"};
    Operation operation(runtime_.current(), transfer);
    {
        const Context& context = runtime_.context;
        const Current current(context);
        context.driver.cuMemcpyPeerAsync(address_of(to, to_offset), context.handle, address_of(from, from_offset),
                                         peer.runtime_.context.handle, size_t(bytes), operation.stream().queue());
    }
    operation.end();
}

}  // namespace cuarray::cuda
