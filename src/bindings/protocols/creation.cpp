// creation.cpp -- anything array-like as an ndarray: NumPy arrays, numbers, lists, buffers, DLPack, CUDA arrays.
#include <string>
#include <vector>
#include "bindings/functions/convert.h"
#include "bindings/functions/plain_values.h"
#include "bindings/protocols/other_arrays.h"
#include "bindings/types/ndarray.h"
#include "cuarray/array/elements.h"
#include "cuarray/ops/joining.h"
#include "cuarray/runtime/registry.h"

namespace cuarray::python {
namespace {

Attribute numpy_asarray{"numpy", "asarray"};

/// An array-like object as an array, before the caller's options are applied.
struct ImportedArray {
    Array array;
    Object owner;            ///< the object whose memory the array views, or null
    bool is_new = false;     ///< made for this call: nobody else sees it
    bool is_placed = false;  ///< it has a device of its own, which holds unless another is asked for
};

/// The dtype in which lists and numbers are read; none: as they come.
DType wanted_dtype(const CreationOptions& options) {
    return options.dtype != DType::none ? options.dtype : options.reads_as;
}

/// TypeError for a NumPy array beside an array on a GPU.
void refuse_numpy_beside(Device device, PyObject* object, const char* function) {
    if (is_on_host(device) || !is_numpy_array(object) || has_no_axes(object)) return;
    raise(ErrorKind::Type, function, ": a NumPy array beside an array on ", to_string(device),
          "; write cuarray.asarray(x, device='", to_string(device), "')");
}

/// A list with ndarrays in it: its entries stacked along a new first axis, on the device that all of them share.
ImportedArray stack_entries(PyObject* sequence, PyObject* first, const CreationOptions& options, const char* function) {
    check_depth(options.depth);
    const Device device = array_of(first).device();
    CreationOptions of_entries;
    of_entries.home = device;
    of_entries.depth = options.depth + 1;
    of_entries.reads_as = wanted_dtype(options);
    std::vector<Array> rows;
    const Object entries = Object::steal(PySequence_Tuple(sequence));
    for (Py_ssize_t i = 0; i < PyTuple_Size(entries.get()); ++i) {
        PyObject* const given = PyTuple_GetItem(entries.get(), i);
        refuse_numpy_beside(device, given, function);
        const Object entry = to_ndarray(given, of_entries, function);
        Array row = array_of(entry.get());
        if (of_entries.reads_as != DType::none) {
            warn_of_lost_imaginary_part(row.dtype(), of_entries.reads_as);
            row = astype(row, of_entries.reads_as, 'K', false);
        }
        refuse_other_device(device, row.device(), function);
        rows.push_back(std::move(row));
        if (!(rows.back().shape() == rows.front().shape()))
            raise(ErrorKind::Value, function, ": a list of arrays of different shapes, ",
                  to_string(array_of(first).shape()), " and ", to_string(rows.back().shape()));
    }
    return {stack(rows), {}, true, true};
}

Device device_wanted(const CreationOptions& options) {
    return options.device ? *options.device : options.home ? *options.home : current_device();
}

/// Whether the array shows a file or shared memory to be written to.
bool is_writable_map(PyObject* numpy_array) {
    static Attribute map{"mmap", "mmap"};
    const Object flags = Object::steal(PyObject_GetAttrString(numpy_array, "flags"));
    if (!is_true(Object::steal(PyObject_GetAttrString(flags.get(), "writeable")).get())) return false;
    Object owner = Object::share(numpy_array);
    for (const char* next = "base"; next;) {
        owner = Object::steal(PyObject_GetAttrString(owner.get(), next));
        next = is_numpy_array(owner.get()) ? "base" : PyMemoryView_Check(owner.get()) ? "obj" : nullptr;
    }
    const int is_map = PyObject_IsInstance(owner.get(), map.get());
    check(is_map);
    return is_map != 0;
}

/// ValueError where swapped bytes would have to be shared: a copy is no substitute for memory to write to.
void refuse_to_share_swapped(PyObject* array, const CreationOptions& options, const char* function) {
    using Copy = CreationOptions::Copy;
    const bool is_shared = options.copy != Copy::Always && options.dtype == DType::none &&
                           is_on_host(device_wanted(options)) && is_writable_map(array);
    if (options.copy != Copy::Never && !is_shared) return;
    const Object dtype = Object::steal(PyObject_GetAttrString(array, "dtype"));
    fail(PyExc_ValueError,
         "%s: the bytes of %S are in the other order, so that %s cannot be shared; write "
         "cuarray.array(x), which copies, and x[...] = y.numpy() to write back",
         function, dtype.get(), is_shared ? "a writable map" : "the memory");
}

ImportedArray read_numpy(PyObject* object, PyObject* owner, bool is_new, const CreationOptions& options,
                         const char* function) {
    if (!has_swapped_bytes(object)) return {import_numpy(object, function), Object::share(owner), is_new, false};
    refuse_to_share_swapped(object, options, function);
    return {import_numpy(in_native_order(object).get(), function), {}, true, false};
}

bool has_objects(PyObject* numpy_array) {
    const Object dtype = Object::steal(PyObject_GetAttrString(numpy_array, "dtype"));
    return attribute_text(dtype.get(), "kind") == "O";
}

/// Whether a Python int fits neither int64 nor uint64.
bool is_beyond_integers(PyObject* object) {
    if (!PyLong_Check(object)) return false;
    int overflow = 0;
    PyLong_AsLongLongAndOverflow(object, &overflow);
    if (overflow <= 0) return overflow < 0;
    PyLong_AsUnsignedLongLong(object);
    const bool is_beyond = PyErr_Occurred() != nullptr;
    PyErr_Clear();
    return is_beyond;
}

/// TypeError for what NumPy made an array of objects of: names the first that is none of our numbers.
[[noreturn]] void refuse_objects(PyObject* array, PyObject* given, const char* function) {
    if (has_no_axes(array) && given == Py_None) fail(PyExc_TypeError, "%s: None is no array of numbers", function);
    if (has_no_axes(array) && is_beyond_integers(given))
        fail(PyExc_TypeError,
             "%s: %R fits neither int64 nor uint64, and there are no arrays of objects; dtype=float rounds it",
             function, given);
    if (has_no_axes(array))
        fail(PyExc_TypeError,
             "%s: an object of type %R is no array of numbers; cuarray.fromiter reads iterators, "
             "cuarray.array(list(...)) what has elements",
             function, reinterpret_cast<PyObject*>(Py_TYPE(given)));
    const Object flat = Object::steal(PyObject_CallMethod(array, "ravel", nullptr));
    const Object elements = Object::steal(PyObject_CallMethod(flat.get(), "tolist", nullptr));
    for (Py_ssize_t i = 0; i < PyList_Size(elements.get()); ++i) {
        PyObject* const element = PyList_GetItem(elements.get(), i);
        if (element == Py_None)
            fail(PyExc_TypeError,
                 "%s: the element None is no number, and there are no arrays of objects; "
                 "dtype=float reads it as NaN",
                 function);
        if (is_beyond_integers(element))
            fail(PyExc_TypeError,
                 "%s: the element %R fits neither int64 nor uint64, and there are no arrays of objects; "
                 "dtype=float rounds it",
                 function, element);
        if (!PyLong_Check(element) && !PyFloat_Check(element) && !PyComplex_Check(element) && !is_numpy_scalar(element))
            fail(PyExc_TypeError,
                 "%s: an element of type %R is no number of a supported dtype, and there are no arrays "
                 "of objects; dtype=float reads what float() takes",
                 function, reinterpret_cast<PyObject*>(Py_TYPE(element)));
    }
    fail(PyExc_TypeError, "%s: the elements have no common dtype but object; give dtype=", function);
}

/// Puts the function's name before what Python says of an object that is no number; errors of the object's own stay.
void name_function(const char* function) {
    if (!PyErr_ExceptionMatches(PyExc_TypeError)) return;
    SavedException raised;
    const std::string text = raised.text();
    for (const char* beginning : {"float() argument", "int() argument", "must be real number", "only 0-dimensional"}) {
        if (!text.starts_with(beginning)) continue;
        raised.drop();
        fail(PyExc_TypeError, "%s: %s", function, text.c_str());
    }
}

ImportedArray read(PyObject* object, const CreationOptions& options, const char* function);

/// Lists, numbers and text as NumPy reads them, in the dtype asked for, so that NumPy checks ranges.
ImportedArray read_through_numpy(PyObject* object, const CreationOptions& options, bool is_new, const char* function) {
    const DType wanted = wanted_dtype(options);
    const Object dtype = is_new && wanted != DType::none ? to_python(wanted) : Object::share(Py_None);
    const Object array =
        Object::steal_or_null(PyObject_CallFunctionObjArgs(numpy_asarray.get(), object, dtype.get(), nullptr));
    if (!array) {
        if (PyErr_ExceptionMatches(PyExc_ValueError)) {
            SavedException raised;
            if (const Object given = array_given_by(object, 0)) {
                raised.drop();
                return read(given.get(), options, function);
            }
        }
        name_function(function);
        throw ExceptionIsSet{};
    }
    if (is_new && has_objects(array.get())) refuse_objects(array.get(), object, function);
    return read_numpy(array.get(), object, is_new, options, function);
}

ImportedArray read(PyObject* object, const CreationOptions& options, const char* function) {
    if (is_ndarray(object)) return {array_of(object), Object::share(object), false, true};
    if (Array shared = import_native_numpy(object); shared.defined())
        return {std::move(shared), Object::share(object), false, false};
    if (is_numpy_array(object)) return read_numpy(object, object, false, options, function);
    refuse_to_strip(object, function);
    if (PyList_Check(object) || PyTuple_Check(object)) {
        if (PyObject* first = find_ndarray(object)) return stack_entries(object, first, options, function);
        return read_through_numpy(object, options, true, function);
    }
    if (PyNumber_Check(object) &&
        (PyFloat_Check(object) || PyLong_Check(object) || PyComplex_Check(object) || is_numpy_scalar(object)))
        return read_through_numpy(object, options, true, function);
    if (gives_memory(object)) return {import_dlpack(object), Object::share(object), false, true};
    const Object interface = Object::steal_or_null(PyObject_GetAttrString(object, "__cuda_array_interface__"));
    if (interface) return {import_cuda_array_interface(interface.get(), object), Object::share(object), false, true};
    if (!PyErr_ExceptionMatches(PyExc_AttributeError)) throw ExceptionIsSet{};
    PyErr_Clear();
    const bool has_memory = PyObject_CheckBuffer(object) || has_array_protocol(object);
    return read_through_numpy(object, options, !has_memory, function);
}

bool is_in_order(const Array& array, char order) {
    return order == 'K' || order == 'A' || (order == 'C' ? array.is_c_contiguous() : array.is_f_contiguous());
}

/// The imported array on the device and in the dtype and order asked for; shares its memory where nothing had
/// to change.
Array with_options(const ImportedArray& source, const CreationOptions& options, const char* function) {
    const Array& array = source.array;
    const Device device = source.is_placed && !options.device ? array.device() : device_wanted(options);
    const DType dtype = options.dtype == DType::none ? array.dtype() : options.dtype;
    const bool moves = device != array.device(), casts = dtype != array.dtype();
    const bool reorders = !is_in_order(array, options.order);
    if (options.copy == CreationOptions::Copy::Never && (moves || casts || reorders || source.is_new))
        raise(ErrorKind::Value, function, ": unable to avoid a copy, and copy=False was given");
    const bool is_own = source.is_new && source.is_placed;  // joined from arrays
    const bool copies = !is_own && (options.copy == CreationOptions::Copy::Always || source.is_new);
    if (!moves && !casts && !reorders && !copies) return array;
    warn_of_lost_imaginary_part(array.dtype(), dtype);
    const GilRelease released(moves || is_long(device, array.size()));
    Array result = moves ? to_device(array, device) : array;
    // NumPy's order 'A' is that of copies; what has to be cast keeps its order.
    if (casts) return astype(result, dtype, options.order == 'A' ? 'K' : options.order, true);
    return moves && is_in_order(result, options.order) ? result : copy(result, options.order);
}

Array with_leading_axes(Array array, int ndmin) {
    if (array.ndim() >= ndmin) return array;
    Dims shape = Dims::filled(ndmin - array.ndim(), 1);
    for (int64_t extent : array.shape()) shape.push_back(extent);
    return array.reshape(shape);
}

}  // namespace

void check_depth(int depth) {
    if (depth > kMaxDims)
        raise(ErrorKind::Value, "a list nested more than ", kMaxDims, " deep; an array has at most ", kMaxDims,
              " dimensions");
}

void refuse_other_device(Device device, Device other, const char* function) {
    if (other == device) return;
    raise(ErrorKind::Value, function, ": arrays are on ", to_string(device), " and ", to_string(other),
          "; move one with .to_device(...)");
}

PyObject* find_ndarray(PyObject* object, int depth) {
    if (is_ndarray(object)) return object;
    const bool is_list = PyList_Check(object);
    if (!is_list && !PyTuple_Check(object)) return nullptr;
    check_depth(depth);
    const Py_ssize_t count = PySequence_Size(object);
    for (Py_ssize_t i = 0; i < count; ++i)
        if (PyObject* found = find_ndarray(is_list ? PyList_GetItem(object, i) : PyTuple_GetItem(object, i), depth + 1))
            return found;
    return nullptr;
}

Object array_given_by(PyObject* object, int depth) {
    if (is_ndarray(object)) return {};
    if (!PyList_Check(object) && !PyTuple_Check(object)) {
        if (!has_attribute(Py_TYPE(object), "__array__") || is_numpy_array(object) || is_numpy_scalar(object))
            return {};
        Object given = Object::steal(PyObject_CallMethod(object, "__array__", nullptr));
        return is_ndarray(given.get()) ? std::move(given) : Object();
    }
    check_depth(depth);
    const bool is_list = PyList_Check(object);
    Object entries;  // a copy, from the first such entry on
    for (Py_ssize_t i = 0; i < PySequence_Size(object); ++i) {
        PyObject* const item = is_list ? PyList_GetItem(object, i) : PyTuple_GetItem(object, i);
        const Object entry = Object::steal(Py_XNewRef(item));
        Object given = array_given_by(entry.get(), depth + 1);
        if (!given) continue;
        if (!entries) entries = Object::steal(PySequence_List(object));
        check(PyList_SetItem(entries.get(), i, given.release()));
    }
    return entries;
}

Object to_ndarray(PyObject* object, CallDevice device, const char* function, int depth) {
    if (is_ndarray(object)) return Object::share(object);
    if (device.has_arrays) refuse_numpy_beside(device, object, function);
    CreationOptions options;
    options.home = device;
    options.depth = depth;
    return to_ndarray(object, options, function);
}

namespace {

/// A list of numbers as the array that NumPy would make, on the current device; an empty handle for what needs a
/// closer look.
Array array_of_numbers(PyObject* object, const CreationOptions& options) {
    const bool is_plain = options.copy != CreationOptions::Copy::Never && options.depth == 0;
    if (!is_plain || !(is_list(object) || PyRange_Check(object))) return {};
    const std::optional<Device> wanted = options.device ? options.device : options.home;
    if (wanted && !is_current_device(*wanted)) return {};
    Array numbers = read_numbers(object, wanted_dtype(options));
    return options.order == 'F' && numbers.defined() && numbers.ndim() > 1 ? copy(numbers, 'F') : numbers;
}

/// A number as the array without axes that NumPy would make, on a device of the host; an empty handle for others, and
/// for conversions.
Array array_of_number(PyObject* object, const CreationOptions& options, const char* function) {
    if (options.copy == CreationOptions::Copy::Never) return {};
    const bool is_numpys = !is_python_number(object);
    if (is_numpys && (!is_numpy_scalar(object) || PyType_HasFeature(Py_TYPE(object), Py_TPFLAGS_HEAPTYPE))) return {};
    const Device device = device_wanted(options);
    if (!is_on_host(device)) return {};
    ArrayOrScalar number;
    if (!number.load(object, device, function) || number.is_beyond_integers()) return {};
    const DType dtype = number.default_dtype(), wanted = wanted_dtype(options);
    if (wanted != DType::none && wanted != dtype)
        return is_current_device(device) ? read_number(object, wanted) : Array();
    return full({}, number.element(dtype, function), device);
}

/// A NumPy array as it is: its memory on a host device, or a copy of few elements; null where there is more to do.
Object unchanged_numpy(PyObject* object, Device device, bool copies) {
    if (!is_direct(device)) return {};
    Array array = copies ? copy_of_few(object, device) : import_native_numpy(object);
    if (!array.defined()) return {};
    Object made = Object::steal(wrap(std::move(array)));
    if (!copies) set_base(made.get(), object);
    return made;
}

}  // namespace

Object to_ndarray(PyObject* object, const CreationOptions& options, const char* function) {
    const bool is_plain = options.dtype == DType::none && options.order == 'K' && options.ndmin == 0;
    const bool copies = options.copy == CreationOptions::Copy::Always;
    if (is_plain && is_ndarray(object) && !options.device && !as_ndarray(object)->is_value) {
        if (!copies) return Object::share(object);
        const Array array = array_of(object);  // others may resize the object meanwhile
        return Object::steal(wrap(without_gil(array, [&] { return copy(array, 'K'); })));
    }
    if (is_plain && is_native_numpy(object))
        if (Object made = unchanged_numpy(object, device_wanted(options), copies)) return made;
    if (!is_numpy_array(object)) {
        Array numbers = is_list(object) ? Array() : array_of_number(object, options, function);
        if (!numbers.defined()) numbers = array_of_numbers(object, options);
        if (numbers.defined()) return Object::steal(wrap(with_leading_axes(std::move(numbers), options.ndmin)));
    }
    const ImportedArray source = read(object, options, function);
    Array result = with_options(source, options, function);
    const bool is_shared = result.storage_ref() == source.array.storage_ref();
    const bool keeps_rank = result.ndim() >= options.ndmin;
    if (is_shared && keeps_rank && is_ndarray(object)) return Object::share(object);
    if (is_shared && is_ndarray(object) && as_ndarray(object)->is_value)
        return Object::steal(wrap(with_leading_axes(copy(result), options.ndmin)));
    result = with_leading_axes(std::move(result), options.ndmin);
    Object made = Object::steal(wrap(std::move(result)));
    if (is_shared && source.owner) set_base(made.get(), source.owner.get());
    return made;
}

}  // namespace cuarray::python
