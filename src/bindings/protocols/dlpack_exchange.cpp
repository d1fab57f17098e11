// dlpack_exchange.cpp -- DLPack's table of C functions: ours, which other libraries call, and theirs for imports.
#include <forward_list>
#include <memory>
#include <string>
#include <utility>
#include "bindings/functions/convert.h"
#include "bindings/protocols/dlpack.h"
#include "bindings/protocols/interfaces.h"
#include "bindings/protocols/other_arrays.h"
#include "bindings/types/ndarray.h"
#include "cuarray/array/elements.h"
#include "cuarray/runtime/registry.h"

namespace cuarray::python {
namespace {

constexpr const char* kExchangeName = "__dlpack_c_exchange_api__";
constexpr const char* kExchangeCapsule = "dlpack_exchange_api";

// Ours: the functions of the table. None waits for a stream; consumers work on the one that `work_stream` names.

int tensor_from_array(void* object, DLManagedTensorVersioned** out) {
    return guarded_number<int>([&] {
        PyObject* const self = static_cast<PyObject*>(object);
        if (!is_ndarray(self)) fail(PyExc_TypeError, "__dlpack_c_exchange_api__: expected a cuarray.ndarray");
        const Array array = shared_with_libraries(self);
        const Device device = array.device();
        OwnedTensor tensor(export_tensor(array));
        if (!is_on_host(device)) runtime(device).publish(array.storage(), current_stream(device).handle());
        *out = tensor.release();
        return 0;
    });
}

int64_t work_stream_of(Device device) { return is_on_host(device) ? kImpliedStream : current_stream(device).handle(); }

int array_from_tensor(DLManagedTensorVersioned* tensor, void** out) {
    OwnedTensor owned(tensor);
    const int status = guarded_number<int>([&] {
        const Device device = tensor_device(tensor->dl_tensor.device);
        *out = wrap(adopt_tensor(owned, work_stream_of(device)));
        return 0;
    });
    owned.release();  // where it failed the caller keeps it
    return status;
}

int allocate_tensor(DLTensor* prototype, DLManagedTensorVersioned** out, void* context,
                    void (*set_error)(void* context, const char* kind, const char* message)) {
    const auto report = [&](const char* kind, const char* message) {
        set_error(context, kind, message);
        return -1;
    };
    try {
        DLTensor shape = *prototype;
        shape.strides = nullptr;
        const ForeignMemory wanted = described_memory(shape, false);
        *out = export_tensor(empty(wanted.layout.shape, wanted.dtype, wanted.device));
        return 0;
    } catch (const std::bad_alloc&) {
        return report("MemoryError", "cuarray: out of memory");
    } catch (const std::exception& error) { return report("BufferError", error.what()); } catch (...) {
        return report("RuntimeError", "cuarray: the tensor cannot be allocated");
    }
}

int work_stream(DLDeviceType type, int32_t index, void** out) {
    return guarded_number<int>([&] {
        const Device device = tensor_device({type, index});
        *out = is_on_host(device) ? nullptr : reinterpret_cast<void*>(current_stream(device).handle());
        return 0;
    });
}

/// No borrowed tensors: an Array has its strides in bytes.
constexpr DLPackExchangeAPI kOurExchange = {{{DLPACK_MAJOR_VERSION, DLPACK_MINOR_VERSION}, nullptr},
                                            allocate_tensor,
                                            tensor_from_array,
                                            array_from_tensor,
                                            nullptr,
                                            work_stream};

// Theirs.

/// The GIL guards it; the types are kept alive.
std::forward_list<Exchange> known_exchanges;

/// Whether functions of the table of this class may be called with its objects. A class of Python's may have copied the
/// table of another one, whose functions would take the objects for what they are not.
bool is_trusted(PyTypeObject* type, const Producer* producer) {
    if (!PyType_HasFeature(type, Py_TPFLAGS_HEAPTYPE)) return true;
    if (!producer || !producer->exchanged_class) return false;
    const Object module = Object::steal_or_null(PyImport_ImportModule(producer->package));
    const Object original =
        module ? Object::steal_or_null(PyObject_GetAttrString(module.get(), producer->exchanged_class)) : Object();
    if (!original) PyErr_Clear();
    return original.get() == reinterpret_cast<PyObject*>(type);
}

/// The table in the class itself, not in a base; null where there is none of a known version.
const DLPackExchangeAPI* table_of(PyTypeObject* type) {
    const Object members = Object::steal(PyObject_GetAttrString(reinterpret_cast<PyObject*>(type), "__dict__"));
    const Object capsule = Object::steal_or_null(PyMapping_GetItemString(members.get(), kExchangeName));
    if (!capsule) PyErr_Clear();
    if (!capsule || !PyCapsule_IsValid(capsule.get(), kExchangeCapsule)) return nullptr;
    const auto* header =
        static_cast<const DLPackExchangeAPIHeader*>(PyCapsule_GetPointer(capsule.get(), kExchangeCapsule));
    while (header && header->version.major != DLPACK_MAJOR_VERSION) header = header->prev_api;
    return reinterpret_cast<const DLPackExchangeAPI*>(header);
}

/// Throws where a function of a table has failed; it should have set an exception.
void check_status(int status) {
    if (status == 0) return;
    if (!PyErr_Occurred())
        fail(PyExc_BufferError, "from_dlpack: a function of %s failed without an exception", kExchangeName);
    throw ExceptionIsSet{};
}

/// The stream on which the library works now, as a number of __dlpack__.
int64_t stream_of_library(const DLPackExchangeAPI& api, const DLDevice& device) {
    void* stream = nullptr;
    check_status(api.current_work_stream(device.device_type, device.device_id, &stream));
    return stream ? int64_t(reinterpret_cast<intptr_t>(stream)) : kImpliedStream;
}

int64_t ready_stream(const DLPackExchangeAPI& api, const DLDevice& device) {
    return is_on_host(tensor_device(device)) ? kDataIsReady : stream_of_library(api, device);
}

/// A tensor whose memory has an owner of its own: the tensor may be given other memory later (`t.data = ...`).
Array import_from_owner(const Exchange& exchange, PyObject* object) {
    DLTensor tensor;
    check_status(exchange.api->dltensor_from_py_object_no_sync(object, &tensor));
    ForeignMemory memory = described_memory(tensor, false);
    if (!is_on_host(memory.device)) backend(memory.device);  // which may not be there
    const ForeignBytes bytes = checked_bytes(memory, "from_dlpack");
    const int64_t stream = ready_stream(*exchange.api, tensor.device);
    Object owner = Object::steal(PyObject_CallMethodNoArgs(object, exchange.owner));
    return adopt_memory(std::move(memory), bytes, drop_reference, owner.release(), stream);
}

Array import_managed(const Exchange& exchange, PyObject* object) {
    DLManagedTensorVersioned* tensor = nullptr;
    check_status(exchange.api->managed_tensor_from_py_object_no_sync(object, &tensor));
    OwnedTensor owned(tensor);
    if (!tensor) return {};
    return adopt_tensor(owned, ready_stream(*exchange.api, tensor->dl_tensor.device));
}

}  // namespace

const Exchange* known_exchange(PyTypeObject* type) {
    for (const Exchange& one : known_exchanges)
        if (one.type == type) return &one;
    return nullptr;
}

const Exchange* exchange_of(PyTypeObject* type) {
    if (const Exchange* const known = known_exchange(type)) return known;
    if (!has_attribute(type, kExchangeName)) return nullptr;
    const Producer* const producer = producer_of(type);
    const DLPackExchangeAPI* const api = is_trusted(type, producer) ? table_of(type) : nullptr;
    if (!api || !api->managed_tensor_from_py_object_no_sync || !api->current_work_stream) return nullptr;
    Object owner;
    if (producer && producer->owner) owner = Object::steal(PyUnicode_InternFromString(producer->owner));
    if (owner && !api->dltensor_from_py_object_no_sync) return nullptr;
    Py_INCREF(type);
    return &known_exchanges.emplace_front(Exchange{type, api, producer, owner.release()});
}

Array import_by_exchange(const Exchange& exchange, PyObject* object, bool with_gradient) {
    const Producer* const producer = exchange.producer;
    if (producer && producer->is_lazy && producer->is_lazy(object)) return {};
    if (!with_gradient && producer && producer->has_gradient && producer->has_gradient(object)) return {};
    try {
        return exchange.owner ? import_from_owner(exchange, object) : import_managed(exchange, object);
    } catch (const ExceptionIsSet&) {
        if (!PyErr_ExceptionMatches(PyExc_Exception)) throw;
        PyErr_Clear();
        return {};
    }
}

PyObject* detached(PyObject*, PyObject* objects) {
    return guarded([&] {
        const Object given = Object::steal(PySequence_Fast(objects, "detached: expected a sequence"));
        const Py_ssize_t count = PySequence_Fast_GET_SIZE(given.get());
        Object arrays = Object::steal(PyList_New(count));
        for (Py_ssize_t k = 0; k < count; ++k) {
            const Object object = Object::share(PySequence_Fast_GET_ITEM(given.get(), k));
            const Exchange* const exchange = exchange_of(Py_TYPE(object.get()));
            Array array = exchange ? import_by_exchange(*exchange, object.get(), true) : Array{};
            if (!array.defined()) return Py_NewRef(Py_None);
            PyList_SET_ITEM(arrays.get(), k, wrap(std::move(array)));
        }
        return arrays.release();
    });
}

PyObject* as_exchanged_method(PyObject* self, PyObject* type) {
    if (!PyType_Check(type)) fail(PyExc_TypeError, "_as_exchanged: expected a class, not %R", type);
    const Exchange* const exchange = exchange_of(reinterpret_cast<PyTypeObject*>(type));
    if (!exchange || !exchange->api->managed_tensor_to_py_object_no_sync) return Py_NewRef(Py_None);
    Array array = shared_with_libraries(self);
    if (!array.is_writable()) array = without_gil(array, [kept = array] { return copy(kept, 'K'); });
    OwnedTensor tensor(export_tensor(array));
    const Device device = array.device();
    if (!is_on_host(device))
        runtime(device).publish(array.storage(), stream_of_library(*exchange->api, tensor->dl_tensor.device));
    void* result = nullptr;
    check_status(exchange->api->managed_tensor_to_py_object_no_sync(tensor.get(), &result));
    tensor.release();
    return static_cast<PyObject*>(result);
}

PyObject* exchange_capsule() {
    return PyCapsule_New(const_cast<DLPackExchangeAPI*>(&kOurExchange), kExchangeCapsule, nullptr);
}

}  // namespace cuarray::python
