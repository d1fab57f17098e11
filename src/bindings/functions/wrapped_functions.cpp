// wrapped_functions.cpp -- functions that classes do not bind as methods, and functions that ask a fallback.
#include <algorithm>
#include <string_view>
#include "bindings/module.h"
#include "bindings/python.h"
#include "bindings/types/fallback.h"
#include "bindings/types/ndarray.h"

namespace cuarray::python {
namespace {

/// The object that a caller sees in place of a function.
struct WrappedFunction {
    PyObject_HEAD vectorcallfunc vectorcall;
    PyObject* python;    ///< the function
    PyObject* fallback;  ///< asked after an error about types; null without one
    PyObject* weakrefs;
};

PyTypeObject* wrapped_type = nullptr;
PyTypeObject* builtin_type = nullptr;  ///< of functions that are no methods where a class has them
PyTypeObject* hosted_type = nullptr;   ///< of functions of other libraries that get NumPy's arrays in the place of ours

WrappedFunction* as_wrapped(PyObject* self) { return reinterpret_cast<WrappedFunction*>(self); }

PyObject* call_wrapped(PyObject* self, PyObject* const* args, size_t flagged_count, PyObject* keywords) noexcept {
    const WrappedFunction& f = *as_wrapped(self);
    const Py_ssize_t count = PyVectorcall_NARGS(flagged_count);
    if (PyObject* const result = call_for_others(f.fallback, args, count, keywords)) return result;
    if (PyErr_Occurred()) return nullptr;
    if (PyObject* const result = call_for_numpys_types(f.fallback, args, count, keywords)) return result;
    if (PyErr_Occurred()) return nullptr;
    PyObject* const result = PyObject_Vectorcall(f.python, args, flagged_count, keywords);
    return result ? result : call_fallback(f.fallback, args, count, keywords);
}

/// Whether an argument, or an entry of it, is an array of ours.
bool holds_ours(PyObject* x, int depth = 0) noexcept {
    if (is_ndarray(x)) return true;
    if (depth > 3) return false;
    if (PyList_CheckExact(x)) {
        for (Py_ssize_t i = 0; i < PyList_Size(x); ++i)
            if (holds_ours(PyList_GetItem(x, i), depth + 1)) return true;
    } else if (PyTuple_CheckExact(x)) {
        for (Py_ssize_t i = 0; i < PyTuple_Size(x); ++i)
            if (holds_ours(PyTuple_GetItem(x, i), depth + 1)) return true;
    } else if (PyDict_CheckExact(x)) {
        PyObject *key, *value;
        for (Py_ssize_t at = 0; PyDict_Next(x, &at, &key, &value);)
            if (holds_ours(value, depth + 1)) return true;
    } else if (PySlice_Check(x)) {
        for (const char* const end : {"start", "stop", "step"})
            if (is_ndarray(Object::steal(PyObject_GetAttrString(x, end)).get())) return true;
    }
    return false;
}

/// convert(function, args, keywords), where an argument holds an array of ours.
PyObject* call_hosted(PyObject* self, PyObject* const* args, size_t flagged_count, PyObject* keywords) noexcept {
    const WrappedFunction& f = *as_wrapped(self);
    const Py_ssize_t count = PyVectorcall_NARGS(flagged_count), named = keywords ? PyTuple_Size(keywords) : 0;
    if (std::none_of(args, args + count + named, [](PyObject* x) { return holds_ours(x); }))
        return PyObject_Vectorcall(f.python, args, flagged_count, keywords);
    const Object positional = Object::steal_or_null(PyTuple_New(count)), options = Object::steal_or_null(PyDict_New());
    if (!positional || !options) return nullptr;
    for (Py_ssize_t i = 0; i < count; ++i) PyTuple_SetItem(positional.get(), i, Py_NewRef(args[i]));
    for (Py_ssize_t i = 0; i < named; ++i)
        if (PyDict_SetItem(options.get(), PyTuple_GetItem(keywords, i), args[count + i]) < 0) return nullptr;
    return PyObject_CallFunctionObjArgs(f.fallback, f.python, positional.get(), options.get(), nullptr);
}

void free_wrapped(PyObject* self) {
    PyTypeObject* const type = Py_TYPE(self);
    if (as_wrapped(self)->weakrefs) PyObject_ClearWeakRefs(self);
    Py_DECREF(as_wrapped(self)->python);
    Py_XDECREF(as_wrapped(self)->fallback);
    PyObject_Free(self);
    Py_DECREF(type);
}

/// Bound as a method, as Python functions are; inspect and pydoc take it for a routine.
PyObject* bind_wrapped(PyObject* self, PyObject* object, PyObject*) {
    return object && object != Py_None ? PyMethod_New(self, object) : Py_NewRef(self);
}

/// As NumPy's functions in C; with a __get__ inspect and pydoc take it for a routine as well.
PyObject* leave_unbound(PyObject* self, PyObject*, PyObject*) { return Py_NewRef(self); }

/// Attributes are the function's: __name__, __doc__, __defaults__, __code__ ... A fallback says in which module the
/// function is, for pickles, and what computes if no class is asked, for classes that are.
PyObject* attribute_of_wrapped(PyObject* self, PyObject* name) {
    const char* const text = PyUnicode_AsUTF8(name);
    if (!text) return nullptr;
    const std::string_view wanted = text;
    if (wanted == "__wrapped__") return Py_NewRef(as_wrapped(self)->python);
    const bool is_of_fallback = wanted == "__module__" || wanted == "_implementation";
    if (is_of_fallback && as_wrapped(self)->fallback && Py_TYPE(self) != hosted_type)
        return PyObject_GetAttr(as_wrapped(self)->fallback, name);
    const bool is_own = wanted == "__class__" || wanted == "__reduce__" || wanted == "__reduce_ex__" ||
                        wanted == "__get__" || wanted == "__call__" || wanted == "__repr__" || wanted == "__dict__";
    return is_own ? PyObject_GenericGetAttr(self, name) : PyObject_GetAttr(as_wrapped(self)->python, name);
}

int set_attribute_of_wrapped(PyObject* self, PyObject* name, PyObject* value) {
    return PyObject_SetAttr(as_wrapped(self)->python, name, value);
}

PyObject* repr_of_wrapped(PyObject* self) { return PyObject_Repr(as_wrapped(self)->python); }

/// Pickled by name, as Python functions are.
PyObject* reduce_wrapped(PyObject* self, PyObject*) {
    return PyObject_GetAttrString(as_wrapped(self)->python, "__qualname__");
}

PyMethodDef wrapped_methods[] = {
    {"__reduce__", method(reduce_wrapped), METH_NOARGS, nullptr},
    {nullptr, nullptr, 0, nullptr},
};
/// For pydoc, which goes past the attributes above.
PyGetSetDef wrapped_attributes[] = {
    {"__doc__", [](PyObject* self, void*) { return PyObject_GetAttrString(as_wrapped(self)->python, "__doc__"); },
     nullptr, nullptr, nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr},
};
PyMemberDef wrapped_members[] = {
    {"__weaklistoffset__", Py_T_PYSSIZET, offsetof(WrappedFunction, weakrefs), Py_READONLY, nullptr},
    {"__vectorcalloffset__", Py_T_PYSSIZET, offsetof(WrappedFunction, vectorcall), Py_READONLY, nullptr},
    {nullptr, 0, 0, 0, nullptr},
};

PyTypeObject* make_wrapped_type(const char* name, descrgetfunc bind, unsigned int flags) {
    PyType_Slot slots[] = {{Py_tp_dealloc, slot(free_wrapped)},
                           {Py_tp_call, slot(PyVectorcall_Call)},
                           {Py_tp_descr_get, slot(bind)},
                           {Py_tp_getattro, slot(attribute_of_wrapped)},
                           {Py_tp_setattro, slot(set_attribute_of_wrapped)},
                           {Py_tp_repr, slot(repr_of_wrapped)},
                           {Py_tp_methods, wrapped_methods},
                           {Py_tp_getset, wrapped_attributes},
                           {Py_tp_members, wrapped_members},
                           {0, nullptr}};
    PyType_Spec spec = {
        name, int(sizeof(WrappedFunction)), 0,
        unsigned(Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION | Py_TPFLAGS_HAVE_VECTORCALL) | flags, slots};
    return reinterpret_cast<PyTypeObject*>(Object::steal(PyType_FromSpec(&spec)).release());
}

/// The callable, or what it wraps, as a function of that type.
Object wrapped_as(PyTypeObject* type, PyObject* callable, PyObject* fallback) {
    const bool is_wrapped = Py_TYPE(callable) == wrapped_type || Py_TYPE(callable) == builtin_type;
    WrappedFunction* const function = new_object_of<WrappedFunction>(type);
    function->vectorcall = call_wrapped;
    function->python = Py_NewRef(is_wrapped ? as_wrapped(callable)->python : callable);
    function->fallback = Py_XNewRef(fallback);
    function->weakrefs = nullptr;
    return Object::steal(reinterpret_cast<PyObject*>(function));
}

/// The function as one that classes do not bind as a method.
Object without_binding(PyObject* callable) { return wrapped_as(builtin_type, callable, nullptr); }

/// The function as one that asks a fallback after errors about types.
Object with_fallback(PyObject* callable, PyObject* fallback) {
    const bool is_bound_by_classes = PyType_GetFlags(Py_TYPE(callable)) & Py_TPFLAGS_METHOD_DESCRIPTOR;
    return wrapped_as(is_bound_by_classes ? wrapped_type : builtin_type, callable, fallback);
}

/// The function as one that gets what convert(function, args, keywords) makes of calls with arrays of ours.
Object with_host_arguments(PyObject* callable, PyObject* convert) {
    Object made = wrapped_as(hosted_type, callable, convert);
    as_wrapped(made.get())->vectorcall = call_hosted;
    return made;
}

PyMethodDef wrapping_functions[] = {
    private_method<without_binding>("without_binding", "The function as one that classes do not bind as a method."),
    private_method<with_fallback>("with_fallback",
                                  "The function as one that asks a fallback after errors about types."),
    private_method<with_host_arguments>("with_host_arguments",
                                        "The function as one that convert calls where it is given arrays of ours."),
    {},
};

}  // namespace

void bind_wrapped_functions(PyObject* module) {
    wrapped_type = make_wrapped_type("cuarray.wrapped_function", bind_wrapped, Py_TPFLAGS_METHOD_DESCRIPTOR);
    builtin_type = make_wrapped_type("cuarray.builtin_function", leave_unbound, 0);
    hosted_type = make_wrapped_type("cuarray.hosted_function", bind_wrapped, Py_TPFLAGS_METHOD_DESCRIPTOR);
    check(PyModule_AddFunctions(module, wrapping_functions));
}

}  // namespace cuarray::python
