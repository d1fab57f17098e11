// dlpack.h -- what export and import share: dtype and device codes, and the names of capsules.
#pragma once
#include <dlpack/dlpack.h>
#include <type_traits>
#include "cuarray/core/device.h"
#include "cuarray/core/dtype.h"

namespace cuarray::python {

static_assert(sizeof(DLTensor) == 48 && sizeof(DLManagedTensor) == 64 && sizeof(DLManagedTensorVersioned) == 80);

/// The two capsules of DLPack: the versioned one carries flags, the legacy one does not.
template <class Tensor>
constexpr bool kIsVersioned = std::is_same_v<Tensor, DLManagedTensorVersioned>;
template <class Tensor>
constexpr const char* kCapsuleName = kIsVersioned<Tensor> ? "dltensor_versioned" : "dltensor";
template <class Tensor>
constexpr const char* kUsedCapsuleName = kIsVersioned<Tensor> ? "used_dltensor_versioned" : "used_dltensor";

inline DLDataTypeCode dlpack_code(DType dtype) {
    if (dtype == DType::bfloat16) return kDLBfloat;
    switch (info(dtype).kind) {
        case Kind::Bool: return kDLBool;
        case Kind::Signed: return kDLInt;
        case Kind::Unsigned: return kDLUInt;
        case Kind::Floating: return kDLFloat;
        case Kind::Complex: return kDLComplex;
    }
    return kDLOpaqueHandle;
}

inline DLDevice dlpack_device(Device device) {
    return {device.kind == Device::Kind::Cpu ? kDLCPU : kDLCUDA, device.index};
}

}  // namespace cuarray::python
