// dlpack_import.cpp -- from_dlpack: capsules of other libraries, old and new, as arrays over their memory.
#include <limits>
#include <string>
#include <utility>
#include "bindings/functions/convert.h"
#include "bindings/protocols/dlpack.h"
#include "bindings/protocols/foreign_memory.h"
#include "bindings/protocols/other_arrays.h"
#include "bindings/protocols/producers.h"
#include "bindings/types/ndarray.h"
#include "cuarray/runtime/registry.h"

namespace cuarray::python {
namespace {

/// Producers written before DLPack asked for more are called with less, one step at a time.
Object call_producer(PyObject* method, std::initializer_list<Object> keywords_to_try) {
    const Object no_arguments = Object::steal(PyTuple_New(0));
    for (const Object& keywords : keywords_to_try) {
        Object capsule = Object::steal_or_null(PyObject_Call(method, no_arguments.get(), keywords.get()));
        if (capsule) return capsule;
        if (!PyErr_ExceptionMatches(PyExc_TypeError)) throw ExceptionIsSet{};
        PyErr_Clear();
    }
    return Object::steal(PyObject_CallNoArgs(method));
}

}  // namespace

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

namespace {

template <class Tensor>
void free_imported(void* imported) {
    call_with_gil(
        [](void* context) {
            Tensor* tensor = static_cast<Tensor*>(context);
            if (tensor->deleter) tensor->deleter(tensor);
        },
        imported);
}

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

/// The array of a tensor of which everything was found to be good before `take()` makes it ours.
template <class Tensor, class Take>
Array adopt_checked(Tensor* tensor, bool is_immutable, int64_t stream, Take&& take) {
    ForeignMemory memory = described_memory(tensor->dl_tensor, is_read_only(*tensor, is_immutable));
    backend(memory.device);  // a device that is not there must not leak the tensor
    const ForeignBytes bytes = checked_bytes(memory, "from_dlpack");
    take();
    return adopt_memory(std::move(memory), bytes, free_imported<Tensor>, tensor, stream);
}

/// Takes the tensor out of its capsule, which keeps its name until then, so that its own destructor frees it.
template <class Tensor>
Array consume(PyObject* capsule, bool is_immutable, int64_t stream) {
    Tensor* tensor = static_cast<Tensor*>(PyCapsule_GetPointer(capsule, kCapsuleName<Tensor>));
    if (!tensor) throw ExceptionIsSet{};
    return adopt_checked(tensor, is_immutable, stream,
                         [&] { check(PyCapsule_SetName(capsule, kUsedCapsuleName<Tensor>)); });
}

std::string described(PyObject* object) {
    if (!PyCapsule_CheckExact(object))
        return "an object of class " + attribute_text(reinterpret_cast<PyObject*>(Py_TYPE(object)), "__qualname__");
    const char* const name = PyCapsule_GetName(object);
    PyErr_Clear();  // of a capsule without a name
    return std::string("a capsule named \"") + (name ? name : "") + "\"";
}

/// `stream`: where the producer has made the data ready, by its promise.
Array consume_any(PyObject* capsule, bool is_immutable, int64_t stream) {
    if (PyCapsule_IsValid(capsule, kCapsuleName<DLManagedTensorVersioned>))
        return consume<DLManagedTensorVersioned>(capsule, is_immutable, stream);
    if (PyCapsule_IsValid(capsule, kCapsuleName<DLManagedTensor>))
        return consume<DLManagedTensor>(capsule, is_immutable, stream);
    // No Python exception is set while the caller lets go of the capsule: destructors of others may run Python code.
    raise(ErrorKind::Value, "from_dlpack: ", described(capsule), " is no DLPack capsule, or was consumed before");
}

}  // namespace

Device device_told(PyObject* answer) {
    const Object pair = pair_of(answer);
    if (!pair)
        raise(ErrorKind::Type, "from_dlpack: __dlpack_device__ must return two integers, not ", described(answer));
    const int64_t type = to_int64(PyTuple_GetItem(pair.get(), 0), {"a device type", "from_dlpack"});
    const int64_t index = to_int64(PyTuple_GetItem(pair.get(), 1), {"a device index", "from_dlpack"});
    if (type != int32_t(type) || index != int32_t(index))
        raise(ErrorKind::Buffer, "from_dlpack: there is no DLPack device (", type, ", ", index, ")");
    return tensor_device({DLDeviceType(type), int32_t(index)});
}

namespace {

Object keywords_for(PyObject* stream, PyObject* wanted_device, PyObject* copy, bool with_version) {
    Object keywords = Object::steal(PyDict_New());
    if (with_version) {
        const Object version = Object::steal(Py_BuildValue("(ii)", DLPACK_MAJOR_VERSION, DLPACK_MINOR_VERSION));
        check(PyDict_SetItemString(keywords.get(), "max_version", version.get()));
    }
    if (stream) check(PyDict_SetItemString(keywords.get(), "stream", stream));
    if (wanted_device) check(PyDict_SetItemString(keywords.get(), "dl_device", wanted_device));
    if (copy) check(PyDict_SetItemString(keywords.get(), "copy", copy));
    return keywords;
}

Array import_from_producer(PyObject* object, std::optional<Device> device, bool refuses_copies) {
    if (const Exchange* const exchange = exchange_of(Py_TYPE(object)))
        if (Array array = import_by_exchange(*exchange, object)) return array;
    const Producer* const producer = producer_of(Py_TYPE(object));
    if (producer && producer->check) producer->check(object);
    const Object method = Object::steal(PyObject_GetAttrString(object, "__dlpack__"));
    const Object pair = Object::steal(PyObject_CallMethod(object, "__dlpack_device__", nullptr));
    const Device source = device_told(pair.get());
    const bool is_remote = !is_on_host(source);
    Object stream, wanted;
    if (is_remote) {
        stream = Object::steal(PyLong_FromLongLong(current_stream(source).handle()));
        if (device && is_on_host(*device)) wanted = Object::steal(Py_BuildValue("(ii)", int(kDLCPU), 0));
    }
    // from_dlpack copies for copy=True: a producer's copy would be a second one, and PyTorch's reads memory
    // unseen.
    const Object all = keywords_for(stream.get(), wanted.get(), refuses_copies ? Py_False : nullptr, true);
    const Object fewer = keywords_for(stream.get(), nullptr, nullptr, true);
    const Object only_stream = keywords_for(stream.get(), nullptr, nullptr, false);
    const Object capsule = call_producer(method.get(), {all, fewer, only_stream});
    // A producer that said "host" was given no stream; if it hands out GPU memory all the same, the protocol's rule
    // holds.
    return consume_any(capsule.get(), producer && producer->is_immutable,
                       is_remote ? current_stream(source).handle() : kImpliedStream);
}

}  // namespace

Array adopt_tensor(OwnedTensor& tensor, int64_t stream) {
    return adopt_checked(tensor.get(), false, stream, [&] { tensor.release(); });
}

Array import_capsule(PyObject* capsule, int64_t stream) { return consume_any(capsule, false, stream); }

bool gives_memory(PyObject* object) {
    if (!has_attribute(object, "__dlpack__") || !has_attribute(object, "__dlpack_device__")) return false;
    if (exchange_of(Py_TYPE(object))) return true;
    const Producer* const producer = producer_of(Py_TYPE(object));
    return !producer || !producer->is_plain || producer->is_plain(object);
}

Array import_dlpack(PyObject* object, std::optional<Device> device, std::optional<bool> copy) {
    if (PyCapsule_CheckExact(object)) return consume_any(object, false, kImpliedStream);
    return import_from_producer(object, device, copy && !*copy);
}

}  // namespace cuarray::python
