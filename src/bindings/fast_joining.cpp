// fast_joining.cpp -- fast paths of the functions that join, repeat and copy arrays.
#include "bindings/fast_paths.h"
#include <algorithm>
#include <cstring>
#include <vector>

namespace cuarray::python {
namespace {

/// Arrays of one dtype with memory that the host may read now.
constexpr int64_t kMostBytes = 1 << 18;  // one thread copies them
bool read_arrays(PyObject* sequence, std::vector<const Array*>& arrays) {
    const bool is_list = sequence && PyList_CheckExact(sequence);
    if (!is_list && !(sequence && PyTuple_CheckExact(sequence))) return false;
    const Py_ssize_t n = is_list ? PyList_GET_SIZE(sequence) : PyTuple_GET_SIZE(sequence);
    if (n == 0) return false;
    arrays.reserve(size_t(n));
    int64_t bytes = 0;
    for (Py_ssize_t i = 0; i < n; ++i) {
        PyObject* const entry = is_list ? PyList_GET_ITEM(sequence, i) : PyTuple_GET_ITEM(sequence, i);
        if (!is_ndarray(entry)) return false;
        const Array& array = array_of(entry);
        if (array.ndim() == 0 || array.dtype() != (arrays.empty() ? array : *arrays[0]).dtype()) return false;
        if (!array.is_c_contiguous() || !direct_data(array)) return false;
        if ((bytes += array.nbytes()) > kMostBytes) return false;
        arrays.push_back(&array);
    }
    return true;
}

/// The arrays one after the other in memory, as an array of that shape.
PyObject* joined(const std::vector<const Array*>& arrays, const Dims& shape) {
    Array result = empty(shape, arrays[0]->dtype(), arrays[0]->device());
    char* to = direct_data(result);
    if (!to) return nullptr;
    for (const Array* array : arrays) {
        std::memcpy(to, direct_data(*array), size_t(array->nbytes()));
        to += array->nbytes();
    }
    return wrap(std::move(result));
}

/// Whether the shapes agree from an axis on.
bool agree_from(const Array& a, const Array& b, int axis) {
    if (a.ndim() != b.ndim()) return false;
    for (int d = axis; d < a.ndim(); ++d)
        if (a.shape()[d] != b.shape()[d]) return false;
    return true;
}

PyObject* join_along_first(PyObject* sequence, int least_axes) {
    std::vector<const Array*> arrays;
    if (!read_arrays(sequence, arrays)) return nullptr;
    int64_t extent = 0;
    for (const Array* array : arrays) {
        if (array->ndim() < least_axes || !agree_from(*array, *arrays[0], 1)) return nullptr;
        extent += array->shape()[0];
    }
    Dims shape = arrays[0]->shape();
    shape[0] = extent;
    return joined(arrays, shape);
}

/// concat and concatenate: arrays, axis, out, dtype, casting.
PyObject* concatenated(Given given, int) {
    int64_t axis = 0;
    if (!are_absent(given, {2, 3, 4}) || (given[1] && (!read_int(given[1], axis) || axis != 0))) return nullptr;
    return join_along_first(given[0], 1);
}

/// stack: arrays, axis, out, dtype, casting.
PyObject* stacked(Given given, int) {
    int64_t axis = 0;
    if (!are_absent(given, {2, 3, 4}) || (given[1] && (!read_int(given[1], axis) || axis != 0))) return nullptr;
    std::vector<const Array*> arrays;
    if (!read_arrays(given[0], arrays)) return nullptr;
    for (const Array* array : arrays)
        if (!agree_from(*array, *arrays[0], 0)) return nullptr;
    Dims shape = arrays[0]->shape();
    if (shape.size() >= kMaxDims) return nullptr;
    shape.insert(0, int64_t(arrays.size()));
    return joined(arrays, shape);
}

/// hstack: tup, dtype, casting.
PyObject* stacked_along_only_axis(Given given, int) {
    if (!are_absent(given, {1, 2})) return nullptr;
    std::vector<const Array*> arrays;
    if (!read_arrays(given[0], arrays) || arrays[0]->ndim() != 1) return nullptr;
    return join_along_first(given[0], 1);
}

/// vstack: tup, dtype, casting.
PyObject* stacked_rows(Given given, int) {
    if (!are_absent(given, {1, 2})) return nullptr;
    std::vector<const Array*> arrays;
    if (!read_arrays(given[0], arrays)) return nullptr;
    if (arrays[0]->ndim() > 1) return join_along_first(given[0], 2);
    PyObject* const parameters[] = {given[0], nullptr, nullptr, nullptr, nullptr};
    return stacked(parameters, 0);
}

/// copyto: dst, src, casting, where. Arrays of one dtype and shape.
PyObject* copied_to(Given given, int) {
    if (!given[0] || !given[1] || !are_absent(given, {2, 3}) || !is_ndarray(given[0]) || !is_ndarray(given[1]))
        return nullptr;
    const Array &to = array_of(given[0]), &from = array_of(given[1]);
    if (to.dtype() != from.dtype() || !(to.shape() == from.shape()) || !to.is_writable()) return nullptr;
    if (!direct_data(to) || !direct_data(from) || to.size() > kShortWork) return nullptr;
    assign(to, from, "copyto");
    return Py_NewRef(Py_None);
}

/// repeat: a, repeats, axis. One count for all elements of an array of one axis.
PyObject* repeated(Given given, int) {
    const Array* const array = read_array(given[0]);
    int64_t count, axis = 0;
    if (!array || array->ndim() != 1 || !given[1] || !read_int(given[1], count) || count < 0) return nullptr;
    if (is_given(given[2]) && (!read_int(given[2], axis) || (axis != 0 && axis != -1))) return nullptr;
    const int64_t item = item_size(array->dtype());
    if (count > kFewBytes || array->nbytes() * count > 4 * kFewBytes) return nullptr;
    const char* const from = direct_data(*array);
    if (!from) return nullptr;
    Array result = empty({array->size() * count}, array->dtype(), array->device());
    char* to = direct_data(result);
    for (int64_t i = 0; i < array->size(); ++i)
        for (int64_t k = 0; k < count; ++k, to += item)
            std::memcpy(to, from + i * array->strides()[0], size_t(item));
    return wrap(std::move(result));
}

/// flip: m, axis.
PyObject* flipped(Given given, int) {
    const Array* const array = read_array(given[0]);
    if (!array || array->ndim() == 0) return nullptr;
    int64_t only = -1;
    if (is_given(given[1])) {
        if (!read_int(given[1], only) || only < -array->ndim() || only >= array->ndim()) return nullptr;
        if (only < 0) only += array->ndim();
    }
    Layout layout = array->layout();
    int64_t offset = 0;
    for (int d = 0; d < array->ndim(); ++d) {
        if (only >= 0 && d != only) continue;
        if (layout.shape[d] > 1) offset += (layout.shape[d] - 1) * layout.strides[d];
        layout.strides[d] = -layout.strides[d];
    }
    return wrap_view(array->view(layout, array->is_empty() ? 0 : offset), given[0]);
}

constexpr FastFunction kJoiningPaths[] = {
    {"concat", concatenated}, {"stack", stacked},     {"hstack", stacked_along_only_axis},
    {"vstack", stacked_rows}, {"copyto", copied_to},  {"repeat", repeated},
    {"flip", flipped},
};

}  // namespace

std::span<const FastFunction> joining_paths() { return kJoiningPaths; }

}  // namespace cuarray::python
