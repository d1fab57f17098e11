// backend.cpp -- one GPU put together, and what the registry is told about GPUs.
#include "cuda/backend.h"
#include <cstdlib>
#include <mutex>
#include "cuarray/runtime/hooks.h"
#include "cuarray/runtime/registry.h"

namespace cuarray::cuda {

GpuBackend::GpuBackend(int index)
    : Backend({Device::Kind::Cuda, uint8_t(index)}), runtime_(*this, index), kernels_(runtime_.context) {}

StorageRef GpuBackend::allocate(int64_t bytes) { return runtime_.allocate(bytes, MemoryKind::Device); }

void GpuBackend::synchronize() { runtime_.synchronize(); }

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
