// other_arrays.cpp -- array classes of other libraries, told apart by NumPy's protocols.
#include "bindings/protocols/other_arrays.h"
#include <string>
#include "bindings/module.h"
#include "bindings/protocols/dlpack.h"
#include "bindings/types/ndarray.h"

namespace cuarray::python {
namespace {

Attribute masked_array{"numpy.ma", "MaskedArray"};
Attribute numpy_matrix{"numpy", "matrix"};
Attribute numpy_memmap{"numpy", "memmap"};
Attribute numpy_array{"numpy", "ndarray"};

PyObject* type_of(PyObject* object) { return reinterpret_cast<PyObject*>(Py_TYPE(object)); }
bool is_of(PyObject* object, Attribute& type) {
    return PyObject_TypeCheck(object, reinterpret_cast<PyTypeObject*>(type.get()));
}

/// An attribute of a class as it stands there, or null: a lookup that makes no exception where there is none.
PyObject* attribute_of(PyTypeObject* type, const char* name) {
    const SavedException aside;  // a lookup may clear one
    const Object key = Object::steal(PyUnicode_InternFromString(name));
    return _PyType_Lookup(type, key.get());
}
PyObject* attribute_of(PyObject* object, const char* name) { return attribute_of(Py_TYPE(object), name); }

/// An attribute of the object itself, which its class has not; null where it has none. What a class has is not its own,
/// but describes its instances.
Object attribute_of_instance(PyObject* object, const char* name) {
    PyTypeObject* const type = Py_TYPE(object);
    const bool has_own = type->tp_dictoffset != 0 || type->tp_getattro != PyObject_GenericGetAttr;
    if (!has_own || PyType_Check(object)) return {};
    SavedException aside;
    Object value = Object::steal_or_null(PyObject_GetAttrString(object, name));
    if (!value && PyErr_ExceptionMatches(PyExc_AttributeError)) PyErr_Clear();
    if (!value && PyErr_Occurred()) {
        aside.drop();
        throw ExceptionIsSet{};
    }
    return value;
}

/// Whether the class of an object, made of numpy.ndarray, has replaced one of these.
bool overrides(PyObject* object, std::initializer_list<const char*> names) {
    auto* const base = reinterpret_cast<PyTypeObject*>(numpy_array.get());
    for (const char* name : names)
        if (attribute_of(object, name) != attribute_of(base, name)) return true;
    return false;
}

ArrayClass class_of_numpy(PyObject* object) {
    PyObject* const type = type_of(object);
    if (type == numpy_array.get() || type == numpy_memmap.get()) return ArrayClass::Number;
    if (is_of(object, masked_array)) return ArrayClass::Masked;
    if (is_of(object, numpy_matrix)) return ArrayClass::Matrix;
    if (overrides(object, {"__array_ufunc__", "__array_function__"})) return ArrayClass::Dispatching;
    return overrides(object, {"__array_wrap__", "__array_finalize__"}) ? ArrayClass::Wrapping : ArrayClass::Number;
}

/// Whether the class wants to handle operators beside arrays: its priority is above that of NumPy's arrays, 0.
bool has_priority(PyObject* object) {
    PyObject* const of_class = attribute_of(object, "__array_priority__");
    const Object priority = of_class ? Object::share(of_class) : attribute_of_instance(object, "__array_priority__");
    if (!priority) return false;
    const double value = PyFloat_AsDouble(priority.get());
    if (PyErr_Occurred()) PyErr_Clear();
    return value > 0;
}

/// Classes that are neither Python's nor NumPy's.
ArrayClass class_of_other(PyObject* object) {
    PyObject* const ufunc = attribute_of(object, "__array_ufunc__");
    const bool is_first = goes_first(object);
    const bool has_array = has_array_protocol(object);
    if ((ufunc && ufunc != Py_None) || has_attribute(Py_TYPE(object), "__array_function__") ||
        has_attribute(object, "__dlpack__") || has_attribute(object, "__cuda_array_interface__") ||
        (has_array && is_first))
        return ArrayClass::Foreign;
    if (is_first) return ArrayClass::Nothing;
    if (PyLong_Check(object) || PyFloat_Check(object) || PyComplex_Check(object)) return ArrayClass::Number;
    if (PyList_Check(object) || PyTuple_Check(object)) return ArrayClass::List;
    const bool is_text = PyUnicode_Check(object) || PyBytes_Check(object);
    const bool is_read = has_array || (!is_text && (PyObject_CheckBuffer(object) || PySequence_Check(object)));
    return is_read ? ArrayClass::Data : ArrayClass::Nothing;
}

std::string name_of_class(PyObject* object) {
    PyObject* const type = type_of(object);
    const std::string name = attribute_text(type, "__qualname__");
    const Object module = Object::steal_or_null(PyObject_GetAttrString(type, "__module__"));
    if (!module) PyErr_Clear();
    if (!module || !PyUnicode_Check(module.get()) || PyUnicode_CompareWithASCIIString(module.get(), "builtins") == 0)
        return name;
    return attribute_text(type, "__module__") + "." + name;
}

[[noreturn]] void refuse_class(PyObject* object, ArrayClass kind, const char* function) {
    if (kind == ArrayClass::Masked)
        raise(ErrorKind::Type, function,
              ": a masked array would lose its mask; write m.filled(value), or a function of numpy.ma");
    if (kind == ArrayClass::Matrix)
        raise(ErrorKind::Type, function,
              ": a numpy.matrix, whose * is the product of matrices; write numpy.asarray(m), and @");
    raise(ErrorKind::Type, function, ": an array of class ", name_of_class(object),
          " has functions of its own, and its numbers alone may mean "
          "something else; write NumPy's function, or numpy.asarray(y) for the numbers");
}

void refuse_to_strip_in(PyObject* list, const char* function, int depth) {
    check_depth(depth);
    const bool is_list = PyList_Check(list);
    const Py_ssize_t count = PySequence_Size(list);
    const PyTypeObject* harmless = nullptr;
    for (Py_ssize_t i = 0; i < count; ++i) {
        PyObject* const entry = is_list ? PyList_GetItem(list, i) : PyTuple_GetItem(list, i);
        if (Py_TYPE(entry) == harmless || is_ndarray(entry)) continue;
        if (!PyList_Check(entry) && !PyTuple_Check(entry)) {
            refuse_to_strip(entry, function);
            harmless = Py_TYPE(entry);
        } else {
            refuse_to_strip_in(entry, function, depth + 1);
        }
    }
}

}  // namespace

Object as_base_array(PyObject* object) {
    return Object::steal(PyObject_CallMethod(numpy_array.get(), "__array__", "O", object));
}

bool has_numpys_functions(PyObject* object) {
    auto* const base = reinterpret_cast<PyTypeObject*>(numpy_array.get());
    for (const char* name : {"__array_ufunc__", "__array_function__"}) {
        const Object found = Object::steal_or_null(PyObject_GetAttrString(type_of(object), name));
        if (!found) PyErr_Clear();
        if (found.get() != attribute_of(base, name)) return false;
    }
    return true;
}

bool goes_first(PyObject* object) { return attribute_of(object, "__array_ufunc__") == Py_None || has_priority(object); }

bool has_attribute(PyTypeObject* type, const char* name) { return attribute_of(type, name) != nullptr; }

bool has_attribute(PyObject* object, const char* name) {
    return has_attribute(Py_TYPE(object), name) || attribute_of_instance(object, name);
}

bool has_array_protocol(PyObject* object) {
    return has_attribute(object, "__array__") || has_attribute(object, "__array_interface__") ||
           has_attribute(object, "__array_struct__");
}

bool handles_ufuncs(PyObject* object) {
    PyObject* const ufunc = attribute_of(object, "__array_ufunc__");
    return ufunc && ufunc != Py_None;
}

ArrayClass class_of(PyObject* object) {
    if (is_ndarray(object) || PyFloat_CheckExact(object) || PyLong_CheckExact(object) || PyBool_Check(object) ||
        PyComplex_CheckExact(object) || is_numpy_scalar(object))
        return ArrayClass::Number;
    if (is_of(object, numpy_array)) return class_of_numpy(object);
    if (PyList_CheckExact(object) || PyTuple_CheckExact(object)) return ArrayClass::List;
    if (object == Py_None || PyUnicode_CheckExact(object)) return ArrayClass::Nothing;
    if (known_exchange(Py_TYPE(object))) return ArrayClass::Foreign;
    return class_of_other(object);
}

bool is_more_than_numbers(PyObject* object) {
    const ArrayClass kind = class_of_numpy(object);
    return is_subclass_of_numpy(kind) && kind != ArrayClass::Wrapping;
}

void refuse_to_strip(PyObject* object, const char* function) {
    if (PyList_Check(object) || PyTuple_Check(object)) return refuse_to_strip_in(object, function, 0);
    if (PyFloat_CheckExact(object) || PyLong_CheckExact(object)) return;
    if (is_of(object, numpy_array)) {
        if (is_more_than_numbers(object)) refuse_class(object, class_of_numpy(object), function);
        return;
    }
    // A class that exports memory is asked for it; the others would be computed, or lose units, without a word. An
    // instance may only pass on the attributes of the array inside, as pint's do.
    PyTypeObject* const type = Py_TYPE(object);
    if (has_attribute(type, "__array_function__") && !has_attribute(type, "__dlpack__") &&
        !has_attribute(type, "__cuda_array_interface__"))
        refuse_class(object, ArrayClass::Foreign, function);
}

void refuse_text(PyObject* other, const Array& array, const char* function) {
    const bool is_text = PyUnicode_Check(other) || PyBytes_Check(other);
    if (is_text && array.ndim() > 0) fail(PyExc_TypeError, "%s: %R is no number", function, other);
}

void refuse_beside(PyObject* other, ArrayClass kind, Device device, const char* function) {
    if (kind == ArrayClass::Matrix) refuse_class(other, kind, function);
    if (kind == ArrayClass::Masked)
        raise(ErrorKind::Type, function, ": a masked array beside an array on ", to_string(device),
              "; write m.filled(value), or a function of numpy.ma with x.numpy()");
    if (is_subclass_of_numpy(kind))
        raise(ErrorKind::Type, function, ": an array of class ", name_of_class(other),
              ", which is a NumPy array, beside an array on ", to_string(device), "; write x.numpy()");
    const std::string name = name_of_class(other);
    raise(ErrorKind::Type, function, ": an array on ", to_string(device), " beside one of class ", name,
          ", which does not take it; "
          "write cuarray.asarray(y) for the ",
          name, " y");
}

static Object name_of_array_class(PyObject* object) {
    static constexpr const char* kNames[] = {"number", "list",   "data",    "wrapping", "dispatching",
                                             "masked", "matrix", "foreign", "nothing"};
    return Object::steal(PyUnicode_FromString(kNames[int(class_of(object))]));
}

static PyMethodDef class_functions[] = {
    private_method<name_of_array_class>("array_class",
                                        "What an object is beside our arrays; see bindings/protocols/other_arrays.h."),
    private_method<refuse_to_strip>("refuse_to_strip",
                                    "Raises TypeError where the numbers of an array say less than it does."),
    {},
};

void bind_other_arrays(PyObject* module) { check(PyModule_AddFunctions(module, class_functions)); }

}  // namespace cuarray::python
