// numpys_methods.cpp -- calls of the methods of NumPy's generators.
#include "bindings/random/numpys_methods.h"
#include <cctype>
#include <string>
#include <string_view>
#include "bindings/protocols/other_arrays.h"
#include "bindings/types/fallback.h"
#include "cuarray/array/elements.h"

namespace cuarray::python {
namespace {

/// Whether a text has that word in it.
bool has_word(const std::string& text, std::string_view word) {
    const auto is_letter = [&](size_t at) {
        return at < text.size() && (std::isalnum(static_cast<unsigned char>(text[at])) || text[at] == '_');
    };
    for (size_t at = text.find(word); at != text.npos; at = text.find(word, at + 1))
        if (!is_letter(at - 1) && !is_letter(at + word.size())) return true;
    return false;
}

/// Puts the name of the method before the message of an error of NumPy's that lacks it.
void name_method(const char* method) {
    for (PyObject* const kind : {PyExc_TypeError, PyExc_ValueError, PyExc_OverflowError, PyExc_NotImplementedError}) {
        if (PyErr_Occurred() != kind) continue;
        SavedException raised;
        const std::string text = raised.text();
        if (!has_word(text, method)) raised.set_text(std::string(method) + ": " + text);
        return;
    }
}

Object as_numpys(PyObject* object) {
    const Array& array = array_of(object);
    return is_on_host(array.device()) ? view_as_numpy(array, object) : copy_to_numpy(array);
}

/// A list in which arrays of ours are NumPy's.
Object list_of_numpys(PyObject* list, const char* method) {
    const Py_ssize_t count = PySequence_Size(list);
    Object made = Object::steal(PyList_New(count));
    for (Py_ssize_t k = 0; k < count; ++k) {
        const Object entry = Object::steal(PySequence_GetItem(list, k));
        PyList_SET_ITEM(made.get(), k, numpys_argument(entry.get(), method).release());
    }
    return made;
}

Object tuple_of_integers(PyObject* list) {
    const Py_ssize_t count = PySequence_Size(list);
    Object made = Object::steal(PyTuple_New(count));
    for (Py_ssize_t k = 0; k < count; ++k) {
        const Object entry = Object::steal(PySequence_GetItem(list, k));
        PyTuple_SET_ITEM(made.get(), k, Object::steal(PyNumber_Index(entry.get())).release());
    }
    return made;
}

bool is_with_axes(PyObject* array) { return !is_number(array) && array_of(array).ndim() > 0; }

}  // namespace

Object NumpysCall::run(PyObject* names) {
    const Py_ssize_t named = names ? PyTuple_GET_SIZE(names) : 0;
    const size_t positional = size_t(Py_ssize_t(arguments_.size()) - named) | PY_VECTORCALL_ARGUMENTS_OFFSET;
    PyObject* const result = PyObject_VectorcallMethod(method_, arguments_.data(), positional, names);
    if (!result) {
        name_method(PyUnicode_AsUTF8(method_));
        throw ExceptionIsSet{};
    }
    return Object::steal(result);
}

Object numpys_argument(PyObject* object, const char* method) {
    if (object == Py_None || PyFloat_CheckExact(object) || PyLong_CheckExact(object) || PyTuple_CheckExact(object) ||
        is_numpy_float64(object))
        return Object::share(object);
    if (is_ndarray(object)) return as_numpys(object);
    if (PyList_Check(object) || PyTuple_Check(object))
        return find_ndarray(object) ? list_of_numpys(object, method) : Object::share(object);
    refuse_to_strip(object, method);
    return Object::share(object);
}

Object numpys_size(PyObject* size, const char* method) {
    if (size == Py_None || PyLong_CheckExact(size)) return Object::share(size);
    const bool is_array = is_ndarray(size) || is_numpy_array(size);
    const Object listed = is_array ? Object::steal(PyObject_CallMethod(size, "tolist", nullptr)) : Object::share(size);
    PyObject* const given = listed.get();
    try {
        if (PyList_Check(given) || PyTuple_Check(given)) return tuple_of_integers(given);
        if (!PyBool_Check(given)) return Object::steal(PyNumber_Index(given));
    } catch (const ExceptionIsSet&) {
        if (!PyErr_ExceptionMatches(PyExc_TypeError)) throw;
        PyErr_Clear();
    }
    fail(PyExc_TypeError, "%s: size must be an integer or a tuple of integers, not %R", method, size);
}

namespace {

/// Whether NumPy's array has numbers, which an array of ours can hold.
bool has_numbers(PyObject* array) {
    const Object dtype = Object::steal(PyObject_GetAttrString(array, "dtype"));
    return std::string_view("biufc").find(attribute_text(dtype.get(), "kind")) != std::string_view::npos;
}

}  // namespace

Object population_of(PyObject* object, PyObject* device, const char* method) {
    static Attribute as_numpy{"numpy", "asarray"};
    if (is_ndarray(object)) return Object::share(object);
    refuse_to_strip(object, method);
    if (begins_with_text(object)) {
        Object texts = call_with(as_numpy.get(), object);
        if (!has_numbers(texts.get())) return texts;
    }
    PyObject* const made = guarded([&] {
        CreationOptions options;
        if (device != Py_None) options.device = to_device(device, {}, method);
        return to_ndarray(object, options, method).release();
    });
    if (made) return Object::steal(made);
    if (!PyErr_ExceptionMatches(PyExc_TypeError)) throw ExceptionIsSet{};
    SavedException raised;
    Object entries = call_with(as_numpy.get(), object);
    if (has_numbers(entries.get())) throw ExceptionIsSet{};
    raised.drop();
    return entries;
}

Device device_of_draw(const RandomSource& source, std::span<PyObject* const> parameters, const char* method) {
    PyObject *placed = nullptr, *first = nullptr;
    for (PyObject* const object : parameters) {
        if (!is_ndarray(object)) continue;
        const bool is_several = is_with_axes(object);
        if (!placed && (is_several || !is_on_host(device_of(object)))) placed = object;
        if (!is_several) continue;
        if (first && !(device_of(first) == device_of(object)))
            raise(ErrorKind::Value, method, ": parameters are on ", to_string(device_of(first)), " and ",
                  to_string(device_of(object)), "; move one with .to_device(...)");
        if (!first) first = object;
    }
    return placed ? device_of(placed) : device_of(source);
}

PyObject* give_drawn(PyObject* numbers, Device device, const char* method, DType dtype) {
    if (is_on_host(device) && is_python_number(numbers)) {
        if (operator_fallback()) return Py_NewRef(numbers);
        if (dtype == DType::none && PyFloat_CheckExact(numbers))
            return wrap(Scalar::of(DType::float64, PyFloat_AS_DOUBLE(numbers)));
        if (dtype == DType::none && PyLong_CheckExact(numbers))
            return wrap(Scalar::of(DType::int64, to_int64(numbers, {"a number", method})));
    }
    if (dtype == DType::none && is_on_host(device) && is_numpy_float64(numbers))
        return wrap(Scalar::of(DType::float64, PyFloat_AS_DOUBLE(numbers)));
    CreationOptions options;
    options.device = device;
    options.copy = CreationOptions::Copy::Always;
    options.dtype = is_numpy_array(numbers) ? DType::none : dtype;
    Object made = to_ndarray(numbers, options, method);
    if (is_numpy_array(numbers) || is_with_axes(made.get())) return made.release();
    return as_ndarray(made.get())->is_value ? made.release() : wrap(Array(array_of(made.get())), true);
}

}  // namespace cuarray::python
