// random.cpp -- draws from the sequence of NumPy's Philox, whose state moves on as if NumPy had drawn.
#include "cuarray/ops/random.h"
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>
#include "bindings/functions/plain_values.h"
#include "bindings/module.h"
#include "bindings/random/bit_generator.h"
#include "bindings/random/numpys_methods.h"
#include "bindings/random/random_source.h"
#include "cuarray/array/elements.h"
#include "cuarray/runtime/registry.h"
#include "ops/element_access.h"
#include "ops/few_random_numbers.h"

namespace cuarray::python {
namespace {

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
NumpyPhilox& state_of(PyObject* capsule) { return *static_cast<NumpyPhilox*>(bits_of(capsule).state); }

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

/// A generator: a tuple of its capsule, the device of new arrays, the methods of its lock, and itself.
enum Part { kCapsule, kDevice, kAcquire, kRelease };
PyObject* part_of(PyObject* generator, Part part) { return PyTuple_GET_ITEM(generator, part); }

/// The state of a generator, which is locked meanwhile.
class LockedState {
 public:
    explicit LockedState(PyObject* generator)
        : locked_(part_of(generator, kAcquire), part_of(generator, kRelease)),
          theirs_(state_of(part_of(generator, kCapsule))),
          state_(read_state(theirs_)) {}
    ~LockedState() { write_state(state_, theirs_); }
    LockedState(const LockedState&) = delete;
    LockedState& operator=(const LockedState&) = delete;
    /// Takes n numbers out of the sequence.
    void take(RandomNumbers& numbers, int64_t n) { take_numbers(state_, numbers, n); }

 private:
    const Locked locked_;
    NumpyPhilox& theirs_;
    PhiloxState state_;
};

/// What a call draws: into `result`, which Python gets as an array, or as a value.
struct RandomCall {
    RandomNumbers numbers{};
    Array result;
    bool is_value = false;
    const char* name = "";
    Array parameters[3];
};

/// The device that is named, else the current one, which is opened then alone.
Device device_given(PyObject* device_or_none, const char* function) {
    return device_or_none == Py_None ? current_device() : to_device(device_or_none, {}, function);
}

/// A new array of a shape, or what becomes a value if that is None; false, without one, for more than `most` elements.
bool make_result(RandomCall& call, PyObject* size, PyObject* device_or_none, DType dtype, int64_t most = kNoLimit) {
    const Device device = device_given(device_or_none, call.name);
    Dims shape;
    call.is_value = size == Py_None;
    if (!call.is_value && !read_shape(size, shape)) shape = to_shape(size, call.name);
    if (checked_size(shape, item_size(dtype), call.name) > most) return false;
    call.result = empty(shape, dtype, device);
    return true;
}

/// Draws from the sequence of a generator. Nothing pending reads the memory of a new result.
void draw(RandomCall& call, PyObject* generator, bool is_new = true) {
    const Array& result = call.result;
    LockedState(generator).take(call.numbers, result.size());
    const bool is_of_numbers =
        std::ranges::none_of(call.parameters, [](const Array& array) { return array.defined(); });
    if (is_new && is_of_numbers && !is_long(result.device(), result.size()) &&
        random_fill_now(result, call.numbers, call.name))
        return;
    without_gil(result, [&] { random_fill(result, call.numbers, call.name, call.parameters); });
}

/// One number as a value of the host, drawn where the object keeps it; null where that is a task.
PyObject* draw_value(RandomNumbers& numbers, PyObject* generator, DType dtype, const char* name) {
    const Device device = device_given(part_of(generator, kDevice), name);
    if (!(device == Device{}) || !is_direct(device)) return nullptr;
    LockedState(generator).take(numbers, 1);
    return wrap(random_number(numbers, dtype, name));
}

/// Reads a parameter: a number of Python's, or an element of float64 or int64; a count is an integer.
bool read_parameter(PyObject* object, bool is_count, double& x) {
    if (PyLong_CheckExact(object)) return read_float(object, x);
    if (!is_count && (PyFloat_CheckExact(object) || is_numpy_float64(object))) {
        x = PyFloat_AS_DOUBLE(object);
        return true;
    }
    if (!is_number(object)) return false;
    const Scalar& element = scalar_of_number(object);
    if (element.dtype == DType::float64 && !is_count) return read_float(object, x);
    if (element.dtype != DType::int64) return false;
    int64_t integer;
    std::memcpy(&integer, element.bytes, sizeof integer);
    x = double(integer);
    return std::fabs(x) < 0x1p60 && int64_t(x) == integer;
}

/// Reads the parameters of a distribution, and may choose a draw for them; false where one is not such a number, or not
/// in its domain.
bool read_parameters(RandomNumbers& numbers, PyObject* const* args, Py_ssize_t count) {
    double x[3];
    if (count > 3) return false;
    for (Py_ssize_t k = 0; k < count; ++k)
        if (!read_parameter(args[k], is_count(numbers.draw, int(k)), x[k])) return false;
    return set_parameters(numbers, {x, size_t(count)});
}

/// So many numbers are drawn by one kernel in less time than by one for each distribution that they are made of.
constexpr int64_t kFewNumbers = 64;

/// So many numbers with arrays of parameters are drawn by one thread, without Python code that judges the parameters.
constexpr int64_t kSeveralNumbers = 4096;

/// Reads arrays of parameters: numbers, C-contiguous arrays that the host may read now, NumPy's or ours, and lists. The
/// arrays have the shape of the result, or its last axes. False for others, and if a size that is not null does not
/// fit.
bool read_several(PyObject* const* objects, Py_ssize_t count, PyObject* size, int64_t most, SeveralParameters& to) {
    Array arrays[3];
    double numbers[3] = {};
    if (count > 3) return false;
    to.count = int(count);
    const Array* first = nullptr;
    for (int k = 0; k < to.count; ++k) {
        if (is_ndarray(objects[k]) && array_of(objects[k]).ndim() > 0)
            arrays[k] = array_of(objects[k]);
        else if (is_list(objects[k]))
            arrays[k] = read_numbers(objects[k]);
        else if (is_native_numpy(objects[k]))
            arrays[k] = import_native_numpy(objects[k]);
        else if (!read_float(objects[k], numbers[k]))
            return false;
        else
            continue;
        if (!arrays[k].defined() || arrays[k].ndim() == 0 || !is_readable_line(arrays[k])) return false;
        if (!first || arrays[k].ndim() > first->ndim()) first = &arrays[k];
    }
    if (!first) return false;
    to.shape = first->shape(), to.device = first->device();
    Dims given;
    if (size != Py_None) {
        if (!read_shape(size, given)) return false;
        to.shape = given;
    }
    to.size = 1;
    for (const int64_t extent : to.shape) to.size *= std::min(extent, most + 1);
    if (to.size == 0 || to.size > most) return false;
    to.values.resize(size_t(to.count * to.size));
    for (int k = 0; k < to.count; ++k) {
        const Array& from = arrays[k];
        to.are_floating[k] = from.defined() && info(from.dtype()).kind == Kind::Floating;
        if (!from.defined()) {
            std::fill_n(to[k], to.size, numbers[k]);
            continue;
        }
        const int64_t skipped = int64_t(to.shape.size()) - from.ndim(), length = from.size();
        if (skipped < 0 || !(from.device() == to.device) ||
            !std::equal(from.shape().begin(), from.shape().end(), to.shape.begin() + skipped))
            return false;
        read_as_float64(from, to[k]);
        for (int64_t i = length; i < to.size; i += length) std::copy_n(to[k], length, to[k] + i);
    }
    return true;
}

/// Where several numbers of a generator begin.
TakeNumbers place_in(PyObject* generator) {
    return [generator](RandomNumbers& numbers, int64_t n) { LockedState(generator).take(numbers, n); };
}

/// Draws several numbers with arrays of parameters; an array without a storage where Python must judge them.
Array draw_several(RandomDraw draw, PyObject* generator, DType dtype, PyObject* size, PyObject* const* args,
                   Py_ssize_t count, int64_t most, const char* name) {
    SeveralParameters each;
    if (!read_several(args, count, size, std::min(most, kSeveralNumbers), each) ||
        !(each.device == device_given(part_of(generator, kDevice), name)))
        return {};
    return cuarray::draw_several(draw, each, dtype, name, place_in(generator));
}

/// draw(number, name, dtype or None for float64, size, out, *parameters): random numbers, as an array of a shape, as a
/// value if that is None, or in `out`, an array of that dtype; None for other parameters, and for more than `most`.
/// Several numbers may have arrays of parameters.
template <int64_t most = kNoLimit>
PyObject* draw_floats(PyObject* self, PyObject* const* args, Py_ssize_t count) {
    return guarded([&]() -> PyObject* {
        RandomCall call{{RandomDraw(PyLong_AsLong(args[0]))}, {}, false, PyUnicode_AsUTF8(args[1]), {}};
        if (PyErr_Occurred()) throw ExceptionIsSet{};
        DType dtype = DType::float64;
        if (!read_parameters(call.numbers, args + 5, count - 5)) {
            if (args[4] != Py_None || (args[2] != Py_None && !read_dtype(args[2], dtype))) return Py_NewRef(Py_None);
            Array several = draw_several(RandomDraw(PyLong_AsLong(args[0])), self, dtype, args[3], args + 5, count - 5,
                                         most, call.name);
            return several.defined() ? wrap(std::move(several)) : Py_NewRef(Py_None);
        }
        if (args[4] != Py_None) {
            call.result = to_array(args[4], call.name);
            draw(call, self, false);
            return Py_NewRef(args[4]);
        }
        if (args[2] != Py_None) dtype = to_dtype(args[2], dtype, call.name);
        if (args[3] == Py_None)
            if (PyObject* const value = draw_value(call.numbers, self, dtype, call.name)) return value;
        if (!make_result(call, args[3], part_of(self, kDevice), dtype, most)) return Py_NewRef(Py_None);
        draw(call, self);
        return wrap(std::move(call.result), call.is_value);
    });
}

/// draw(number, name, dtype, size, *parameters): an array of random numbers whose parameters, float or arrays of
/// float64 of that size and device, are in their domains.
PyObject* draw_each(PyObject* self, PyObject* const* args, Py_ssize_t count) {
    return guarded([&]() -> PyObject* {
        RandomCall call{{RandomDraw(PyLong_AsLong(args[0]))}, {}, false, PyUnicode_AsUTF8(args[1]), {}};
        if (PyErr_Occurred()) throw ExceptionIsSet{};
        make_result(call, args[3], part_of(self, kDevice), to_dtype(args[2], DType::float64, call.name));
        for (Py_ssize_t k = 4; k < count; ++k)
            if (!read_float(args[k], call.numbers.parameters.value[k - 4]))
                call.parameters[k - 4] = to_array(args[k], call.name);
        draw(call, self);
        return wrap(std::move(call.result), call.is_value);
    });
}

/// draw(n, pvals, size): rows of counts of outcomes, as rows.py draws them; None for several n or rows of
/// probabilities, for more than a few rows, and for parameters that Python must judge.
PyObject* draw_multinomial(PyObject* self, PyObject* const* args, Py_ssize_t) {
    return guarded([&]() -> PyObject* {
        int64_t n = 0;
        Dims shape;
        SeveralParameters p;
        const Device device = device_given(part_of(self, kDevice), "multinomial");
        if (!read_int(args[0], n) || n < 0 || n >= int64_t(1) << 53 || !is_direct(device) ||
            !(args[2] == Py_None || read_shape(args[2], shape)))
            return Py_NewRef(Py_None);
        const int64_t rows = checked_size(shape, 1, "multinomial");
        if (rows == 0 || rows > kSeveralNumbers || !read_several(args + 1, 1, Py_None, kSeveralNumbers, p) ||
            p.shape.size() != 1)
            return Py_NewRef(Py_None);
        LockedState state(self);
        Array result = draw_outcomes(n, p.values, shape, device, "multinomial",
                                     [&](RandomNumbers& numbers, int64_t count) { state.take(numbers, count); });
        return result.defined() ? wrap(std::move(result)) : Py_NewRef(Py_None);
    });
}

/// Draws several integers of ranges that are arrays; an array without a storage for ranges that Python must judge.
Array draw_between(PyObject* generator, PyObject* const* ends, PyObject* size, bool with_end, const char* name) {
    SeveralParameters each;
    static PyObject* const zero = PyLong_FromLong(0);
    const bool is_from_zero = ends[1] == Py_None;
    PyObject* const given[] = {is_from_zero ? zero : ends[0], is_from_zero ? ends[0] : ends[1]};
    if (!read_several(given, 2, size, kSeveralNumbers, each) ||
        !(each.device == device_given(part_of(generator, kDevice), name)))
        return {};
    return draw_several_integers(each, with_end, name, place_in(generator));
}

/// draw(low, high, size, dtype, endpoint, name="integers"): random integers, or None where a parameter is neither a
/// Python int nor an array of several ends of int64, or out of range.
PyObject* draw_integers(PyObject* self, PyObject* const* args, Py_ssize_t count) {
    return guarded([&]() -> PyObject* {
        __int128 low = 0, high = 0;
        DType dtype = DType::int64;
        if (!PyBool_Check(args[4]) || args[3] == Py_None || !read_dtype(args[3], dtype)) return Py_NewRef(Py_None);
        const char* const name = count > 5 ? PyUnicode_AsUTF8(args[5]) : "integers";
        if (!name) throw ExceptionIsSet{};
        if (!read_range(args[0], args[1], args[4] == Py_True, dtype, low, high)) {
            if (dtype != DType::int64) return Py_NewRef(Py_None);
            Array several = draw_between(self, args, args[2], args[4] == Py_True, name);
            return several.defined() ? wrap(std::move(several)) : Py_NewRef(Py_None);
        }
        RandomCall call{random_integers(dtype, uint64_t(low), uint64_t(high - low)), {}, false, name, {}};
        if (args[2] == Py_None && high > low)
            if (PyObject* const value = draw_value(call.numbers, self, dtype, name)) return value;
        make_result(call, args[2], part_of(self, kDevice), dtype);
        if (high > low)
            draw(call, self);
        else
            without_gil(call.result, [&] {
                fill(call.result, convert(Scalar::of(DType::uint64, uint64_t(low)), dtype), call.name);
            });
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
    {"draw_floats", method(draw_floats<>), METH_FASTCALL, nullptr},
    {"draw_integers", method(draw_integers), METH_FASTCALL, nullptr},
    {"draw_each", method(draw_each), METH_FASTCALL, nullptr},
    {"draw_few", method(draw_floats<kFewNumbers>), METH_FASTCALL, nullptr},
    {"draw_multinomial", method(draw_multinomial), METH_FASTCALL, nullptr},
};

/// philox_draws(capsule, lock, device, Philox): the functions that draw from its sequence numbers of a distribution,
/// integers, numbers of arrays of parameters, few numbers of a distribution, and counts of outcomes, for new arrays of
/// a device or, if that is None, of the current one. They keep it alive: the capsule does not.
PyObject* philox_draws(PyObject*, PyObject* const* args, Py_ssize_t) {
    return guarded([&] {
        const Object acquire = Object::steal(PyObject_GetAttrString(args[1], "acquire"));
        const Object release = Object::steal(PyObject_GetAttrString(args[1], "release"));
        const Object generator =
            Object::steal(PyTuple_Pack(5, args[0], args[2], acquire.get(), release.get(), args[3]));
        const Object made = Object::steal(PyTuple_New(std::size(draws)));
        for (size_t k = 0; k < std::size(draws); ++k)
            PyTuple_SET_ITEM(made.get(), k, Object::steal(PyCFunction_New(&draws[k], generator.get())).release());
        return Py_NewRef(made.get());
    });
}

PyMethodDef functions[] = {
    private_method<numpys_argument>("on_host", "A parameter as NumPy reads it."),
    private_method<numpys_size>("as_size", "A size as None, an int or a tuple of int."),
    private_method<population_of>("population",
                                  "Entries as an array of ours, or as NumPy's where they are no numbers."),
    {"philox_draws", method(philox_draws), METH_FASTCALL, nullptr},
    {"read_philox", method(read_philox), METH_O, nullptr},
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace

void bind_random(PyObject* module) {
    make_random_source_type(module);
    check(PyModule_AddFunctions(module, functions));
    static constexpr const char* kDraws[] = {
#define DRAW(name, ...) #name,
#include "cuarray/random_draws.def"
#undef DRAW
    };
    const Object numbers = Object::steal(PyDict_New());
    for (size_t number = 0; number < std::size(kDraws); ++number)
        check(PyDict_SetItemString(numbers.get(), kDraws[number], to_python(int64_t(number)).get()));
    check(PyModule_AddObjectRef(module, "random_draws", numbers.get()));
    check(PyModule_AddIntConstant(module, "few_numbers", kFewNumbers));
}

}  // namespace cuarray::python
