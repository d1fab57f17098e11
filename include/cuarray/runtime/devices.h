// devices.h -- the devices of the machine, and the current one of a thread.
#pragma once
#include <string>
#include <vector>
#include "cuarray/core/device.h"

namespace cuarray {

class Runtime;

/// Every device of this machine, the default first. Opens drivers but creates no context.
CUARRAY_API const std::vector<Device>& devices();

/// cuda:0 if kernels can be compiled for a GPU, else cpu; CUARRAY_DEVICE overrides.
CUARRAY_API Device default_device();
CUARRAY_API void set_default_device(Device device);

/// The device of the innermost `with cuarray.device(...)` of this thread, else the default.
CUARRAY_API Device current_device();

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

/// Streams, kinds of memory and properties of a device; ValueError with the reason if there is no such device.
CUARRAY_API Runtime& runtime(Device device);
/// Why a kind of device is missing ("no NVIDIA driver: libcuda.so.1 was not found"), or "".
CUARRAY_API std::string missing_reason(Device::Kind kind);

}  // namespace cuarray
