// fast_numeric.cpp -- fast paths of products of stacks and of einsum.
#include <algorithm>
#include <vector>
#include "bindings/einsum.h"
#include "bindings/fast_paths.h"
#include "cuarray/array/pending.h"
#include "cuarray/ops/einsum.h"
#include "cuarray/ops/matmul.h"

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

constexpr FastFunction kNumericPaths[] = {
    {"einsum", contracted},
    {"matmul", gufunc_product, kMatmul},
    {"matvec", gufunc_product, kMatvec},
    {"vecmat", gufunc_product, kVecmat},
    {"vecdot", vector_products},
};

}  // namespace

std::span<const FastFunction> numeric_paths() { return kNumericPaths; }

}  // namespace cuarray::python
