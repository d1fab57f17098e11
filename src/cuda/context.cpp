// context.cpp -- queries a GPU's properties, and makes its context current.
#include "cuda/context.h"

namespace cuarray::cuda {

Context::Context(int index) : driver(cuda::driver()), index(index) {
    driver.cuDeviceGet(&device, index);
    char text[256] = {};
    driver.cuDeviceGetName(text, int(sizeof text) - 1, device);
    name = text;
    driver.cuDeviceTotalMem(&memory, device);
    capability = capability_of(driver, index);
    processors = attribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
    has_pools = attribute(CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED) != 0;
    driver.cuDevicePrimaryCtxRetain(&handle, device);
}

Context::~Context() {
    if (!handle) return;
    CUcontext current = nullptr;
    if (driver.cuCtxGetCurrent.status(&current) == CUDA_SUCCESS && current == handle)
        driver.cuCtxSetCurrent.status(nullptr);
    driver.cuDevicePrimaryCtxRelease.status(device);
}

int Context::attribute(int which) const {
    int value = 0;
    driver.cuDeviceGetAttribute(&value, which, device);
    return value;
}

int capability_of(const Driver& driver, int index) {
    CUdevice device = 0;
    int major = 0, minor = 0;
    driver.cuDeviceGet(&device, index);
    driver.cuDeviceGetAttribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device);
    driver.cuDeviceGetAttribute(&minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device);
    return major * 10 + minor;
}

bool has_gpus_before_turing(const Driver& driver) {
    for (int index = 0; index < driver.devices; ++index)
        if (capability_of(driver, index) < 75) return true;
    return false;
}

namespace {

/// The context that the innermost ContextCache of this thread has made current, or null.
thread_local const Context* looked_at = nullptr;

}  // namespace

Current::Current(const Context& context) : driver_(context.driver) {
    if (looked_at == &context) return;
    CUcontext current = nullptr;
    driver_.cuCtxGetCurrent(&current);
    if (current == context.handle) return;
    if (!current && context.index == 0) {
        driver_.cuCtxSetCurrent(context.handle);
        return;
    }
    driver_.cuCtxPushCurrent(context.handle);
    pushed_ = true;
}

Current::~Current() {
    CUcontext popped = nullptr;
    if (pushed_) driver_.cuCtxPopCurrent.status(&popped);
}

ContextCache::ContextCache(const Context& context) : current_(context), outer_(looked_at) { looked_at = &context; }
ContextCache::~ContextCache() { looked_at = outer_; }
void ContextCache::invalidate() { looked_at = nullptr; }

RelaxedCapture::RelaxedCapture(const Driver& driver) : driver_(driver) {
    driver_.cuThreadExchangeStreamCaptureMode(&mode_);
}

RelaxedCapture::~RelaxedCapture() { driver_.cuThreadExchangeStreamCaptureMode.status(&mode_); }

}  // namespace cuarray::cuda
