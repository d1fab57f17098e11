// dlpack_export.cpp -- __dlpack__ and __dlpack_device__: capsules that keep the memory alive without Python.
#include <memory>
#include <utility>
#include "bindings/functions/convert.h"
#include "bindings/protocols/dlpack.h"
#include "bindings/protocols/interfaces.h"
#include "bindings/types/ndarray.h"
#include "cuarray/runtime/registry.h"

namespace cuarray::python {
namespace {

/// Frees the tensor of a capsule that nobody consumed; an exception in flight stays as it is.
template <class Tensor>
void free_capsule(PyObject* capsule) {
    if (!PyCapsule_IsValid(capsule, kCapsuleName<Tensor>)) return;
    const SavedException aside;
    Tensor* const tensor = static_cast<Tensor*>(PyCapsule_GetPointer(capsule, kCapsuleName<Tensor>));
    tensor->deleter(tensor);
}

template <class Tensor>
PyObject* make_capsule(const Array& array, bool is_copy) {
    Tensor* const tensor = make_tensor<Tensor>(array, is_copy);
    PyObject* const capsule = PyCapsule_New(tensor, kCapsuleName<Tensor>, free_capsule<Tensor>);
    if (!capsule) tensor->deleter(tensor);
    return capsule;
}

/// Consumers read a TypeError as "old producer" and try again with less, so that bad values are other errors.
int64_t number(PyObject* object, const char* what) {
    const Object index = Object::steal_or_null(PyNumber_Index(object));
    if (!index) {
        PyErr_Clear();
        fail(PyExc_ValueError, "__dlpack__: %s must be an integer, not %R", what, object);
    }
    int overflow = 0;
    const long long value = PyLong_AsLongLongAndOverflow(index.get(), &overflow);
    if (overflow) fail(PyExc_ValueError, "__dlpack__: %s must be an integer of 64 bits, not %R", what, object);
    return value;
}

/// A pair of integers such as max_version and dl_device.
std::pair<int64_t, int64_t> to_pair(PyObject* object, const char* what) {
    const Object both = pair_of(object);
    if (!both) fail(PyExc_ValueError, "__dlpack__: %s must be a pair of integers, not %R", what, object);
    return {number(PyTuple_GetItem(both.get(), 0), what), number(PyTuple_GetItem(both.get(), 1), what)};
}

/// The arguments of __dlpack__.
struct DlpackRequest {
    bool is_versioned = false, must_copy = false, may_copy = true, wants_host = false;
    PyObject* stream = nullptr;
};

DlpackRequest read_request(Arguments args, Py_ssize_t count, PyObject* keywords, Device device) {
    static constexpr Signature kSignature{"__dlpack__", {"stream", "max_version", "dl_device", "copy"}, 0};
    PyObject* values[4];
    parse(kSignature, args, count, keywords, values);
    DlpackRequest request;
    request.stream = is_given(values[0]) ? values[0] : nullptr;
    request.is_versioned = is_given(values[1]) && to_pair(values[1], "max_version").first >= 1;
    if (is_given(values[2])) {
        const auto target = to_pair(values[2], "dl_device");
        const DLDevice own = dlpack_device(device);
        request.wants_host = target.first == kDLCPU;
        if (!request.wants_host && (target.first != own.device_type || target.second != own.device_id))
            raise(ErrorKind::Buffer, "__dlpack__: an array on ", to_string(device), " cannot be exported to device (",
                  target.first, ", ", target.second, ")");
    }
    if (is_given(values[3])) {
        request.must_copy = is_true(values[3]);
        request.may_copy = request.must_copy;
    }
    return request;
}

/// The array to export: itself, or a copy where the consumer or its protocol cannot take it as it is.
Array exportable(const Array& array, const DlpackRequest& request, bool& is_copy) {
    const bool moves = request.wants_host && !is_on_host(array.device());
    const bool is_strange = is_unusual(array);
    const bool needs_flag = !array.is_writable();
    is_copy = request.must_copy || moves || is_strange || (needs_flag && !request.is_versioned);
    if (!is_copy) return array;
    if (!request.may_copy)
        raise(ErrorKind::Buffer, "__dlpack__: this array cannot be exported without a copy; write x.copy()");
    if (is_strange && !request.is_versioned && !request.must_copy && !moves)
        raise(ErrorKind::Buffer,
              "__dlpack__: negative or odd strides cannot be exported to this consumer; "
              "write x.copy()");
    const GilRelease released(is_long(array.device(), array.size()));
    return moves ? to_device(array, Device{}) : copy(array, 'C');
}

/// Orders the consumer's stream after the work on the array.
void hand_over(const Array& array, PyObject* stream) {
    constexpr int64_t kNoWait = -1, kLegacyDefault = 1;
    const int64_t number_given = stream ? number(stream, "stream") : kLegacyDefault;
    if (is_on_host(array.device())) {
        if (stream && number_given != kNoWait)
            raise(ErrorKind::Value, "__dlpack__: an array on cpu takes stream=None, not ", number_given);
        return;
    }
    if (number_given == 0 || number_given < kNoWait || (stream && PyBool_Check(stream)))
        raise(ErrorKind::Value, "__dlpack__: stream ", number_given,
              " is ambiguous or invalid; give 1 (legacy default), "
              "2 (per thread), -1 (no wait) or a stream handle");
    runtime(array.device()).publish(array.storage(), number_given);
}

/// mpi4py asks for GPU memory so, and hands its address to MPI, which ends the process where it was built for the host
/// alone.
bool is_asked_by_mpi4py(const DlpackRequest& request) {
    constexpr int64_t kNoWait = -1;
    if (!request.is_versioned || request.may_copy || !request.stream || number(request.stream, "stream") != kNoWait)
        return false;
    static PyObject* const name = Object::steal(PyUnicode_InternFromString("mpi4py.MPI")).release();
    const Object module = Object::steal_or_null(PyImport_GetModule(name));
    check(PyErr_Occurred() ? -1 : 0);
    return bool(module);
}

/// Whether MPI is going to read and write the memory; BufferError where it cannot.
bool is_for_mpi(const Array& array, const DlpackRequest& request) {
    static Attribute reads_gpus{"cuarray.interop.mpi", "reads_gpus"};
    if (is_on_host(array.device()) || request.wants_host || !is_asked_by_mpi4py(request)) return false;
    const Object answer = Object::steal(PyObject_CallNoArgs(reads_gpus.get()));
    if (!is_true(answer.get()))
        raise(ErrorKind::Buffer, "__dlpack__: this MPI does not read the memory of ", to_string(array.device()),
              "; call it through cuarray.interop.mpi.Comm(comm), which copies, give it x.numpy(), or set "
              "CUARRAY_MPI_CUDA=1 if it does");
    return true;
}

}  // namespace

DLManagedTensorVersioned* export_tensor(const Array& array) {
    DlpackRequest request;
    request.is_versioned = true;
    bool is_copy = false;
    const Array exported = exportable(array, request, is_copy);
    return make_tensor<DLManagedTensorVersioned>(exported, is_copy);
}

PyObject* dlpack_method(PyObject* self, Arguments args, Py_ssize_t count, PyObject* keywords) {
    return guarded([&] {
        const Array array = shared_with_libraries(self);
        const DlpackRequest request = read_request(args, count, keywords, array.device());
        const bool for_mpi = is_for_mpi(array, request);
        bool is_copy = false;
        const Array exported = exportable(array, request, is_copy);
        // Pending readers of the memory run before it is exported, and the consumer is to wait for them, too.
        Object capsule = Object::steal(request.is_versioned ? make_capsule<DLManagedTensorVersioned>(exported, is_copy)
                                                            : make_capsule<DLManagedTensor>(exported, is_copy));
        hand_over(exported, request.wants_host ? nullptr : request.stream);
        if (for_mpi) {  // which knows no streams
            const GilRelease released(true);
            wait_on_host(exported.storage(), true);
        }
        return capsule.release();
    });
}

PyObject* dlpack_device_method(PyObject* self, PyObject*) {
    const DLDevice device = dlpack_device(array_of(self).device());
    return Object::steal(Py_BuildValue("(ii)", int(device.device_type), int(device.device_id))).release();
}

}  // namespace cuarray::python
