// dlpack_import.cpp -- from_dlpack: capsules of other libraries, old and new, as arrays over their memory.
#include <string>
#include <utility>
#include "bindings/functions/convert.h"
#include "bindings/protocols/dlpack.h"
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

template <class Tensor>
void free_imported(void* imported) {
    call_with_gil(
        [](void* context) {
            Tensor* tensor = static_cast<Tensor*>(context);
            if (tensor->deleter) tensor->deleter(tensor);
        },
        imported);
}

/// Takes the tensor out of its capsule, which keeps its name until then, so that its own destructor frees it.
template <class Tensor>
Array consume(PyObject* capsule, bool is_immutable, int64_t stream) {
    Tensor* tensor = static_cast<Tensor*>(PyCapsule_GetPointer(capsule, kCapsuleName<Tensor>));
    if (!tensor) throw ExceptionIsSet{};
    return adopt_checked(tensor, is_immutable, stream, free_imported<Tensor>,
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
        if (Array array = import_by_exchange(*exchange, object); array.defined()) return array;
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
    return adopt_checked(tensor.get(), false, stream, free_imported<DLManagedTensorVersioned>,
                         [&] { tensor.release(); });
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
