// fast_numeric.cpp -- fast path of einsum.
#include <algorithm>
#include <vector>
#include "bindings/einsum.h"
#include "bindings/fast_paths.h"
#include "cuarray/ops/einsum.h"

namespace cuarray::python {
namespace {

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
};

}  // namespace

std::span<const FastFunction> numeric_paths() { return kNumericPaths; }

}  // namespace cuarray::python
