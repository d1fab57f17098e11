// convert.cpp -- devices, shapes, orders, and the arguments of operations.
#include "bindings/functions/convert.h"
#include <algorithm>
#include <atomic>
#include <cctype>
#include <cstring>
#include <limits>
#include <string>
#include "bindings/protocols/other_arrays.h"
#include "bindings/types/ndarray.h"
#include "cuarray/array/elements.h"
#include "cuarray/runtime/registry.h"
#include "ops/call.h"

namespace cuarray::python {
namespace {

Attribute numpy_ndarray{"numpy", "ndarray"};
Attribute numpy_generic{"numpy", "generic"};

bool is_instance(PyObject* object, Attribute& type) {
    return PyObject_TypeCheck(object, reinterpret_cast<PyTypeObject*>(type.get()));
}

void check_count(Py_ssize_t count, Parameter parameter) {
    if (count > kMaxDims)
        fail_in(parameter.function, PyExc_ValueError, "%s has %zd entries; the limit is %d", parameter.name, count,
                kMaxDims);
}

/// An extent, an axis or an index: as NumPy, no bool.
int64_t to_dim(PyObject* object, Parameter parameter) {
    if (PyBool_Check(object)) refuse(PyExc_TypeError, parameter, "an integer", object);
    return to_int64(object, parameter);
}

}  // namespace

bool is_numpy_array(PyObject* object) {
    if (reinterpret_cast<PyObject*>(Py_TYPE(object)) == numpy_ndarray.get()) return true;
    return is_instance(object, numpy_ndarray) && !is_more_than_numbers(object);
}
bool is_python_number(PyObject* object) {
    return PyFloat_CheckExact(object) || PyLong_CheckExact(object) || PyBool_Check(object) ||
           PyComplex_CheckExact(object);
}
bool is_numpy_scalar(PyObject* object) { return is_instance(object, numpy_generic); }

bool is_numpy_float64(PyObject* object) {
    static Attribute float64{"numpy", "float64"};
    return PyFloat_Check(object) && reinterpret_cast<PyObject*>(Py_TYPE(object)) == float64.get();
}

bool has_no_axes(PyObject* numpy_array) {
    const Object ndim = Object::steal(PyObject_GetAttrString(numpy_array, "ndim"));
    return to_int64(ndim.get(), {"ndim"}) == 0;
}

bool is_on_host(Device device) {
    enum : uint8_t { kUnknown, kYes, kNo };
    static std::atomic<uint8_t> known[2][256];
    std::atomic<uint8_t>& answer = known[int(device.kind)][device.index];
    if (answer == kUnknown) answer = backend(device).is_host_accessible() ? kYes : kNo;
    return answer == kYes;
}

Array& to_array(PyObject* object, const char* function) {
    if (!is_ndarray(object)) fail_in(function, PyExc_TypeError, "expected a cuarray.ndarray, not %R", Py_TYPE(object));
    return array_of(object);
}

Object to_python(const Dims& dims) {
    Object tuple = Object::steal(PyTuple_New(dims.size()));
    for (int i = 0; i < dims.size(); ++i)
        check(PyTuple_SetItem(tuple.get(), i, Object::steal(PyLong_FromLongLong(dims[i])).release()));
    return tuple;
}

Dims to_dims(PyObject* object, Parameter parameter) {
    if (is_ndarray(object) || is_numpy_array(object)) {
        const Object values = Object::steal(PyObject_CallMethod(object, "tolist", nullptr));
        if (PyList_Check(values.get())) return to_dims(values.get(), parameter);
    }
    if (PyIndex_Check(object)) return Dims{to_dim(object, parameter)};
    if (!PySequence_Check(object) || PyUnicode_Check(object) || PyBytes_Check(object))
        refuse(PyExc_TypeError, parameter, "an integer or a sequence of integers", object);
    const Py_ssize_t count = PySequence_Size(object);
    check(count < 0 ? -1 : 0);
    check_count(count, parameter);
    Dims dims;
    for (Py_ssize_t i = 0; i < count; ++i) {
        const Object entry = Object::steal(PySequence_GetItem(object, i));
        dims.push_back(to_dim(entry.get(), parameter));
    }
    return dims;
}

Dims to_dims(Arguments args, Py_ssize_t count, Parameter parameter) {
    if (count == 1) return to_dims(args[0], parameter);
    check_count(count, parameter);
    Dims dims;
    for (Py_ssize_t i = 0; i < count; ++i) dims.push_back(to_dim(args[i], parameter));
    return dims;
}

Dims to_axes(PyObject* object, const char* function) {
    const Parameter axis{"axis", function};
    const bool is_several = is_ndarray(object)       ? array_of(object).ndim() > 0
                            : is_numpy_array(object) ? !has_no_axes(object)
                                                     : !PyIndex_Check(object) && !PyTuple_Check(object);
    if (is_several) refuse(PyExc_TypeError, axis, "an integer or a tuple of integers", object);
    return to_dims(object, axis);
}

Dims to_shape(PyObject* object, const char* function) {
    Dims shape = to_dims(object, {"shape", function});
    for (int64_t extent : shape)
        if (extent < 0) fail_in(function, PyExc_ValueError, "negative dimensions are not allowed: %R", object);
    return shape;
}

char to_order(PyObject* object, const char* allowed, char fallback, const char* function) {
    if (!is_given(object)) return fallback;
    const Parameter order{"order", function};
    const std::string_view text = to_text(object, order);
    const char letter = text.size() == 1 ? char(std::toupper(static_cast<unsigned char>(text[0]))) : '\0';
    if (letter && std::strchr(allowed, letter)) return letter;
    refuse(PyExc_ValueError, order, (std::string("one of the letters ") + allowed).c_str(), object);
}

Casting to_casting(PyObject* object, Casting fallback, const char* function) {
    if (!is_given(object)) return fallback;
    const Parameter parameter{"casting", function};
    const std::string_view text = to_text(object, parameter);
    for (Casting casting : {Casting::SameKind, Casting::No, Casting::Equiv, Casting::Safe, Casting::Unsafe})
        if (text == to_string(casting)) return casting;
    refuse(PyExc_ValueError, parameter, "one of 'no', 'equiv', 'safe', 'same_kind' or 'unsafe'", object);
}

void refuse_swapped_bytes(Casting casting, std::span<PyObject* const> objects, const char* function) {
    if (casting != Casting::No) return;
    for (PyObject* const object : objects)
        if (object && is_numpy_array(object) && has_swapped_bytes(object))
            raise(ErrorKind::Type, function,
                  ": cannot cast an array of swapped bytes to the machine's order with casting rule 'no'");
}

CallDevice common_device(PyObject* const* objects, Py_ssize_t count) {
    for (Py_ssize_t i = 0; i < count; ++i)
        if (PyObject* first = objects[i] ? find_ndarray(objects[i]) : nullptr) return device_of(first);
    return {current_device(), false};
}

bool is_long(Device device, std::span<const Argument> args) {
    if (!is_on_host(device)) return true;
    const Array* first = nullptr;
    int64_t work = 1;
    // The product of the sizes is never too small and needs no look at the shapes.
    for (const Argument& argument : args) {
        const int64_t size = argument.array ? argument.array->size() : 1;
        if (size > kShortWork) return true;
        work *= size;
    }
    if (work <= kShortWork) return false;
    work = 1;
    for (const Argument& argument : args) {
        if (!argument.array) continue;
        if (first && argument.array->shape() == first->shape()) continue;
        first = argument.array;
        if (__builtin_mul_overflow(work, first->size(), &work)) return true;
    }
    return work > kShortWork;
}

void ArrayOrScalar::load_python_int(PyObject* object) {
    int overflow = 0;
    const long long value = PyLong_AsLongLongAndOverflow(object, &overflow);
    if (value == -1 && !overflow && PyErr_Occurred()) throw ExceptionIsSet{};
    kind_ = Kind::Weak;
    weak_ = Weak{};
    weak_.integer = uint64_t(value);
    weak_.negative = overflow < 0 || (!overflow && value < 0);
    weak_.real = double(value);
    if (!overflow) return;
    weak_.real = PyLong_AsDouble(object);
    if (PyErr_Occurred()) {
        PyErr_Clear();
        weak_.real = overflow * std::numeric_limits<double>::infinity();
    }
    weak_.integer = overflow > 0 ? PyLong_AsUnsignedLongLong(object) : 0;
    if (PyErr_Occurred() || overflow < 0) {
        PyErr_Clear();
        weak_.integer = 0;
        weak_.big = int8_t(overflow);
    }
}

namespace {

/// The dtype of a NumPy scalar or array; those of NumPy's own scalar types are remembered.
DType dtype_of_numpy(PyObject* object, const char* function) {
    struct Known {
        PyTypeObject* type;
        DType dtype;
    };
    static Few<Known, kDTypes> known;  // the GIL guards it
    PyTypeObject* const type = Py_TYPE(object);
    for (const Known& one : known)
        if (one.type == type) return one.dtype;
    const Object descriptor = Object::steal(PyObject_GetAttrString(object, "dtype"));
    const DType dtype = from_numpy_dtype(descriptor.get(), function);
    if (is_numpy_scalar(object) && !PyType_HasFeature(type, Py_TPFLAGS_HEAPTYPE)) known.push_back({type, dtype});
    return dtype;
}

}  // namespace

void ArrayOrScalar::load_numpy_scalar(PyObject* object, const char* function) {
    if (is_numpy_float64(object)) {
        kind_ = Kind::Scalar;
        scalar_ = Scalar::of(DType::float64, PyFloat_AS_DOUBLE(object));
        return;
    }
    scalar_ = Scalar{};
    scalar_.dtype = dtype_of_numpy(object, function);
    kind_ = Kind::Scalar;
    Py_buffer memory;
    if (PyObject_GetBuffer(object, &memory, PyBUF_SIMPLE) == 0) {
        const bool fits = memory.len == item_size(scalar_.dtype);
        if (fits) std::memcpy(scalar_.bytes, memory.buf, size_t(memory.len));
        PyBuffer_Release(&memory);
        if (fits) return;
    }
    PyErr_Clear();  // types of other packages may have no buffer
    const Object bytes = Object::steal(PyObject_CallMethod(object, "tobytes", nullptr));
    char* data = nullptr;
    Py_ssize_t size = 0;
    check(PyBytes_AsStringAndSize(bytes.get(), &data, &size));
    std::memcpy(scalar_.bytes, data, size_t(item_size(scalar_.dtype)));
}

bool ArrayOrScalar::load(PyObject* object, CallDevice device, const char* function) {
    if (is_ndarray(object)) {
        kind_ = Kind::Array;
        array_ = &array_of(object);
    } else if (PyFloat_CheckExact(object)) {
        kind_ = Kind::Weak;
        weak_ = Weak{Weak::Kind::Float, 0, false, 0, PyFloat_AsDouble(object), 0};
    } else if (PyBool_Check(object)) {
        kind_ = Kind::Scalar;
        scalar_ = Scalar::of(DType::bool_, object == Py_True);
    } else if (PyLong_CheckExact(object)) {
        load_python_int(object);
    } else if (is_numpy_scalar(object)) {
        load_numpy_scalar(object, function);
    } else if (PyComplex_Check(object)) {
        kind_ = Kind::Weak;
        weak_ = Weak{Weak::Kind::Complex, 0, false, 0, PyComplex_RealAsDouble(object), PyComplex_ImagAsDouble(object)};
    } else if (PyLong_Check(object)) {
        load_python_int(object);
    } else if (PyFloat_Check(object)) {
        kind_ = Kind::Weak;
        weak_ = Weak{Weak::Kind::Float, 0, false, 0, PyFloat_AsDouble(object), 0};
    } else if (is_numpy_array(object) && is_on_host(device)) {
        owned_ = import_numpy(in_native_order(object).get(), function);
        array_ = &*owned_;
        kind_ = Kind::Array;
    } else if (is_numpy_array(object) && has_no_axes(object)) {
        // NumPy's own operators wrap its scalars into arrays without axes before they ask us.
        load_numpy_scalar(in_native_order(object).get(), function);
    } else if (is_numpy_array(object)) {
        load_array_like(object, device, function);
    } else {
        return false;
    }
    return true;
}

void ArrayOrScalar::load_array_like(PyObject* object, CallDevice device, const char* function) {
    const Object converted = to_ndarray(object, device, function);
    owned_ = array_of(converted.get());
    array_ = &*owned_;
    kind_ = Kind::Array;
}

void ArrayOrScalar::load_any(PyObject* object, CallDevice device, const char* function) {
    if (!load(object, device, function)) load_array_like(object, device, function);
}

bool ArrayOrScalar::load_data(PyObject* object, CallDevice device, const char* function) {
    static Attribute read{"numpy", "asarray"};
    const Object array = Object::steal_or_null(PyObject_CallFunctionObjArgs(read.get(), object, nullptr));
    if (!array) {  // a sequence of no numbers, such as text that is no str
        const bool claims = has_array_protocol(object);
        if (claims && PyErr_ExceptionMatches(PyExc_ValueError)) {
            SavedException raised;
            if (const Object given = array_given_by(object)) {
                raised.drop();
                load_array_like(given.get(), device, function);
                return true;
            }
        }
        const bool is_no_number = PyErr_ExceptionMatches(PyExc_ValueError) || PyErr_ExceptionMatches(PyExc_TypeError);
        if (claims || !is_no_number) throw ExceptionIsSet{};
        PyErr_Clear();
        return false;
    }
    const Object descriptor = Object::steal(PyObject_GetAttrString(array.get(), "dtype"));
    const std::string kind = attribute_text(descriptor.get(), "kind");
    if (!std::strchr("biufc", kind[0])) return false;
    const bool is_sequence = !PyObject_CheckBuffer(object) && !has_array_protocol(object);
    // A sequence goes along with arrays on any device, as lists do; memory of the host does not.
    CreationOptions options;
    options.home = device;
    const Object converted =
        is_sequence ? to_ndarray(array.get(), options, function) : to_ndarray(array.get(), device, function);
    owned_ = array_of(converted.get());
    array_ = &*owned_;
    kind_ = Kind::Array;
    return true;
}

bool ArrayOrScalar::load_shared(PyObject* object, CallDevice device, const char* function) {
    PyTypeObject* const type = Py_TYPE(object);
    if (has_attribute(type, "__array_ufunc__") || has_attribute(type, "__array_function__")) return false;
    if (gives_memory(object)) {
        owned_ = import_dlpack(object, {}, false);
    } else {
        if (!has_attribute(type, "__cuda_array_interface__")) return false;
        const Object interface = Object::steal(PyObject_GetAttrString(object, "__cuda_array_interface__"));
        owned_ = import_cuda_array_interface(interface.get(), object);
    }
    if (owned_->device() != device)
        raise(ErrorKind::Type, function, ": an array on ", to_string(device), " beside one of class ",
              attribute_text(reinterpret_cast<PyObject*>(Py_TYPE(object)), "__qualname__"), " on ",
              to_string(owned_->device()), "; write cuarray.asarray(y, device='", to_string(device), "')");
    array_ = &*owned_;
    kind_ = Kind::Array;
    return true;
}

Argument ArrayOrScalar::argument() const {
    if (kind_ == Kind::Array) return Argument(*array_);
    if (kind_ == Kind::Scalar) return Argument(scalar_);
    return Argument(weak_);
}

DType ArrayOrScalar::default_dtype() const {
    if (kind_ == Kind::Array) return array_->dtype();
    if (kind_ == Kind::Scalar) return scalar_.dtype;
    if (weak_.kind == Weak::Kind::Complex) return DType::complex128;
    if (weak_.kind == Weak::Kind::Float) return DType::float64;
    return weak_.negative || weak_.integer <= uint64_t(INT64_MAX) ? DType::int64 : DType::uint64;
}

Scalar ArrayOrScalar::exact_element(DType dtype, const char* function) const {
    return stored_element(argument(), dtype, function);
}

Scalar ArrayOrScalar::element(DType dtype, const char* function) const {
    if (kind_ == Kind::Scalar) return convert(scalar_, dtype);
    const cuarray::Kind target = info(dtype).kind;
    if (weak_.kind == Weak::Kind::Int && target != cuarray::Kind::Bool) return convert(weak_, dtype, function);
    if (weak_.kind == Weak::Kind::Complex && target != cuarray::Kind::Complex && target != cuarray::Kind::Bool)
        raise(ErrorKind::Type, function, ": a complex number cannot be stored in ", info(dtype).name);
    const DType wide = weak_.big ? DType::float64 : default_dtype();
    return convert(convert(weak_, wide, function), dtype);
}

Index to_slice(PyObject* slice) {
    Index index;
    Py_ssize_t start, stop, step;
    check(PySlice_Unpack(slice, &start, &stop, &step));
    index.kind = Index::Kind::Slice;
    // The lowest number stands for "not given" here, and in Python for any number too low to hold.
    index.start = std::max(start, PY_SSIZE_T_MIN + 1);
    index.stop = step > 0 ? std::max(stop, PY_SSIZE_T_MIN + 1) : stop;
    index.step = step;
    return index;
}

}  // namespace cuarray::python
