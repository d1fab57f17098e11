// fast_arrays.cpp -- fast paths of functions of one array: views, copies, elements, bytes; and NumPy's dispatch.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include "bindings/fast_paths.h"
#include "cuarray/runtime/registry.h"

namespace cuarray::python {
namespace {

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
    {"pad", padded},
    {"tobytes", bytes_of},
    {"array_function", dispatched},
};

}  // namespace

std::span<const FastFunction> array_paths() { return kArrayPaths; }

}  // namespace cuarray::python
