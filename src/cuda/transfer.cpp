// transfer.cpp -- bytes between the host and a GPU, within a GPU, and between two.
#include <cstdlib>
#include "cuda/backend.h"

namespace cuarray::cuda {

void GpuBackend::write(Storage& to, int64_t offset, const void* from, int64_t bytes) {
    if (bytes == 0) return;
    pinned_.upload(address_of(to, offset), from, bytes);
    to.uses.written_at(stream_.issue("write"));
}

void GpuBackend::read(void* to, Storage& from, int64_t offset, int64_t bytes) {
    if (bytes == 0) return;
    const uint64_t ticket = stream_.issued();
    pinned_.download(to, address_of(from, offset), bytes);
    stream_.finish(ticket);
    faults_.check(stream_);
}

void GpuBackend::copy(Storage& to, int64_t to_offset, Storage& from, int64_t from_offset, int64_t bytes) {
    if (bytes == 0) return;
    if (to.backend != this) {
        if (to.backend->is_host_accessible())
            read(static_cast<char*>(to.data) + to_offset, from, from_offset, bytes);
        else
            to.backend->copy(to, to_offset, from, from_offset, bytes);
    } else if (from.backend == this) {
        copy_within(to, to_offset, from, from_offset, bytes);
    } else if (from.backend->is_host_accessible()) {
        write(to, to_offset, static_cast<const char*>(from.data) + from_offset, bytes);
    } else {
        copy_from_peer(to, to_offset, static_cast<GpuBackend&>(*from.backend), from, from_offset, bytes);
    }
}

void GpuBackend::copy_within(Storage& to, int64_t to_offset, Storage& from, int64_t from_offset,
                             int64_t bytes) {
    CUdeviceptr source = address_of(from, from_offset);
    const CUdeviceptr target = address_of(to, to_offset);
    if (source == target) return;
    const auto overlap = uint64_t(bytes) > (source < target ? target - source : source - target);
    const StorageRef between = overlap ? allocate(bytes) : StorageRef();
    const Current current(context_);
    if (overlap) {
        context_.driver.cuMemcpyDtoDAsync(address_of(*between, 0), source, size_t(bytes), stream_.handle());
        source = address_of(*between, 0);
    }
    context_.driver.cuMemcpyDtoDAsync(target, source, size_t(bytes), stream_.handle());
    const StreamPoint point = stream_.issue("copy");
    from.uses.read_at(point);
    to.uses.written_at(point);
}

void GpuBackend::copy_from_peer(Storage& to, int64_t to_offset, GpuBackend& peer, Storage& from,
                                int64_t from_offset, int64_t bytes) {
    {
        const Current current(peer.context_);
        peer.stream_.hold(stream_.handle());
    }
    const Current current(context_);
    context_.driver.cuMemcpyPeerAsync(address_of(to, to_offset), context_.handle,
                                      address_of(from, from_offset), peer.context_.handle, size_t(bytes),
                                      stream_.handle());
    to.uses.written_at(stream_.issue("copy"));
    // What the peer does next may overwrite or free the source.
    stream_.hold(peer.stream_.handle());
    from.uses.read_at(peer.stream_.issue("copy"));
}

}  // namespace cuarray::cuda
