// dlpack.cpp -- tensors that own their memory, to and from arrays.
#include "cuarray/api/dlpack.h"
#include "array/dlpack.h"
#include "cuarray/runtime/runtime.h"

namespace cuarray {

void TensorDeleter::operator()(DLManagedTensorVersioned* tensor) const {
    if (tensor->deleter) tensor->deleter(tensor);
}

DLPackTensor to_dlpack(const Array& array, int64_t stream) {
    const bool is_copy = is_unusual(array);
    const Array exported = is_copy ? copy(array) : array;
    DLPackTensor tensor(make_tensor<DLManagedTensorVersioned>(exported, is_copy));
    runtime(exported.device()).publish(exported.storage(), stream);
    return tensor;
}

Array from_dlpack(DLPackTensor&& tensor, int64_t stream) {
    if (!tensor) raise(ErrorKind::Value, "from_dlpack: there is no tensor");
    const auto free = [](void* taken) { TensorDeleter()(static_cast<DLManagedTensorVersioned*>(taken)); };
    return adopt_checked(tensor.get(), false, stream, free, [&] { tensor.release(); });
}

}  // namespace cuarray
