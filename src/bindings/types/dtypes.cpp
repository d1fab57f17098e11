// dtypes.cpp -- numpy.dtype objects to and from our element types, by kind and item size.
#include <cstring>
#include <string>
#include "bindings/functions/convert.h"
#include "bindings/types/ndarray.h"
#include "core/dispatch.h"

namespace cuarray::python {
namespace {

Attribute numpy_dtype{"numpy", "dtype"};
Attribute bfloat16_type{"ml_dtypes", "bfloat16"};

/// The dtype objects made so far; NumPy keeps one object per native dtype, so that identity decides quickly.
PyObject* dtype_objects[kDTypes];
/// Their scalar types (numpy.float32), which users pass as dtypes.
PyObject* scalar_types[kDTypes];

Object make_dtype(DType dtype) {
    if (dtype == DType::bfloat16) {
        PyObject* type = bfloat16_type.get();
        return call_with(numpy_dtype.get(), type);
    }
    const Object name = Object::steal(PyUnicode_FromString(info(dtype).typestr));
    return call_with(numpy_dtype.get(), name.get());
}

PyObject* dtype_object(DType dtype) {
    PyObject*& object = dtype_objects[int(dtype)];
    if (!object) {
        Object made = make_dtype(dtype);
        scalar_types[int(dtype)] = Object::steal(PyObject_GetAttrString(made.get(), "type")).release();
        object = made.release();
    }
    return object;
}

void make_native_dtypes() {
    for (int d = 0; d < kDTypes; ++d)
        if (DType(d) != DType::bfloat16) dtype_object(DType(d));
}

DType known(PyObject* object) {
    if (!dtype_objects[0]) make_native_dtypes();
    for (int d = 0; d < kDTypes; ++d)
        if (object && (object == dtype_objects[d] || object == scalar_types[d])) return DType(d);
    return DType::none;
}

bool begins_with(const std::string& text, const char* word) { return text.rfind(word, 0) == 0; }

/// What names ("f4") and Python's types (int) were found to mean: NumPy needs 0.3 us to say so.
PyObject* remembered_dtypes() {
    static PyObject* const dtypes = PyDict_New();
    return dtypes;
}
bool is_memorable(PyObject* object) {
    return PyUnicode_CheckExact(object) || object == reinterpret_cast<PyObject*>(&PyFloat_Type) ||
           object == reinterpret_cast<PyObject*>(&PyLong_Type) || object == reinterpret_cast<PyObject*>(&PyBool_Type) ||
           object == reinterpret_cast<PyObject*>(&PyComplex_Type);
}
DType remembered(PyObject* object) {
    PyObject* const found = is_memorable(object) ? PyDict_GetItemWithError(remembered_dtypes(), object) : nullptr;
    return found ? DType(PyLong_AsLong(found)) : DType::none;
}
void remember(PyObject* object, DType dtype) {
    constexpr Py_ssize_t kMost = 100;
    if (!is_memorable(object) || PyDict_GET_SIZE(remembered_dtypes()) >= kMost) return;
    check(PyDict_SetItem(remembered_dtypes(), object, Object::steal(PyLong_FromLong(long(dtype))).get()));
}

const char* advice(char kind, const std::string& name, bool is_foreign_order) {
    if (is_foreign_order)
        return "arrays have the machine's byte order, to which x.astype(x.dtype.newbyteorder('=')) converts one; for a "
               "file write numpy.asarray(x).astype('>f4')";
    // Types of ml_dtypes of a byte or less, which are of kind f or V.
    if (begins_with(name, "float8") || begins_with(name, "float6") || begins_with(name, "float4"))
        return "use a wider floating type, which holds all its values: x.astype('float32')";
    if (begins_with(name, "int") || begins_with(name, "uint")) return "use a whole byte: x.astype('int8')";
    switch (kind) {
        case 'f': return "use float64 instead of longdouble";
        case 'c': return "use complex128 instead of clongdouble";
        case 'M':
        case 'm': return "there are no dates: use int64 counts, as x.view('int64') of a NumPy array x has them";
        case 'O':
            return "there are only numbers and bools; x.astype(float) converts objects that are numbers, and the codes of texts "
                   "and categories are numbers (pandas: x.astype('category').cat.codes; polars: x.cast(pl.Categorical).to_physical())";
        case 'S':
        case 'U':
        case 'T': return "use integer codes, or keep text in NumPy";
        case 'V': return "use one array per field";
        default: return "use a boolean, integer, floating or complex dtype";
    }
}

/// The element at an address as a Python number.
template <class T>
PyObject* number_at(const void* address) {
    T value;
    std::memcpy(&value, address, sizeof value);
    if constexpr (is_same<T, bool>)
        return PyBool_FromLong(value);
    else if constexpr (is_signed<T>)
        return PyLong_FromLongLong(value);
    else if constexpr (is_unsigned<T>)
        return PyLong_FromUnsignedLongLong(value);
    else if constexpr (is_float<T>)
        return PyFloat_FromDouble(value);
    else if constexpr (is_half<T>)
        return PyFloat_FromDouble(widen(value));
    else
        return PyComplex_FromDoubles(value.re, value.im);
}

}  // namespace

Object to_python(DType dtype) { return Object::share(dtype_object(dtype)); }

DType find_numpy_dtype(PyObject* descriptor) {
    if (const DType dtype = known(descriptor); dtype != DType::none) return dtype;
    if (is_foreign_order(descriptor)) return DType::none;
    for (int d = 0; d < kDTypes; ++d)  // a copy of the native one
        if (dtype_objects[d] && Py_TYPE(descriptor) == Py_TYPE(dtype_objects[d])) return DType(d);
    const std::string kind = attribute_text(descriptor, "kind");
    if (kind == "V" && attribute_text(descriptor, "name") == "bfloat16") return DType::bfloat16;
    const std::string typestr = kind + attribute_text(descriptor, "itemsize");
    for (int d = 0; d < kDTypes; ++d)
        if (DType(d) != DType::bfloat16 && typestr == info(DType(d)).typestr) return DType(d);
    return DType::none;
}

DType from_numpy_dtype(PyObject* descriptor, const char* function) {
    if (const DType dtype = find_numpy_dtype(descriptor); dtype != DType::none) return dtype;
    fail_in(function, PyExc_TypeError, "dtype %S is not supported by cuarray: %s", descriptor,
            advice(attribute_text(descriptor, "kind")[0], attribute_text(descriptor, "name"),
                   is_foreign_order(descriptor)));
}

DType to_dtype(PyObject* object, DType fallback, const char* function) {
    if (!is_given(object)) return fallback;
    if (const DType dtype = known(object); dtype != DType::none) return dtype;
    if (const DType dtype = remembered(object); dtype != DType::none) return dtype;
    if (PyUnicode_Check(object) && PyUnicode_CompareWithASCIIString(object, "bfloat16") == 0) return DType::bfloat16;
    if (is_ndarray(object)) fail_in(function, PyExc_TypeError, "an array is not a dtype: use its x.dtype");
    const Object descriptor = Object::steal_or_null(PyObject_CallFunctionObjArgs(numpy_dtype.get(), object, nullptr));
    if (!descriptor) {
        if (PyErr_ExceptionMatches(PyExc_TypeError)) {
            PyErr_Clear();
            const char* advice = "use a NumPy dtype such as 'float32', or 'bfloat16'";
            if (PyLong_Check(object))
                advice = function && std::string_view(function) == "view"
                             ? "another shape is x.reshape(-1)"
                             : "a shape is one argument, a tuple such as (2, 3)";
            if (PyUnicode_Check(object) && std::string_view(PyUnicode_AsUTF8(object)).starts_with("c"))  // cpu, cuda
                advice = "use a NumPy dtype such as 'float32'; a device is the argument device=";
            fail_in(function, PyExc_TypeError, "%R is not a dtype: %s", object, advice);
        }
        throw ExceptionIsSet{};
    }
    const DType dtype = from_numpy_dtype(descriptor.get(), function);
    remember(object, dtype);
    return dtype;
}

bool is_numpy_dtype(PyObject* object) {
    return PyObject_TypeCheck(object, reinterpret_cast<PyTypeObject*>(numpy_dtype.get()));
}

bool has_foreign_order(PyObject* object) {
    if (known(object) != DType::none || PyType_Check(object) || is_ndarray(object)) return false;
    if (is_numpy_dtype(object)) return is_foreign_order(object);
    const bool is_name = PyUnicode_Check(object) || PyBytes_Check(object);
    if (PyUnicode_Check(object) && (PyUnicode_GET_LENGTH(object) < 2 || PyUnicode_READ_CHAR(object, 0) != '>'))
        return false;
    const Object named = Object::steal_or_null(is_name ? PyObject_CallOneArg(numpy_dtype.get(), object)
                                                       : PyObject_GetAttrString(object, "dtype"));
    if (!named) PyErr_Clear();  // to_dtype words it
    return named && is_numpy_dtype(named.get()) && is_foreign_order(named.get());
}

StoredDType to_dtype_of_either_order(PyObject* object, const char* function) {
    if (!has_foreign_order(object)) return {to_dtype(object, DType::float64, function)};
    const Object given = Object::steal(PyObject_CallOneArg(numpy_dtype.get(), object));
    const Object native = Object::steal(PyObject_CallMethod(given.get(), "newbyteorder", "s", "="));
    return {to_dtype(native.get(), DType::float64, function), true};
}

Object to_python(const Scalar& scalar) {
    return dispatch(scalar.dtype, [&]<class T>() { return Object::steal(number_at<T>(scalar.bytes)); });
}

void fill_list(PyObject* list, DType dtype, const char* elements) {
    dispatch(dtype, [&]<class T>() {
        for (Py_ssize_t i = 0; i < PyList_GET_SIZE(list); ++i)
            PyList_SET_ITEM(list, i, Object::steal(number_at<T>(elements + i * Py_ssize_t(sizeof(T)))).release());
    });
}

}  // namespace cuarray::python
