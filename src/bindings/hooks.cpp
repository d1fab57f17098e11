// hooks.cpp -- what the C++ core asks of Python: where CUDA's libraries are, where warnings go, memory, and the end.
#include "runtime/hooks.h"
#include <string>
#include "bindings/functions/casters.h"
#include "bindings/module.h"
#include "cuarray/array/pending.h"

namespace py = pybind11;

namespace cuarray::python {
namespace {

/// Python's locator; kept for the life of the process.
PyObject* the_locator = nullptr;

std::string locate_by_python(const char* name, int major) {
    if (!Py_IsInitialized() || !the_locator) return {};
    const GilAcquire gil;
    try {
        const py::object path = py::handle(the_locator)(name, major);
        return path.is_none() ? std::string() : path.cast<std::string>();
    } catch (py::error_already_set& error) {
        error.discard_as_unraisable("cuarray's library locator");
        return {};
    }
}

/// Warnings of the core reach Python's machinery, at the user's line; one that a filter turns into an error has
/// nowhere to be raised.
void show_warning(const char* message) {
    if (!Py_IsInitialized()) return;
    const GilAcquire gil;
    const SavedException aside;  // a block may be dropped while an exception is on its way
    std::string file;
    int line = 0;
    const int status = find_line(&file, &line)
                           ? PyErr_WarnExplicit(PyExc_RuntimeWarning, message, file.c_str(), line, nullptr, nullptr)
                           : PyErr_WarnEx(PyExc_RuntimeWarning, message, 1);
    if (status < 0) PyErr_WriteUnraisable(nullptr);
}

void show_unraisable(const char* message) {
    if (!Py_IsInitialized()) return;
    const GilAcquire gil;
    const SavedException aside;
    PyErr_SetString(cuda_error, message);
    PyErr_WriteUnraisable(nullptr);
}

/// Python's function (errors, name), which warns, raises or calls; kept for the life of the process.
PyObject* the_error_handler = nullptr;

void handle_by_python(unsigned errors, const char* name) {
    if (!Py_IsInitialized()) return;
    const GilAcquire gil;
    py::reinterpret_borrow<py::function>(the_error_handler)(errors, name);
}

void warn_of_lost_parts() {
    if (!Py_IsInitialized()) return;
    const GilAcquire gil;
    static Attribute warning{"numpy.exceptions", "ComplexWarning"};
    check(PyErr_WarnEx(warning.get(), "Casting complex values to real discards the imaginary part", 1));
}

/// Cycles may hold arrays that nobody can reach any more.
void collect_garbage() {
    if (!Py_IsInitialized()) return;
    const GilAcquire gil;
    PyGC_Collect();
}

void wait_without_gil(void (*wait)(void*), void* argument) {
    const GilRelease released(Py_IsInitialized() && has_gil());
    wait(argument);
}

}  // namespace

void bind_hooks(py::module_& module) {
    module.def(
        "set_library_locator",
        [](py::object locator) {
            the_locator = locator.release().ptr();
            set_library_locator(locate_by_python);
        },
        "Sets the function (name, major version) -> path that finds NVIDIA's libraries.");
    module.def(
        "report_unraisable",
        [](PyObject* error, PyObject* raised_by) {
            PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(error)), error);
            PyErr_WriteUnraisable(raised_by);
        },
        "Hands an exception to sys.unraisablehook, whose argument Python cannot make.");
    module.def(
        "set_floating_error_handler",
        [](py::object handler) {
            the_error_handler = handler.release().ptr();
            set_floating_error_handler(handle_by_python);
        },
        "Sets the function (errors, name) that is told of floating-point errors.");
    module.def(
        "want_floating_errors",
        [](bool wanted) {
            if (wanted) settle_all();  // errors of calls that were made before are not asked for
            want_floating_errors(wanted);
        },
        "Begins or ends to look for floating-point errors.");
    set_warning_handler(show_warning);
    set_lost_parts_handler(warn_of_lost_parts);
    set_unraisable_handler(show_unraisable);
    set_memory_reliever(collect_garbage);
    set_waiter(wait_without_gil);
    // Python takes locks of its own for a fork, with which nobody may wait for whoever needs the GIL.
    py::module_::import("os").attr("register_at_fork")(py::arg("before") = py::cpp_function(&hold_graphs),
                                                       py::arg("after_in_parent") = py::cpp_function(&release_graphs),
                                                       py::arg("after_in_child") = py::cpp_function(&renew_graphs));
    py::module_::import("atexit").attr("register")(py::cpp_function(&shutdown, py::call_guard<GilRelease>()));
}

}  // namespace cuarray::python
