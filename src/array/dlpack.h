// dlpack.h -- DLPack's tensors: arrays as tensors that own their memory, and tensors as arrays.
#pragma once
#include <dlpack/dlpack.h>
#include <type_traits>
#include <utility>
#include "array/foreign_memory.h"
#include "cuarray/array/elements.h"
#include "cuarray/runtime/registry.h"

namespace cuarray {

static_assert(sizeof(DLTensor) == 48 && sizeof(DLManagedTensor) == 64 && sizeof(DLManagedTensorVersioned) == 80);

/// The two kinds of tensors: the versioned one carries flags, the legacy one does not.
template <class Tensor>
constexpr bool kIsVersioned = std::is_same_v<Tensor, DLManagedTensorVersioned>;

constexpr int64_t kImpliedStream = 1;  ///< what memory handed over without a stream is ready for: the legacy default

CUARRAY_API DLDevice dlpack_device(Device device);
CUARRAY_API Device tensor_device(const DLDevice& device);

/// Whether some stride is negative or no whole number of elements, or the address is not aligned: consumers abort on
/// the first, cannot express the second and crash on the third.
CUARRAY_API bool is_unusual(const Array& array);
/// A tensor of an array that is not unusual; `is_copy` is what its flags say. It keeps the memory until its deleter is
/// called, by any thread.
template <class Tensor>
CUARRAY_API Tensor* make_tensor(const Array& array, bool is_copy);

/// What a tensor says of its memory; BufferError where there is no such dtype, device or layout.
CUARRAY_API ForeignMemory described_memory(const DLTensor& tensor, bool is_read_only);

/// Whether the memory may not be written; BufferError for a tensor of another version. The legacy one does not say.
template <class Tensor>
bool is_read_only(const Tensor& tensor, bool is_immutable) {
    if constexpr (kIsVersioned<Tensor>) {
        if (tensor.version.major != DLPACK_MAJOR_VERSION)
            raise(ErrorKind::Buffer, "from_dlpack: a tensor of DLPack ", tensor.version.major, ".",
                  tensor.version.minor, "; known is ", DLPACK_MAJOR_VERSION, ".", DLPACK_MINOR_VERSION);
        return tensor.flags & DLPACK_FLAG_BITMASK_READ_ONLY;
    }
    return is_immutable;
}

/// The array of a tensor of which everything was found to be good before `take()` makes it ours; `free(tensor)` runs
/// when the last view is gone.
template <class Tensor, class Take>
Array adopt_checked(Tensor* tensor, bool is_immutable, int64_t stream, void (*free)(void*), Take&& take) {
    ForeignMemory memory = described_memory(tensor->dl_tensor, is_read_only(*tensor, is_immutable));
    backend(memory.device);  // a device that is not there must not leak the tensor
    const ForeignBytes bytes = checked_bytes(memory, "from_dlpack");
    take();
    return adopt_memory(std::move(memory), bytes, free, tensor, stream);
}

}  // namespace cuarray
