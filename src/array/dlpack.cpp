// dlpack.cpp -- what arrays and tensors say of each other: dtypes, devices, strides and flags.
#include "array/dlpack.h"
#include <limits>
#include <memory>

namespace cuarray {
namespace {

DLDataTypeCode dlpack_code(DType dtype) {
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

/// A tensor and what it owns. Holding the storage, not a Python object, lets the consumer free it in any thread, with
/// or without the GIL, even after the interpreter has ended.
template <class Tensor>
struct ExportedTensor {
    Tensor tensor{};
    Export memory;
    Dims shape, strides;
};

template <class Tensor>
void free_exported(Tensor* tensor) {
    delete static_cast<ExportedTensor<Tensor>*>(tensor->manager_ctx);
}

/// Strides in elements; axes of extent 1 get the ones of C order, which consumers' tests of contiguity expect.
Dims element_strides(const Array& array) {
    Dims strides = array.strides();
    int64_t compact = 1;
    for (int axis = array.ndim() - 1; axis >= 0; --axis) {
        if (array.shape()[axis] <= 1)
            strides[axis] = compact;
        else
            strides[axis] /= item_size(array.dtype());
        compact = strides[axis] * array.shape()[axis];
    }
    return strides;
}

}  // namespace

DLDevice dlpack_device(Device device) { return {device.kind == Device::Kind::Cpu ? kDLCPU : kDLCUDA, device.index}; }

bool is_unusual(const Array& array) {
    const int64_t item = item_size(array.dtype());
    if (reinterpret_cast<uintptr_t>(array.data()) % uintptr_t(info(array.dtype()).align)) return true;
    for (int axis = 0; axis < array.ndim(); ++axis)
        if (array.shape()[axis] > 1 && (array.strides()[axis] < 0 || array.strides()[axis] % item)) return true;
    return false;
}

template <class Tensor>
Tensor* make_tensor(const Array& array, bool is_copy) {
    auto exported = std::make_unique<ExportedTensor<Tensor>>();
    exported->memory = export_memory(array);
    exported->shape = array.shape();
    exported->strides = element_strides(array);
    const int64_t item = item_size(array.dtype());
    DLTensor& tensor = exported->tensor.dl_tensor;
    tensor.data = exported_address(array);
    tensor.device = dlpack_device(array.device());
    tensor.ndim = array.ndim();
    tensor.dtype = {uint8_t(dlpack_code(array.dtype())), uint8_t(item * 8), 1};
    tensor.shape = tensor.ndim ? exported->shape.data() : nullptr;
    tensor.strides = tensor.ndim ? exported->strides.data() : nullptr;
    tensor.byte_offset = 0;
    exported->tensor.manager_ctx = exported.get();
    exported->tensor.deleter = free_exported<Tensor>;
    if constexpr (kIsVersioned<Tensor>) {
        exported->tensor.version = {DLPACK_MAJOR_VERSION, DLPACK_MINOR_VERSION};
        if (!array.is_writable()) exported->tensor.flags |= DLPACK_FLAG_BITMASK_READ_ONLY;
        if (is_copy) exported->tensor.flags |= DLPACK_FLAG_BITMASK_IS_COPIED;
    } else {
        (void)is_copy;
    }
    return &exported.release()->tensor;
}

template CUARRAY_API DLManagedTensor* make_tensor(const Array&, bool);
template CUARRAY_API DLManagedTensorVersioned* make_tensor(const Array&, bool);

Device tensor_device(const DLDevice& device) {
    switch (device.device_type) {
        case kDLCPU:
        case kDLCUDAHost:
        case kDLROCMHost: return Device{};
        case kDLCUDA:
        case kDLCUDAManaged:
            if (device.device_id < 0 || device.device_id > std::numeric_limits<uint8_t>::max())
                raise(ErrorKind::Buffer, "from_dlpack: there is no CUDA device ", device.device_id);
            return Device{Device::Kind::Cuda, uint8_t(device.device_id)};
        default:
            raise(ErrorKind::Buffer, "from_dlpack: memory of DLPack device type ", int(device.device_type),
                  " is neither on the host nor on a CUDA device");
    }
}

namespace {

DType tensor_dtype(const DLDataType& type) {
    for (int d = 0; d < kDTypes; ++d)
        if (type.lanes == 1 && type.code == dlpack_code(DType(d)) && type.bits == 8 * item_size(DType(d)))
            return DType(d);
    constexpr int kFirstFloat8 = 7, kLastFloat8 = 14;  // DLDataTypeCode
    const bool is_float8 = type.bits == 8 && type.code >= kFirstFloat8 && type.code <= kLastFloat8;
    raise(ErrorKind::Buffer, "from_dlpack: no dtype for DLPack code ", int(type.code), ", ", int(type.bits), " bits, ",
          int(type.lanes), " lanes",
          is_float8
              ? ": there is no float8; write t.view(torch.uint8) for the bytes, t.to(torch.float32) for the values"
              : "");
}

Layout tensor_layout(const DLTensor& tensor, int64_t item) {
    if (tensor.ndim < 0 || tensor.ndim > kMaxDims)
        raise(ErrorKind::Buffer, "from_dlpack: ", tensor.ndim, " dimensions; the limit is ", kMaxDims);
    if (tensor.ndim && !tensor.shape)
        raise(ErrorKind::Buffer, "from_dlpack: a tensor of ", tensor.ndim, " dimensions without a shape");
    Layout layout;
    for (int axis = 0; axis < tensor.ndim; ++axis) {
        if (tensor.shape[axis] < 0) raise(ErrorKind::Buffer, "from_dlpack: negative extent ", tensor.shape[axis]);
        layout.shape.push_back(tensor.shape[axis]);
    }
    const bool is_empty = checked_size(layout.shape, item, "from_dlpack") == 0;
    layout.strides = c_strides(layout.shape, item);
    if (!tensor.strides) return layout;
    for (int axis = 0; axis < tensor.ndim; ++axis) {
        int64_t bytes = 0;
        if (!__builtin_mul_overflow(tensor.strides[axis], item, &bytes)) layout.strides[axis] = bytes;
        // Nobody steps along an axis of one place: any stride will do there.
        else if (!is_empty && tensor.shape[axis] > 1)
            raise(ErrorKind::Buffer, "from_dlpack: stride ", tensor.strides[axis], " is too large");
    }
    return layout;
}

}  // namespace

ForeignMemory described_memory(const DLTensor& tensor, bool is_read_only) {
    const DType dtype = tensor_dtype(tensor.dtype);
    return {tensor_device(tensor.device),
            reinterpret_cast<uintptr_t>(tensor.data),
            tensor.byte_offset,
            tensor_layout(tensor, item_size(dtype)),
            dtype,
            is_read_only};
}

}  // namespace cuarray
