// imports.cpp -- Python's __import__ with another module for some: a function in C, of which tracebacks have no frame.
#include <vector>
#include "bindings/module.h"

namespace cuarray::python {
namespace {

/// Whether a name may be one that the chooser has a module for: NumPy's, or that of a relative import.
bool is_for_chooser(PyObject* name, PyObject* prefix) {
    if (!PyUnicode_Check(name)) return false;
    return PyUnicode_GetLength(name) == 0 || PyUnicode_Tailmatch(name, prefix, 0, PY_SSIZE_T_MAX, -1) == 1;
}

/// `self` is (Python's __import__, the beginning of names, the chooser).
PyObject* import_and_choose(PyObject* self, Arguments args, Py_ssize_t count, PyObject* keywords) {
    PyObject* const module = PyObject_Vectorcall(PyTuple_GET_ITEM(self, 0), args, size_t(count), keywords);
    if (!module || count == 0 || !is_for_chooser(args[0], PyTuple_GET_ITEM(self, 1))) return module;
    return guarded([&] {
        const Object imported = Object::steal(module);
        std::vector<PyObject*> given{imported.get()};
        const Py_ssize_t all = count + (keywords ? PyTuple_GET_SIZE(keywords) : 0);
        given.insert(given.end(), args, args + all);
        return PyObject_Vectorcall(PyTuple_GET_ITEM(self, 2), given.data(), size_t(count) + 1, keywords);
    });
}

PyMethodDef definition = {"__import__", method(import_and_choose), kFast, "Import a module; see builtins.__import__."};

Object choosing_import(PyObject* plain, PyObject* prefix, PyObject* choose) {
    const Object self = Object::steal(PyTuple_Pack(3, plain, prefix, choose));
    return Object::steal(PyCFunction_New(&definition, self.get()));
}

PyMethodDef import_functions[] = {
    private_method<choosing_import>("choosing_import",
                                    "Python's __import__, followed by choose(module, *arguments) for names that begin "
                                    "so and for relative imports."),
    {},
};

}  // namespace

void bind_imports(PyObject* module) { check(PyModule_AddFunctions(module, import_functions)); }

}  // namespace cuarray::python
