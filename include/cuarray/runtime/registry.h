// registry.h -- the devices of the machine, their backends, and the current device of a thread.
#pragma once
#include <string>
#include <vector>
#include "cuarray/runtime/backend.h"

namespace cuarray {

/// The backend of a device, opened at first use; ValueError with the reason if there is no such device.
CUARRAY_API Backend& backend(Device device);

/// Streams, kinds of memory and properties of a device; opens it as `backend` does.
CUARRAY_API Runtime& runtime(Device device);
/// ValueError if the machine has no such device. Opens none.
CUARRAY_API void require(Device device);

/// Every device of this machine, the default first. Opens drivers but creates no context.
CUARRAY_API const std::vector<Device>& devices();

/// cuda:0 if kernels can be compiled for a GPU, else cpu; CUARRAY_DEVICE overrides.
CUARRAY_API Device default_device();
CUARRAY_API void set_default_device(Device device);

/// The device of the innermost `with cuarray.device(...)` of this thread, else the default.
CUARRAY_API Device current_device();

/// Whether a device is the current one; false for cpu while the default may be a GPU, which is not opened to find out.
CUARRAY_API bool is_current_device(Device device);

/// Makes `device` current in this thread for the life of the object.
class CUARRAY_API DeviceScope {
 public:
    explicit DeviceScope(Device device);
    ~DeviceScope();
    DeviceScope(const DeviceScope&) = delete;
    DeviceScope& operator=(const DeviceScope&) = delete;

 private:
    bool had_;
    Device previous_;
};

/// Storage over memory with another owner; `free(context)` is called once, at the last release. `is_held(context)`:
/// whether anybody but the storage holds the owner; without it somebody does, always.
CUARRAY_API StorageRef foreign_storage(Device device, void* data, int64_t bytes, void (*free)(void*), void* context,
                                       bool (*is_held)(void*) = nullptr);

/// Why a kind of device is missing ("no NVIDIA driver: libcuda.so.1 was not found"), or "".
CUARRAY_API std::string missing_reason(Device::Kind kind);

/// Whether the devices of a kind have been looked for, which opens the driver and is done once.
CUARRAY_API bool has_looked_for(Device::Kind kind);

/// A kind of backend as the registry needs it: the number of its devices, and the backend of one.
struct BackendFactory {
    int (*count)(std::string* why_none);
    Backend& (*open)(int index);
};
BackendFactory host_factory();  ///< src/host
BackendFactory cuda_factory();  ///< src/cuda

}  // namespace cuarray
