// python_frames.cpp -- the Python frames below a call: the caller's source line, and the public function that
// it called.
#include <string>
#include "bindings/functions/casters.h"
#include "bindings/functions/function.h"
#include "bindings/module.h"
#include "bindings/types/ndarray.h"
#include "runtime/hooks.h"

namespace py = pybind11;

namespace cuarray::python {
namespace {

struct SourceLine {
    std::string file;
    int number = 0;
};

/// The folder of the package, whose own frames are nobody's program.
std::string& package_folder() {
    static std::string* folder = new std::string;
    return *folder;
}

/// The caller's line when this thread last released the GIL: without the GIL frames cannot be read.
thread_local SourceLine kept_line;

PyFrameObject* as_frame(const Object& object) { return reinterpret_cast<PyFrameObject*>(object.get()); }

/// Calls visit(code) for each of the package's own frames, from the innermost on; returns the first frame
/// that is not one, or null.
template <class Visit>
Object leave_package(Visit visit) {
    Object frame = Object::share(reinterpret_cast<PyObject*>(PyEval_GetFrame()));
    while (frame) {
        const Object code = Object::steal(reinterpret_cast<PyObject*>(PyFrame_GetCode(as_frame(frame))));
        if (!attribute_text(code.get(), "co_filename").starts_with(package_folder())) break;
        visit(code);
        frame = Object::steal_or_null(reinterpret_cast<PyObject*>(PyFrame_GetBack(as_frame(frame))));
    }
    return frame;
}

SourceLine current_source_line() {
    const SavedException aside;
    const Object frame = leave_package([](const Object&) {});
    if (!frame) return {};
    const Object code = Object::steal(reinterpret_cast<PyObject*>(PyFrame_GetCode(as_frame(frame))));
    return {attribute_text(code.get(), "co_filename"), PyFrame_GetLineNumber(as_frame(frame))};
}

/// What the package calls `name`, borrowed; null where it has no such name.
PyObject* public_object(const std::string& name) {
    PyObject* const package = PyImport_AddModule("cuarray");
    return package ? PyDict_GetItemString(PyModule_GetDict(package), name.c_str()) : nullptr;
}

/// The public function of ours that the program has called, where it is one written in Python; else nothing.
std::string called_function() {
    std::string called;
    leave_package([&](const Object& code) {
        const std::string name = attribute_text(code.get(), "co_name");
        PyObject* const function = public_object(name);
        if (!function || PyType_Check(function)) return;
        const Object own = Object::steal_or_null(PyObject_GetAttrString(function, "__code__"));
        if (!own) PyErr_Clear();
        if (own.get() == code.get()) called = name;
    });
    return called;
}

/// Whether a public function, a method or an attribute of arrays has that name. What says why there is none is neither.
bool is_name_of_ours(const std::string& name) {
    if (public_object(name)) return true;
    const Object found =
        Object::steal_or_null(PyObject_GetAttrString(reinterpret_cast<PyObject*>(ndarray_type), name.c_str()));
    if (!found) PyErr_Clear();
    return found && (PyCallable_Check(found.get()) || Py_IS_TYPE(found.get(), &PyGetSetDescr_Type) ||
                     Py_IS_TYPE(found.get(), &PyProperty_Type));
}

bool find(std::string* file, int* number) {
    try {
        const SourceLine line = has_gil() ? current_source_line() : kept_line;
        *file = line.file;
        *number = line.number;
        return line.number != 0;
    } catch (const ExceptionIsSet&) {
        PyErr_Clear();
        return false;
    }
}

}  // namespace

void keep_source_line() noexcept {
    try {
        kept_line = current_source_line();
    } catch (const ExceptionIsSet&) { PyErr_Clear(); }
}

std::string name_called_function(const std::string& message) noexcept {
    try {
        const SavedException aside;
        const std::string called = called_function();
        if (called.empty()) return message;
        const size_t colon = message.find(": ");
        const std::string named = message.substr(0, colon == message.npos ? 0 : colon);
        PyObject* const function = named.empty() ? nullptr : public_object(named);
        if (function && function == public_object(called)) return message;
        return called + (!named.empty() && is_name_of_ours(named) ? message.substr(colon) : ": " + message);
    } catch (...) {
        PyErr_Clear();
        return message;
    }
}

void name_function_of_error(const char* function) noexcept {
    try {
        SavedException raised;
        if (!called_function().empty()) return;
        const std::string message = raised.text();
        const size_t colon = message.find(": ");
        const std::string named = message.substr(0, colon == message.npos ? 0 : colon);
        if (!named.empty() && named != function && is_name_of_ours(named))
            raised.set_text(function + message.substr(colon));
    } catch (...) { PyErr_Clear(); }
}

void bind_python_frames(py::module_& module) {
    module.def(
        "set_package_folder",
        [](const std::string& folder) {
            package_folder() = folder + "/";
            set_line_finder(find);
        },
        "Names the folder whose frames are skipped where a line of the program is wanted.");
    module.def(
        "called_function",
        [](const std::string& function) {
            const std::string message = name_called_function(function + ": ");
            return message.substr(0, message.size() - 2);
        },
        "The name of the public function that the program has called, which is made of `function` or is it.");
}

}  // namespace cuarray::python
