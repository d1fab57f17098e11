// random_source.cpp -- the type that generators derive from, and calls of theirs that NumPy's C code answers.
//
// NumPy's module of generators exports its distributions (numpy/random/distributions.h) for use by other code. They
// fill our memory with the numbers that a method of NumPy's would return, and leave its state. Distributions that
// depend on more than the bit generator, such as those of RandomState, are drawn by NumPy's method itself.
#include "bindings/random_source.h"
#include <dlfcn.h>
#include <cmath>
#include <cstring>
#include <optional>
#include <string>
#include <vector>
#include "bindings/bit_generator.h"
#include "bindings/convert.h"
#include "bindings/pcg64.h"
#include "cuarray/runtime/registry.h"
#include "ops/packed.h"

namespace cuarray::python {
namespace {

/// What a generator draws from.
struct RandomSource {
    PyObject_HEAD PyObject* host;  ///< NumPy's Generator or RandomState
    PyObject* device;              ///< where new arrays go; None: the current device
    PyObject* bit_generator;
    PyObject *acquire, *release;  ///< methods of its lock
    BitGenerator bits;
    bool is_pcg64;  ///< whose numbers we draw, too: by threads, and on GPUs
};

PyTypeObject* source_type = nullptr;

RandomSource& as_source(PyObject* self) { return *reinterpret_cast<RandomSource*>(self); }

/// The bit generator of a source for the time of a draw: locked, and kept alive.
class LockedBits {
 public:
    explicit LockedBits(const RandomSource& source)
        : owner_(Object::share(source.bit_generator)),
          acquire_(Object::share(source.acquire)),
          release_(Object::share(source.release)),
          bits_(source.bits),
          lock_(acquire_.get(), release_.get()) {}
    BitGenerator* get() { return &bits_; }

 private:
    const Object owner_, acquire_, release_;
    BitGenerator bits_;
    const Locked lock_;
};

// Where numbers go.

/// The source of a method whose new arrays lie where the host may write them now; null for others.
const RandomSource* source_on_host(PyObject* self) {
    if (!self || !PyObject_TypeCheck(self, source_type) || !as_source(self).host) return nullptr;
    const RandomSource& source = as_source(self);
    const Device device = source.device == Py_None ? current_device() : to_device(source.device, {}, nullptr);
    return device == Device{} && is_direct(device) ? &source : nullptr;
}

/// From so many numbers on, other threads run meanwhile.
constexpr int64_t kManyNumbers = 1000;

/// Draws one number as a value, or an array of the shape that `size` says, in host memory: draw(bits, n, memory).
/// Null, and nothing is drawn, for a size that Python must judge.
template <class Draw>
PyObject* drawn(const RandomSource& source, PyObject* size, DType dtype, Draw&& draw) {
    if (!is_given(size)) {
        Scalar number;
        number.dtype = dtype;
        draw(LockedBits(source).get(), 1, number.bytes);
        return wrap(number);
    }
    Dims shape;
    if (!read_shape(size, shape)) return nullptr;
    Array result = empty(shape, dtype, Device{});
    char* const to = direct_data(result);
    const int64_t n = result.size();
    if (!to || n == 0) return nullptr;
    LockedBits bits(source);
    without_gil(n >= kManyNumbers, [&] { draw(bits.get(), n, to); });
    return wrap(std::move(result));
}

// Numbers of a PCG64 in parallel.

/// From so many numbers on, ours take less time than those of NumPy's functions.
constexpr int64_t kParallelNumbers = 2000;

/// Draws an array of the shape that `size` says from a PCG64, on the device of its new arrays: NumPy's numbers. Null,
/// and nothing is drawn, for few numbers of the host, for one, for other bit generators, and inside a graph.
PyObject* drawn_in_parallel(PyObject* self, PyObject* size, DType dtype, const SequenceNumbers& numbers,
                            const char* method) {
    if (!self || !PyObject_TypeCheck(self, source_type) || !as_source(self).host) return nullptr;
    const RandomSource& source = as_source(self);
    Dims shape;
    if (!source.is_pcg64 || !is_given(size) || !read_shape(size, shape)) return nullptr;
    const Device device = source.device == Py_None ? current_device() : to_device(source.device, {}, nullptr);
    const int64_t n = checked_size(shape, item_size(dtype), method);
    if (n == 0 || (device == Device{} && n < kParallelNumbers) || runtime(device).is_capturing()) return nullptr;
    Array result = empty(shape, dtype, device);
    LockedBits bits(source);
    Pcg64State state = read_pcg64(*bits.get());
    without_gil(true, [&] { draw_sequence(result, numbers, state, method); });
    write_pcg64(state, *bits.get());
    return wrap(std::move(result));
}

/// The row of sequence_draws.def of a name; none where there is none.
std::optional<SequenceDraw> find_sequence(std::string_view name) {
#define DRAW(row, ...) \
    if (name == #row) return SequenceDraw::row;
#include "cuarray/sequence_draws.def"
#undef DRAW
    return std::nullopt;
}

/// The name of a method without that of its class.
const char* method_name(const char* method) { return std::strchr(method, '.') + 1; }

/// What a method of Generator draws; none where NumPy's functions alone draw it.
std::optional<SequenceNumbers> sequence_of(const char* method, const double* x, int count) {
    if (!std::string_view(method).starts_with("Generator")) return std::nullopt;
    const std::string name = method_name(method);
    std::optional<SequenceDraw> draw = find_sequence(name);
    if (!draw) draw = find_sequence(name + "_double");
    if (!draw || (draw == SequenceDraw::weibull && x[0] == 0)) return std::nullopt;
    SequenceNumbers numbers{*draw};
    if (draw == SequenceDraw::uniform_double)
        numbers.start = x[0], numbers.width = x[1];
    else
        set_parameters(numbers, {x, size_t(count)});
    return numbers;
}

// Distributions of NumPy's library.

/// A function of NumPy's library; null where this NumPy has none of that name.
void* find_function(const char* name) {
    static void* const library = [] {
        const Object module = Object::steal(PyImport_ImportModule("numpy.random._generator"));
        const std::string path = attribute_text(module.get(), "__file__");
        return dlopen(path.c_str(), RTLD_NOW | RTLD_NOLOAD);
    }();
    return library ? dlsym(library, name) : nullptr;
}

/// Where a parameter surely is in its domain. NumPy judges all others, and those that are not finite.
enum class Domain { Real, NotNegative, Positive, Share, Probability, AboveOne, Mean };

bool is_inside(Domain domain, double x) {
    switch (domain) {
        case Domain::Real: return std::isfinite(x);
        case Domain::NotNegative: return !std::signbit(x) && std::isfinite(x);
        case Domain::Positive: return x > 0 && std::isfinite(x);
        case Domain::Share: return x >= 0 && x < 1;
        case Domain::Probability: return x > 0 && x <= 1;
        case Domain::AboveOne: return x > 1 && std::isfinite(x);
        case Domain::Mean: return x >= 0 && x < 1e18;
    }
    return false;
}

/// How several parameters depend on one another.
enum class Together { Free, Range, Triangle };

bool fit_together(Together rule, double* x) {
    if (rule == Together::Triangle) return x[0] <= x[1] && x[1] <= x[2] && x[0] != x[2];
    if (rule == Together::Range) x[1] -= x[0];  // the function takes the width
    return rule == Together::Free || (std::isfinite(x[1]) && !std::signbit(x[1]));
}

struct DrawParameter {
    Domain domain = Domain::Real;
    double otherwise = NAN;  ///< the default; NaN: it must be given
};

/// A method, and the function that draws one number of it. Methods whose parameters follow `size` have none here.
struct Distribution {
    const char* method;
    const char* function;
    int count;
    DrawParameter parameters[3];
    DType dtype = DType::float64;
    Together together = Together::Free;
};

constexpr DrawParameter kLocation{Domain::Real, 0}, kScale{Domain::NotNegative, 1}, kPositive{Domain::Positive},
    kNotNegative{Domain::NotNegative}, kReal{Domain::Real};

constexpr Distribution kDistributions[] = {
    {"Generator.beta", "random_beta", 2, {kPositive, kPositive}},
    {"Generator.chisquare", "random_chisquare", 1, {kPositive}},
    {"Generator.exponential", "random_exponential", 1, {kScale}},
    {"Generator.f", "random_f", 2, {kPositive, kPositive}},
    {"Generator.gamma", "random_gamma", 2, {kNotNegative, kScale}},
    {"Generator.geometric", "random_geometric", 1, {{Domain::Probability}}, DType::int64},
    {"Generator.gumbel", "random_gumbel", 2, {kLocation, kScale}},
    {"Generator.laplace", "random_laplace", 2, {kLocation, kScale}},
    {"Generator.logistic", "random_logistic", 2, {kLocation, kScale}},
    {"Generator.lognormal", "random_lognormal", 2, {kLocation, kScale}},
    {"Generator.logseries", "random_logseries", 1, {{Domain::Share}}, DType::int64},
    {"Generator.noncentral_chisquare", "random_noncentral_chisquare", 2, {kPositive, kNotNegative}},
    {"Generator.noncentral_f", "random_noncentral_f", 3, {kPositive, kPositive, kNotNegative}},
    {"Generator.normal", "random_normal", 2, {kLocation, kScale}},
    {"Generator.pareto", "random_pareto", 1, {kPositive}},
    {"Generator.poisson", "random_poisson", 1, {{Domain::Mean, 1}}, DType::int64},
    {"Generator.power", "random_power", 1, {kPositive}},
    {"Generator.rayleigh", "random_rayleigh", 1, {kScale}},
    {"Generator.standard_cauchy", "random_standard_cauchy", 0, {}},
    {"Generator.standard_t", "random_standard_t", 1, {kPositive}},
    {"Generator.triangular", "random_triangular", 3, {kReal, kReal, kReal}, DType::float64, Together::Triangle},
    {"Generator.uniform", "random_uniform", 2, {kLocation, {Domain::Real, 1}}, DType::float64, Together::Range},
    {"Generator.vonmises", "random_vonmises", 2, {kReal, kNotNegative}},
    {"Generator.wald", "random_wald", 2, {kPositive, kPositive}},
    {"Generator.weibull", "random_weibull", 1, {kNotNegative}},
    {"Generator.zipf", "random_zipf", 1, {{Domain::AboveOne}}, DType::int64},
    {"RandomState.uniform", "random_uniform", 2, {kLocation, {Domain::Real, 1}}, DType::float64, Together::Range},
};

/// n numbers of a function of a bit generator and of so many parameters.
template <class Number>
void draw_numbers(void* function, int count, BitGenerator* bits, const double* x, int64_t n, void* memory) {
    Number* const to = static_cast<Number*>(memory);
    const auto fill = [&](auto draw) {
        for (int64_t i = 0; i < n; ++i) to[i] = draw();
    };
    switch (count) {
        case 0: return fill([&] { return reinterpret_cast<Number (*)(BitGenerator*)>(function)(bits); });
        case 1: return fill([&] { return reinterpret_cast<Number (*)(BitGenerator*, double)>(function)(bits, x[0]); });
        case 2:
            return fill([&] {
                return reinterpret_cast<Number (*)(BitGenerator*, double, double)>(function)(bits, x[0], x[1]);
            });
        default:
            return fill([&] {
                return reinterpret_cast<Number (*)(BitGenerator*, double, double, double)>(function)(bits, x[0], x[1],
                                                                                                     x[2]);
            });
    }
}

/// method(self, *parameters, size)
PyObject* draw_distribution(Given given, int which) {
    static std::vector<void*> functions(std::size(kDistributions));
    const Distribution& row = kDistributions[which];
    double x[3];
    for (int k = 0; k < row.count; ++k) {
        PyObject* const object = given[1 + k];
        const DrawParameter& parameter = row.parameters[k];
        if (!object)
            x[k] = parameter.otherwise;
        else if (is_numpy_float64(object))
            x[k] = PyFloat_AS_DOUBLE(object);
        else if (!read_float(object, x[k]))
            return nullptr;
        if (!is_inside(parameter.domain, x[k])) return nullptr;
    }
    if (!fit_together(row.together, x)) return nullptr;
    if (const auto numbers = sequence_of(row.method, x, row.count))
        if (PyObject* const made =
                drawn_in_parallel(given[0], given[1 + row.count], row.dtype, *numbers, method_name(row.method)))
            return made;
    const RandomSource* const source = source_on_host(given[0]);
    if (!source) return nullptr;
    void*& function = functions[size_t(which)];
    if (!function && !(function = find_function(row.function))) return nullptr;
    return drawn(*source, given[1 + row.count], row.dtype, [&](BitGenerator* bits, int64_t n, void* to) {
        if (row.dtype == DType::float64)
            draw_numbers<double>(function, row.count, bits, x, n, to);
        else
            draw_numbers<int64_t>(function, row.count, bits, x, n, to);
    });
}

/// Methods without parameters that fill arrays of float64 or float32. RandomState has no dtype.
struct Filled {
    const char* method;
    const char* functions[2];
    const char* sequence = nullptr;  ///< of sequence_draws.def, without the type
};
constexpr Filled kFilled[] = {
    {"Generator.random", {"random_standard_uniform_fill", "random_standard_uniform_fill_f"}, "uniform"},
    {"Generator.standard_exponential",
     {"random_standard_exponential_fill", "random_standard_exponential_fill_f"},
     "exponential"},
    {"Generator.standard_normal", {"random_standard_normal_fill", "random_standard_normal_fill_f"}, "normal"},
    {"RandomState.random", {"random_standard_uniform_fill"}},
    {"RandomState.random_sample", {"random_standard_uniform_fill"}},
};

/// method(self, size, dtype, out), where other parameters are absent
PyObject* draw_filled(Given given, int which) {
    static std::vector<void*> functions(2 * std::size(kFilled));
    const Filled& row = kFilled[which];
    DType dtype = DType::float64;
    const bool has_dtype = row.functions[1];
    if (has_dtype) {
        const bool has_method = std::string_view(row.method).ends_with("exponential");
        if (given[3] || (has_method && given[4])) return nullptr;
        if (given[2] && (!read_dtype(given[2], dtype) || (dtype != DType::float64 && dtype != DType::float32)))
            return nullptr;
    }
    const bool is_single = dtype == DType::float32;
    if (row.sequence)
        if (PyObject* const made =
                drawn_in_parallel(given[0], given[1], dtype,
                                  {*find_sequence(row.sequence + std::string(is_single ? "_float" : "_double"))},
                                  method_name(row.method)))
            return made;
    const RandomSource* const source = source_on_host(given[0]);
    if (!source) return nullptr;
    void*& function = functions[size_t(2 * which + is_single)];
    if (!function && !(function = find_function(row.functions[is_single]))) return nullptr;
    return drawn(*source, given[1], dtype, [&](BitGenerator* bits, int64_t n, void* to) {
        reinterpret_cast<void (*)(BitGenerator*, Py_ssize_t, void*)>(function)(bits, n, to);
    });
}

/// The function that fills memory with integers of a dtype, of which NumPy has one for each unsigned type; null where
/// it has none.
void* integers_of(DType dtype) {
    constexpr const char* kNames[] = {"random_bounded_uint8_fill", "random_bounded_uint16_fill",
                                      "random_bounded_uint32_fill", "random_bounded_uint64_fill",
                                      "random_bounded_bool_fill"};
    static void* functions[std::size(kNames)];
    const int size = item_size(dtype);
    const int k = dtype == DType::bool_ ? 4 : size == 1 ? 0 : size == 2 ? 1 : size == 4 ? 2 : 3;
    if (!functions[k]) functions[k] = find_function(kNames[k]);
    return functions[k];
}

template <class Bits>
void draw_bounded(void* function, BitGenerator* bits, uint64_t first, uint64_t width, int64_t n, bool is_masked,
                  void* to) {
    using Function = void (*)(BitGenerator*, Bits, Bits, Py_ssize_t, bool, Bits*);
    reinterpret_cast<Function>(function)(bits, Bits(first), Bits(width), n, is_masked, static_cast<Bits*>(to));
}

/// Generator.integers(self, low, high, size, dtype, endpoint), which rejects by Lemire's method, and
/// RandomState.randint(self, low, high, size, dtype), which masks bits.
PyObject* draw_in_range(Given given, int is_older) {
    DType dtype = DType::int64;
    PyObject* const endpoint = is_older ? nullptr : given[5];
    __int128 low, high;
    if (endpoint && !PyBool_Check(endpoint)) return nullptr;
    if (given[4] && (given[4] == Py_None || !read_dtype(given[4], dtype))) return nullptr;
    if (!given[1] || !read_range(given[1], given[2] ? given[2] : Py_None, endpoint == Py_True, dtype, low, high))
        return nullptr;
    const uint64_t first = uint64_t(low), width = uint64_t(high - low);
    if (!is_older && width > 0)
        if (PyObject* const made =
                drawn_in_parallel(given[0], given[3], dtype, sequence_integers(dtype, first, width), "integers"))
            return made;
    const RandomSource* const source = source_on_host(given[0]);
    void* const function = source ? integers_of(dtype) : nullptr;
    if (!function) return nullptr;
    return drawn(*source, given[3], dtype, [&](BitGenerator* bits, int64_t n, void* to) {
        switch (item_size(dtype)) {
            case 1: return draw_bounded<uint8_t>(function, bits, first, width, n, is_older, to);
            case 2: return draw_bounded<uint16_t>(function, bits, first, width, n, is_older, to);
            case 4: return draw_bounded<uint32_t>(function, bits, first, width, n, is_older, to);
            default: return draw_bounded<uint64_t>(function, bits, first, width, n, is_older, to);
        }
    });
}

// Methods of NumPy's objects.

/// A method of NumPy's that is called as it is, and the names of its parameters.
struct HostMethod {
    const char* method;
    const char* parameters;
};
constexpr HostMethod kHostMethods[] = {
    {"Generator.binomial", "n p size"},
    {"Generator.choice", "a size replace p axis shuffle"},
    {"Generator.dirichlet", "alpha size"},
    {"Generator.hypergeometric", "ngood nbad nsample size"},
    {"Generator.multinomial", "n pvals size"},
    {"Generator.negative_binomial", "n p size"},
    {"Generator.standard_gamma", "shape size dtype out"},
    {"RandomState.beta", "a b size"},
    {"RandomState.binomial", "n p size"},
    {"RandomState.chisquare", "df size"},
    {"RandomState.choice", "a size replace p"},
    {"RandomState.dirichlet", "alpha size"},
    {"RandomState.exponential", "scale size"},
    {"RandomState.f", "dfnum dfden size"},
    {"RandomState.gamma", "shape scale size"},
    {"RandomState.geometric", "p size"},
    {"RandomState.gumbel", "loc scale size"},
    {"RandomState.hypergeometric", "ngood nbad nsample size"},
    {"RandomState.laplace", "loc scale size"},
    {"RandomState.logistic", "loc scale size"},
    {"RandomState.lognormal", "mean sigma size"},
    {"RandomState.logseries", "p size"},
    {"RandomState.multinomial", "n pvals size"},
    {"RandomState.negative_binomial", "n p size"},
    {"RandomState.noncentral_chisquare", "df nonc size"},
    {"RandomState.noncentral_f", "dfnum dfden nonc size"},
    {"RandomState.normal", "loc scale size"},
    {"RandomState.pareto", "a size"},
    {"RandomState.poisson", "lam size"},
    {"RandomState.power", "a size"},
    {"RandomState.rayleigh", "scale size"},
    {"RandomState.standard_cauchy", "size"},
    {"RandomState.standard_exponential", "size"},
    {"RandomState.standard_gamma", "shape size"},
    {"RandomState.standard_normal", "size"},
    {"RandomState.standard_t", "df size"},
    {"RandomState.triangular", "left mode right size"},
    {"RandomState.vonmises", "mu kappa size"},
    {"RandomState.wald", "mean scale size"},
    {"RandomState.weibull", "a size"},
    {"RandomState.zipf", "a size"},
};

/// The names that a call of a row uses, as Python's.
struct HostNames {
    Object method;
    std::vector<Object> parameters;
    bool takes_population;  ///< its first parameter may be an array, whose entries are drawn

    explicit HostNames(const HostMethod& row) {
        const std::string_view name = row.method;
        method = Object::steal(PyUnicode_InternFromString(name.substr(name.find('.') + 1).data()));
        takes_population = name.ends_with(".choice");
        std::string_view left = row.parameters;
        while (!left.empty()) {
            const size_t end = std::min(left.find(' '), left.size());
            parameters.push_back(Object::steal(PyUnicode_FromStringAndSize(left.data(), Py_ssize_t(end))));
            left.remove_prefix(std::min(end + 1, left.size()));
        }
    }
};

/// An argument as NumPy's methods take it: numbers, tuples and None as they are, numbers and arrays of the host as
/// NumPy's. Null for others, of which Python decides what they are; lists may hold texts or arrays of ours.
Object host_argument(PyObject* object) {
    if (object == Py_None || PyLong_CheckExact(object) || PyFloat_CheckExact(object) || PyBool_Check(object))
        return Object::share(object);
    if (PyTuple_CheckExact(object)) {
        for (Py_ssize_t k = 0; k < PyTuple_GET_SIZE(object); ++k)
            if (!PyLong_CheckExact(PyTuple_GET_ITEM(object, k))) return {};
        return Object::share(object);
    }
    if (PyList_CheckExact(object)) {
        for (Py_ssize_t k = 0; k < PyList_GET_SIZE(object); ++k)
            if (PyObject* const entry = PyList_GET_ITEM(object, k);
                !PyFloat_CheckExact(entry) && !PyLong_CheckExact(entry))
                return {};
        return Object::share(object);
    }
    if (is_native_numpy(object)) return Object::share(object);
    if (!is_ndarray(object)) return {};
    const Array* const array = read_array(object);
    if (!array || !direct_data(*array) || array->dtype() == DType::bfloat16) return {};
    return view_as_numpy(*array);
}

/// What NumPy drew, as a value or as an array with memory of its own; null for what is no number.
PyObject* as_ours(const Object& result) {
    if (PyFloat_CheckExact(result.get()) || is_numpy_float64(result.get()))
        return wrap(Scalar::of(DType::float64, PyFloat_AS_DOUBLE(result.get())));
    if (PyIndex_Check(result.get()) && !is_native_numpy(result.get())) {
        const Object number = Object::steal(PyNumber_Index(result.get()));
        return wrap(Scalar::of(DType::int64, int64_t(PyLong_AsLongLong(number.get()))));
    }
    if (Array few = copy_of_few(result.get(), Device{})) return wrap(std::move(few));
    const Array theirs = import_native_numpy(result.get());
    return wrap(without_gil(is_long(Device{}, theirs.size()), [&] { return copy(theirs); }));
}

/// Calls a method of NumPy's object with the arguments that are given; null for those that Python must judge.
PyObject* call_named(const RandomSource& source, const HostNames& names, Given given, const Object& first) {
    constexpr size_t kMost = 7;
    Object kept[kMost] = {Object::share(source.host)};
    PyObject* arguments[kMost] = {source.host};
    size_t count = 1, positional = 0;
    Object keywords = Object::steal(PyTuple_New(0));
    PyObject* named[kMost];
    for (size_t k = 0; k < names.parameters.size(); ++k) {
        if (!given[1 + k]) continue;
        if (!(kept[count] = k == 0 && first ? first : host_argument(given[1 + k]))) return nullptr;
        if (count == k + 1)
            positional = count;
        else
            named[count - 1 - positional] = names.parameters[k].get();
        arguments[count] = kept[count].get();
        ++count;
    }
    const size_t others = count - 1 - positional;
    if (others) {
        keywords = Object::steal(PyTuple_New(Py_ssize_t(others)));
        for (size_t k = 0; k < others; ++k) PyTuple_SET_ITEM(keywords.get(), k, Py_NewRef(named[k]));
    }
    return PyObject_VectorcallMethod(names.method.get(), arguments, (positional + 1) | PY_VECTORCALL_ARGUMENTS_OFFSET,
                                     others ? keywords.get() : nullptr);
}

/// method(self, *parameters), by NumPy's method. Arguments that it refuses are judged by Python.
PyObject* call_method(Given given, int which) {
    static const std::vector<HostNames> all(std::begin(kHostMethods), std::end(kHostMethods));
    const HostNames& names = all[size_t(which)];
    const RandomSource* const source = source_on_host(given[0]);
    if (!source) return nullptr;
    // Of an array of one axis, positions are drawn. Entries that are no numbers are taken by Python.
    Object count;
    if (names.takes_population) {
        const Array* const entries = read_array(given[1]);
        const bool is_plain = entries && entries->ndim() == 1 && !entries->is_empty() && direct_data(*entries) &&
                              !is_number(given[1]) && !(names.parameters.size() > 4 && given[5]) &&
                              !(is_given(given[2]) && !PyLong_CheckExact(given[2]));
        if (is_plain)
            count = Object::steal(PyLong_FromLongLong(entries->size()));
        else if (!given[1] || !PyLong_CheckExact(given[1]))
            return nullptr;
    }
    const Object result = Object::steal_or_null(call_named(*source, names, given, count));
    if (result) return count ? subscript(given[1], result.get()) : as_ours(result);
    for (PyObject* const kind : {PyExc_TypeError, PyExc_ValueError, PyExc_OverflowError}) {
        if (!PyErr_ExceptionMatches(kind)) continue;
        PyErr_Clear();
        return nullptr;
    }
    if (PyErr_Occurred()) throw ExceptionIsSet{};
    return nullptr;
}

/// The place of a method in a table.
template <class Row, size_t n>
constexpr int row_named(const Row (&rows)[n], std::string_view method) {
    int k = 0;
    while (method != rows[k].method) ++k;
    return k;
}

/// RandomState.rand(self, *shape) and randn: the methods that take the shape as `size`.
PyObject* draw_of_shape(Given given, int is_normal) {
    constexpr int kMost = 7;
    int axes = 0;
    while (axes < kMost && given[1 + axes]) ++axes;
    Object shape;
    if (axes == 1 && PyLong_CheckExact(given[1])) shape = Object::share(given[1]);
    if (axes > 1) {
        shape = Object::steal(PyTuple_New(axes));
        for (int k = 0; k < axes; ++k) PyTuple_SET_ITEM(shape.get(), k, Py_NewRef(given[1 + k]));
    }
    if (axes && !shape) return nullptr;
    PyObject* const arguments[] = {given[0], shape.get()};
    return is_normal ? call_method(arguments, row_named(kHostMethods, "RandomState.standard_normal"))
                     : draw_filled(arguments, row_named(kFilled, "RandomState.random_sample"));
}

/// shuffle(self, x, axis) and permutation(self, x, axis) of an array of one axis, in place and of a copy; RandomState's
/// have no axis.
struct Reordering {
    bool has_axis, is_copied;
};
constexpr Reordering kReorderings[] = {{true, false}, {false, false}, {true, true}, {false, true}};

PyObject* reorder(Given given, int which) {
    static PyObject* const name = PyUnicode_InternFromString("shuffle");
    static PyObject* const permutation = PyUnicode_InternFromString("permutation");
    const Reordering& row = kReorderings[which];
    if (!given[1] || (row.has_axis && given[2])) return nullptr;
    const RandomSource* const source = source_on_host(given[0]);
    int64_t n;
    if (source && row.is_copied && read_int(given[1], n) && n >= 0) {
        PyObject* const arguments[] = {source->host, given[1]};
        return as_ours(Object::steal(
            PyObject_VectorcallMethod(permutation, arguments, 2 | PY_VECTORCALL_ARGUMENTS_OFFSET, nullptr)));
    }
    const Array* const array = source ? read_array(given[1]) : nullptr;
    if (!array || is_number(given[1]) || as_ndarray(given[1])->is_value || array->ndim() != 1 || !direct_data(*array))
        return nullptr;
    if (!row.is_copied && !array->is_writable()) return nullptr;
    const Object copied = row.is_copied ? Object::steal(wrap(copy(*array))) : Object();
    PyObject* const target = row.is_copied ? copied.get() : given[1];
    const Object host = Object::share(source->host), view = view_as_numpy(array_of(target));
    PyObject* const arguments[] = {host.get(), view.get()};
    Object done =
        Object::steal(PyObject_VectorcallMethod(name, arguments, 2 | PY_VECTORCALL_ARGUMENTS_OFFSET, nullptr));
    return row.is_copied ? Py_NewRef(target) : done.release();
}

std::vector<FastFunction> make_random_paths() {
    std::vector<FastFunction> paths = {
        {"Generator.integers", draw_in_range, 0}, {"RandomState.randint", draw_in_range, 1},
        {"RandomState.rand", draw_of_shape, 0},   {"RandomState.randn", draw_of_shape, 1},
        {"Generator.shuffle", reorder, 0},        {"RandomState.shuffle", reorder, 1},
        {"Generator.permutation", reorder, 2},    {"RandomState.permutation", reorder, 3},
    };
    for (size_t k = 0; k < std::size(kDistributions); ++k)
        paths.push_back({kDistributions[k].method, draw_distribution, int(k)});
    for (size_t k = 0; k < std::size(kFilled); ++k) paths.push_back({kFilled[k].method, draw_filled, int(k)});
    for (size_t k = 0; k < std::size(kHostMethods); ++k) paths.push_back({kHostMethods[k].method, call_method, int(k)});
    return paths;
}

// Ranges of integers.

/// The range of integers of a dtype, as the bits of both ends; false where it has none.
bool limits_of(DType dtype, __int128& low, __int128& high) {
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

// The type.

int visit_source(PyObject* self, visitproc visit, void* arg) {
    RandomSource& source = as_source(self);
    Py_VISIT(Py_TYPE(self));
    for (PyObject* const object : {source.host, source.device, source.bit_generator, source.acquire, source.release})
        Py_VISIT(object);
    return 0;
}

int clear_source(PyObject* self) {
    RandomSource& source = as_source(self);
    Py_CLEAR(source.host);
    Py_CLEAR(source.device);
    Py_CLEAR(source.bit_generator);
    Py_CLEAR(source.acquire);
    Py_CLEAR(source.release);
    return 0;
}

void free_source(PyObject* self) {
    PyTypeObject* const type = Py_TYPE(self);
    PyObject_GC_UnTrack(self);
    clear_source(self);
    type->tp_free(self);
    Py_DECREF(type);
}

/// _use(host, bit_generator, device): draws from NumPy's generator from now on.
PyObject* use(PyObject* self, PyObject* const* args, Py_ssize_t count) {
    return guarded([&] {
        if (count != 3) fail(PyExc_TypeError, "_use: 3 arguments expected, not %zd", count);
        const Object capsule = Object::steal(PyObject_GetAttrString(args[1], "capsule"));
        const Object lock = Object::steal(PyObject_GetAttrString(args[1], "lock"));
        Object acquire = Object::steal(PyObject_GetAttrString(lock.get(), "acquire"));
        Object release = Object::steal(PyObject_GetAttrString(lock.get(), "release"));
        RandomSource& source = as_source(self);
        source.bits = bits_of(capsule.get());
        source.is_pcg64 = is_pcg64(args[1], source.bits);
        PyObject* const old[] = {source.host, source.bit_generator, source.device, source.acquire, source.release};
        source.host = Py_NewRef(args[0]), source.bit_generator = Py_NewRef(args[1]);
        source.device = Py_NewRef(args[2]);
        source.acquire = acquire.release(), source.release = release.release();
        for (PyObject* const object : old) Py_XDECREF(object);
        return Py_NewRef(Py_None);
    });
}

PyMethodDef source_methods[] = {
    {"_use", method(use), METH_FASTCALL, nullptr},
    {nullptr, nullptr, 0, nullptr},
};
PyObject* host_of(PyObject* self, void*) { return Py_NewRef(as_source(self).host ? as_source(self).host : Py_None); }
PyObject* device_of_source(PyObject* self, void*) {
    return Py_NewRef(as_source(self).device ? as_source(self).device : Py_None);
}

PyGetSetDef source_attributes[] = {
    {"_host", host_of, nullptr, nullptr, nullptr},
    {"_device", device_of_source, nullptr, nullptr, nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr},
};

}  // namespace

bool read_range(PyObject* low, PyObject* high, bool has_end, DType dtype, __int128& first, __int128& last) {
    __int128 least = 0, most = 0;
    if (!limits_of(dtype, least, most)) return false;
    first = 0;
    if (!read_wide(low, high == Py_None ? last : first) || !(high == Py_None || read_wide(high, last))) return false;
    last -= !has_end;
    return first >= least && last <= most && first <= last;
}

std::span<const FastFunction> random_paths() {
    static const std::vector<FastFunction> paths = make_random_paths();
    return paths;
}

void make_random_source_type(PyObject* module) {
    PyType_Slot slots[] = {{Py_tp_traverse, slot(visit_source)}, {Py_tp_clear, slot(clear_source)},
                           {Py_tp_dealloc, slot(free_source)},   {Py_tp_methods, source_methods},
                           {Py_tp_getset, source_attributes},    {0, nullptr}};
    PyType_Spec spec = {"cuarray.RandomSource", int(sizeof(RandomSource)), 0,
                        unsigned(Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC), slots};
    source_type = reinterpret_cast<PyTypeObject*>(Object::steal(PyType_FromSpec(&spec)).release());
    check(PyModule_AddObjectRef(module, "RandomSource", reinterpret_cast<PyObject*>(source_type)));
}

}  // namespace cuarray::python
