// producers.h -- what is known of other libraries' arrays that their DLPack capsules do not say.
#pragma once
#include "bindings/python.h"

namespace cuarray::python {

/// A library by the name of its package, and what has to be known before its arrays are imported.
struct Producer {
    const char* package;
    /// Its arrays never change, which capsules without flags cannot say: those are imported read-only.
    bool is_immutable;
    /// Raises for an array whose capsule would hold other values than the array, or that must not be asked for one.
    void (*check)(PyObject* array) = nullptr;
    /// Its class written in Python with a table of C functions; null: none.
    const char* exchanged_class = nullptr;
    /// Whether the values are not those in memory: the table does not ask.
    bool (*is_lazy)(PyObject* array) = nullptr;
    /// Whether gradients would be lost: the table does not ask.
    bool (*has_gradient)(PyObject* array) = nullptr;
    /// The method whose result owns the memory; null: the tensor does.
    const char* owner = nullptr;
    /// Its operators take arrays of ours: ours leave the operation to them.
    bool has_operators = false;
    /// Whether the elements lie in memory as an array's do; null: always. Others are read as numpy.asarray reads them.
    bool (*is_plain)(PyObject* array) = nullptr;
};

/// The library that a class or one of its bases comes from; null where nothing is known of it.
const Producer* producer_of(PyTypeObject* type);
/// The library that has written the class itself, if it leaves operators to ours.
const Producer* own_producer_of(PyTypeObject* type);

}  // namespace cuarray::python
