// registry.h -- the backends of the devices.
#pragma once
#include <string>
#include "cuarray/runtime/backend.h"
#include "cuarray/runtime/devices.h"

namespace cuarray {

/// The backend of a device, opened at first use; ValueError with the reason if there is no such device.
CUARRAY_API Backend& backend(Device device);

/// ValueError if the machine has no such device. Opens none.
CUARRAY_API void require(Device device);

/// Whether a device is the current one; false for cpu while the default may be a GPU, which is not opened to find out.
CUARRAY_API bool is_current_device(Device device);

/// Storage over memory with another owner; `free(context)` is called once, at the last release. `is_held(context)`:
/// whether anybody but the storage holds the owner; without it somebody does, always.
CUARRAY_API StorageRef foreign_storage(Device device, void* data, int64_t bytes, void (*free)(void*), void* context,
                                       bool (*is_held)(void*) = nullptr);

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
