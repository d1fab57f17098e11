// dlpack.h -- what capsules and the exchange table share: tensors as arrays while the GIL is held, and the tables.
#pragma once
#include <memory>
#include "array/dlpack.h"
#include "bindings/protocols/producers.h"

namespace cuarray::python {

/// The two capsules of DLPack: the versioned one carries flags, the legacy one does not.
template <class Tensor>
constexpr const char* kCapsuleName = kIsVersioned<Tensor> ? "dltensor_versioned" : "dltensor";
template <class Tensor>
constexpr const char* kUsedCapsuleName = kIsVersioned<Tensor> ? "used_dltensor_versioned" : "used_dltensor";

/// A tensor of an array's memory, or of a copy where consumers cannot take it as it is. Its deleter needs no GIL.
DLManagedTensorVersioned* export_tensor(const Array& array);

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
/// called_on_tensors(function, tensors, type, is_gradient): calls a function of arrays with the memory of tensors on
/// the host, which may stand in tuples, read-only. A tuple of a tensor of the class `type`, where it returns an array,
/// for a gradient one of the shape and dtype of the only array in the first argument; else of what it returned and its
/// arguments. None, without a call, where the memory needs more than DLPack's C functions.
PyObject* called_on_tensors(PyObject*, Arguments args, Py_ssize_t count);
/// Our own table, as the capsule that stands in the class.
PyObject* exchange_capsule();

}  // namespace cuarray::python
