// random.cpp -- draws from the sequence of NumPy's Philox, whose state moves on as if NumPy had drawn.
#include "cuarray/kernel/random.h"
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>
#include "bindings/fast_paths.h"
#include "bindings/module.h"
#include "cuarray/ops/random.h"

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

/// NumPy's philox_state (numpy/random/src/philox/philox.h), to which the state of a Philox points.
struct NumpyPhilox {
    uint64_t* counter;
    uint64_t* key;
    int position;
    uint64_t buffer[4];
    int has_carried;
    uint32_t carried;
};

/// The state behind the capsule of a Philox.
NumpyPhilox& state_of(PyObject* capsule) {
    auto* const bits = static_cast<BitGenerator*>(PyCapsule_GetPointer(capsule, "BitGenerator"));
    if (!bits) throw ExceptionIsSet{};
    return *static_cast<NumpyPhilox*>(bits->state);
}

PhiloxState read_state(const NumpyPhilox& from) {
    PhiloxState to{};
    std::copy(from.key, from.key + 2, to.key);
    std::copy(from.counter, from.counter + 4, to.counter.word);
    std::copy(from.buffer, from.buffer + 4, to.buffer);
    to.position = from.position, to.has_carried = from.has_carried != 0, to.carried = from.carried;
    return to;
}

void write_state(const PhiloxState& from, NumpyPhilox& to) {
    std::copy(from.counter.word, from.counter.word + 4, to.counter);
    std::copy(from.buffer, from.buffer + 4, to.buffer);
    to.position = from.position, to.has_carried = from.has_carried, to.carried = from.carried;
}

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

/// Takes n numbers out of the sequence of a generator: a tuple of its capsule, its lock, the device of new arrays and
/// itself.
kernel::RandomParameters take_of(PyObject* generator, RandomDraw draw, int64_t n) {
    const Locked locked(PyTuple_GET_ITEM(generator, 1));
    NumpyPhilox& theirs = state_of(PyTuple_GET_ITEM(generator, 0));
    PhiloxState state = read_state(theirs);
    const kernel::RandomParameters numbers = take_numbers(state, draw, n);
    write_state(state, theirs);
    return numbers;
}

/// What a call draws: into `result`, which Python gets as an array, or as a value.
struct RandomCall {
    RandomDraw draw;
    Array result;
    bool is_value;
    const char* name;
};

/// A new array of a shape, or what becomes a value if that is None.
void make_result(RandomCall& call, PyObject* size, PyObject* device_or_none, DType dtype) {
    const Device device = to_device(device_or_none, current_device(), call.name);
    Dims shape;
    call.is_value = size == Py_None;
    if (!call.is_value && !read_shape(size, shape)) shape = to_shape(size, call.name);
    call.result = empty(shape, dtype, device);
}

/// Draws from the sequence of a generator. Nothing pending reads the memory of a new result.
void draw(const RandomCall& call, PyObject* generator, const kernel::RandomParameters& range, bool is_new = true) {
    const Array& result = call.result;
    kernel::RandomParameters numbers = take_of(generator, call.draw, result.size());
    numbers.start = range.start, numbers.width = range.width;
    numbers.low = range.low, numbers.most = range.most, numbers.least = range.least;
    std::copy(std::begin(range.value), std::end(range.value), numbers.value);
    DirectLoops* const direct = is_new ? result.storage().front().direct() : nullptr;
    if (char* const to = !direct || is_long(result.device(), result.size()) ? nullptr : direct_data(result))
        direct->draw({call.draw, numbers, {}, call.name}, to);
    else
        without_gil(result, [&] { random_fill(result, call.draw, numbers, call.name); });
}

/// The parameters of gamma numbers; smaller shapes than 1 have a draw of their own.
void set_gamma(RandomDraw& draw, double shape, kernel::RandomParameters& to) {
    const bool is_double = draw == RandomDraw::gamma_double;
    if (shape < 1) draw = is_double ? RandomDraw::small_gamma_double : RandomDraw::small_gamma_float;
    to.value[0] = (shape < 1 ? shape + 1 : shape) - 1.0 / 3, to.value[1] = 1 / std::sqrt(9 * to.value[0]);
    to.value[2] = 1 / shape;
}

/// The parameters of Poisson numbers of a mean.
void set_poisson(RandomDraw& draw, double mean, kernel::RandomParameters& to) {
    to.value[0] = mean;
    if (mean < 10) {
        draw = RandomDraw::small_poisson;
        to.value[1] = kernel::random_exp(-mean);
        return;
    }
    const double b = 0.931 + 2.53 * std::sqrt(mean);
    to.value[1] = -0.059 + 0.02483 * b, to.value[2] = b;
    to.value[3] = 1.1239 + 1.1328 / (b - 3.4), to.value[4] = 0.9277 - 3.6224 / (b - 2);
    to.value[5] = kernel::random_log(mean);
}

/// 1 / -log(1 - p), in operations that all processors round alike.
double geometric_width(double p) {
    const double s = p / (2 - p), z = s * s;
    if (p > 0.1) return p == 1 ? 0 : 1 / -kernel::random_log(1 - p);
    double sum = 0;  // of the inverse hyperbolic tangent
    for (int k = 17; k >= 3; k -= 2) sum = (sum + 1.0 / k) * z;
    return 1 / (2 * s * (1 + sum));
}

/// Reads the parameters of a distribution, and may choose a draw for them; false where one is not a Python number, or
/// not in its domain.
bool read_parameters(RandomDraw& draw, PyObject* const* args, Py_ssize_t count, kernel::RandomParameters& range) {
    double x[3] = {0, 1, 0};
    if (count > 3) return false;
    for (Py_ssize_t k = 0; k < count; ++k)
        if (!(PyFloat_CheckExact(args[k]) || PyLong_CheckExact(args[k])) || !read_float(args[k], x[k])) return false;
    range.start = x[0], range.width = x[1];
    switch (draw) {
        case RandomDraw::uniform_double:
        case RandomDraw::uniform_float: range.width = count ? x[1] - x[0] : 1; break;
        case RandomDraw::exponential_double:
        case RandomDraw::exponential_float:
        case RandomDraw::rayleigh: range.start = 0, range.width = count ? x[0] : 1; break;
        case RandomDraw::pareto:
        case RandomDraw::power:
        case RandomDraw::weibull: range.width = 1 / x[0]; return x[0] > 0;
        case RandomDraw::triangular:
            range.width = x[2] - x[0], range.value[0] = x[1], range.value[1] = x[2];
            return x[0] <= x[1] && x[1] <= x[2] && x[0] < x[2];
        case RandomDraw::gamma_double:
        case RandomDraw::gamma_float:
            if (!(x[0] > 0) || std::isinf(x[0])) return false;
            set_gamma(draw, x[0], range);
            break;
        case RandomDraw::wald: return x[0] > 0 && x[1] > 0 && std::isfinite(x[0]) && std::isfinite(x[1]);
        case RandomDraw::geometric:
            if (!(x[0] > 0 && x[0] <= 1)) return false;
            range.width = geometric_width(x[0]);
            return true;
        case RandomDraw::poisson:
            if (!(x[0] > 0 && x[0] <= 1e12)) return false;
            set_poisson(draw, x[0], range);
            return true;
        default: break;
    }
    return std::isfinite(range.width) && !std::signbit(range.width);
}

/// draw(number, name, dtype or None for float64, size, out, *parameters): random numbers, as an array of a shape, as a
/// value if that is None, or in `out`, an array of that dtype; None for other parameters.
PyObject* draw_floats(PyObject* self, PyObject* const* args, Py_ssize_t count) {
    return guarded([&]() -> PyObject* {
        RandomCall call{RandomDraw(PyLong_AsLong(args[0])), {}, false, PyUnicode_AsUTF8(args[1])};
        kernel::RandomParameters range{};
        if (PyErr_Occurred()) throw ExceptionIsSet{};
        if (!read_parameters(call.draw, args + 5, count - 5, range)) return Py_NewRef(Py_None);
        if (args[4] != Py_None) {
            call.result = to_array(args[4], call.name);
            draw(call, self, range, false);
            return Py_NewRef(args[4]);
        }
        DType dtype = DType::float64;
        if (args[2] != Py_None) dtype = to_dtype(args[2], dtype, call.name);
        make_result(call, args[3], PyTuple_GET_ITEM(self, 2), dtype);
        draw(call, self, range);
        return wrap(std::move(call.result), call.is_value);
    });
}

/// The draw of integers of `bytes` bytes from 0 to `most`. Ranges of a power of two read as many bits as NumPy does;
/// others so many that few numbers are drawn again.
RandomDraw integer_draw(DType dtype, uint64_t most) {
    const bool is_power = (most & (most + 1)) == 0, is_small = most < uint64_t(1) << 24;
    if (dtype == DType::bool_) return RandomDraw::integer_1;
    switch (item_size(dtype)) {
        case 1: return is_power ? RandomDraw::integer_8 : RandomDraw::integer_8_of_32;
        case 2: return is_power ? RandomDraw::integer_16 : RandomDraw::integer_16_of_32;
        case 4: return is_power || is_small ? RandomDraw::integer_32 : RandomDraw::integer_32_of_64;
        default:
            return (is_power && most <= UINT32_MAX) || is_small ? RandomDraw::integer_64_of_32 : RandomDraw::integer_64;
    }
}

/// The bits of the sequence that an integer takes.
int bits_of(RandomDraw draw) { return 64 / RandomFill{draw, {}, {}}.group().elements; }

/// The range of integers of a dtype, as the bits of both ends; false where it has none.
bool limits(DType dtype, __int128& low, __int128& high) {
    const int bits = 8 * int(item_size(dtype));
    const Kind kind = info(dtype).kind;
    if (kind != Kind::Bool && kind != Kind::Signed && kind != Kind::Unsigned) return false;
    const __int128 one = 1;
    low = kind == Kind::Signed ? -(one << (bits - 1)) : 0;
    high = kind == Kind::Bool ? 1 : (one << (kind == Kind::Signed ? bits - 1 : bits)) - 1;
    return true;
}

/// Reads a Python int from -2^63 to 2^64 - 1; false for anything else.
bool read_wide(PyObject* object, __int128& value) {
    if (!PyLong_CheckExact(object)) return false;
    int overflow = 0;
    value = PyLong_AsLongLongAndOverflow(object, &overflow);
    if (overflow <= 0) return overflow == 0;
    value = PyLong_AsUnsignedLongLong(object);
    if (!PyErr_Occurred()) return true;
    PyErr_Clear();
    return false;
}

/// draw(low, high, size, dtype, endpoint): random integers, or None where a parameter is not a Python int, or out of
/// range.
PyObject* draw_integers(PyObject* self, PyObject* const* args, Py_ssize_t) {
    return guarded([&]() -> PyObject* {
        __int128 low = 0, high = 0, least = 0, most = 0;
        DType dtype = DType::int64;
        if (!read_wide(args[0], args[1] == Py_None ? high : low) || !(args[1] == Py_None || read_wide(args[1], high)) ||
            !PyBool_Check(args[4]) || args[3] == Py_None || !read_dtype(args[3], dtype) || !limits(dtype, least, most))
            return Py_NewRef(Py_None);
        high -= args[4] == Py_False;
        if (low < least || high > most || low > high) return Py_NewRef(Py_None);
        kernel::RandomParameters range{};
        range.low = uint64_t(low), range.most = uint64_t(high - low);
        RandomCall call{integer_draw(dtype, range.most), {}, false, "integers"};
        const uint64_t largest = UINT64_MAX >> (64 - bits_of(call.draw)), count = range.most + 1;
        range.least = count == 0 ? 0 : (largest - range.most) % count;
        make_result(call, args[2], PyTuple_GET_ITEM(self, 2), dtype);
        if (range.most > 0)
            draw(call, self, range);
        else
            without_gil(call.result,
                        [&] { fill(call.result, convert(Scalar::of(DType::uint64, range.low), dtype), call.name); });
        return wrap(std::move(call.result), call.is_value);
    });
}

/// read_philox(capsule): counter, key, position, buffer, whether a number is carried over, and that one.
PyObject* read_philox(PyObject*, PyObject* capsule) {
    return guarded([&] {
        const NumpyPhilox& state = state_of(capsule);
        return Py_BuildValue("((KKKK)(KK)i(KKKK)iI)", state.counter[0], state.counter[1], state.counter[2],
                             state.counter[3], state.key[0], state.key[1], state.position, state.buffer[0],
                             state.buffer[1], state.buffer[2], state.buffer[3], state.has_carried, state.carried);
    });
}

PyMethodDef draws[] = {
    {"draw_floats", method(draw_floats), METH_FASTCALL, nullptr},
    {"draw_integers", method(draw_integers), METH_FASTCALL, nullptr},
};

/// philox_draws(capsule, lock, device, Philox): the functions that draw floating-point numbers and integers from its
/// sequence, for new arrays of a device or, if that is None, of the current one. They keep it alive: the capsule does
/// not.
PyObject* philox_draws(PyObject*, PyObject* const* args, Py_ssize_t) {
    return guarded([&] {
        const Object generator = Object::steal(PyTuple_Pack(4, args[0], args[1], args[2], args[3]));
        const Object floats = Object::steal(PyCFunction_New(&draws[0], generator.get()));
        const Object integers = Object::steal(PyCFunction_New(&draws[1], generator.get()));
        return PyTuple_Pack(2, floats.get(), integers.get());
    });
}

PyMethodDef functions[] = {
    {"philox_draws", method(philox_draws), METH_FASTCALL, nullptr},
    {"read_philox", method(read_philox), METH_O, nullptr},
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace

void bind_random(pybind11::module_& m) {
    check(PyModule_AddFunctions(m.ptr(), functions));
    int number = 0;
    pybind11::dict numbers;
#define DRAW(name, ...) numbers[#name] = number++;
#include "cuarray/random_draws.def"
#undef DRAW
    m.attr("random_draws") = numbers;
}

}  // namespace cuarray::python
