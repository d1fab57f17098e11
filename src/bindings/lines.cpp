// lines.cpp -- the line of the user's program that a thread is executing, known also while the thread has let
// go of the GIL: then it was looked up just before.
#include <string>
#include "bindings/module.h"
#include "cuarray/runtime/hooks.h"

namespace py = pybind11;

namespace cuarray::python {
namespace {

struct Line {
    std::string file;
    int number = 0;
};

/// The folder of the package, whose own frames are nobody's program.
std::string& package_folder() {
    static std::string* folder = new std::string;
    return *folder;
}

/// Where this thread stood when it let go of the GIL.
thread_local Line left_line;

Line current_line() {
    const ExceptionAside aside;
    Line line;
    Object frame = Object::share(reinterpret_cast<PyObject*>(PyEval_GetFrame()));
    while (frame) {
        auto* const at = reinterpret_cast<PyFrameObject*>(frame.get());
        const Object code = Object::steal(reinterpret_cast<PyObject*>(PyFrame_GetCode(at)));
        const Object name = Object::steal(PyObject_GetAttrString(code.get(), "co_filename"));
        const char* const file = PyUnicode_AsUTF8(name.get());
        if (!file) throw ExceptionIsSet{};
        if (std::string_view(file).substr(0, package_folder().size()) != package_folder()) {
            line.file = file;
            line.number = PyFrame_GetLineNumber(at);
            break;
        }
        frame = Object::steal_or_null(reinterpret_cast<PyObject*>(PyFrame_GetBack(at)));
    }
    return line;
}

bool find(std::string* file, int* number) {
    try {
        const Line line = has_gil() ? current_line() : left_line;
        *file = line.file;
        *number = line.number;
        return line.number != 0;
    } catch (const ExceptionIsSet&) {
        PyErr_Clear();
        return false;
    }
}

}  // namespace

void keep_line() noexcept {
    try {
        left_line = current_line();
    } catch (const ExceptionIsSet&) {
        PyErr_Clear();
    }
}

void bind_lines(py::module_& module) {
    module.def(
        "set_package_folder",
        [](const std::string& folder) {
            package_folder() = folder + "/";
            set_line_finder(find);
        },
        py::arg("folder"),
        "Names the folder whose frames are skipped where a line of the program is wanted.");
}

}  // namespace cuarray::python
