// dlpack.h -- what capsules and the exchange table share: dtype and device codes, and tensors as arrays.
#pragma once
#include <dlpack/dlpack.h>
#include <memory>
#include <type_traits>
#include "bindings/protocols/foreign_memory.h"
#include "bindings/protocols/producers.h"

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

constexpr int64_t kImpliedStream = 1;  ///< what memory handed over without a stream is ready for: the legacy default

/// A tensor of an array's memory, or of a copy where consumers cannot take it as it is. Its deleter needs no GIL.
DLManagedTensorVersioned* export_tensor(const Array& array);

/// What a tensor says of its memory; BufferError where there is no such dtype, device or layout.
ForeignMemory described_memory(const DLTensor& tensor, bool is_read_only);
Device tensor_device(const DLDevice& device);
/// The device that __dlpack_device__ has answered.
Device device_told(PyObject* answer);
struct FreeTensor {
    void operator()(DLManagedTensorVersioned* tensor) const {
        const SavedException raised;  // a deleter may run Python code
        if (tensor->deleter) tensor->deleter(tensor);
    }
};
using OwnedTensor = std::unique_ptr<DLManagedTensorVersioned, FreeTensor>;
/// The array of a tensor, which it takes over once everything about it is known to be good.
Array adopt_tensor(OwnedTensor& tensor, int64_t stream);

/// The table of C functions that a class offers to import its objects by (DLPack 1.3).
struct Exchange {
    PyTypeObject* type;
    const DLPackExchangeAPI* api;
    const Producer* producer;  ///< null where nothing more is known of the class
    PyObject* owner;           ///< the name of the method that gives the memory's owner; null where the tensor is it
};
/// The table of exactly this class, or null: subclasses may mean something else than the memory they inherit.
const Exchange* exchange_of(PyTypeObject* type);
/// The same for a class that was asked before; null for others.
const Exchange* known_exchange(PyTypeObject* type);
/// The object's memory; an empty handle where __dlpack__ has to say why there is none. `with_gradient`: also where
/// that of the object would be lost.
Array import_by_exchange(const Exchange& exchange, PyObject* object, bool with_gradient = false);
/// A list of arrays over the memory of objects of classes with such a table, without their gradients; None where
/// __dlpack__ has to say why there is none of one.
PyObject* detached(PyObject*, PyObject* objects);
/// Our own table, as the capsule that stands in the class.
PyObject* exchange_capsule();

}  // namespace cuarray::python
