// fast_arrays.cpp -- fast paths of functions of one array: views, copies, elements, bytes; and NumPy's dispatch.
#include <algorithm>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <limits>
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

/// flip: m, axis.
PyObject* flipped(Given given, int) {
    const Array* const array = read_array(given[0]);
    if (!array || array->ndim() == 0) return nullptr;
    int64_t only = -1;
    if (is_given(given[1]) && !read_axis(given[1], array->ndim(), only)) return nullptr;
    Layout layout = array->layout();
    int64_t offset = 0;
    for (int d = 0; d < array->ndim(); ++d) {
        if (only >= 0 && d != only) continue;
        if (layout.shape[d] > 1) offset += (layout.shape[d] - 1) * layout.strides[d];
        layout.strides[d] = -layout.strides[d];
    }
    return wrap_view(array->view(layout, array->is_empty() ? 0 : offset), given[0]);
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

/// moveaxis: a, source, destination. One axis.
PyObject* with_moved_axis(Given given, int) {
    const Array* const array = read_array(given[0]);
    int64_t from, to;
    if (!array || !given[1] || !given[2] || !read_int(given[1], from) || !read_int(given[2], to)) return nullptr;
    const int64_t ndim = array->ndim();
    if (from < -ndim || from >= ndim || to < -ndim || to >= ndim) return nullptr;
    if (from < 0) from += ndim;
    Dims order;
    for (int64_t d = 0; d < ndim; ++d)
        if (d != from) order.push_back(d);
    order.insert(int(to < 0 ? to + ndim : to), from);
    return wrap_view(array->transpose(order), given[0]);
}

/// A position along an axis, as an int or an int64 value.
bool read_position(PyObject* object, int64_t& position) {
    if (!object || !is_number(object)) return object && read_int(object, position);
    const Scalar& scalar = scalar_of_number(object);
    if (scalar.dtype == DType::int64) std::memcpy(&position, scalar.bytes, sizeof position);
    return scalar.dtype == DType::int64;
}

PyObject* wrap_position(int64_t position) { return wrap(Scalar::of(DType::int64, position)); }

/// unravel_index: indices, shape, order. One position.
PyObject* position_along_axes(Given given, int) {
    int64_t position;
    Dims shape;
    if (!is_on_host(current_device()) || given[2] || !given[1] || !PyTuple_CheckExact(given[1])) return nullptr;
    if (!read_position(given[0], position)) return nullptr;
    if (!read_shape(given[1], shape) || position < 0 || position >= count(shape)) return nullptr;
    Object result = Object::steal(PyTuple_New(shape.size()));
    for (int d = shape.size() - 1; d >= 0; --d) {
        PyTuple_SET_ITEM(result.get(), d, Object::steal(wrap_position(position % shape[d])).release());
        position /= shape[d];
    }
    return result.release();
}

/// ravel_multi_index: multi_index, dims, mode, order. One position along each axis.
PyObject* position_in_memory(Given given, int) {
    Dims shape;
    if (!are_absent(given, {2, 3}) || !given[0] || !PyTuple_CheckExact(given[0])) return nullptr;
    if (!is_on_host(current_device()) || !given[1] || !PyTuple_CheckExact(given[1]) || !read_shape(given[1], shape))
        return nullptr;
    if (shape.size() == 0 || PyTuple_GET_SIZE(given[0]) != shape.size()) return nullptr;
    int64_t result = 0;
    for (int d = 0; d < shape.size(); ++d) {
        int64_t position;
        if (!read_position(PyTuple_GET_ITEM(given[0], d), position) || position < 0 || position >= shape[d])
            return nullptr;
        result = result * shape[d] + position;
    }
    return wrap_position(result);
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

/// A bit order: absent, or one of its two names.
bool read_bit_order(PyObject* object, bool& highest_first) {
    const auto is = [object](const char* name) {
        return PyUnicode_Check(object) && PyUnicode_CompareWithASCIIString(object, name) == 0;
    };
    highest_first = !object || is("big");
    return highest_first || is("little");
}

using BitLoop = void (DirectLoops::*)(const void* from, void* to, int64_t n, bool highest_first);

/// The result of a loop over the lines of a contiguous array's last axis, or over all elements, whose lines get
/// `shape`.
PyObject* line_by_line(const Array& array, const Dims& shape, bool highest_first, BitLoop loop) {
    const char* const from = direct_data(array);
    if (!from) return nullptr;
    Array result = empty(shape, DType::uint8, array.device());
    char* const to = direct_data(result);
    DirectLoops* const loops = array.storage().front().direct();
    if (!to) return nullptr;
    const int64_t width = shape[shape.size() - 1], lines = width ? result.size() / width : 0;
    const int64_t n = lines ? array.size() / lines : 0;
    without_gil(array, [&] {
        for (int64_t k = 0; k < lines; ++k) (loops->*loop)(from + k * n, to + k * width, n, highest_first);
    });
    return wrap(std::move(result));
}

/// The array if it is a contiguous one of a dtype, and the axis is its last one or absent; and the shape of its lines.
const Array* read_lines(PyObject* object, PyObject* axis_object, DType dtype, Dims& shape) {
    const Array* const array = read_array(object);
    int64_t axis = -1;
    if (!array || array->dtype() != dtype || array->ndim() == 0 || !array->is_c_contiguous()) return nullptr;
    shape = array->shape();
    if (!is_given(axis_object)) {
        shape = {array->size()};
    } else if (!read_int(axis_object, axis) || (axis != -1 && axis != array->ndim() - 1)) {
        return nullptr;
    }
    return array;
}

/// packbits: a, axis, bitorder. Bools along the last axis.
PyObject* packed_bits(Given given, int) {
    Dims shape;
    bool highest_first;
    const Array* const array = read_lines(given[0], given[1], DType::bool_, shape);
    if (!array || !read_bit_order(given[2], highest_first)) return nullptr;
    int64_t& width = shape[shape.size() - 1];
    width = width / 8 + (width % 8 != 0);
    return line_by_line(*array, shape, highest_first, &DirectLoops::pack_bits);
}

/// unpackbits: a, axis, count, bitorder. Along the last axis, all bits.
PyObject* unpacked_bits(Given given, int) {
    Dims shape;
    bool highest_first;
    const Array* const array = read_lines(given[0], given[1], DType::uint8, shape);
    if (!array || is_given(given[2]) || !read_bit_order(given[3], highest_first)) return nullptr;
    int64_t& width = shape[shape.size() - 1];
    if (width > std::numeric_limits<int64_t>::max() / 8) return nullptr;
    width *= 8;
    return line_by_line(*array, shape, highest_first, &DirectLoops::unpack_bits);
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
    if (PyTuple_GET_ITEM(types, 0) != reinterpret_cast<PyObject*>(ndarray_type)) return nullptr;
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
    {"flip", flipped},
    {"pad", padded},
    {"diag", diagonal_or_matrix},
    {"diagonal", diagonal},
    {"fill_diagonal", filled_diagonal},
    {"moveaxis", with_moved_axis},
    {"unravel_index", position_along_axes},
    {"ravel_multi_index", position_in_memory},
    {"take", taken},
    {"packbits", packed_bits},
    {"unpackbits", unpacked_bits},
    {"tobytes", bytes_of},
    {"array_function", dispatched},
};

}  // namespace

std::span<const FastFunction> array_paths() { return kArrayPaths; }

}  // namespace cuarray::python
