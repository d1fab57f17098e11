// backend.cpp -- runs tasks on a GPU, and the factory of GPU backends for the registry.
#include "cuda/backend.h"
#include <cstdlib>
#include "cuarray/runtime/registry.h"
#include "runtime/hooks.h"

namespace cuarray::cuda {

GpuBackend::GpuBackend(int index)
    : Backend({Device::Kind::Cuda, uint8_t(index)}),
      runtime_(*this, index),
      kernels_(runtime_.context),
      products_(runtime_.context, cublas_handles_),
      plans_(runtime_) {}

StorageRef GpuBackend::allocate(int64_t bytes) { return runtime_.allocate(bytes, MemoryKind::Device); }

Fault GpuBackend::run(const Task& any) {
    any.visit([this](const auto& task) {
        bool writes = false;
        operands(task, [&](const Operand& operand) { writes |= operand.is_written() && count(operand.shape) > 0; });
        if (!writes) return;
        Operation operation(runtime_.current(), task);
        execute(task);
        operation.end();
    });
    return Fault::None;
}

void GpuBackend::synchronize() { runtime_.synchronize(); }

namespace {

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
    return toolchain->path + " cannot compile for compute capability " + std::to_string(capability / 10) + "." +
           std::to_string(capability % 10);
}

int count_devices(std::string* why_none) {
    try {
        *why_none = why_unusable();
    } catch (const Error& error) { *why_none = error.what(); }
    const Driver* const driver = find_driver();
    const int devices = driver ? driver->devices : 0;
    if (why_none->empty()) return devices;
    if (devices > 0) warn("the GPU is not used: " + *why_none);
    return 0;
}

void end() {
    if (is_alive()) GpuRuntime::warn_of_faults();
    end_driver();
}

Backend& open_device(int index) {
    auto* const backend = new GpuBackend(index);
    static const bool ends_with_the_process = (at_shutdown(end), std::atexit(shutdown) == 0);
    static_cast<void>(ends_with_the_process);
    static_cast<GpuRuntime&>(backend->runtime()).enlist();
    return *backend;
}

}  // namespace
}  // namespace cuarray::cuda

namespace cuarray {

BackendFactory cuda_factory() { return {cuda::count_devices, cuda::open_device}; }

}  // namespace cuarray
