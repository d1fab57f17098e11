// fast_numeric.cpp -- fast paths of reductions, products, counts and interpolation.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>
#include "bindings/einsum.h"
#include "bindings/fast_paths.h"
#include "bindings/reductions.h"
#include "cuarray/array/pending.h"
#include "cuarray/kernel/sort.h"
#include "cuarray/ops/einsum.h"
#include "cuarray/ops/matmul.h"
#include "cuarray/ops/reduction.h"
#include "cuarray/ops/sort.h"
#include "cuarray/runtime/registry.h"

namespace cuarray::python {
namespace {

/// nansum and nanprod: a, axis, dtype, out, keepdims, initial, where. Floating-point and complex arrays.
PyObject* reduced_without_nan(Given given, int row) {
    const Array* const array = read_array(given[0]);
    int64_t axis = 0;
    if (!array || !are_absent(given, {2, 3, 4, 5, 6}) || info(array->dtype()).kind < Kind::Floating) return nullptr;
    ReduceOptions options;
    options.skips_nan = true;
    if (is_given(given[1])) {
        if (!read_axis(given[1], array->ndim(), axis)) return nullptr;
        options.all_axes = false;
        options.axes = {axis};
    }
    return made(array->device(), array->size(), [&, x = *array] { return reduce(ReductionId(row), x, options); });
}

/// matmul, matvec and vecmat: x1, x2, out, casting, order, dtype, subok, signature, axes. Matrices and vectors, or
/// stacks of one shape; the vector of vecmat, which is conjugated, is real.
enum ProductKind { kMatmul, kMatvec, kVecmat };
PyObject* gufunc_product(Given given, int kind) {
    const Array *const a = read_array(given[0]), *const b = read_array(given[1]);
    if (!a || !b || !are_absent(given, {2, 3, 4, 5, 6, 7, 8}) || !(a->device() == b->device())) return nullptr;
    if (a->ndim() < 1 || b->ndim() < 1) return nullptr;
    const bool is_stack = a->ndim() > 2 || b->ndim() > 2;
    if (kind != kMatmul &&
        (is_stack || a->ndim() != (kind == kMatvec ? 2 : 1) || b->ndim() != (kind == kMatvec ? 1 : 2)))
        return nullptr;
    if (kind == kVecmat && info(a->dtype()).kind == Kind::Complex) return nullptr;
    if (a->shape()[a->ndim() - 1] != b->shape()[std::max(0, b->ndim() - 2)]) return nullptr;
    if (is_stack && a->ndim() != b->ndim()) return nullptr;
    for (int d = 0; is_stack && d + 2 < a->ndim(); ++d)
        if (a->shape()[d] != b->shape()[d]) return nullptr;
    return made(a->device(), std::max(a->size(), b->size()), [x = *a, y = *b] { return matmul(x, y); });
}

/// The complex conjugate; the array itself if it is real.
Array conjugated(const Array& array) {
    if (info(array.dtype()).kind != Kind::Complex) return array;
    const Argument args[] = {array};
    return call(row::conj, args).array[0];
}

/// vecdot: x1, x2, out, casting, order, dtype, subok, signature, axes, axis, keepdims. Arrays of one shape and dtype.
PyObject* vector_products(Given given, int) {
    const Array *const a = read_array(given[0]), *const b = read_array(given[1]);
    if (!a || !b || !are_absent(given, {2, 3, 4, 5, 6, 7, 8, 9, 10}) || !(a->device() == b->device())) return nullptr;
    if (a->ndim() < 1 || a->ndim() > 8 || a->shape() != b->shape() || a->dtype() != b->dtype()) return nullptr;
    if (a->ndim() > 1 && a->is_empty()) return nullptr;
    if (a->ndim() == 1) return made(a->device(), a->size(), [x = *a, y = *b] { return conjugated_dot(x, y); });
    Dims labels, wanted;
    for (int d = 0; d < a->ndim(); ++d) labels.push_back('a' + d);
    for (int d = 0; d + 1 < a->ndim(); ++d) wanted.push_back('a' + d);
    return made(a->device(), a->size(),
                [&, x = *a, y = *b] { return einsum({{conjugated(x), labels}, {y, labels}}, wanted); });
}

/// A finite or infinite Python number as a limit of floats of that dtype.
bool read_limit(PyObject* object, DType dtype, Scalar& limit) {
    double number;
    if (!(PyFloat_CheckExact(object) || PyLong_CheckExact(object)) || !read_float(object, number)) return false;
    if (dtype == DType::float32 && !(std::abs(number) <= std::numeric_limits<float>::max())) return false;
    limit = convert(Scalar::of(DType::float64, number), dtype);
    return true;
}

/// clip: a, min, max, out, a_min, a_max. float64 or float32 between two numbers, or on one side of one.
PyObject* limited(Given given, int) {
    const Array* const array = read_array(given[0]);
    if (!array || (array->dtype() != DType::float64 && array->dtype() != DType::float32)) return nullptr;
    if (!are_absent(given, {3, 4, 5}) || array->ndim() == 0) return nullptr;
    const bool has_least = is_given(given[1]), has_most = is_given(given[2]);
    Scalar least, most;
    if ((has_least && !read_limit(given[1], array->dtype(), least)) ||
        (has_most && !read_limit(given[2], array->dtype(), most)) || (!has_least && !has_most))
        return nullptr;
    return made(array->device(), array->size(), [&, x = *array] {
        if (has_least && has_most) {
            const Argument args[] = {x, least, most};
            return call(row::clip, args).array[0];
        }
        const Argument args[] = {x, has_least ? least : most};
        return call(has_least ? row::maximum : row::minimum, args).array[0];
    });
}

/// Whether there are few products of one element of each term.
bool are_few_products(const std::vector<LabelledArray>& terms) {
    constexpr int64_t kFewProducts = 4096;
    int64_t products = 1;
    Dims labels;
    for (const LabelledArray& term : terms)
        for (int d = 0; d < term.labels.size(); ++d) {
            if (std::ranges::count(labels, term.labels[d])) continue;
            labels.push_back(term.labels[d]);
            products *= std::max<int64_t>(term.array.shape()[d], 1);
            if (products > kFewProducts) return false;
        }
    return true;
}

/// einsum: at most seven operands, out, dtype, order, casting, optimize. One or two arrays of one dtype; or three,
/// where they are so small that the order of products does not matter.
PyObject* contracted(Given given, int) {
    int count = 0;
    while (count < 7 && given[count]) ++count;
    if (!are_absent(given, {7, 8, 9, 10}) || (given[11] && !PyBool_Check(given[11]))) return nullptr;
    if (count < 2 || !(PyUnicode_CheckExact(given[0]) || is_ndarray(given[0]))) return nullptr;
    std::vector<PyObject*> objects;
    const std::string text = subscripts_of(given, count, objects);
    std::vector<LabelledArray> terms;
    std::vector<int> ndims;
    for (PyObject* const object : objects) {
        const Array* const array = read_array(object);
        if (!array || (!terms.empty() &&
                       (array->dtype() != terms[0].array.dtype() || !(array->device() == terms[0].array.device()))))
            return nullptr;
        terms.push_back({*array, {}});
        ndims.push_back(array->ndim());
    }
    const Subscripts subscripts(text, ndims);
    for (size_t k = 0; k < terms.size(); ++k) terms[k].labels = subscripts.of_arrays[k];
    if (terms.size() > 2 && !are_few_products(terms)) return nullptr;
    return contract(std::move(terms), subscripts.of_result, objects[0]);
}
/// float64 elements in C order that the host may read now; null for others.
const double* read_doubles(const Array* array) {
    if (!array || array->dtype() != DType::float64 || !array->is_c_contiguous()) return nullptr;
    const char* const data = direct_data(*array);
    return reinterpret_cast<uintptr_t>(data) % alignof(double) ? nullptr : reinterpret_cast<const double*>(data);
}

/// The ways in which convolve and correlate treat the ends.
enum class Ends { Valid, Same, Full };

/// A mode by its name; absent, it is as it is.
bool read_ends(PyObject* object, Ends& ends) {
    if (!object) return true;
    if (!PyUnicode_CheckExact(object)) return false;
    const auto is = [object](const char* name) { return PyUnicode_CompareWithASCIIString(object, name) == 0; };
    ends = is("valid") ? Ends::Valid : is("same") ? Ends::Same : Ends::Full;
    return ends != Ends::Full || is("full");
}

/// convolve and correlate: a, v, mode. Sequences of one wide dtype, of which the second may be a list.
PyObject* sums_over_taps(Given given, int is_turned) {
    const Array *a = read_array(given[0]), *v = read_array(given[1]);
    const Array listed = a && !v && given[1] && a->device() == current_device() ? read_numbers(given[1]) : Array();
    if (listed) v = &listed;
    Ends ends = is_turned ? Ends::Full : Ends::Valid;
    if (!a || !v || !read_ends(given[2], ends) || !(a->device() == v->device()) || a->dtype() != v->dtype())
        return nullptr;
    if (a->ndim() != 1 || v->ndim() != 1 || a->is_empty() || v->is_empty() || item_size(a->dtype()) < 4) return nullptr;
    if (!is_turned && (info(a->dtype()).kind == Kind::Complex || v->size() > a->size())) return nullptr;
    if (v->size() > a->size()) std::swap(a, v);
    const int64_t last = v->size() - 1;
    const int64_t before = ends == Ends::Valid ? 0 : ends == Ends::Same ? v->size() / 2 : last;
    const int64_t sums = a->size() + (ends == Ends::Valid ? -last : ends == Ends::Same ? 0 : last);
    if (sums < v->size()) return nullptr;
    const Array taps = is_turned ? v->view({v->shape(), {-v->strides()[0]}}, last * v->strides()[0]) : *v;
    return made(a->device(), a->size() * v->size(),
                [=, x = *a] { return correlate(x, taps, before, sums, is_turned ? "convolve" : "correlate"); });
}

/// cross: a, b, axisa, axisb, axisc, axis. Of two vectors of three float64.
PyObject* cross_product(Given given, int) {
    const Array *const a = read_array(given[0]), *const b = read_array(given[1]);
    if (!a || !b || is_deferring()) return nullptr;
    for (int k = 2; k < 6; ++k)
        if (!is_axis(given[k], 0, 1)) return nullptr;
    double x[3], y[3];
    const auto read = [](const Array& array, double* to) {
        if (array.dtype() != DType::float64 || array.ndim() != 1 || array.size() != 3) return false;
        const char* const from = direct_data(array);
        for (int i = 0; from && i < 3; ++i) std::memcpy(to + i, from + i * array.strides()[0], sizeof *to);
        return from != nullptr;
    };
    if (!read(*a, x) || !read(*b, y)) return nullptr;
    Array result = empty({3}, DType::float64, a->device());
    auto* const to = reinterpret_cast<double*>(direct_data(result));
    if (!to) return nullptr;
    for (int i = 0; i < 3; ++i) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        to[i] = x[j] * y[k] - x[k] * y[j];
    }
    return wrap(std::move(result));
}

/// Writes the elements that differ from the one before them, the first one included; NaN equals NaN. Returns how many.
template <class T>
int64_t write_different(const T* from, int64_t n, T* to) {
    int64_t count = 0;
    for (int64_t i = 0; i < n; ++i) {
        const bool is_new = i == 0 || (from[i] != from[i - 1] && (from[i] == from[i] || from[i - 1] == from[i - 1]));
        if (is_new) to[count++] = from[i];
    }
    return count;
}

/// unique: ar, return_index, return_inverse, return_counts, axis, equal_nan, sorted. Few integers or floats.
PyObject* different(Given given, int) {
    const Array* const array = read_array(given[0]);
    if (!array || !are_absent(given, {1, 2, 3, 4, 5, 6}) || array->is_empty()) return nullptr;
    const bool is_integer = info(array->dtype()).kind <= Kind::Signed;
    if (array->nbytes() > kFewBytes || !direct_data(*array)) return nullptr;
    if (!is_integer && array->dtype() != DType::float32 && array->dtype() != DType::float64) return nullptr;
    const Array line = sort(array->reshape({array->size()}), 0);
    const char* const from = direct_elements(line);
    if (!from) return nullptr;
    alignas(16) char room[kFewBytes];
    const auto write = [&](auto zero) {
        using T = decltype(zero);
        return write_different(reinterpret_cast<const T*>(from), line.size(), reinterpret_cast<T*>(room));
    };
    int64_t count;
    if (is_integer)
        count = item_size(line.dtype()) == 1   ? write(uint8_t())
                : item_size(line.dtype()) == 2 ? write(uint16_t())
                : item_size(line.dtype()) == 4 ? write(uint32_t())
                                               : write(uint64_t());
    else
        count = line.dtype() == DType::float32 ? write(float()) : write(double());
    Array result = empty({count}, line.dtype(), line.device());
    char* const to = direct_data(result);
    if (!to) return nullptr;
    std::memcpy(to, room, size_t(result.nbytes()));
    return wrap(std::move(result));
}

constexpr FastFunction kNumericPaths[] = {
    {"nansum", reduced_without_nan, reduction::sum},
    {"nanprod", reduced_without_nan, reduction::prod},
    {"unique", different},
    {"einsum", contracted},
    {"matmul", gufunc_product, kMatmul},
    {"matvec", gufunc_product, kMatvec},
    {"vecmat", gufunc_product, kVecmat},
    {"vecdot", vector_products},
    {"clip", limited},
    {"convolve", sums_over_taps, true},
    {"correlate", sums_over_taps, false},
    {"cross", cross_product},
};

}  // namespace

std::span<const FastFunction> numeric_paths() { return kNumericPaths; }

}  // namespace cuarray::python
