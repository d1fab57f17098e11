// array_functions.cpp -- array, asarray, from_dlpack and their like: what reads Python's objects. Python functions
// describe them.
#include "bindings/functions/function.h"
#include "bindings/functions/readers.h"
#include "bindings/module.h"
#include "bindings/protocols/other_arrays.h"
#include "bindings/types/ndarray.h"
#include "cuarray/array/elements.h"

namespace cuarray::python {
namespace {

using Copy = CreationOptions::Copy;

/// What copy= asks for, as NumPy reads it: None stands for "where needed", other objects for their truth.
Copy read_copy(PyObject* copy) {
    if (copy == Py_None) return Copy::IfNeeded;
    if (PyUnicode_Check(copy)) refuse(PyExc_ValueError, {"copy"}, "True, False or None", copy);
    return is_true(copy) ? Copy::Always : Copy::Never;
}

/// What is asked for is an array, to which one may write.
Object made_array(PyObject* object, const CreationOptions& options) {
    Object made = to_ndarray(object, options, "array");
    if (as_ndarray(made.get())->is_value && options.copy != Copy::Never)
        made = Object::steal(wrap(copy(python::array_of(made.get()))));
    return made;
}

constexpr Signature kFromObjectSignature{
    "array_from_object", {"obj", "dtype", "device", "copy", "order", "ndmin"}, 6, 1};

PyObject* array_from_object(PyObject*, PyObject** values) {
    CreationOptions options;
    options.dtype = to_dtype(values[1] ? values[1] : Py_None, DType::none);
    if (is_given(values[2])) options.device = to_device(values[2], {});
    options.copy = read_copy(values[3] ? values[3] : Py_None);
    options.order = values[4] ? to_order(values[4], "CFAK", 'K') : 'K';
    if (values[5]) options.ndmin = int(std::clamp<int64_t>(python::to_int64(values[5], {"ndmin"}), 0, kMaxDims));
    return made_array(values[0], options).release();
}

CreationOptions options_of(const FunctionCall& call, PyObject* dtype) {
    CreationOptions options;
    options.dtype = to_dtype(dtype, DType::none, call.row.name);
    options.device = call.named_device();
    return options;
}

int64_t count_given(const FunctionCall& call, int k) {
    int64_t number;
    return read_plain_int(call.given[k], number) ? number : read_count(call.given[k], call.parameter(k));
}

char order_given(const FunctionCall& call, int k) {
    Reader<std::optional<char>> order;
    order.read(call, k);
    return order.get().value_or('K');
}

/// array: object, dtype, copy, order, ndmin, device, ndmax.
PyObject* run_array(const FunctionCall& call) {
    PyObject* const object = call.given[0];
    CreationOptions options = options_of(call, call.given[1]);
    const int64_t ndmin = count_given(call, 4), most = count_given(call, 6);
    if (most < 0 || most > kMaxDims) raise(ErrorKind::Value, "array: ndmax must be in 0..", kMaxDims, ", not ", most);
    if (ndmin > most) raise(ErrorKind::Value, "array: ndmin is ", ndmin, " and must be at most ndmax, ", most);
    const bool has_lines = is_list(object) || (PySequence_Check(object) && !is_ndarray(object) &&
                                               !PyObject_CheckBuffer(object) && !has_array_protocol(object));
    if (most < kMaxDims && has_lines) {
        const Object made = made_array(object, options);
        const int depth = python::array_of(made.get()).ndim();
        if (depth > most) raise(ErrorKind::Value, "array: the lists give ", depth, " axes, and ndmax is ", most);
    }
    options.copy = read_copy(call.given[2]);
    options.order = order_given(call, 3);
    options.ndmin = int(std::max<int64_t>(ndmin, 0));
    return made_array(object, options).release();
}

/// asarray: a, dtype, order, device, copy.
PyObject* run_asarray(const FunctionCall& call) {
    CreationOptions options = options_of(call, call.given[1]);
    options.order = order_given(call, 2);
    options.copy = read_copy(call.given[4]);
    return made_array(call.given[0], options).release();
}

/// ascontiguousarray and asfortranarray: a, dtype, device.
template <char order>
PyObject* run_in_order(const FunctionCall& call) {
    CreationOptions options = options_of(call, call.given[1]);
    options.order = order;
    options.ndmin = 1;
    return made_array(call.given[0], options).release();
}

Array imported_tensor(PyObject* object, const std::optional<Device>& device, Copy copies) {
    // An array of ours stays in its memory, whose work is in order on all streams: an import would not know
    // of it.
    const bool is_ours = is_ndarray(object);
    if (is_ours && copies != Copy::Always) return python::array_of(object).view(python::array_of(object).layout());
    Array numpys = is_ours ? Array() : import_native_numpy(object);
    const bool is_numpys = numpys.defined();
    if (!is_ours && !is_numpys) {
        refuse_to_strip(object, "from_dlpack");
        if (is_numpy_array(object) && has_swapped_bytes(object))
            fail(PyExc_BufferError, "from_dlpack: the bytes are swapped; write x.astype(x.dtype.newbyteorder('='))");
    }
    const std::optional<bool> asked = copies == Copy::IfNeeded ? std::nullopt : std::optional(copies == Copy::Always);
    Array imported = is_ours     ? python::array_of(object)
                     : is_numpys ? std::move(numpys)
                                 : import_dlpack(object, device, asked);
    if (device && *device != imported.device()) return imported;
    // A producer too old to know copy=True has handed out its own memory.
    const bool is_own = copies == Copy::Always && (is_ours || is_numpys || imported.storage().is_exported());
    return is_own ? copy(imported, 'K') : imported;
}

/// Puts the function's name before what Python and NumPy say of an object that is none of what the function takes.
void name_error(const std::string& function) {
    for (PyObject* const type : {PyExc_TypeError, PyExc_AttributeError, PyExc_IndexError}) {
        if (PyErr_Occurred() != type) continue;
        SavedException raised;
        const std::string text = raised.text();
        if (!text.starts_with(function)) raised.set_text(function + ": " + text);
        return;
    }
}

/// What a function of NumPy's returned, or null for its error.
Object from_numpys(PyObject* found, const char* function) {
    if (found) return Object::steal(found);
    name_error(function);
    throw ExceptionIsSet{};
}

/// from_dlpack: x, device, copy.
PyObject* run_from_dlpack(const FunctionCall& call) {
    const std::optional<Device> device = call.named_device();
    const Copy copies = read_copy(call.given[2]);
    if (device) backend(*device);  // before a capsule is consumed
    PyObject* const result = guarded([&] {
        Array imported = imported_tensor(call.given[0], device, copies);
        if (!device || *device == imported.device()) return wrap(std::move(imported));
        if (copies == Copy::Never)
            raise(ErrorKind::Value, "from_dlpack: moving from ", to_string(imported.device()), " to ",
                  to_string(*device), " needs a copy, and copy=False was given");
        return wrap(without_gil(true, [&] { return to_device(imported, *device); }));
    });
    if (result) return result;
    name_error("from_dlpack");
    throw ExceptionIsSet{};
}

/// An array of NumPy's over a caller's memory as one of ours. Memory that may be written stays on the host, because
/// writes to a copy on a GPU would be lost; swapped bytes that may be written are refused for the same reason.
Object shown(PyObject* numpys, const std::optional<Device>& device, const char* function) {
    const Object flags = Object::steal(PyObject_GetAttrString(numpys, "flags"));
    const bool is_writable = is_true(Object::steal(PyObject_GetAttrString(flags.get(), "writeable")).get());
    if (is_writable && has_swapped_bytes(numpys)) {
        const Object dtype = Object::steal(PyObject_GetAttrString(numpys, "dtype"));
        fail(PyExc_ValueError,
             "%s: the bytes of %S are swapped, so that the writable buffer cannot be shared; write "
             "cuarray.array(numpy.%s(...)), which copies",
             function, dtype.get(), function);
    }
    CreationOptions options;
    options.device = device || !is_writable ? device : Device{};
    return made_array(numpys, options);
}

/// A numpy.dtype of numbers in memory or in a file.
Object numpys_dtype_of(PyObject* object, const char* function) {
    static Attribute numpy_dtype{"numpy", "dtype"};
    const StoredDType stored = to_dtype_of_either_order(object, function);
    return stored.is_swapped ? Object::steal(PyObject_CallOneArg(numpy_dtype.get(), object)) : to_python(stored.dtype);
}

/// frombuffer: buffer, dtype, count, offset, device.
PyObject* run_frombuffer(const FunctionCall& call) {
    static Attribute frombuffer{"numpy", "frombuffer"};
    const Object dtype = numpys_dtype_of(call.given[1], "frombuffer");
    const Object found = from_numpys(PyObject_CallFunctionObjArgs(frombuffer.get(), call.given[0], dtype.get(),
                                                                  call.given[2], call.given[3], nullptr),
                                     "frombuffer");
    return shown(found.get(), call.named_device(), "frombuffer").release();
}

/// fromiter: iter, dtype, count, device.
PyObject* run_fromiter(const FunctionCall& call) {
    static Attribute fromiter{"numpy", "fromiter"};
    const Object dtype = to_python(to_dtype(call.given[1], DType::float64, "fromiter"));
    const Object found = from_numpys(
        PyObject_CallFunctionObjArgs(fromiter.get(), call.given[0], dtype.get(), call.given[2], nullptr), "fromiter");
    CreationOptions options;
    options.device = call.named_device();
    return made_array(found.get(), options).release();
}

constexpr ObjectFunction kArrayFunctions[] = {
    {"array", run_array},
    {"asarray", run_asarray},
    {"ascontiguousarray", run_in_order<'C'>},
    {"asfortranarray", run_in_order<'F'>},
    {"from_dlpack", run_from_dlpack},
    {"frombuffer", run_frombuffer},
    {"fromiter", run_fromiter},
};

}  // namespace

std::span<const ObjectFunction> array_functions() { return kArrayFunctions; }

static PyMethodDef functions_of_objects[] = {
    private_method<numpys_dtype_of>(
        "stored_dtype", "A numpy.dtype of numbers in memory or in a file, with their bytes in either order."),
    private_method<+[](PyObject* numpys) { return shown(numpys, std::nullopt, "ndarray"); }>(
        "shown", "A NumPy array over a caller's memory as an array that shares it."),
    {"array_from_object", method(fast_method<kFromObjectSignature, array_from_object>), kFast, nullptr},
    {},
};

void bind_array_functions(PyObject* module) { check(PyModule_AddFunctions(module, functions_of_objects)); }

}  // namespace cuarray::python
