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
    void (*check)(PyObject* array);
};

/// The library that the object's class or one of its bases comes from; null where nothing is known of it.
const Producer* producer_of(PyObject* object);

}  // namespace cuarray::python
