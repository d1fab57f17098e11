// interfaces.cpp -- the protocols of NumPy and CUDA: arrays, array interfaces, ufuncs.
#include "bindings/protocols/interfaces.h"
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include "bindings/functions/convert.h"
#include "bindings/functions/ufunc.h"
#include "bindings/protocols/other_arrays.h"
#include "bindings/types/ndarray.h"
#include "bindings/types/object_comparison.h"
#include "cuarray/array/pending.h"
#include "cuarray/runtime/registry.h"

namespace cuarray::python {

char* export_address(const Array& array) {
    const Export settled = export_memory(array);
    array.storage().begin_export(array.is_writable());
    return exported_address(array);
}

namespace {

/// "<f4", "|b1": NumPy's type string with the byte order that this machine has.
std::string ordered_typestr(DType dtype) {
    constexpr char kNative = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? '<' : '>';
    return std::string(1, item_size(dtype) == 1 ? '|' : kNative) + info(dtype).typestr;
}

/// The keys that both array interfaces share.
Object interface_of(const Array& array) {
    const char* data = export_address(array);
    const std::string typestr = ordered_typestr(array.dtype());
    return Object::steal(Py_BuildValue(
        "{s:N,s:s,s:(NN),s:N,s:i}", "shape", to_python(array.shape()).release(), "typestr", typestr.c_str(), "data",
        PyLong_FromUnsignedLongLong(reinterpret_cast<uintptr_t>(data)), PyBool_FromLong(!array.is_writable()),
        "strides", array.is_c_contiguous() ? Py_NewRef(Py_None) : to_python(array.strides()).release(), "version", 3));
}

/// Consumers find out by hasattr: refusing must be an AttributeError, and not cost the microseconds of a C++ exception.
PyObject* no_attribute(const char* reason) {
    PyErr_SetString(PyExc_AttributeError, reason);
    return nullptr;
}

PyObject* array_interface(PyObject* self, void*) {
    const Array& array = array_of(self);
    if (!is_on_host(array.device())) return no_attribute("__array_interface__: the memory is not on the host");
    if (array.dtype() == DType::bfloat16) return no_attribute("__array_interface__: it has no bfloat16");
    return guarded([&] {
        if (const std::optional<Error> error = take_buffer_error(array)) throw *error;
        return interface_of(array).release();
    });
}

PyObject* data(PyObject* self, void*) {
    if (!is_on_host(device_of(self))) return no_attribute("data: the memory is not on the host; write x.numpy().data");
    return PyMemoryView_FromObject(self);
}

PyObject* cuda_array_interface(PyObject* self, void*) {
    if (is_on_host(device_of(self))) return no_attribute("__cuda_array_interface__: the memory is on the host");
    const Array array = shared_with_libraries(self);
    if (array.dtype() == DType::bfloat16) return no_attribute("__cuda_array_interface__: it has no bfloat16");
    return guarded([&] {
        Object interface = interface_of(array);
        // Consumers stop the host until a stream that is named has run.
        const int64_t stream = runtime(array.device()).show(array.storage());
        const Object number = stream ? to_python(stream) : Object::share(Py_None);
        check(PyDict_SetItemString(interface.get(), "stream", number.get()));
        return interface.release();
    });
}

/// What numba-cuda takes for the type of an argument, before it asks for anything else. Numba asks arrays on the host
/// as well, and has types of its own for them: its first question is the moment to register ours, because it keeps
/// whatever type it finds then.
PyObject* numba_type(PyObject* self, void*) {
    static Attribute make{"cuarray.interop.numba", "kernel_type"}, register_types{"cuarray.interop.numba", "register"};
    if (is_on_host(device_of(self)))
        return guarded([&] {
            Object::steal(PyObject_CallNoArgs(register_types.get()));
            return no_attribute("_numba_type_: the memory is on the host");
        });
    constexpr int kMostAxes = 5;
    static PyObject* known[kDTypes][kMostAxes + 1][3][2];
    const Array& array = array_of(self);
    const int layout = array.is_c_contiguous() ? 0 : array.is_f_contiguous() ? 1 : 2;
    const bool is_read_only = !array.is_writable() && !as_ndarray(self)->is_value;
    return guarded([&] {
        // DLPack has no negative strides for Numba: it would get a copy, and what its kernel writes there would be
        // lost.
        for (int axis = 0; axis < array.ndim(); ++axis)
            if (array.strides()[axis] < 0 && array.size() && array.is_writable())
                fail(PyExc_TypeError,
                     "numba.cuda.jit: an array with negative strides; write cuda.as_cuda_array(x), or x.copy()");
        PyObject** const cached =
            array.ndim() <= kMostAxes ? &known[int(array.dtype())][array.ndim()][layout][is_read_only] : nullptr;
        if (cached && *cached) return Py_NewRef(*cached);
        const Object dtype = to_python(array.dtype());
        PyObject* const type = Object::steal(PyObject_CallFunction(make.get(), "OiCO", dtype.get(), array.ndim(),
                                                                   "CFA"[layout], is_read_only ? Py_True : Py_False))
                                   .release();
        if (cached) *cached = Py_NewRef(type);
        return type;
    });
}

PyObject* array_priority(PyObject*, void*) { return PyFloat_FromDouble(kArrayPriority); }

/// Whether the caller of __array__ asks for values on the host, as xarray's `.values` does.
bool asks_for_values() {
    static Attribute ask{"cuarray.interop.xarray", "asks_for_values"};
    return is_true(Object::steal(PyObject_CallNoArgs(ask.get())).get());
}

constexpr Signature kArrayProtocolSignature{"__array__", {"dtype", "copy"}, 2};
PyObject* array_protocol(PyObject* self, PyObject** values) {
    const Array& array = array_of(self);
    if (!is_on_host(array.device()) && !asks_for_values())
        raise(ErrorKind::Type, "implicit conversion of an array on ", to_string(array.device()),
              " to NumPy is refused; write x.numpy()");
    const DType dtype = to_dtype(values[0], array.dtype(), "__array__");
    const bool is_set = is_given(values[1]);
    const bool copies = is_set && is_true(values[1]);
    if (is_set && !copies && dtype != array.dtype())
        raise(ErrorKind::Value, "__array__: a cast from ", info(array.dtype()).name, " to ", info(dtype).name,
              " needs a copy, and copy=False was given");
    if (dtype != array.dtype()) return copy_to_numpy(astype(array, dtype)).release();
    if (is_set && !copies && !is_on_host(array.device()))
        raise(ErrorKind::Value, "__array__: an array on ", to_string(array.device()),
              " needs a copy, and copy=False was given");
    return (copies || !is_on_host(array.device()) ? copy_to_numpy(array) : view_as_numpy(array, self)).release();
}

/// The parts of an argument of a jitted function of JAX's, ((leaf,), None): its compiled dispatch takes NumPy's arrays.
PyObject* jax_parts(PyObject* self, PyObject*) {
    static PyObject* const convert = PyUnicode_InternFromString("jax");
    const Array& array = array_of(self);
    const Object leaf = is_on_host(array.device()) ? view_as_numpy(array, self)
                                                   : Object::steal(PyObject_CallMethodNoArgs(self, convert));
    const Object leaves = Object::steal(PyTuple_Pack(1, leaf.get()));
    return PyTuple_Pack(2, leaves.get(), Py_None);
}

/// Whether cuarray's functions take this operand, which is no other library's array.
bool is_ours_to_handle(PyObject* value) {
    const ArrayClass kind = class_of(value);
    const bool is_foreign = kind == ArrayClass::Foreign || kind == ArrayClass::Nothing;
    return !is_subclass_of_numpy(kind) && !(is_foreign && has_attribute(Py_TYPE(value), "__array_ufunc__"));
}

bool are_ours_to_handle(PyObject* tuple, Py_ssize_t first) {
    for (Py_ssize_t i = first; i < PyTuple_Size(tuple); ++i)
        if (!is_ours_to_handle(PyTuple_GetItem(tuple, i))) return false;
    return true;
}

/// cuarray's function for a ufunc of NumPy's; null where there is none.
PyObject* counterpart_of(PyObject* ufunc) {
    static Attribute numpy_ufunc{"numpy", "ufunc"};
    static Attribute find{"cuarray._ndarray.protocols", "counterpart"};
    static PyObject* const known = Object::steal(PyDict_New()).release();
    if (reinterpret_cast<PyObject*>(Py_TYPE(ufunc)) != numpy_ufunc.get()) return nullptr;
    if (PyObject* const function = PyDict_GetItemWithError(known, ufunc)) return function;
    check(PyErr_Occurred() ? -1 : 0);
    const Object function = call_with(find.get(), ufunc);
    if (function.get() == Py_None) return nullptr;
    check(PyDict_SetItem(known, ufunc, function.get()));
    return function.get();
}

/// NumPy gives outputs as a tuple, of which one stands for itself here. Null where there are none.
PyObject* outputs_of(PyObject* keywords) {
    static PyObject* const name = Object::steal(PyUnicode_InternFromString("out")).release();
    PyObject* const outputs = keywords ? PyDict_GetItemWithError(keywords, name) : nullptr;
    return outputs && PyTuple_Check(outputs) && PyTuple_Size(outputs) == 1 ? PyTuple_GetItem(outputs, 0) : outputs;
}

/// cuarray's function for a method of a ufunc of NumPy's; null where there is none.
Object counterpart_of(PyObject* ufunc, PyObject* method) {
    if (!PyUnicode_Check(method)) return {};
    PyObject* const function = counterpart_of(ufunc);
    if (!function || PyUnicode_CompareWithASCIIString(method, "__call__") == 0) return Object::share(function);
    for (const char* name : {"reduce", "accumulate", "outer", "at", "reduceat"})
        if (row_of(function) != kNone && PyUnicode_CompareWithASCIIString(method, name) == 0)
            return Object::steal(PyObject_GetAttr(function, method));
    return {};
}

/// A call without keywords. NumPy's == and != of an array of objects are calls of its ufuncs.
PyObject* call_or_compare_objects(PyObject* function, PyObject* const* inputs, Py_ssize_t count) {
    PyObject* const result = PyObject_Vectorcall(function, inputs, size_t(count), nullptr);
    const RowId row = result ? kNone : row_of(function);
    const bool is_equality = count == 2 && (row == row::equal || row == row::not_equal);
    return is_equality ? compare_objects(inputs[0], inputs[1], row == row::equal, nullptr) : result;
}

/// A ufunc call of NumPy's. Takes a tuple and a dict, because that is what NumPy has; whatever is no call of a function
/// of ours on arrays of ours and NumPy's is cuarray/_ndarray/protocols.py's.
PyObject* array_ufunc(PyObject* self, PyObject* args, PyObject* keywords) {
    static Attribute handle{"cuarray._ndarray.protocols", "array_ufunc"};
    return guarded([&]() -> PyObject* {
        const Py_ssize_t count = PyTuple_Size(args);
        if (count < 2)
            fail(PyExc_TypeError, "__array_ufunc__ takes a ufunc, a method and inputs, not %zd arguments", count);
        PyObject* const outputs = outputs_of(keywords);
        const bool is_ours =
            !outputs || (PyTuple_Check(outputs) ? are_ours_to_handle(outputs, 0) : is_ours_to_handle(outputs));
        const Object function = is_ours && are_ours_to_handle(args, 2)
                                    ? counterpart_of(PyTuple_GetItem(args, 0), PyTuple_GetItem(args, 1))
                                    : Object();
        if (!function) {
            const Object all = Object::steal(PyTuple_Pack(1, self));
            return PyObject_Call(handle.get(), Object::steal(PySequence_Concat(all.get(), args)).get(), keywords);
        }
        if (!keywords || PyDict_GET_SIZE(keywords) == 0)
            return call_or_compare_objects(function.get(), &PyTuple_GET_ITEM(args, 2), count - 2);
        const Object inputs = Object::steal(PyTuple_GetSlice(args, 2, count));
        if (!outputs) return PyObject_Call(function.get(), inputs.get(), keywords);
        const Object changed = Object::steal(PyDict_Copy(keywords));
        check(PyDict_SetItemString(changed.get(), "out", outputs));
        return PyObject_Call(function.get(), inputs.get(), changed.get());
    });
}

/// NumPy's functions, called with arrays of ours: Python chooses what is called, and keeps it for calls with our arrays
/// alone. Results without array arguments, as of numpy.zeros(3, like=x), go to the device of `self`.
constexpr Signature kArrayFunctionSignature{"__array_function__", {"func", "types", "args", "kwargs"}, 4, 4};
PyObject* array_function_method(PyObject* self, PyObject** values) {
    static Attribute counterparts{"cuarray._ndarray.protocols", "counterparts"};  // a dict
    static Attribute function_for{"cuarray._ndarray.protocols", "function_for"};
    PyObject *const types = values[1], *const args = values[2], *const kwargs = values[3];
    const bool are_ours = PyTuple_CheckExact(types) && PyTuple_GET_SIZE(types) == 1 &&
                          is_array_type(reinterpret_cast<PyTypeObject*>(PyTuple_GET_ITEM(types, 0)));
    const bool are_plain = are_ours && PyTuple_CheckExact(args) && PyDict_CheckExact(kwargs);
    Object function;
    if (are_plain) {
        PyObject* const known = PyDict_GetItemWithError(counterparts.get(), values[0]);
        known ? void(function = Object::share(known)) : PyErr_Clear();  // of what has no hash
    }
    if (!function) {
        function = Object::steal(PyObject_Vectorcall(function_for.get(), values, 4, nullptr));
        if (function.get() == Py_NotImplemented) return function.release();
    }
    const Object arguments = Object::steal(PySequence_Tuple(args));
    std::optional<DeviceScope> scope;
    if (const Device device = device_of(self); device != current_device()) scope.emplace(device);
    return PyObject_Call(function.get(), arguments.get(), kwargs);
}

}  // namespace

PyMethodDef protocol_methods[] = {
    {"__array__", method(fast_method<kArrayProtocolSignature, array_protocol>), kFast,
     "__array__($self, dtype=None, /, copy=None)\n--\n\nThe memory as a numpy.ndarray; TypeError where it is "
     "on a GPU."},
    {"__array_function__", method(fast_method<kArrayFunctionSignature, array_function_method>), kFast,
     "__array_function__($self, /, func, types, args, kwargs)\n--\n\n"
     "Runs a call of a NumPy function with arrays of cuarray, NumPy and other libraries."},
    {"__array_ufunc__", method(array_ufunc), METH_VARARGS | METH_KEYWORDS,
     "__array_ufunc__($self, ufunc, method, /, *inputs, **kwargs)\n--\n\n"
     "Runs the function of that name on a ufunc call of NumPy's."},
    {"__arrow_c_array__", method(arrow_array_method), kFast,
     "__arrow_c_array__($self, /, requested_schema=None)\n--\n\nCapsules of an Arrow column, on cpu."},
    {"__arrow_c_device_array__", method(arrow_device_array_method), kFast,
     "__arrow_c_device_array__($self, /, requested_schema=None)\n--\n\nCapsules of an Arrow column on any device."},
    {"__dlpack__", method(dlpack_method), kFast,
     "__dlpack__($self, /, *, stream=None, max_version=None, dl_device=None, copy=None)\n--\n\nA DLPack "
     "capsule."},
    {"_as_exchanged", method(plain_method<as_exchanged_method>), METH_O,
     "_as_exchanged($self, type, /)\n--\n\nAn object of a class with DLPack's table of C functions; None where it "
     "has none."},
    {"_jax_parts", method(plain_method<jax_parts>), METH_NOARGS,
     "_jax_parts($self, /)\n--\n\n((leaf,), None): an array that JAX's compiled dispatch knows, in place of this one."},
    {"__dlpack_device__", method(plain_method<dlpack_device_method>), METH_NOARGS,
     "__dlpack_device__($self, /)\n--\n\nDLPack's device type and index."},
    {nullptr, nullptr, 0, nullptr},
};

PyGetSetDef protocol_attributes[] = {
    {"data", data, nullptr, "The memory as a memoryview, on cpu.", nullptr},
    {"__array_interface__", array_interface, nullptr, "NumPy's array interface, on cpu.", nullptr},
    {"__cuda_array_interface__", cuda_array_interface, nullptr, "CUDA Array Interface 3, on GPUs.", nullptr},
    {"_numba_type_", numba_type, nullptr, "numba-cuda's type of the array, on GPUs.", nullptr},
    {"__array_priority__", array_priority, nullptr, "Who handles operators between unrelated classes.", nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr},
};

}  // namespace cuarray::python
