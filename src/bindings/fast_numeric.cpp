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
    {"unique", different},
    {"einsum", contracted},
    {"matmul", gufunc_product, kMatmul},
    {"matvec", gufunc_product, kMatvec},
    {"vecmat", gufunc_product, kVecmat},
    {"vecdot", vector_products},
    {"clip", limited},
};

}  // namespace

std::span<const FastFunction> numeric_paths() { return kNumericPaths; }

}  // namespace cuarray::python
