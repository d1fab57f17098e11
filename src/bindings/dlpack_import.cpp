// dlpack_import.cpp -- from_dlpack: capsules of other libraries, old and new, as arrays over their memory.
#include <string>
#include <string_view>
#include "bindings/convert.h"
#include "bindings/dlpack.h"
#include "bindings/ndarray.h"
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

Device tensor_device(const DLDevice& device) {
    switch (device.device_type) {
        case kDLCPU:
        case kDLCUDAHost:
        case kDLROCMHost: return Device{};
        case kDLCUDA:
        case kDLCUDAManaged: return Device{Device::Kind::Cuda, uint8_t(device.device_id)};
        default:
            raise(ErrorKind::Buffer, "from_dlpack: memory of DLPack device type ", int(device.device_type),
                  " is neither on the host nor on a CUDA device");
    }
}

DType tensor_dtype(const DLDataType& type) {
    for (int d = 0; d < kDTypes; ++d)
        if (type.lanes == 1 && type.code == dlpack_code(DType(d)) && type.bits == 8 * item_size(DType(d))) return DType(d);
    raise(ErrorKind::Buffer, "from_dlpack: no dtype for DLPack code ", int(type.code), ", ", int(type.bits), " bits, ",
          int(type.lanes), " lanes");
}

Layout tensor_layout(const DLTensor& tensor, int64_t item) {
    if (tensor.ndim < 0 || tensor.ndim > kMaxDims)
        raise(ErrorKind::Buffer, "from_dlpack: ", tensor.ndim, " dimensions; the limit is ", kMaxDims);
    Layout layout;
    for (int axis = 0; axis < tensor.ndim; ++axis) {
        if (tensor.shape[axis] < 0) raise(ErrorKind::Buffer, "from_dlpack: negative extent ", tensor.shape[axis]);
        layout.shape.push_back(tensor.shape[axis]);
    }
    checked_size(layout.shape, item, "from_dlpack");
    if (!tensor.strides) {
        layout.strides = c_strides(layout.shape, item);
        return layout;
    }
    for (int axis = 0; axis < tensor.ndim; ++axis) {
        int64_t bytes = 0;
        if (__builtin_mul_overflow(tensor.strides[axis], item, &bytes))
            raise(ErrorKind::Buffer, "from_dlpack: stride ", tensor.strides[axis], " is too large");
        layout.strides.push_back(bytes);
    }
    return layout;
}

template <class Tensor>
void free_imported(void* imported) {
    call_with_gil(
        [](void* context) {
            Tensor* tensor = static_cast<Tensor*>(context);
            if (tensor->deleter) tensor->deleter(tensor);
        },
        imported);
}

/// Takes the tensor out of its capsule. Until everything about it is known to be good the capsule keeps its name, so
/// that its own destructor frees it.
template <class Tensor>
Array consume(PyObject* capsule, bool is_read_only, int64_t stream) {
    Tensor* tensor = static_cast<Tensor*>(PyCapsule_GetPointer(capsule, kCapsuleName<Tensor>));
    if (!tensor) throw ExceptionIsSet{};
    if constexpr (kIsVersioned<Tensor>) {
        if (tensor->version.major > DLPACK_MAJOR_VERSION)
            raise(ErrorKind::Buffer, "from_dlpack: DLPack ", tensor->version.major, ".", tensor->version.minor,
                  " is newer than ", DLPACK_MAJOR_VERSION, ".", DLPACK_MINOR_VERSION);
        is_read_only = is_read_only || (tensor->flags & DLPACK_FLAG_BITMASK_READ_ONLY);
    }
    const DLTensor& source = tensor->dl_tensor;
    const Device device = tensor_device(source.device);
    const DType dtype = tensor_dtype(source.dtype);
    Layout layout = tensor_layout(source, item_size(dtype));
    const bool is_empty = layout.size() == 0;
    const Extent bytes = extent(layout, item_size(dtype));
    char* first = is_empty ? nullptr : static_cast<char*>(source.data) + source.byte_offset + bytes.low;
    backend(device);  // opened before the capsule is taken: a device that is not there must not leak the tensor
    check(PyCapsule_SetName(capsule, kUsedCapsuleName<Tensor>));
    StorageRef storage = foreign_storage(device, first, bytes.high - bytes.low, free_imported<Tensor>, tensor);
    storage->exported = true;
    storage->read_only = is_read_only;
    runtime(device).adopt(*storage, stream);
    return Array(std::move(storage), -bytes.low, std::move(layout), dtype);
}

/// `stream`: where the producer has made the data ready, by its promise.
Array consume_any(PyObject* capsule, bool is_read_only, int64_t stream) {
    if (PyCapsule_IsValid(capsule, kCapsuleName<DLManagedTensorVersioned>))
        return consume<DLManagedTensorVersioned>(capsule, is_read_only, stream);
    if (PyCapsule_IsValid(capsule, kCapsuleName<DLManagedTensor>))
        return consume<DLManagedTensor>(capsule, is_read_only, stream);
    fail(PyExc_ValueError, "from_dlpack: %R is no DLPack capsule, or was consumed before", capsule);
}

/// JAX promises that its arrays never change, but legacy capsules cannot say so.
bool comes_from_jax(PyObject* object) {
    const Object module =
        Object::steal_or_null(PyObject_GetAttrString(reinterpret_cast<PyObject*>(Py_TYPE(object)), "__module__"));
    const char* name = module ? PyUnicode_AsUTF8AndSize(module.get(), nullptr) : nullptr;
    if (!name) PyErr_Clear();
    return name && std::string_view(name).starts_with("jax");
}

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

Array import_from_producer(PyObject* object, PyObject* device, PyObject* copy) {
    const Object method = Object::steal(PyObject_GetAttrString(object, "__dlpack__"));
    const Object pair = Object::steal(PyObject_CallMethod(object, "__dlpack_device__", nullptr));
    int type = 0, index = 0;
    const Object plain = Object::steal(PySequence_Tuple(pair.get()));
    if (!PyArg_ParseTuple(plain.get(), "ii", &type, &index)) throw ExceptionIsSet{};
    const Device source = tensor_device({DLDeviceType(type), index});
    const bool is_remote = !is_on_host(source);
    Object stream, wanted;
    if (is_remote) {
        stream = Object::steal(PyLong_FromLongLong(current_stream(source).handle()));
        if (device && is_on_host(to_device(device, source))) wanted = Object::steal(Py_BuildValue("(ii)", int(kDLCPU), 0));
    }
    const Object all = keywords_for(stream.get(), wanted.get(), copy, true);
    const Object fewer = keywords_for(stream.get(), nullptr, nullptr, true);
    const Object only_stream = keywords_for(stream.get(), nullptr, nullptr, false);
    const Object capsule = call_producer(method.get(), {all, fewer, only_stream});
    return consume_any(capsule.get(), comes_from_jax(object), is_remote ? current_stream(source).handle() : 0);
}

}  // namespace

Array import_dlpack(PyObject* object, PyObject* device, PyObject* copy) {
    device = device == Py_None ? nullptr : device;
    copy = copy == Py_None ? nullptr : copy;
    constexpr int64_t kLegacyStream = 1;  // what a capsule made without a stream is ready for
    if (PyCapsule_CheckExact(object)) return consume_any(object, false, kLegacyStream);
    return import_from_producer(object, device, copy);
}

}  // namespace cuarray::python
