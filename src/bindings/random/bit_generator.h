// bit_generator.h -- NumPy's bit generators, as C code sees them, and what draws from them read of a call.
#pragma once
#include <optional>
#include "bindings/python.h"
#include "cuarray/core/dtype.h"

namespace cuarray::python {

/// NumPy's bitgen_t (numpy/random/bitgen.h), to which the capsule of a BitGenerator points.
struct BitGenerator {
    void* state;
    uint64_t (*next_uint64)(void* state);
    uint32_t (*next_uint32)(void* state);
    double (*next_double)(void* state);
    uint64_t (*next_raw)(void* state);
};

/// The generator behind a capsule.
inline BitGenerator& bits_of(PyObject* capsule) {
    auto* const bits = static_cast<BitGenerator*>(PyCapsule_GetPointer(capsule, "BitGenerator"));
    if (!bits) throw ExceptionIsSet{};
    return *bits;
}

/// Holds the lock of a bit generator, whose methods are given.
class Locked {
 public:
    Locked(PyObject* acquire, PyObject* release) : release_(release) { Object::steal(PyObject_CallNoArgs(acquire)); }
    ~Locked() {
        std::optional<SavedException> raised;
        if (PyErr_Occurred()) raised.emplace();
        if (!Object::steal_or_null(PyObject_CallNoArgs(release_))) PyErr_Clear();
    }
    Locked(const Locked&) = delete;
    Locked& operator=(const Locked&) = delete;

 private:
    PyObject* const release_;
};

/// Reads the ends of a range of integers of a dtype, as generators take them: Python ints, `high` without the range
/// unless it has its end, and `low` alone the end of a range from 0. False for other objects, and for what is no range
/// of that dtype.
bool read_range(PyObject* low, PyObject* high, bool has_end, DType dtype, __int128& first, __int128& last);

}  // namespace cuarray::python
