// module.cpp -- cuarray._core: the types written by hand, the functions bound with pybind11, and the ends of both.
#include "bindings/module.h"
#include "bindings/functions/casters.h"
#include "bindings/functions/ufunc.h"
#include "bindings/types/ndarray.h"

namespace py = pybind11;

namespace cuarray::python {
namespace {

void translate(std::exception_ptr thrown) {
    try {
        std::rethrow_exception(thrown);
    } catch (const Error&) { set_exception(); } catch (const ExceptionIsSet&) {
    }
}

/// Puts methods written in Python into the type; called once, by cuarray/_ndarray/methods.py.
void extend_ndarray(const py::dict& methods) {
    for (const auto& [name, value] : methods)
        if (PyObject_SetAttr(reinterpret_cast<PyObject*>(ndarray_type), name.ptr(), value.ptr()) < 0)
            throw py::error_already_set();
}

/// Gives the type of arrays, or one of values, another class than `type`, which Python allows for its own classes
/// alone. Of the same size.
void set_class(const py::type& given, const py::type& kind) {
    auto* const type = reinterpret_cast<PyTypeObject*>(given.ptr());
    auto* const wanted = reinterpret_cast<PyTypeObject*>(kind.ptr());
    if (!is_array_type(type) || !PyType_IsSubtype(wanted, &PyType_Type) ||
        wanted->tp_basicsize != PyType_Type.tp_basicsize)
        throw py::type_error("set_class: a type of arrays and a subclass of type without fields are needed");
    PyTypeObject* const previous = Py_TYPE(given.ptr());
    Py_INCREF(wanted);
    Py_SET_TYPE(given.ptr(), wanted);
    PyType_Modified(type);
    if (previous != &PyType_Type) Py_DECREF(previous);
}

void make_module(py::module_& module) {
    cuda_error = PyErr_NewExceptionWithDoc("cuarray.CudaError", "A call of CUDA failed.", PyExc_RuntimeError, nullptr);
    if (!cuda_error) throw ExceptionIsSet{};
    module.attr("CudaError") = py::handle(cuda_error);
    make_ndarray_type(module.ptr());
    make_ufuncs(module.ptr());
    bind_devices(module);
    bind_streams(module);
    bind_pools(module);
    bind_loans(module.ptr());
    bind_arrays(module);
    bind_other_arrays(module.ptr());
    bind_numba_arguments(module);
    bind_indexing(module);
    bind_padding(module.ptr());
    bind_sorting(module);
    bind_ufunc_methods(module.ptr());
    bind_tables(module);
    bind_hooks(module);
    bind_python_frames(module);
    bind_wrapped_functions(module.ptr());
    bind_fallback(module.ptr());
    bind_imports(module.ptr());
    bind_functions(module.ptr());
    bind_profile(module);
    bind_random(module.ptr());
    bind_sequence(module);
    module.def("extend_ndarray", &extend_ndarray);
    module.def("set_class", &set_class);
}

}  // namespace
}  // namespace cuarray::python

namespace {

constexpr const char* kRefusal = "cuarray cannot be used in a subinterpreter; use a process or a thread";

bool is_main_interpreter() { return PyInterpreterState_Get() == PyInterpreterState_Main(); }

}  // namespace

/// The module's own beginning comes before pybind11's, which waits for ever in a subinterpreter of Python 3.11.
/// From 3.13 on Python calls it in the main interpreter, and what follows in the other one.
PYBIND11_MODULE(_core_of_main, module) {
    if (!is_main_interpreter()) throw pybind11::import_error(kRefusal);
    module.doc() = "The compiled part of cuarray.";
    module.attr("__version__") = CUARRAY_VERSION;
    pybind11::register_local_exception_translator(cuarray::python::translate);
    try {
        cuarray::python::make_module(module);
    } catch (const cuarray::python::ExceptionIsSet&) {
        throw pybind11::error_already_set();
    } catch (const cuarray::Error&) {
        cuarray::python::set_exception();
        throw pybind11::error_already_set();
    }
}

extern "C" PYBIND11_EXPORT PyObject* PyInit__core() {
    if (is_main_interpreter()) return PyInit__core_of_main();
    PyErr_SetString(PyExc_ImportError, kRefusal);
    return nullptr;
}
