// random.cpp -- draws from the sequence of NumPy's Philox, whose state moves on as if NumPy had drawn.
#include "cuarray/ops/random.h"
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <utility>
#include "bindings/functions/each_parameters.h"
#include "bindings/module.h"
#include "bindings/random/bit_generator.h"
#include "bindings/random/numpys_methods.h"
#include "bindings/random/random_source.h"
#include "cuarray/array/elements.h"
#include "cuarray/runtime/registry.h"

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
    DirectLoops* const direct = is_new && is_of_numbers ? result.storage().front().direct() : nullptr;
    if (char* const to = !direct || is_long(result.device(), result.size()) ? nullptr : direct_data(result))
        direct->draw(RandomFill{call.numbers.draw, call.numbers.parameters, {}, call.name}, to);
    else
        without_gil(result, [&] { random_fill(result, call.numbers, call.name, call.parameters); });
}

/// One number as a value of the host, drawn where the object keeps it; null where that is a task.
PyObject* draw_value(RandomNumbers& numbers, PyObject* generator, DType dtype, const char* name) {
    const Device device = device_given(part_of(generator, kDevice), name);
    DirectLoops* const direct = device == Device{} ? backend(device).front().direct() : nullptr;
    if (!direct) return nullptr;
    Scalar number;
    number.dtype = dtype;
    LockedState(generator).take(numbers, 1);
    direct->draw(RandomFill{numbers.draw, numbers.parameters, {}, name}, number.bytes);
    return wrap(number);
}

/// Whether a parameter is an int.
bool is_count(RandomDraw draw, Py_ssize_t k) {
    const bool is_binomial = draw == RandomDraw::binomial || draw == RandomDraw::binomial_each;
    return draw == RandomDraw::hypergeometric_each || (is_binomial && k == 0);
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
        if (!read_parameter(args[k], is_count(numbers.draw, k), x[k])) return false;
    return set_parameters(numbers, {x, size_t(count)});
}

/// So many numbers are drawn by one kernel in less time than by one for each distribution that they are made of.
constexpr int64_t kFewNumbers = 64;

/// So many numbers with arrays of parameters are drawn by one thread, without Python code that judges the parameters.
constexpr int64_t kSeveralNumbers = 4096;

/// The draw of elements with parameters of their own, for one of numbers with the same ones; false where there is none.
bool becomes_draw_of_each(RandomDraw& draw) {
    switch (draw) {
        case RandomDraw::binomial: draw = RandomDraw::binomial_each; return true;
        case RandomDraw::chisquare: draw = RandomDraw::chisquare_each; return true;
        case RandomDraw::gamma_double: draw = RandomDraw::gamma_each; return true;
        case RandomDraw::geometric: draw = RandomDraw::geometric_each; return true;
        case RandomDraw::poisson: draw = RandomDraw::poisson_each; return true;
        case RandomDraw::wald: draw = RandomDraw::wald_each; return true;
        default: return draw >= RandomDraw::beta_each && draw <= RandomDraw::zipf_each;
    }
}

/// Sets the parameters of a draw of elements; false if not all are in its domain, or NumPy may judge them.
bool set_each(RandomNumbers& numbers, const EachParameters& each) {
    constexpr double kMost = 1e18;  // MOST of each.py
    for (int k = 0; k < each.count(); ++k)
        if (is_count(numbers.draw, k) && each.is_floating(k)) return false;
    for (int64_t i = 0; i < each.size(); ++i) {
        double x[3];
        for (int k = 0; k < each.count(); ++k) {
            x[k] = each[k][i];
            if (!(std::fabs(x[k]) < (is_count(numbers.draw, k) ? 0x1p53 : kMost))) return false;
        }
        if (!set_parameters(numbers, {x, size_t(each.count())})) return false;
    }
    for (int k = 0; k < each.count(); ++k) numbers.parameters.of[k] = each[k];
    return true;
}

/// Makes of the parameters of a draw of start + width * number the start and the width of each element; false for other
/// draws, and where a width is not finite and not negative.
bool make_widths(RandomDraw draw, EachParameters& each) {
    double *const first = each[0], *const width = each[each.count() - 1];
    if (each.count() != (draw == RandomDraw::exponential_double || draw == RandomDraw::rayleigh ? 1 : 2)) return false;
    switch (draw) {
        case RandomDraw::uniform_double:
            for (int64_t i = 0; i < each.size(); ++i) width[i] -= first[i];
            break;
        case RandomDraw::normal_double:
        case RandomDraw::exponential_double:
        case RandomDraw::gumbel:
        case RandomDraw::laplace:
        case RandomDraw::logistic:
        case RandomDraw::rayleigh: break;
        default: return false;
    }
    return std::all_of(width, width + each.size(), [](double w) { return std::isfinite(w) && !std::signbit(w); });
}

/// Draws into a new array of the host at once; false, and nothing is drawn, where something is in the way.
bool draw_at_once(RandomCall& call, PyObject* generator, DType dtype, const EachParameters& each) {
    if (!(each.device() == device_given(part_of(generator, kDevice), call.name))) return false;
    call.result = empty(each.shape(), dtype, each.device());
    char* const to = direct_data(call.result);
    if (!to) return false;
    LockedState(generator).take(call.numbers, each.size());
    call.result.storage().front().direct()->draw(RandomFill{call.numbers.draw, call.numbers.parameters, {}, call.name},
                                                 to);
    return true;
}

/// Draws several numbers with arrays of parameters, the same as those of each.py and transforms.py; false for
/// parameters that Python must judge, and for more than `most`.
bool draw_several(RandomCall& call, PyObject* generator, DType dtype, PyObject* size, PyObject* const* args,
                  Py_ssize_t count, int64_t most) {
    EachParameters each;
    if (!each.read(args, count, size, std::min(most, kSeveralNumbers))) return false;
    const RandomDraw draw = call.numbers.draw;
    call.numbers = {draw};
    if (becomes_draw_of_each(call.numbers.draw))
        return set_each(call.numbers, each) && draw_at_once(call, generator, dtype, each);
    if (!make_widths(draw, each) || !set_parameters(call.numbers, {}) || !draw_at_once(call, generator, dtype, each))
        return false;
    double* const numbers = reinterpret_cast<double*>(direct_data(call.result));
    const double* const width = each[each.count() - 1];
    const double* const first = each.count() > 1 ? each[0] : nullptr;
    for (int64_t i = 0; i < each.size(); ++i)
        numbers[i] = first ? first[i] + width[i] * numbers[i] : width[i] * numbers[i];
    return true;
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
            call.numbers.draw = RandomDraw(PyLong_AsLong(args[0]));
            if (args[4] != Py_None || (args[2] != Py_None && !read_dtype(args[2], dtype)) ||
                !draw_several(call, self, dtype, args[3], args + 5, count - 5, most))
                return Py_NewRef(Py_None);
            return wrap(std::move(call.result));
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

/// Reads probabilities of outcomes, a list or an array of one axis; an empty vector for others, and for those that
/// Python must judge.
std::vector<double> read_probabilities(PyObject* object) {
    EachParameters each;
    if (!each.read(&object, 1, Py_None, kSeveralNumbers) || each.shape().size() != 1) return {};
    std::vector<double> p(each[0], each[0] + each.size());
    double total = 0;
    for (size_t k = 0; k + 1 < p.size(); ++k) total += p[k];
    const bool are_probabilities = std::ranges::all_of(p, [](double x) { return x >= 0 && x <= 1; });
    return are_probabilities && total <= 1 + 1e-12 ? p : std::vector<double>{};
}

/// draw(n, pvals, size): rows of counts of outcomes, as rows.py draws them; None for several n or rows of
/// probabilities, for more than a few rows, and for parameters that Python must judge.
PyObject* draw_multinomial(PyObject* self, PyObject* const* args, Py_ssize_t) {
    return guarded([&]() -> PyObject* {
        int64_t n = 0;
        Dims shape;
        const Device device = device_given(part_of(self, kDevice), "multinomial");
        if (!read_int(args[0], n) || n < 0 || n >= int64_t(1) << 53 || !is_direct(device) ||
            !(args[2] == Py_None || read_shape(args[2], shape)))
            return Py_NewRef(Py_None);
        const int64_t rows = checked_size(shape, 1, "multinomial");
        const std::vector<double> p = read_probabilities(args[1]);
        if (p.empty() || rows == 0 || rows > kSeveralNumbers) return Py_NewRef(Py_None);
        shape.push_back(int64_t(p.size()));
        Array result = empty(shape, DType::int64, device);
        int64_t* const to = reinterpret_cast<int64_t*>(direct_data(result));
        if (!to) return Py_NewRef(Py_None);
        DirectLoops& loops = *result.storage().front().direct();
        std::vector<double> left(static_cast<size_t>(rows), static_cast<double>(n));
        std::vector<int64_t> counts(left.size());
        double before = 0;
        LockedState state(self);
        for (size_t k = 0; k + 1 < p.size(); ++k) {
            RandomNumbers numbers{RandomDraw::binomial_each};
            numbers.parameters.of[0] = left.data();
            numbers.parameters.value[1] = before < 1 ? std::min(p[k] / (1 - before), 1.0) : 0;
            state.take(numbers, rows);
            loops.draw(RandomFill{numbers.draw, numbers.parameters, {}, "multinomial"}, counts.data());
            for (size_t r = 0; r < left.size(); ++r) to[r * p.size() + k] = counts[r], left[r] -= double(counts[r]);
            before += p[k];
        }
        for (size_t r = 0; r < left.size(); ++r) to[(r + 1) * p.size() - 1] = int64_t(left[r]);
        return wrap(std::move(result));
    });
}

/// Draws several integers of ranges that are arrays, as choices.py does; false for ranges that Python must judge.
bool draw_between(RandomCall& call, PyObject* generator, PyObject* const* ends, PyObject* size, bool has_end) {
    EachParameters each;
    static PyObject* const zero = PyLong_FromLong(0);
    const bool is_from_zero = ends[1] == Py_None;
    PyObject* const given[] = {is_from_zero ? zero : ends[0], is_from_zero ? ends[0] : ends[1]};
    if (!each.read(given, 2, size, kSeveralNumbers)) return false;
    double *const low = each[0], *const most = each[1];
    for (int k = 0; k < 2; ++k)
        if (each.is_floating(k)) return false;
    for (int64_t i = 0; i < each.size(); ++i) {
        const double width = most[i] - low[i] - (has_end ? 0 : 1);
        if (!(std::fabs(low[i]) < 0x1p52 && std::fabs(most[i]) < 0x1p52 && width >= 0)) return false;
        most[i] = std::bit_cast<double>(int64_t(width));
    }
    call.numbers = {RandomDraw::integer_each}, call.numbers.parameters.of[0] = most;
    if (!draw_at_once(call, generator, DType::int64, each)) return false;
    int64_t* const numbers = reinterpret_cast<int64_t*>(direct_data(call.result));
    for (int64_t i = 0; i < each.size(); ++i) numbers[i] += int64_t(low[i]);
    return true;
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
            RandomCall call{{RandomDraw::integer_each}, {}, false, name, {}};
            if (dtype != DType::int64 || !draw_between(call, self, args, args[2], args[4] == Py_True))
                return Py_NewRef(Py_None);
            return wrap(std::move(call.result));
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
