// dlpack.h -- arrays for other libraries, and arrays of theirs, by DLPack.
#pragma once
#include <memory>
#include "cuarray/array/array.h"

struct DLManagedTensorVersioned;  // of the header dlpack/dlpack.h, which describes it

namespace cuarray {

/// Calls a tensor's own deleter.
struct CUARRAY_API TensorDeleter {
    void operator()(DLManagedTensorVersioned* tensor) const;
};
/// A tensor that nobody has taken over yet; `release()` hands it to a library, which then calls its deleter.
using DLPackTensor = std::unique_ptr<DLManagedTensorVersioned, TensorDeleter>;

/// The array's memory as a tensor of DLPack 1, which keeps it; of an array whose strides or address other libraries do
/// not take, a copy. Work on `stream`, a CUDA stream's handle or 1 for the legacy default stream, waits for the array.
CUARRAY_API DLPackTensor to_dlpack(const Array& array, int64_t stream = 1);

/// An array over the memory of a tensor, which it takes over and whose deleter it calls when the last view is gone. Its
/// work waits for what is queued on `stream`. BufferError for a tensor that no array can describe, which stays whose it
/// was.
CUARRAY_API Array from_dlpack(DLPackTensor&& tensor, int64_t stream = 1);

}  // namespace cuarray
