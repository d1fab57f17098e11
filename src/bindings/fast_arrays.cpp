// fast_arrays.cpp -- fast paths of functions of one array: views, copies, elements, bytes; and NumPy's dispatch.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include "bindings/fast_paths.h"
#include "cuarray/ops/indexing.h"
#include "cuarray/runtime/registry.h"

namespace cuarray::python {
namespace {

/// copyto: dst, src, casting, where. Arrays of one dtype and shape.
PyObject* copied_to(Given given, int) {
    if (!given[0] || !given[1] || !are_absent(given, {2, 3}) || !is_ndarray(given[0]) || !is_ndarray(given[1]))
        return nullptr;
    const Array &to = array_of(given[0]), &from = array_of(given[1]);
    if (to.dtype() != from.dtype() || !(to.shape() == from.shape()) || !to.is_writable()) return nullptr;
    if (!(to.device() == from.device()) || to.is_pending() || from.is_pending()) return nullptr;
    without_gil(is_long(to.device(), to.size()), [=] { assign(to, from, "copyto"); });
    return Py_NewRef(Py_None);
}

/// Fills `width` elements at both ends of every axis with zeros; the interior is written by others.
void fill_margins(const Array& array, int64_t width, const Scalar& zero) {
    Dims shape = array.shape();
    int64_t interior = 0;  // bytes from the array's first element to that of the part still to fill
    for (int axis = 0; axis < shape.size(); ++axis) {
        const int64_t extent = shape[axis], stride = array.strides()[axis];
        shape[axis] = width;
        for (const int64_t first : {int64_t(0), extent - width})
            fill(array.view({shape, array.strides()}, interior + first * stride), zero, "pad");
        shape[axis] = extent - 2 * width;
        interior += width * stride;
    }
}

/// pad: array, pad_width, mode. With as many zeros at each end of every axis.
PyObject* padded(Given given, int) {
    const Array* const array = read_array(given[0]);
    int64_t width;
    constexpr int64_t kMost = int64_t(1) << 40;
    if (!array || array->ndim() == 0 || !given[1] || !read_int(given[1], width) || width < 0 || given[2])
        return nullptr;
    if (!array->is_c_contiguous() || array->is_empty() || width > kMost) return nullptr;
    Dims shape = array->shape();
    int64_t elements = 1;
    for (int d = 0; d < shape.size(); ++d) {
        shape[d] += 2 * width;
        if (shape[d] > kMost / elements) return nullptr;
        elements *= shape[d];
    }
    return made(array->device(), elements, [&, x = *array] {
        const Array result = empty(shape, x.dtype(), x.device());
        const Scalar zero = convert(Scalar::of(DType::bool_, false), x.dtype());
        if (elements <= 4 * kShortWork && is_direct(x.device()))
            fill(result, zero, "pad");
        else
            fill_margins(result, width, zero);
        int64_t offset = 0;
        for (const int64_t stride : result.strides()) offset += width * stride;
        assign(result.view({x.shape(), result.strides()}, offset), x, "pad");
        return result;
    });
}

/// The diagonal at an offset of the matrices along two axes, as the last axis of a view.
Array diagonal_of(const Array& array, int64_t offset, int rows, int columns) {
    const int64_t down = array.strides()[rows], right = array.strides()[columns];
    const int64_t height = array.shape()[rows] + std::min<int64_t>(offset, 0);
    const int64_t width = array.shape()[columns] - std::max<int64_t>(offset, 0);
    Layout layout;
    for (int d = 0; d < array.ndim(); ++d) {
        if (d == rows || d == columns) continue;
        layout.shape.push_back(array.shape()[d]);
        layout.strides.push_back(array.strides()[d]);
    }
    layout.shape.push_back(std::max<int64_t>(std::min(height, width), 0));
    layout.strides.push_back(down + right);
    const int64_t first = offset >= 0 ? offset * right : -offset * down;
    return array.view(layout, count(layout.shape) ? first : 0);
}

PyObject* view_of_diagonal(PyObject* object, int64_t offset, int rows, int columns) {
    Array diagonal = diagonal_of(array_of(object), offset, rows, columns);
    diagonal.set_read_only();
    return wrap_view(std::move(diagonal), object);
}

constexpr int64_t kMostOffset = int64_t(1) << 40;

/// diagonal: a, offset, axis1, axis2.
PyObject* diagonal(Given given, int) {
    const Array* const array = read_array(given[0]);
    int64_t offset = 0, axes[] = {0, 1};
    if (!array || array->ndim() < 2 || (given[1] && !read_int(given[1], offset)) || std::abs(offset) > kMostOffset)
        return nullptr;
    for (int k = 0; k < 2; ++k)
        if (!read_axis(given[2 + k], array->ndim(), axes[k])) return nullptr;
    return axes[0] == axes[1] ? nullptr : view_of_diagonal(given[0], offset, int(axes[0]), int(axes[1]));
}

/// diag: v, k. A diagonal of a matrix, or few elements as the diagonal of a new matrix.
PyObject* diagonal_or_matrix(Given given, int) {
    const Array* const array = read_array(given[0]);
    int64_t offset = 0;
    if (!array || (given[1] && !read_int(given[1], offset)) || std::abs(offset) > kMostOffset) return nullptr;
    if (array->ndim() == 2) return view_of_diagonal(given[0], offset, 0, 1);
    const int64_t item = item_size(array->dtype()), n = array->ndim() == 1 ? array->size() + std::abs(offset) : 0;
    const char* const from = n > 0 && n <= kFewBytes && n * n * item <= 4 * kFewBytes ? direct_data(*array) : nullptr;
    if (!from) return nullptr;
    Array result = empty({n, n}, array->dtype(), array->device());
    char* to = direct_data(result);
    if (!to) return nullptr;
    std::memset(to, 0, size_t(result.nbytes()));
    to += (offset >= 0 ? offset : -offset * n) * item;
    for (int64_t i = 0; i < array->size(); ++i)
        std::memcpy(to + i * (n + 1) * item, from + i * array->strides()[0], size_t(item));
    return wrap(std::move(result));
}

/// fill_diagonal: a, val, wrap. A float or an int, in a matrix of floats.
PyObject* filled_diagonal(Given given, int) {
    const Array* const array = read_array(given[0]);
    double number;
    if (!array || is_number(given[0]) || array->ndim() != 2 || !array->is_writable() || !given[1] || given[2])
        return nullptr;
    if (array->dtype() != DType::float64 || !read_float(given[1], number)) return nullptr;
    fill(diagonal_of(*array, 0, 0, 1), Scalar::of(DType::float64, number), "fill_diagonal");
    return Py_NewRef(Py_None);
}

/// take: a, indices, axis, out, mode. Elements of an array of one axis, or its parts along an axis.
PyObject* taken(Given given, int) {
    const Array* const array = read_array(given[0]);
    int64_t axis = 0;
    if (!array || array->ndim() == 0 || !given[1] || !are_absent(given, {3, 4})) return nullptr;
    if (is_given(given[2]) ? !read_axis(given[2], array->ndim(), axis) : array->ndim() != 1) return nullptr;
    if (axis == 0 && is_on_host(array->device()))
        if (PyObject* const few = take_few(*array, given[1])) return few;
    const Array* const places = read_array(given[1]);
    if (!places || places->dtype() != DType::int64 || places->ndim() == 0 || !(places->device() == array->device()))
        return nullptr;
    try {
        return made(array->device(), std::max(array->size(), places->size()),
                    [&, x = *array, at = *places] { return take(x, at, int(axis), Outside::Raise); });
    } catch (const Error& error) {
        if (error.kind() != ErrorKind::Index) throw;
        return nullptr;
    }
}

/// The method tobytes: self, order.
PyObject* bytes_of(Given given, int) {
    const Array* const array = read_array(given[0]);
    if (!array || given[1] || !array->is_c_contiguous()) return nullptr;
    const char* const data = direct_data(*array);
    return data ? PyBytes_FromStringAndSize(data, Py_ssize_t(array->nbytes())) : nullptr;
}

/// The method __array_function__: self, function, types, args, kwargs. A function of NumPy that has been called before,
/// with arrays of ours alone.
PyObject* dispatched(Given given, int) {
    static Attribute counterparts{"cuarray._ndarray.protocols", "counterparts"};  // a dict that Python fills
    PyObject* const types = given[2];
    if (!given[4] || !PyTuple_CheckExact(given[3]) || !PyDict_CheckExact(given[4]) || !is_ndarray(given[0]))
        return nullptr;
    if (!PyTuple_CheckExact(types) || PyTuple_GET_SIZE(types) != 1) return nullptr;
    if (!is_array_type(reinterpret_cast<PyTypeObject*>(PyTuple_GET_ITEM(types, 0)))) return nullptr;
    PyObject* const found = PyDict_GetItemWithError(counterparts.get(), given[1]);
    if (!found) {
        PyErr_Clear();
        return nullptr;
    }
    if (!(device_of(given[0]) == current_device())) return nullptr;
    const Object ours = Object::share(found);
    return PyObject_Call(ours.get(), given[3], given[4]);
}

constexpr FastFunction kArrayPaths[] = {
    {"copyto", copied_to},
    {"pad", padded},
    {"diag", diagonal_or_matrix},
    {"diagonal", diagonal},
    {"fill_diagonal", filled_diagonal},
    {"take", taken},
    {"tobytes", bytes_of},
    {"array_function", dispatched},
};

}  // namespace

std::span<const FastFunction> array_paths() { return kArrayPaths; }

}  // namespace cuarray::python
