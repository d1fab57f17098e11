// random_fills.cpp -- numbers of the functions that NumPy's module of generators exports
// (numpy/random/distributions.h), and those of a PCG64 in parallel.
#include "bindings/random/random_fills.h"
#include <dlfcn.h>
#include <cmath>
#include <cstring>
#include <optional>
#include <string>
#include <vector>
#include "bindings/functions/plain_values.h"
#include "bindings/random/pcg64.h"
#include "bindings/types/fallback.h"
#include "bindings/types/ndarray.h"
#include "cuarray/array/elements.h"
#include "cuarray/runtime/registry.h"

namespace cuarray::python {
namespace {

// Where numbers go.

/// Whether new arrays of a source lie where the host may write them now.
bool draws_on_host(const RandomSource& source) {
    const Device device = device_of(source);
    return device == Device{} && is_direct(device);
}

/// From so many numbers on, other threads run meanwhile.
constexpr int64_t kManyNumbers = 1000;

/// Draws one number, as a value, or of Python where programs of cuarray.numpy get NumPy's, or an array of the shape
/// that `size` says, in host memory: draw(bits, n, memory). Null, and nothing is drawn, for a size that is no plain
/// one.
template <class Draw>
PyObject* drawn(const RandomSource& source, PyObject* size, DType dtype, Draw&& draw, bool is_pythons = true) {
    if (!is_given(size)) {
        Scalar number;
        number.dtype = dtype;
        draw(LockedBits(source).get(), 1, number.bytes);
        return is_pythons && operator_fallback() ? to_python(number).release() : wrap(number);
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

/// Draws an array from a PCG64, on the device of its new arrays: NumPy's numbers. An empty handle, and nothing is
/// drawn, for few numbers of the host, for other bit generators, and inside a graph.
Array array_in_parallel(const RandomSource& source, const Dims& shape, DType dtype, const SequenceNumbers& numbers,
                        const char* method) {
    const Device device = device_of(source);
    const int64_t n = checked_size(shape, item_size(dtype), method);
    if (!source.is_pcg64 || n == 0 || (device == Device{} && n < kParallelNumbers) || runtime(device).is_capturing())
        return {};
    Array result = empty(shape, dtype, device);
    LockedBits bits(source);
    Pcg64State state = read_pcg64(*bits.get());
    without_gil(true, [&] { draw_sequence(result, numbers, state, method); });
    write_pcg64(state, *bits.get());
    return result;
}

/// The same of the shape that `size` says; null for one number, and for a size that is no plain one.
PyObject* drawn_in_parallel(const RandomSource& source, PyObject* size, DType dtype, const SequenceNumbers& numbers,
                            const char* method) {
    Dims shape;
    if (!source.is_pcg64 || !is_given(size) || !read_shape(size, shape)) return nullptr;
    Array result = array_in_parallel(source, shape, dtype, numbers, method);
    return result.defined() ? wrap(std::move(result)) : nullptr;
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

/// The row of sequence_draws.def that a method of Generator draws; none where NumPy's functions alone draw it.
std::optional<SequenceDraw> sequence_of(const char* method) {
    if (!std::string_view(method).starts_with("Generator")) return std::nullopt;
    const std::string name = method_name(method);
    const std::optional<SequenceDraw> draw = find_sequence(name);
    return draw ? draw : find_sequence(name + "_double");
}

/// The numbers of a row; false where NumPy's function alone makes them.
bool set_numbers(SequenceNumbers& numbers, const double* x, int count) {
    if (numbers.draw != SequenceDraw::uniform_double) return set_parameters(numbers, {x, size_t(count)});
    numbers.start = x[0], numbers.width = x[1];
    return true;
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

/// Reads a plain number that is surely in its domain; false for anything else.
bool read_inside(PyObject* given, Domain domain, double& x) {
    if (is_numpy_float64(given))
        x = PyFloat_AS_DOUBLE(given);
    else if (!read_float(given, x))
        return false;
    return is_inside(domain, x);
}

/// How several parameters depend on one another.
enum class Together { Free, Range, Triangle };

bool fit_together(Together rule, double* x) {
    if (rule == Together::Triangle) return x[0] <= x[1] && x[1] <= x[2] && x[0] != x[2];
    if (rule == Together::Range) x[1] -= x[0];  // the function takes the width
    return rule == Together::Free || (std::isfinite(x[1]) && !std::signbit(x[1]));
}

/// A method, and the function that draws one number of it.
struct Distribution {
    const char* method;
    const char* function;
    int count;
    Domain domains[3];
    DType dtype = DType::float64;
    Together together = Together::Free;
};

constexpr Distribution kDistributions[] = {
    {"Generator.beta", "random_beta", 2, {Domain::Positive, Domain::Positive}},
    {"Generator.chisquare", "random_chisquare", 1, {Domain::Positive}},
    {"Generator.exponential", "random_exponential", 1, {Domain::NotNegative}},
    {"Generator.f", "random_f", 2, {Domain::Positive, Domain::Positive}},
    {"Generator.gamma", "random_gamma", 2, {Domain::NotNegative, Domain::NotNegative}},
    {"Generator.geometric", "random_geometric", 1, {Domain::Probability}, DType::int64},
    {"Generator.gumbel", "random_gumbel", 2, {Domain::Real, Domain::NotNegative}},
    {"Generator.laplace", "random_laplace", 2, {Domain::Real, Domain::NotNegative}},
    {"Generator.logistic", "random_logistic", 2, {Domain::Real, Domain::NotNegative}},
    {"Generator.lognormal", "random_lognormal", 2, {Domain::Real, Domain::NotNegative}},
    {"Generator.logseries", "random_logseries", 1, {Domain::Share}, DType::int64},
    {"Generator.noncentral_chisquare", "random_noncentral_chisquare", 2, {Domain::Positive, Domain::NotNegative}},
    {"Generator.noncentral_f", "random_noncentral_f", 3, {Domain::Positive, Domain::Positive, Domain::NotNegative}},
    {"Generator.normal", "random_normal", 2, {Domain::Real, Domain::NotNegative}},
    {"Generator.pareto", "random_pareto", 1, {Domain::Positive}},
    {"Generator.poisson", "random_poisson", 1, {Domain::Mean}, DType::int64},
    {"Generator.power", "random_power", 1, {Domain::Positive}},
    {"Generator.rayleigh", "random_rayleigh", 1, {Domain::NotNegative}},
    {"Generator.standard_cauchy", "random_standard_cauchy", 0, {}},
    {"Generator.standard_t", "random_standard_t", 1, {Domain::Positive}},
    {"Generator.triangular",
     "random_triangular",
     3,
     {Domain::Real, Domain::Real, Domain::Real},
     DType::float64,
     Together::Triangle},
    {"Generator.uniform", "random_uniform", 2, {Domain::Real, Domain::Real}, DType::float64, Together::Range},
    {"Generator.vonmises", "random_vonmises", 2, {Domain::Real, Domain::NotNegative}},
    {"Generator.wald", "random_wald", 2, {Domain::Positive, Domain::Positive}},
    {"Generator.weibull", "random_weibull", 1, {Domain::NotNegative}},
    {"Generator.zipf", "random_zipf", 1, {Domain::AboveOne}, DType::int64},
    {"RandomState.uniform", "random_uniform", 2, {Domain::Real, Domain::Real}, DType::float64, Together::Range},
};

/// n numbers of a function of a bit generator and of parameters.
template <class Number, class... Parameters>
void draw_numbers(void* function, BitGenerator* bits, int64_t n, void* memory, Parameters... x) {
    const auto draw = reinterpret_cast<Number (*)(BitGenerator*, Parameters...)>(function);
    Number* const to = static_cast<Number*>(memory);
    for (int64_t i = 0; i < n; ++i) to[i] = draw(bits, x...);
}

/// The same with so many of three parameters.
template <class Number>
void draw_numbers_of(int count, void* function, BitGenerator* bits, int64_t n, void* memory, const double* x) {
    switch (count) {
        case 0: return draw_numbers<Number>(function, bits, n, memory);
        case 1: return draw_numbers<Number>(function, bits, n, memory, x[0]);
        case 2: return draw_numbers<Number>(function, bits, n, memory, x[0], x[1]);
        default: return draw_numbers<Number>(function, bits, n, memory, x[0], x[1], x[2]);
    }
}

/// Methods that fill arrays of float64 or float32, without parameters, or with a shape, of which a function draws one
/// number. RandomState has no dtype.
struct StandardFill {
    const char* method;
    const char* functions[2];
    std::optional<SequenceDraw> sequences[2] = {};
    bool has_shape = false;
};
constexpr StandardFill kStandardFills[] = {
    {"Generator.random",
     {"random_standard_uniform_fill", "random_standard_uniform_fill_f"},
     {SequenceDraw::uniform_double, SequenceDraw::uniform_float}},
    {"Generator.standard_exponential",
     {"random_standard_exponential_fill", "random_standard_exponential_fill_f"},
     {SequenceDraw::exponential_double, SequenceDraw::exponential_float}},
    {"Generator.standard_normal",
     {"random_standard_normal_fill", "random_standard_normal_fill_f"},
     {SequenceDraw::normal_double, SequenceDraw::normal_float}},
    {"Generator.standard_gamma",
     {"random_standard_gamma", "random_standard_gamma_f"},
     {SequenceDraw::gamma_double, SequenceDraw::gamma_float},
     true},
    {"RandomState.random", {"random_standard_uniform_fill"}},
    {"RandomState.random_sample", {"random_standard_uniform_fill"}},
};

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

template <class Row, size_t n>
int row_named(const Row (&rows)[n], std::string_view method) {
    for (size_t k = 0; k < n; ++k)
        if (method == rows[k].method) return int(k);
    return -1;
}

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

}  // namespace

int find_distribution(const char* method) { return row_named(kDistributions, method); }
int find_standard_fill(const char* method) { return row_named(kStandardFills, method); }

PyObject* fill_with_distribution(const RandomSource& source, int row_number, PyObject* const* parameters,
                                 PyObject* size) {
    static void* functions[std::size(kDistributions)];
    static const std::vector<std::optional<SequenceDraw>> sequences = [] {
        std::vector<std::optional<SequenceDraw>> found;
        for (const Distribution& one : kDistributions) found.push_back(sequence_of(one.method));
        return found;
    }();
    const Distribution& row = kDistributions[row_number];
    double x[3];
    for (int k = 0; k < row.count; ++k)
        if (!read_inside(parameters[k], row.domains[k], x[k])) return nullptr;
    if (!fit_together(row.together, x)) return nullptr;
    if (const std::optional<SequenceDraw> sequence = sequences[size_t(row_number)];
        sequence && source.is_pcg64 && is_given(size))
        if (SequenceNumbers numbers{*sequence}; set_numbers(numbers, x, row.count))
            if (PyObject* const made = drawn_in_parallel(source, size, row.dtype, numbers, method_name(row.method)))
                return made;
    void*& function = functions[row_number];
    if (!draws_on_host(source) || (!function && !(function = find_function(row.function)))) return nullptr;
    return drawn(source, size, row.dtype, [&](BitGenerator* bits, int64_t n, void* to) {
        if (row.dtype == DType::float64)
            draw_numbers_of<double>(row.count, function, bits, n, to, x);
        else
            draw_numbers_of<int64_t>(row.count, function, bits, n, to, x);
    });
}

PyObject* fill_with_standard(const RandomSource& source, int row_number, DType dtype, PyObject* size, PyObject* shape) {
    static void* functions[2 * std::size(kStandardFills)];
    const StandardFill& row = kStandardFills[row_number];
    const bool is_single = dtype == DType::float32;
    if (dtype != DType::float64 && (!is_single || !row.functions[1])) return nullptr;
    double x = 0;
    if (row.has_shape && !read_inside(shape, Domain::NotNegative, x)) return nullptr;
    if (row.sequences[is_single])
        if (SequenceNumbers numbers{*row.sequences[is_single]}; !row.has_shape || set_parameters(numbers, {&x, 1}))
            if (PyObject* const made = drawn_in_parallel(source, size, dtype, numbers, method_name(row.method)))
                return made;
    void*& function = functions[2 * row_number + is_single];
    if (!draws_on_host(source) || (!function && !(function = find_function(row.functions[is_single])))) return nullptr;
    return drawn(source, size, dtype, [&](BitGenerator* bits, int64_t n, void* to) {
        if (!row.has_shape)
            reinterpret_cast<void (*)(BitGenerator*, Py_ssize_t, void*)>(function)(bits, n, to);
        else if (is_single)
            draw_numbers<float>(function, bits, n, to, float(x));
        else
            draw_numbers<double>(function, bits, n, to, x);
    });
}

PyObject* fill_with_shares(const RandomSource& source, PyObject* alpha, PyObject* size) {
    constexpr Py_ssize_t kMostShares = 64;
    const bool is_sequence = PyList_CheckExact(alpha) || PyTuple_CheckExact(alpha) || is_numpy_array(alpha);
    Dims shape;
    if (device_of(source) == Device{} || !is_sequence || (is_given(size) && !read_shape(size, shape))) return nullptr;
    const Py_ssize_t count = PySequence_Size(alpha);
    if (count <= 0 || count > kMostShares || shape.size() == kMaxDims) {
        PyErr_Clear();  // NumPy says what is wrong with an array without axes
        return nullptr;
    }
    const Object items = Object::steal(PySequence_Fast(alpha, "alpha must be a sequence"));
    double first = 0, x = 0;
    for (Py_ssize_t k = 0; k < count; ++k) {
        if (!read_inside(PySequence_Fast_GET_ITEM(items.get(), k), Domain::Positive, x)) return nullptr;
        if (k == 0) first = x;
        if (x != first || x < 0.1) return nullptr;
    }
    SequenceNumbers numbers{SequenceDraw::gamma_double};
    set_parameters(numbers, {&x, 1});
    shape.push_back(count);
    const Array drawn = array_in_parallel(source, shape, DType::float64, numbers, "dirichlet");
    return drawn.defined() ? wrap(without_gil(true, [&] { return shares_of_rows(drawn); })) : nullptr;
}

PyObject* fill_with_integers(const RandomSource& source, const DrawnIntegers& range, PyObject* size) {
    const auto [dtype, first, width, is_masked, is_pythons] = range;
    if (!is_masked && width > 0)
        if (PyObject* const made =
                drawn_in_parallel(source, size, dtype, sequence_integers(dtype, first, width), "integers"))
            return made;
    void* const function = draws_on_host(source) ? integers_of(dtype) : nullptr;
    if (!function) return nullptr;
    const auto draw = [&](BitGenerator* bits, int64_t n, void* to) {
        switch (item_size(range.dtype)) {
            case 1: return draw_bounded<uint8_t>(function, bits, range.first, range.width, n, range.is_masked, to);
            case 2: return draw_bounded<uint16_t>(function, bits, range.first, range.width, n, range.is_masked, to);
            case 4: return draw_bounded<uint32_t>(function, bits, range.first, range.width, n, range.is_masked, to);
            default: return draw_bounded<uint64_t>(function, bits, range.first, range.width, n, range.is_masked, to);
        }
    };
    return drawn(source, size, dtype, draw, is_pythons);
}

bool read_range(PyObject* low, PyObject* high, bool has_end, DType dtype, __int128& first, __int128& last) {
    __int128 least = 0, most = 0;
    if (!limits_of(dtype, least, most)) return false;
    first = 0;
    if (!read_wide(low, high == Py_None ? last : first) || !(high == Py_None || read_wide(high, last))) return false;
    last -= !has_end;
    return first >= least && last <= most && first <= last;
}

}  // namespace cuarray::python
