// device.h -- devices by name: cpu or cuda:N.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include "cuarray/core/error.h"

namespace cuarray {

/// A device by kind and index. Only runtime/registry.cpp maps a kind to its backend.
struct Device {
    enum class Kind : uint8_t { Cpu, Cuda };
    Kind kind = Kind::Cpu;
    uint8_t index = 0;

    friend bool operator==(Device, Device) = default;
};

/// "cpu" or "cuda:0".
CUARRAY_API std::string to_string(Device device);

/// Reads "cpu", "cuda" (= "cuda:0") or "cuda:N"; ValueError for anything else.
CUARRAY_API Device parse_device(std::string_view text);

}  // namespace cuarray
