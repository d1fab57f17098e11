// random.cpp -- few uniform numbers and integers, drawn from NumPy's bit generators without NumPy's functions: the same
// numbers, and the same state afterwards.
#include <cmath>
#include <cstdint>
#include <utility>
#include "bindings/fast_paths.h"
#include "bindings/module.h"

namespace cuarray::python {
namespace {

/// NumPy's bitgen_t (numpy/random/bitgen.h), to which the capsule of a BitGenerator points.
struct BitGenerator {
    void* state;
    uint64_t (*next_uint64)(void* state);
    uint32_t (*next_uint32)(void* state);
    double (*next_double)(void* state);
    uint64_t (*next_raw)(void* state);
};

/// More numbers are drawn by NumPy's functions, without the GIL.
constexpr int64_t kFewDraws = 4096;

/// Holds the lock of a bit generator.
class Locked {
 public:
    explicit Locked(PyObject* lock) : lock_(lock) {
        static PyObject* const acquire = PyUnicode_InternFromString("acquire");
        Object::steal(PyObject_CallMethodNoArgs(lock, acquire));
    }
    ~Locked() {
        static PyObject* const release = PyUnicode_InternFromString("release");
        const SavedException raised;
        Py_XDECREF(PyObject_CallMethodNoArgs(lock_, release));
    }
    Locked(const Locked&) = delete;
    Locked& operator=(const Locked&) = delete;

 private:
    PyObject* const lock_;
};

/// Stores draw() in each element of a new array of that shape, or in a value if `size` is None; null to decline.
template <class T, class Draw>
PyObject* drawn(PyObject* const* generator, PyObject* size, DType dtype, Draw draw) {
    Dims shape;
    if (size != Py_None && (!read_shape(size, shape) || count(shape) > kFewDraws)) return nullptr;
    if (!is_direct(current_device())) return nullptr;
    auto* const bits = static_cast<BitGenerator*>(PyCapsule_GetPointer(generator[0], "BitGenerator"));
    if (!bits) throw ExceptionIsSet{};
    if (size == Py_None) {
        const Locked locked(generator[1]);
        return wrap(Scalar::of(dtype, draw(*bits)));
    }
    Array result = empty(shape, dtype, current_device());
    T* const to = reinterpret_cast<T*>(direct_data(result));
    if (!to && !result.is_empty()) return nullptr;
    {
        const Locked locked(generator[1]);
        for (int64_t i = 0; i < result.size(); ++i) to[i] = draw(*bits);
    }
    return wrap(std::move(result));
}

/// draw_uniform(capsule, lock, low, high, size, dtype): numbers from low to high, or None for other arguments.
PyObject* draw_uniform(PyObject*, PyObject* const* args, Py_ssize_t) {
    return guarded([&] {
        double low = 0, high = 1;
        DType dtype = DType::float64;
        const bool is_plain = read_float(args[2], low) && read_float(args[3], high) && read_dtype(args[5], dtype);
        const double range = high - low;
        PyObject* result = nullptr;
        if (is_plain && std::isfinite(range) && range >= 0 && dtype == DType::float64)
            result = drawn<double>(args, args[4], dtype,
                                   [=](BitGenerator& bits) { return low + range * bits.next_double(bits.state); });
        else if (is_plain && low == 0 && high == 1 && dtype == DType::float32)
            result = drawn<float>(args, args[4], dtype, [](BitGenerator& bits) {
                return float(bits.next_uint32(bits.state) >> 8) * (1.0f / 16777216.0f);
            });
        return result || PyErr_Occurred() ? result : Py_NewRef(Py_None);
    });
}

/// An integer from 0 to `most`, by Lemire's method: the high half of a product, unless its low half is among the few
/// that would make some numbers more frequent.
uint64_t bounded(BitGenerator& bits, uint64_t most) {
    if (most == 0) return 0;
    if (most < UINT32_MAX) {
        const uint32_t range = uint32_t(most) + 1, threshold = (UINT32_MAX - uint32_t(most)) % range;
        uint64_t product;
        do product = uint64_t(bits.next_uint32(bits.state)) * range;
        while (uint32_t(product) < threshold);
        return product >> 32;
    }
    if (most == UINT32_MAX) return bits.next_uint32(bits.state);
    if (most == UINT64_MAX) return bits.next_uint64(bits.state);
    const uint64_t range = most + 1, threshold = (UINT64_MAX - most) % range;
    unsigned __int128 product;
    do product = static_cast<unsigned __int128>(bits.next_uint64(bits.state)) * range;
    while (uint64_t(product) < threshold);
    return uint64_t(product >> 64);
}

/// draw_integers(capsule, lock, low, high, size, endpoint): int64 numbers, or None for other arguments.
PyObject* draw_integers(PyObject*, PyObject* const* args, Py_ssize_t) {
    return guarded([&] {
        int64_t low = 0, high = 0;
        const bool has_high = args[3] != Py_None;
        bool is_plain =
            read_int(args[2], has_high ? low : high) && (!has_high || read_int(args[3], high)) && PyBool_Check(args[5]);
        const bool is_closed = args[5] == Py_True;
        is_plain = is_plain && (is_closed ? low <= high : low < high);
        PyObject* result = nullptr;
        if (is_plain) {
            const uint64_t most = uint64_t(high) - uint64_t(low) - (is_closed ? 0 : 1);
            result = drawn<int64_t>(args, args[4], DType::int64,
                                    [=](BitGenerator& bits) { return int64_t(uint64_t(low) + bounded(bits, most)); });
        }
        return result || PyErr_Occurred() ? result : Py_NewRef(Py_None);
    });
}

PyMethodDef functions[] = {
    {"draw_uniform", method(draw_uniform), METH_FASTCALL, nullptr},
    {"draw_integers", method(draw_integers), METH_FASTCALL, nullptr},
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace

void bind_random(pybind11::module_& m) { check(PyModule_AddFunctions(m.ptr(), functions)); }

}  // namespace cuarray::python
