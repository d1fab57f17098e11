// backend.cpp -- one GPU's storages, waits and streams, and what the registry is told about GPUs.
#include "cuda/backend.h"
#include <algorithm>
#include <cstdlib>
#include <mutex>
#include "cuarray/runtime/hooks.h"
#include "cuarray/runtime/registry.h"
#include "cuarray/runtime/tracking.h"

namespace cuarray::cuda {
namespace {

// The numbers by which protocols name streams that have no handle.
constexpr int64_t kNoStream = -1, kLegacyStream = 1;

CUstream handle_of(int64_t stream) { return reinterpret_cast<CUstream>(stream); }

/// Our stream is a blocking one: CUDA orders it with the legacy stream (0 in some protocols) by itself.
bool is_ordered_anyway(int64_t foreign, int64_t own) {
    return foreign == kNoStream || foreign == 0 || foreign == kLegacyStream || foreign == own;
}

}  // namespace

/// Memory from the pool, returned in stream order.
class GpuBackend::Block final : public Storage {
 public:
    using Storage::Storage;
    Piece piece;
    bool seen_elsewhere = false;  ///< a foreign stream may still use it when its last reference goes

 private:
    void destroy() override {
        static_cast<GpuBackend*>(backend)->release(*this);
        delete this;
    }
};

GpuBackend::GpuBackend(int index)
    : Backend({Device::Kind::Cuda, uint8_t(index)}),
      context_(index),
      stream_(context_),
      faults_(context_, stream_),
      pool_(device(), context_, stream_),
      pinned_(context_, stream_),
      kernels_(context_) {}

StorageRef GpuBackend::allocate(int64_t bytes) {
    if (bytes == 0) return StorageRef(new Block(this, nullptr, 0));
    auto* const block = new Block(this, nullptr, bytes);
    StorageRef storage(block);
    block->piece = pool_.allocate(bytes, stream_);
    block->data = reinterpret_cast<void*>(block->piece.address);
    return tracked(std::move(storage));
}

void GpuBackend::release(Block& block) noexcept {
    if (!block.piece.address) return;
    const bool foreign = block.exported || block.seen_elsewhere;
    pool_.release(block.piece, block.uses.points(true), foreign);
}

void GpuBackend::synchronize() {
    stream_.wait();
    faults_.check(stream_);
}

void GpuBackend::publish(Storage& storage, int64_t stream) {
    if (is_ordered_anyway(stream, this->stream())) return;
    if (auto* const block = dynamic_cast<Block*>(&storage)) block->seen_elsewhere = true;
    const std::vector<StreamPoint> users = storage.uses.points(true);
    if (std::all_of(users.begin(), users.end(),
                    [&](StreamPoint p) { return stream_.has_finished(p.ticket()); }))
        return;
    const Current current(context_);
    stream_.hold(handle_of(stream));
}

void GpuBackend::adopt_stream(int64_t stream) {
    if (is_ordered_anyway(stream, this->stream())) return;
    const Current current(context_);
    stream_.wait_for(handle_of(stream));
}

namespace {

struct Opened {
    std::mutex mutex;
    std::vector<GpuBackend*> backends;
};
Opened& opened() {
    static Opened* one = new Opened;
    return *one;
}

/// Why no GPU can be used, or "".
std::string why_unusable() {
    std::string why;
    const Driver* const driver = find_driver(&why);
    if (!driver) return why;
    if (driver->devices == 0) return "the NVIDIA driver finds no GPU";
    const Toolchain* const toolchain = find_toolchain(&why);
    if (!toolchain) return why;
    const int capability = capability_of(*driver, 0);
    if (choose_target(*toolchain, capability, driver->cuda_version).arch) return "";
    return toolchain->path + " cannot compile for compute capability " + std::to_string(capability / 10) +
           "." + std::to_string(capability % 10);
}

int count_devices(std::string* why_none) {
    try {
        *why_none = why_unusable();
    } catch (const Error& error) {
        *why_none = error.what();
    }
    const Driver* const driver = find_driver();
    const int devices = driver ? driver->devices : 0;
    if (why_none->empty()) return devices;
    if (devices > 0) warn("the GPU is not used: " + *why_none);
    return 0;
}

void end() {
    const std::lock_guard lock(opened().mutex);
    if (is_alive())
        for (const GpuBackend* backend : opened().backends)
            if (const std::string text = backend->unreported(); !text.empty())
                warn("never reported: " + text);
    end_driver();
}

Backend& open_device(int index) {
    auto* const backend = new GpuBackend(index);
    const std::lock_guard lock(opened().mutex);
    if (opened().backends.empty()) {
        at_shutdown(end);
        std::atexit(shutdown);
    }
    opened().backends.push_back(backend);
    return *backend;
}

}  // namespace
}  // namespace cuarray::cuda

namespace cuarray {

BackendFactory cuda_factory() { return {cuda::count_devices, cuda::open_device}; }

}  // namespace cuarray
