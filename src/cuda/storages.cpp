// storages.cpp -- blocks of GPU and pinned memory as storages, and the ordering of imported and exported memory
// with its other users.
#include "cuarray/runtime/registry.h"
#include "cuda/graph.h"
#include "cuda/runtime.h"
#include "runtime/hooks.h"
#include "runtime/tracking.h"

namespace cuarray::cuda {
namespace {

bool is_legacy(int64_t stream) { return stream == 0 || stream == kLegacyStream; }

}  // namespace

/// A block of device memory.
class GpuRuntime::Block final : public Storage {
 public:
    Block(GpuRuntime& runtime, int64_t bytes) : Storage(&runtime.backend_, nullptr, bytes), runtime(runtime) {}

    GpuRuntime& runtime;
    Allocation allocation;
    bool seen_elsewhere = false;  ///< another library may still use it when its last reference is dropped

 private:
    void destroy() override {
        runtime.release(*this);
        delete this;
    }
};

/// Page-locked memory of a cpu array, which GPUs read and write without staging.
class GpuRuntime::PinnedBlock final : public Storage {
 public:
    PinnedBlock(GpuRuntime& runtime, Backend& host, int64_t bytes) : Storage(&host, nullptr, bytes), runtime(runtime) {}

    GpuRuntime& runtime;
    Allocation allocation;

 private:
    void destroy() override {
        runtime.release(*this);
        delete this;
    }
};

bool GpuRuntime::is_managed(const Storage& storage) {
    const auto* const block = dynamic_cast<const Block*>(&storage);  // else memory of another library
    return block && block->allocation.from == Allocation::From::Managed;
}

StorageRef GpuRuntime::allocate(int64_t bytes, MemoryKind kind) {
    if (kind == MemoryKind::Pinned) return allocate_pinned(bytes);
    auto* const block = new Block(*this, bytes);
    StorageRef storage(block);
    if (bytes == 0) return storage;
    GpuStream& stream = current();
    const bool is_own = !stream.capture() && !stream.is_foreign();
    GpuStream& giver = is_own ? stream : keeper();
    block->allocation = pool.allocate(bytes, giver, kind);
    block->data = reinterpret_cast<void*>(block->allocation.address);
    block->uses.written_at(giver.issue());
    if (stream.is_foreign()) {
        stream.wait_for(block->uses.last_write());
        block->allocation.foreign_stream = &stream;
    }
    if (stream.capture()) stream.capture()->hold(*block, true);
    return tracked(std::move(storage));
}

StorageRef GpuRuntime::allocate_pinned(int64_t bytes) {
    Backend& host = *cuarray::backend(Device{}).allocate(0)->backend;
    auto* const block = new PinnedBlock(*this, host, bytes);
    StorageRef storage(block);
    if (bytes == 0) return storage;
    block->allocation = pool.allocate(bytes, keeper(), MemoryKind::Pinned);
    block->data = reinterpret_cast<void*>(block->allocation.address);
    const std::lock_guard lock(mutex_);
    pinned_blocks_[static_cast<const char*>(block->data)] = block;
    return storage;
}

void GpuRuntime::release(Block& block) noexcept {
    if (!block.allocation.address) return;
    // In a forked child, threads that no longer exist may hold locks.
    const Few<StreamPoint, 4> users = is_alive() ? block.uses.points(true) : Few<StreamPoint, 4>();
    pool.release(block.allocation, users, block.last_export() || block.seen_elsewhere);
}

// Every view of it (NumPy, DLPack) holds a reference to the storage, so only the GPU may still use the memory.
void GpuRuntime::release(PinnedBlock& block) noexcept {
    if (!block.allocation.address || !is_alive()) return;
    {
        const std::lock_guard lock(mutex_);
        pinned_blocks_.erase(static_cast<const char*>(block.data));
    }
    pool.release(block.allocation, block.uses.points(true), false);
}

StorageRef GpuRuntime::own_pinned_memory_at(const void* address) {
    const auto* const wanted = static_cast<const char*>(address);
    const std::lock_guard lock(mutex_);
    auto after = pinned_blocks_.upper_bound(wanted);
    if (after == pinned_blocks_.begin()) return {};
    PinnedBlock* const block = std::prev(after)->second;
    return wanted < std::prev(after)->first + block->bytes ? StorageRef(block) : StorageRef();
}

// Each GPU has a legacy stream of its own.
bool GpuRuntime::is_ordered_with_legacy(const GpuStream& stream) const {
    return stream.kind() == GpuStream::Kind::Blocking && stream.device() == device();
}

void GpuRuntime::publish(Storage& storage, int64_t stream) {
    if (auto* const block = dynamic_cast<Block*>(&storage)) block->seen_elsewhere = true;
    if (stream == kNoStream) return;
    current().refuse_in_capture("export");
    for (const StreamPoint point : storage.uses.points(true)) {
        GpuStream& user = gpu_stream(point);
        if (user.has_finished(point.ticket()) || user.handle() == stream) continue;
        if (is_legacy(stream) && is_ordered_with_legacy(user)) continue;
        user.hold(queue_with(is_legacy(stream) ? kLegacyStream : stream), context);
    }
}

int64_t GpuRuntime::show(Storage& storage) {
    publish(storage, kLegacyStream);
    GpuStream& stream = current();
    const auto points = storage.uses.points(true);
    const auto has_run = [](StreamPoint point) { return gpu_stream(point).has_run(point.ticket()); };
    if (std::ranges::all_of(points, has_run)) return 0;
    stream.wait_for(points);
    return stream.handle();
}

void GpuRuntime::adopt(Storage& storage, int64_t stream) {
    if (stream == kNoStream || storage.bytes == 0) return;
    GpuStream& own = current();
    own.refuse_in_capture("import");
    const bool is_ordered = is_legacy(stream) && own.kind() == GpuStream::Kind::Blocking;
    if (!is_ordered && stream != own.handle()) own.wait_for(queue_with(is_legacy(stream) ? kLegacyStream : stream));
    storage.uses.written_at(own.issue("import"));
}

void GpuRuntime::return_to_owner(Storage& storage) noexcept {
    if (!is_alive()) return;
    try {
        for (const StreamPoint point : storage.uses.points(true)) {
            GpuStream& user = gpu_stream(point);
            if (user.has_finished(point.ticket()) || is_ordered_with_legacy(user)) continue;
            user.hold(queue_with(kLegacyStream), context);
        }
    } catch (const std::exception& error) {
        warn(std::string("imported memory goes back while work on it may still run: ") + error.what());
    }
}

Device GpuRuntime::device_of(const void* address) {
    int ordinal = 0;
    const Current current(context);
    const CUresult result = context.driver.cuPointerGetAttribute.status(&ordinal, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL,
                                                                        reinterpret_cast<CUdeviceptr>(address));
    if (result == CUDA_ERROR_INVALID_VALUE || (result == CUDA_SUCCESS && ordinal < 0))
        raise(ErrorKind::Value, "the address ", address, " is no memory that CUDA knows");
    if (result != CUDA_SUCCESS) fail(result, "cuPointerGetAttribute");
    return {Device::Kind::Cuda, uint8_t(ordinal)};
}

}  // namespace cuarray::cuda
