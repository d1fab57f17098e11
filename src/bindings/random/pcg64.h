// pcg64.h -- the state of NumPy's PCG64, behind its capsule.
#pragma once
#include <cstring>
#include "bindings/random/bit_generator.h"
#include "cuarray/ops/random.h"

namespace cuarray::python {

/// NumPy's pcg64_state (numpy/random/src/pcg64/pcg64.h), to which the state of a PCG64 points.
struct NumpyPcg64 {
    kernel::u128* numbers;  ///< the state and the increment; the lower half of each comes first
    int has_carried;
    uint32_t carried;
};

inline Pcg64State read_pcg64(const BitGenerator& bits) {
    const auto& from = *static_cast<const NumpyPcg64*>(bits.state);
    return {from.numbers[0], from.numbers[1], from.has_carried != 0, from.carried};
}

inline void write_pcg64(const Pcg64State& from, const BitGenerator& bits) {
    auto& to = *static_cast<NumpyPcg64*>(bits.state);
    to.numbers[0] = from.state, to.has_carried = from.has_carried, to.carried = from.carried;
}

/// A Python int of 128 bits.
inline kernel::u128 to_wide(PyObject* number) {
    const Object bits = Object::steal(PyLong_FromLong(64)), high = Object::steal(PyNumber_Rshift(number, bits.get()));
    const kernel::u128 wide = {PyLong_AsUnsignedLongLongMask(number), PyLong_AsUnsignedLongLongMask(high.get())};
    if (PyErr_Occurred()) throw ExceptionIsSet{};
    return wide;
}

/// Whether a bit generator is NumPy's PCG64, of which we know where it keeps its state: as its `state` says.
inline bool is_pcg64(PyObject* generator, const BitGenerator& bits) {
    if (std::strcmp(Py_TYPE(generator)->tp_name, "numpy.random._pcg64.PCG64") != 0) return false;
    const auto item = [](const Object& of, const char* key) {
        const Object name = Object::steal(PyUnicode_FromString(key));
        return Object::steal(PyObject_GetItem(of.get(), name.get()));
    };
    const Object state = Object::steal(PyObject_GetAttrString(generator, "state")), inner = item(state, "state");
    const kernel::u128 wanted[] = {to_wide(item(inner, "state").get()), to_wide(item(inner, "inc").get())};
    const auto& found = *static_cast<const NumpyPcg64*>(bits.state);
    return std::memcmp(found.numbers, wanted, sizeof wanted) == 0;
}

}  // namespace cuarray::python
