// fallback.cpp -- asking a fallback, and the one of operators.
#include "bindings/types/fallback.h"
#include <algorithm>
#include <string_view>
#include <unordered_map>
#include <vector>
#include "bindings/functions/convert.h"
#include "bindings/module.h"
#include "bindings/protocols/other_arrays.h"
#include "bindings/types/ndarray.h"

namespace cuarray::python {
namespace {

PyObject* the_operator_fallback = nullptr;

}  // namespace

PyObject* call_fallback(PyObject* fallback, Arguments args, Py_ssize_t count, PyObject* keywords) noexcept {
    if (!fallback || !(PyErr_ExceptionMatches(PyExc_TypeError) || PyErr_ExceptionMatches(PyExc_NotImplementedError) ||
                       PyErr_ExceptionMatches(PyExc_OverflowError)))
        return nullptr;
    SavedException raised;
    PyObject* const result = PyObject_Vectorcall(fallback, args, size_t(count), keywords);
    if (result == Py_NotImplemented) {
        Py_DECREF(result);
        return nullptr;  // `raised` is set again
    }
    raised.drop();
    return result;
}

namespace {

/// Whether NumPy asks the class: one that is not of C, ours or a subclass of NumPy's, and has one of its protocols.
bool is_of_other_class(PyObject* x) noexcept {
    PyTypeObject* const type = Py_TYPE(x);
    return PyType_HasFeature(type, Py_TPFLAGS_HEAPTYPE) && !is_ndarray(x) && !is_numpy_array(x) &&
           (has_attribute(type, "__array__") || has_attribute(type, "__array_ufunc__") ||
            has_attribute(type, "__array_function__"));
}

}  // namespace

bool has_other_class(Arguments args, Py_ssize_t count, PyObject* keywords) noexcept {
    return std::any_of(args, args + count + (keywords ? PyTuple_Size(keywords) : 0), is_of_other_class);
}

namespace {

/// The result of fallback.NAME(*args, **keywords); null for None and NotImplemented.
PyObject* call_method_of(PyObject* fallback, const char* name, Arguments args, Py_ssize_t count, PyObject* keywords) {
    const Object call = Object::steal_or_null(PyObject_GetAttrString(fallback, name));
    if (!call || call.get() == Py_None) return nullptr;
    PyObject* const result = PyObject_Vectorcall(call.get(), args, size_t(count), keywords);
    if (result != Py_NotImplemented) return result;
    Py_DECREF(result);
    return nullptr;
}

}  // namespace

PyObject* call_for_others(PyObject* fallback, Arguments args, Py_ssize_t count, PyObject* keywords) noexcept {
    if (!fallback || !has_other_class(args, count, keywords)) return nullptr;
    return call_method_of(fallback, "for_others", args, count, keywords);
}

namespace {

/// How the names of such dtypes begin.
constexpr std::string_view kFrontsOfNames[] = {"O",      "U",   "S",     "M8",         "m8",         "V",
                                               "object", "str", "bytes", "datetime64", "timedelta64"};

/// A name such as ">f4": of numbers whose bytes are swapped.
bool names_swapped_bytes(PyObject* text) noexcept {
    return PyUnicode_GET_LENGTH(text) > 1 && PyUnicode_READ_CHAR(text, 0) == '>';
}

/// A dtype of objects, texts, dates or records, or of swapped bytes.
bool is_dtype_of_numpy(PyObject* x) noexcept {
    const auto* const type = reinterpret_cast<const PyTypeObject*>(x);
    if (type == &PyBaseObject_Type || type == &PyUnicode_Type || type == &PyBytes_Type) return true;
    if (PyUnicode_CheckExact(x)) return names_swapped_bytes(x);
    return is_numpy_dtype(x) && is_numpys_alone(x);
}

/// What the keyword dtype has for one: names and lists of fields, too.
bool names_dtype_of_numpy(PyObject* x) noexcept {
    if (!PyUnicode_CheckExact(x)) return PyList_CheckExact(x) || is_dtype_of_numpy(x);
    if (names_swapped_bytes(x)) return true;
    const char* const text = PyUnicode_AsUTF8(x);
    if (!text) return PyErr_Clear(), false;
    const std::string_view name = text + (*text == '<' || *text == '=' || *text == '|');
    if (name.empty() || std::string_view("OUSMmVosbdt").find(name[0]) == std::string_view::npos) return false;
    const auto is_in_front = [&](std::string_view front) { return name.starts_with(front); };
    return std::ranges::any_of(kFrontsOfNames, is_in_front);
}

}  // namespace

bool begins_with_text(PyObject* x) noexcept {
    for (int depth = 0; depth < 4 && (PyList_CheckExact(x) || PyTuple_CheckExact(x)); ++depth) {
        if (PySequence_Fast_GET_SIZE(x) == 0) return false;
        x = PySequence_Fast_GET_ITEM(x, 0);
        if (PyUnicode_CheckExact(x) || PyBytes_CheckExact(x)) return true;
    }
    return false;
}

namespace {

/// Whether a keyword has a name that is interned, as those that stand in a program are.
bool is_named(PyObject* keyword, PyObject* name) noexcept {
    return keyword == name || (!PyUnicode_CHECK_INTERNED(keyword) && PyUnicode_Compare(keyword, name) == 0);
}

/// Calls ask this that have nothing to do with texts: most end after a look at two types.
bool has_types_of_numpy(Arguments args, Py_ssize_t count, PyObject* keywords) noexcept {
    static PyObject* const device = PyUnicode_InternFromString("device");
    static PyObject* const dtype = PyUnicode_InternFromString("dtype");
    const bool is_listed = count > 0 && (PyList_CheckExact(args[0]) || PyTuple_CheckExact(args[0]));
    bool found = count > 0 && (is_listed ? begins_with_text(args[0]) : has_dtype_of_numpys_alone(args[0]));
    found = found || (count > 1 && !is_ndarray(args[1]) && is_dtype_of_numpy(args[1]));
    for (Py_ssize_t i = 0; i < (keywords ? PyTuple_GET_SIZE(keywords) : 0); ++i) {
        PyObject* const name = PyTuple_GET_ITEM(keywords, i);
        if (is_named(name, device)) return false;  // ours alone
        found = found || (is_named(name, dtype) && names_dtype_of_numpy(args[count + i]));
    }
    return found;
}

}  // namespace

PyObject* call_for_numpys_types(PyObject* fallback, Arguments args, Py_ssize_t count, PyObject* keywords) noexcept {
    if (!fallback || !has_types_of_numpy(args, count, keywords)) return nullptr;
    return call_method_of(fallback, "for_numpys_types", args, count, keywords);
}

namespace {

bool is_container(PyObject* x) { return PyList_Check(x) || PyTuple_Check(x) || PyDict_Check(x); }

/// {type: one of its objects} of the items of two containers, and of the lists, tuples and dicts within, each of which
/// is visited once.
Object one_of_each_type(PyObject* args, PyObject* kwargs) {
    Object found = Object::steal(PyDict_New());
    // A type's class may have a hash of Python's, which may empty what is visited: all are held.
    std::vector<Object> containers = {Object::share(kwargs), Object::share(args)};
    std::unordered_map<PyObject*, Object> visited;
    const PyTypeObject* last = nullptr;  // lists of numbers or texts are long
    const auto visit = [&](PyObject* item) {
        if (is_container(item)) return containers.push_back(Object::share(item));
        if (Py_TYPE(item) == last) return;
        last = Py_TYPE(item);
        check(PyDict_SetItem(found.get(), reinterpret_cast<PyObject*>(Py_TYPE(item)), item));
    };
    while (!containers.empty()) {
        const auto [place, is_new] = visited.try_emplace(containers.back().get(), containers.back());
        containers.pop_back();
        if (!is_new) continue;
        PyObject* const container = place->first;
        PyObject *key, *value;
        if (PyDict_Check(container))
            for (Py_ssize_t at = 0; PyDict_Next(container, &at, &key, &value);) visit(value);
        else
            for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(container); ++i)
                visit(PySequence_Fast_GET_ITEM(container, i));
    }
    return found;
}

}  // namespace

PyObject* operator_fallback() { return the_operator_fallback; }

static void set_operator_fallback(PyObject* fallback) {
    Py_XSETREF(the_operator_fallback, fallback == Py_None ? nullptr : Py_NewRef(fallback));
}

static PyMethodDef fallback_functions[] = {
    private_method<one_of_each_type>(
        "one_of_each_type", "{type: one of its objects} of a call's arguments, in lists, tuples and dicts, too."),
    private_method<set_operator_fallback>(
        "set_operator_fallback",
        "Sets the function (name, a, b) that operators and assignments ask where they know no answer, or None."),
    {},
};

void bind_fallback(PyObject* module) { check(PyModule_AddFunctions(module, fallback_functions)); }

}  // namespace cuarray::python
