// ndarray_methods.cpp -- methods that copy, cast, reshape and move an array; those written in Python are in
// cuarray/_ndarray/methods.py.
#include <optional>
#include "bindings/functions/convert.h"
#include "bindings/functions/function.h"
#include "bindings/types/ndarray.h"
#include "cuarray/array/elements.h"
#include "cuarray/array/pending.h"
#include "cuarray/ops/creation.h"
#include "cuarray/ops/shaping.h"
#include "cuarray/runtime/runtime.h"
#include "ops/element_access.h"
#include "ops/element_parts.h"
#include "ops/same_value.h"

namespace cuarray::python {
namespace {

bool is_view_of(const Array& view, const Array& array) { return &view.storage() == &array.storage(); }

/// A view where `array` still looks at the memory of `self`, else an array of its own.
PyObject* wrap_maybe_view(Array array, PyObject* self) {
    return is_view_of(array, array_of(self)) ? wrap_view(std::move(array), self) : wrap(std::move(array));
}

/// Whether casting= of astype is its own rule: every cast, as long as no value changes.
bool is_same_value(PyObject* casting) {
    return casting && PyUnicode_Check(casting) && PyUnicode_CompareWithASCIIString(casting, "same_value") == 0;
}

constexpr Signature kAstypeSignature{"astype", {"dtype", "order", "casting", "subok", "copy", "device"}, 5, 1};
PyObject* astype_method(PyObject* self, PyObject** values) {
    const Array& array = array_of(self);
    const DType dtype = to_dtype(values[0], DType::float64, "astype");
    const char order = to_order(values[1], "CFAK", 'K', "astype");
    const bool keeps_values = is_same_value(values[2]);
    const Casting casting = keeps_values ? Casting::Unsafe : to_casting(values[2], Casting::Unsafe, "astype");
    const bool copy = !values[4] || is_true(values[4]);
    const Device device = to_device(values[5], array.device(), "astype");
    if (!can_cast(array.dtype(), dtype, casting))
        raise(ErrorKind::Type, "astype: cannot cast from ", info(array.dtype()).name, " to ", info(dtype).name,
              " according to the rule '", to_string(casting), "'");
    if (!keeps_values) warn_of_lost_imaginary_part(array.dtype(), dtype);
    const bool moves = device != array.device();
    const bool stays =
        dtype == array.dtype() && !moves &&
        (order == 'K' || order == 'A' || (order == 'C' ? array.is_c_contiguous() : array.is_f_contiguous()));
    if (!copy && stays) return Py_NewRef(self);
    Array result = without_gil(is_long(array.device(), array.size()) || moves, [&] {
        const Array source = moves ? to_device(array, device) : array;
        Array cast = astype(source, dtype, order, copy && !moves);
        if (keeps_values) check_same_value(source, cast, "astype");
        return cast;
    });
    return wrap(std::move(result), as_ndarray(self)->is_value);
}

Array copy_of(const Array& array, char order) {
    return without_gil(array, [&] { return copy(array, order); });
}

constexpr Signature kCopySignature{"copy", {"order"}, 1};
PyObject* copy_method(PyObject* self, PyObject** values) {
    return wrap(copy_of(array_of(self), to_order(values[0], "CFAK", 'C', "copy")), as_ndarray(self)->is_value);
}

PyObject* copy_protocol(PyObject* self, PyObject*) {
    return wrap(copy_of(array_of(self), 'K'), as_ndarray(self)->is_value);
}

PyObject* reshape_method(PyObject* self, Arguments args, Py_ssize_t count, PyObject* keywords) {
    static constexpr Signature kSignature{"reshape", {"shape", "order", "copy"}, 0};
    static constexpr Parameter kShape{"shape", "reshape"};
    PyObject* values[3];
    return guarded([&]() -> PyObject* {
        parse(kSignature, args + count, 0, keywords, values);
        if (count == 0 && !values[0]) fail(PyExc_TypeError, "reshape() takes a shape");
        if (count && values[0]) fail(PyExc_TypeError, "reshape() got multiple values for argument 'shape'");
        const Dims shape = count ? to_dims(args, count, kShape) : to_dims(values[0], kShape);
        const char order = to_order(values[1], "CFA", 'C', "reshape");
        const bool copies = is_given(values[2]);
        const bool always = copies && is_true(values[2]);
        const Array& array = array_of(self);
        Array result = without_gil(always && is_long(array.device(), array.size()),
                                   [&] { return array.reshape(shape, order, always, copies && !always); });
        return wrap_maybe_view(std::move(result), self);
    });
}

template <bool always>
constexpr Signature kFlatSignature{always ? "flatten" : "ravel", {"order"}, 1};

/// All elements along one axis: flatten copies them `always`.
template <bool always>
PyObject* flat_copy(PyObject* self, PyObject** values) {
    const char order = to_order(values[0], "CFAK", 'C', kFlatSignature<always>.function);
    const Array& array = array_of(self);
    if constexpr (!always) return wrap_maybe_view(ravel(array, order), self);
    Array flat = order == 'K' ? ravel(array, order) : array.reshape({-1}, order);
    return wrap(flat.is_c_contiguous() && !is_view_of(flat, array) ? std::move(flat) : copy_of(flat, 'C'));
}

PyObject* transpose_method(PyObject* self, Arguments args, Py_ssize_t count, PyObject* keywords) {
    static constexpr Signature kSignature{"transpose", {"axes"}, 0};
    static constexpr Parameter kAxes{"axes", "transpose"};
    PyObject* values[1];
    return guarded([&]() -> PyObject* {
        parse(kSignature, args + count, 0, keywords, values);
        const Array& array = array_of(self);
        PyObject* only = count == 1 ? args[0] : values[0];
        if ((count == 0 && !values[0]) || only == Py_None) return wrap_view(permute_dims(array), self);
        return wrap_view(permute_dims(array, count ? to_dims(args, count, kAxes) : to_dims(values[0], kAxes)), self);
    });
}

constexpr Signature kSwapaxesSignature{"swapaxes", {"axis1", "axis2"}, 2, 2};
PyObject* swapaxes_method(PyObject* self, PyObject** values) {
    const int64_t axis1 = to_int64(values[0], {"axis1", "swapaxes"});
    const int64_t axis2 = to_int64(values[1], {"axis2", "swapaxes"});
    return wrap_view(swapaxes(array_of(self), axis1, axis2), self);
}

constexpr Signature kSqueezeSignature{"squeeze", {"axis"}, 1};
PyObject* squeeze_method(PyObject* self, PyObject** values) {
    OptionalAxes axes;
    if (is_given(values[0])) axes = to_axes(values[0], "squeeze");
    const Array& array = array_of(self);
    Array squeezed = squeeze(array, axes);
    if (squeezed.ndim() == array.ndim()) return Py_NewRef(self);  // as NumPy
    return wrap_view(std::move(squeezed), self);
}

constexpr Signature kFillSignature{"fill", {"value"}, 1, 1};
PyObject* fill_method(PyObject* self, PyObject** values) {
    fill_with(self, values[0]);
    return Py_NewRef(Py_None);
}

/// The memory of an element of a vector that the host may read now, chosen by a Python int; null otherwise.
const char* element_of_vector(const Array& array, PyObject* index) {
    int64_t position;
    if (array.ndim() != 1 || !read_plain_int(index, position)) return nullptr;
    const int64_t offset = offset_along(array, 0, position);
    const char* const data = direct_data(array);
    return data ? data + offset : nullptr;
}

PyObject* item_method(PyObject* self, Arguments args, Py_ssize_t count) {
    return guarded([&] {
        const Array& array = array_of(self);
        if (const char* const element = count == 1 ? element_of_vector(array, args[0]) : nullptr)
            return to_python(scalar_at(element, array.dtype())).release();
        if (count == 0 || (count == 1 && PyTuple_Check(args[0]) && PyTuple_Size(args[0]) == 0))
            return to_python(item(array, "item")).release();
        Dims index = to_dims(args, count, {"index", "item"});
        if (index.size() == 1 && array.ndim() != 1) {
            const int64_t size = array.size(), flat = index[0] < 0 ? index[0] + size : index[0];
            if (flat < 0 || flat >= size)
                raise(ErrorKind::Index, "item: index ", index[0], " is out of bounds for size ", size);
            index = Dims::filled(array.ndim(), 0);
            int64_t rest = flat;
            for (int axis = array.ndim() - 1; axis >= 0; --axis) {
                index[axis] = rest % array.shape()[axis];
                rest /= array.shape()[axis];
            }
        }
        if (index.size() != array.ndim())
            raise(ErrorKind::Value, "item: ", index.size(), " indices for an array of ", array.ndim(), " dimensions");
        int64_t offset = 0;
        for (int axis = 0; axis < array.ndim(); ++axis) offset += offset_along(array, axis, index[axis]);
        return to_python(item(array.view(Layout(), offset), "item")).release();
    });
}

/// Whether it is numpy.ndarray or a class made of it.
bool is_numpy_class(PyObject* object) {
    static Attribute numpy_ndarray{"numpy", "ndarray"};
    return PyType_Check(object) && PyType_IsSubtype(reinterpret_cast<PyTypeObject*>(object),
                                                    reinterpret_cast<PyTypeObject*>(numpy_ndarray.get()));
}

/// Whether it says dtype of plain bytes, "V8": zarr compares arrays by such views.
bool is_plain_void(PyObject* dtype) {
    if (!PyUnicode_Check(dtype) || PyUnicode_GET_LENGTH(dtype) < 2 || PyUnicode_READ_CHAR(dtype, 0) != 'V')
        return false;
    for (Py_ssize_t k = 1; k < PyUnicode_GET_LENGTH(dtype); ++k)
        if (!Py_UNICODE_ISDIGIT(PyUnicode_READ_CHAR(dtype, k))) return false;
    return true;
}

/// As in NumPy, the class of the view may stand in the place of its dtype.
constexpr Signature kViewSignature{"view", {"dtype", "type"}, 2};
PyObject* view_method(PyObject* self, PyObject** values) {
    PyObject* const own = reinterpret_cast<PyObject*>(ndarray_type);
    if (values[0] && !values[1] && (values[0] == own || is_numpy_class(values[0]))) std::swap(values[0], values[1]);
    const Array& array = array_of(self);
    if (values[0] && !values[1] && is_plain_void(values[0]) && is_on_host(array.device())) {
        const Object numpy = Object::steal(PyObject_CallMethod(self, "__array__", nullptr));
        return PyObject_CallMethod(numpy.get(), "view", "O", values[0]);
    }
    Object view = Object::steal(wrap_view(reinterpreted(array, to_dtype(values[0], array.dtype(), "view")), self));
    if (!is_given(values[1]) || values[1] == own) return view.release();
    if (!is_numpy_class(values[1]))
        fail(PyExc_TypeError, "view: the class of a view is cuarray.ndarray or one made of numpy.ndarray, not %R",
             values[1]);
    const Object numpy = Object::steal(PyObject_CallMethod(view.get(), "__array__", nullptr));
    return PyObject_CallMethod(numpy.get(), "view", "O", values[1]);
}

/// Of values there is nothing to set, as of NumPy's scalars.
constexpr Signature kSetflagsSignature{"setflags", {"write", "align", "uic"}, 3};
PyObject* setflags_method(PyObject* self, PyObject** values) {
    if (as_ndarray(self)->is_value) return Py_NewRef(Py_None);
    const Object flags = Object::steal(PyObject_GetAttrString(self, "flags"));
    constexpr std::pair<const char*, int> kFlags[] = {{"aligned", 1}, {"writebackifcopy", 2}, {"writeable", 0}};
    for (const auto& [name, k] : kFlags)
        if (is_given(values[k])) check(PyObject_SetAttrString(flags.get(), name, values[k]));
    return Py_NewRef(Py_None);
}

constexpr Signature kGetfieldSignature{"getfield", {"dtype", "offset"}, 2, 1};
PyObject* getfield_method(PyObject* self, PyObject** values) {
    const Array& array = array_of(self);
    const DType dtype = to_dtype(values[0], DType::float64, "getfield");
    const int64_t offset = values[1] ? to_int64(values[1], {"offset", "getfield"}) : 0;
    const int64_t size = item_size(array.dtype());
    if (offset < 0 || offset > size - item_size(dtype))
        raise(ErrorKind::Value, "getfield: ", info(dtype).name, " at offset ", offset,
              " does not lie within an element of ", size, " bytes");
    return wrap_view(field(array, dtype, offset), self);
}

constexpr Signature kByteswapSignature{"byteswap", {"inplace"}, 1};
PyObject* byteswap_method(PyObject* self, PyObject** values) {
    const Array array = array_of(self);
    const bool in_place = values[0] && is_true(values[0]);
    if (in_place && !array.is_writable()) raise(ErrorKind::Value, "byteswap: the array is read-only");
    if (in_place && as_ndarray(self)->is_value)
        raise(ErrorKind::Value, "byteswap: a value cannot be changed in place; write x.byteswap()");
    Array result = in_place ? array : empty_like(array);
    without_gil(array, [&] { swap_bytes(array, result); });
    return in_place ? Py_NewRef(self) : wrap(std::move(result), as_ndarray(self)->is_value);
}

/// The conjugate of complex numbers; as in NumPy, a real array is its own.
PyObject* conj_method(PyObject* self, Arguments args, Py_ssize_t count) {
    static Attribute conj{"cuarray._arguments.ufuncs", "conj"}, copyto{"cuarray._arguments.functions", "copyto"};
    PyObject* const result = guarded([&]() -> PyObject* {
        if (count > 1) fail(PyExc_TypeError, "conj() takes at most 1 argument (%zd given)", count);
        PyObject* const out = count ? args[0] : Py_None;
        const bool is_complex = info(dtype_of(self)).kind == Kind::Complex;
        if (out == Py_None) return is_complex ? call_with(conj.get(), self).release() : Py_NewRef(self);
        if (!is_ndarray(out) && !is_numpy_array(out)) fail(PyExc_TypeError, "conj: output must be an array");
        Object::steal(is_complex ? PyObject_CallFunctionObjArgs(conj.get(), self, out, nullptr)
                                 : PyObject_CallFunctionObjArgs(copyto.get(), out, self, nullptr));
        return Py_NewRef(out);
    });
    if (!result) name_function_of_error("conj");
    return result;
}

constexpr Signature kToDeviceSignature{"to_device", {"device", "stream"}, 1, 1};
PyObject* to_device_method(PyObject* self, PyObject** values) {
    const Array& array = array_of(self);
    const Device device = to_device(values[0], array.device(), "to_device");
    if (device == array.device()) return Py_NewRef(self);
    // The stream belongs to the end of the way that has streams: the source, where both have.
    std::optional<StreamScope> scope;
    if (is_given(values[1])) scope.emplace(to_stream(values[1], is_on_host(array.device()) ? device : array.device()));
    return wrap(without_gil(true, [&] { return to_device(array, device); }), as_ndarray(self)->is_value);
}

constexpr Signature kGetSignature{"get", {"out", "blocking"}, 0};
PyObject* get_method(PyObject* self, PyObject** values) {
    const Array& array = array_of(self);
    const bool waits = !is_given(values[1]) || is_true(values[1]) || is_on_host(array.device());
    if (!is_given(values[0])) return (waits ? copy_to_numpy(array) : copy_to_pinned_numpy(array)).release();
    copy_into_numpy(array, values[0], waits);
    return Py_NewRef(values[0]);
}

constexpr Signature kNumpySignature{"numpy", {"out", "blocking", "copy"}, 0};
PyObject* numpy_method(PyObject* self, PyObject** values) {
    const bool where_it_can_be = values[2] == Py_None && !is_given(values[0]) && is_on_host(device_of(self));
    const bool is_forbidden = is_given(values[2]) && !is_true(values[2]);
    if (!where_it_can_be && !is_forbidden) return get_method(self, values);
    if (is_given(values[0])) raise(ErrorKind::Value, "numpy: out= is a copy; leave copy= out");
    if (!is_on_host(device_of(self)))
        raise(ErrorKind::Value, "numpy: copy=False, and the array is on ", to_string(device_of(self)),
              ", where NumPy has no memory; write x.numpy()");
    return PyObject_CallMethod(self, "__array__", nullptr);
}

/// Elements in C order, as nested lists.
Object to_list(const Array& array, const char*& element, int axis) {
    if (axis == array.ndim()) {
        const Scalar scalar = scalar_at(element, array.dtype());
        element += item_size(array.dtype());
        return to_python(scalar);
    }
    const Py_ssize_t n = Py_ssize_t(array.shape()[axis]);
    Object list = Object::steal(PyList_New(n));
    if (axis + 1 == array.ndim()) {
        fill_list(list.get(), array.dtype(), element);
        element += n * item_size(array.dtype());
        return list;
    }
    for (Py_ssize_t i = 0; i < n; ++i) PyList_SET_ITEM(list.get(), i, to_list(array, element, axis + 1).release());
    return list;
}

PyObject* tolist_method(PyObject* self, PyObject*) {
    if (is_number(self)) return to_python(scalar_of_number(self)).release();
    const Array& array = array_of(self);
    if (array.is_c_contiguous())
        if (const char* data = direct_data(array)) {
            const Array kept = array;  // making objects may run the garbage collector, and that any code
            return to_list(kept, data, 0).release();
        }
    std::vector<char> elements(size_t(array.nbytes()));
    const Array kept = array;
    without_gil(kept, [&] { read_contiguous(kept.is_c_contiguous() ? kept : copy(kept), elements.data()); });
    const char* data = elements.data();
    return to_list(kept, data, 0).release();
}

/// The elements in the order of an axis after another, from the first one or, for 'F', from the last one.
constexpr Signature kTobytesSignature{"tobytes", {"order"}, 1};
PyObject* tobytes_method(PyObject* self, PyObject** values) {
    const Array kept = array_of(self);  // making objects may run the garbage collector, and that any code
    const char order = to_order(values[0], "CFAK", 'C', "tobytes");
    const bool by_columns = order == 'F' || (order == 'A' && kept.is_f_contiguous() && !kept.is_c_contiguous());
    const Array source = by_columns ? permute_dims(kept) : kept;
    const auto size = Py_ssize_t(source.nbytes());
    if (const char* const data = source.is_c_contiguous() ? direct_data(source) : nullptr)
        return PyBytes_FromStringAndSize(data, size);
    Object bytes = Object::steal(PyBytes_FromStringAndSize(nullptr, size));
    without_gil(source, [&] { read_contiguous(source, PyBytes_AS_STRING(bytes.get())); });
    return bytes.release();
}

/// With the elements, on whatever device, unless the array is a view of another one of ours, which counts them.
PyObject* size_of_object(PyObject* self, PyObject*) {
    if (as_ndarray(self)->is_number) return PyLong_FromSize_t(sizeof(NumberObject));
    PyObject* const base = base_of(self);
    const size_t elements = base && is_ndarray(base) ? 0 : size_t(array_of(self).nbytes());
    return PyLong_FromSize_t(sizeof(ArrayObject) + elements);
}

PyObject* replace_method(PyObject* self, PyObject* other) {
    if (!is_ndarray(other)) fail(PyExc_TypeError, "_replace: expected a cuarray.ndarray");
    replace(self, Array(array_of(other)));
    return Py_NewRef(Py_None);
}

}  // namespace

PyMethodDef array_methods[] = {
    {"tobytes", method(fast_method<kTobytesSignature, tobytes_method>), kFast,
     "tobytes($self, /, order='C')\n--\n\nThe elements as bytes on the host, in C or Fortran order."
     "\n\nExamples\n--------\n"
     ">>> import cuarray as ca\n"
     ">>> ca.asarray([65, 66], dtype=\"uint8\").tobytes()\n"
     "b'AB'"},
    {"astype", method(fast_method<kAstypeSignature, astype_method>), kFast,
     "astype($self, /, dtype, order='K', casting='unsafe', subok=True, copy=True, *, device=None)\n--\n\n"
     "The elements converted to dtype."
     "\n\nExamples\n--------\n"
     ">>> import cuarray as ca\n"
     ">>> ca.asarray([1.7, -2.2]).astype(\"int32\")\n"
     "array([ 1, -2], dtype=int32)"},
    {"copy", method(fast_method<kCopySignature, copy_method>), kFast,
     "copy($self, /, order='C')\n--\n\nA copy in memory of its own."
     "\n\nExamples\n--------\n"
     ">>> import cuarray as ca\n"
     ">>> x = ca.arange(3)\n"
     ">>> y = x.copy()\n"
     ">>> y[0] = 9\n"
     ">>> x\n"
     "array([0, 1, 2])"},
    {"reshape", method(reshape_method), kFast,
     "reshape($self, /, *shape, order='C', copy=None)\n--\n\n"
     "The same elements under another shape, as a view where the memory allows it."
     "\n\nExamples\n--------\n"
     ">>> import cuarray as ca\n"
     ">>> ca.arange(6).reshape(2, -1)\n"
     "array([[0, 1, 2],\n"
     "       [3, 4, 5]])"},
    {"ravel", method(fast_method<kFlatSignature<false>, flat_copy<false>>), kFast,
     "ravel($self, /, order='C')\n--\n\nThe elements as one axis, a view if possible."
     "\n\nExamples\n--------\n"
     ">>> import cuarray as ca\n"
     ">>> ca.asarray([[1, 2], [3, 4]]).ravel()\n"
     "array([1, 2, 3, 4])"},
    {"flatten", method(fast_method<kFlatSignature<true>, flat_copy<true>>), kFast,
     "flatten($self, /, order='C')\n--\n\nA copy of the elements as one axis."
     "\n\nExamples\n--------\n"
     ">>> import cuarray as ca\n"
     ">>> ca.asarray([[1, 2], [3, 4]]).flatten(\"F\")\n"
     "array([1, 3, 2, 4])"},
    {"transpose", method(transpose_method), kFast,
     "transpose($self, /, *axes)\n--\n\nView with the axes permuted (reversed by default)."
     "\n\nExamples\n--------\n"
     ">>> import cuarray as ca\n"
     ">>> ca.zeros((2, 3, 4)).transpose(1, 0, 2).shape\n"
     "(3, 2, 4)"},
    {"swapaxes", method(fast_method<kSwapaxesSignature, swapaxes_method>), kFast,
     "swapaxes($self, axis1, axis2, /)\n--\n\nView with two axes exchanged."
     "\n\nExamples\n--------\n"
     ">>> import cuarray as ca\n"
     ">>> ca.zeros((2, 3, 4)).swapaxes(0, 2).shape\n"
     "(4, 3, 2)"},
    {"squeeze", method(fast_method<kSqueezeSignature, squeeze_method>), kFast,
     "squeeze($self, /, axis=None)\n--\n\nView without axes of extent 1."
     "\n\nExamples\n--------\n"
     ">>> import cuarray as ca\n"
     ">>> ca.zeros((1, 3, 1)).squeeze().shape\n"
     "(3,)"},
    {"fill", method(fast_method<kFillSignature, fill_method>), kFast,
     "fill($self, /, value)\n--\n\nSets every element."
     "\n\nExamples\n--------\n"
     ">>> import cuarray as ca\n"
     ">>> x = ca.zeros(3)\n"
     ">>> x.fill(7)\n"
     ">>> x\n"
     "array([7., 7., 7.])"},
    {"item", method(item_method), METH_FASTCALL,
     "item($self, /, *args)\n--\n\nThe element at an index (or the only one) as a Python number."
     "\n\nExamples\n--------\n"
     ">>> import cuarray as ca\n"
     ">>> ca.asarray([1.5, 2.5]).item(1)\n"
     "2.5"},
    {"view", method(fast_method<kViewSignature, view_method>), kFast,
     "view($self, /, dtype=None, type=None)\n--\n\n"
     "The same bytes as elements of dtype; with type=numpy.ndarray, and of plain bytes (\"V8\"), on cpu, as an array "
     "of NumPy's."
     "\n\nExamples\n--------\n"
     ">>> import cuarray as ca\n"
     ">>> ca.asarray([1.0]).view(\"int64\")\n"
     "array([4607182418800017408])"},
    {"setflags", method(fast_method<kSetflagsSignature, setflags_method>), kFast,
     "setflags($self, /, write=None, align=None, uic=None)\n--\n\n"
     "Set whether the array is writeable; see numpy.ndarray.setflags. It becomes writeable again if it owns its memory, "
     "or what it is a view of is writeable. The other flags only accept what is so."
     "\n\nExamples\n--------\n"
     ">>> import cuarray as ca\n"
     ">>> x = ca.zeros(2)\n"
     ">>> x.setflags(write=False)\n"
     ">>> x.flags.writeable\n"
     "False"},
    {"getfield", method(fast_method<kGetfieldSignature, getfield_method>), kFast,
     "getfield($self, /, dtype, offset=0)\n--\n\n"
     "View of a part of each element, at an offset in bytes; see numpy.ndarray.getfield."
     "\n\nExamples\n--------\n"
     ">>> import cuarray as ca\n"
     ">>> ca.asarray([1 + 2j]).getfield(\"float64\", 8)\n"
     "array([2.])"},
    {"byteswap", method(fast_method<kByteswapSignature, byteswap_method>), kFast,
     "byteswap($self, /, inplace=False)\n--\n\n"
     "The elements with the bytes of each number reversed, as files may hold them; or reverse them in place."
     "\n\nExamples\n--------\n"
     ">>> import cuarray as ca\n"
     ">>> ca.asarray([1], dtype=\"uint16\").byteswap()\n"
     "array([256], dtype=uint16)"},
    {"conj", method(conj_method), METH_FASTCALL,
     "conj($self, out=None, /)\n--\n\n"
     "The complex conjugate of the elements; of a real array the array itself. Written to `out` if given."
     "\n\nExamples\n--------\n"
     ">>> import cuarray as ca\n"
     ">>> ca.asarray([1 + 2j]).conj()\n"
     "array([1.-2.j])"},
    {"conjugate", method(conj_method), METH_FASTCALL,
     "conjugate($self, out=None, /)\n--\n\nThe complex conjugate; the same as conj."
     "\n\nExamples\n--------\n"
     ">>> import cuarray as ca\n"
     ">>> ca.asarray([1 + 2j]).conjugate()\n"
     "array([1.-2.j])"},
    {"to_device", method(fast_method<kToDeviceSignature, to_device_method>), kFast,
     "to_device($self, device, /, *, stream=None)\n--\n\nA copy on another device; the array itself where it "
     "is there."
     "\n\nExamples\n--------\n"
     ">>> import cuarray as ca\n"
     ">>> ca.arange(3).to_device(\"cpu\").device\n"
     "device('cpu')"},
    {"numpy", method(fast_method<kNumpySignature, numpy_method>), kFast,
     "numpy($self, /, *, out=None, blocking=True, copy=True)\n--\n\nA copy as a numpy.ndarray, or into the one given "
     "as out; with copy=False a view of the memory, on cpu (ValueError on a GPU), with copy=None one where it can be."
     "\n\nExamples\n--------\n"
     ">>> import cuarray as ca\n"
     ">>> type(ca.arange(3).numpy())\n"
     "<class 'numpy.ndarray'>"},
    {"get", method(fast_method<kGetSignature, get_method>), kFast,
     "get($self, /, *, out=None, blocking=True)\n--\n\nA copy as a numpy.ndarray: CuPy's name for x.numpy()."
     "\n\nExamples\n--------\n"
     ">>> import cuarray as ca\n"
     ">>> type(ca.arange(3).get())\n"
     "<class 'numpy.ndarray'>"},
    {"__copy__", method(plain_method<copy_protocol>), METH_NOARGS, "__copy__($self, /)\n--\n\nFor copy.copy."},
    {"__deepcopy__", method(plain_method<copy_protocol>), METH_O,
     "__deepcopy__($self, memo, /)\n--\n\nFor copy.deepcopy."},
    {"tolist", method(plain_method<tolist_method>), METH_NOARGS,
     "tolist($self, /)\n--\n\nThe elements as nested lists of Python numbers; of a 0-d array a number."
     "\n\nExamples\n--------\n"
     ">>> import cuarray as ca\n"
     ">>> ca.asarray([[1, 2], [3, 4]]).tolist()\n"
     "[[1, 2], [3, 4]]"},
    {"__sizeof__", method(size_of_object), METH_NOARGS,
     "__sizeof__($self, /)\n--\n\nBytes of the object, without a block."},
    {"_replace", method(plain_method<replace_method>), METH_O, "Takes memory, layout and dtype of another array."},
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace cuarray::python
