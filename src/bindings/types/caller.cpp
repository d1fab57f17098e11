// caller.cpp -- which library's C code calls a slot of ours, read from the stack.
#include "bindings/types/caller.h"
#include <dlfcn.h>
#include <unwind.h>
#include <string_view>
#include "bindings/python.h"

namespace cuarray::python {
namespace {

/// The first frames above this library: a function of Python's C API, unless the compiler made its call a jump, and its
/// caller.
struct Frames {
    int left = 2;
    bool is_torch = false;
};

const void* library_at(const void* address, const char** path = nullptr) {
    Dl_info found{};
    if (!dladdr(address, &found)) return nullptr;
    if (path) *path = found.dli_fname;
    return found.dli_fbase;
}

_Unwind_Reason_Code look_at(_Unwind_Context* context, void* into) {
    static const void* const ours = library_at(reinterpret_cast<const void*>(&is_called_by_torch));
    Frames& frames = *static_cast<Frames*>(into);
    const char* path = "";
    // A return address may lie behind the last instruction of the caller.
    const void* const library = library_at(reinterpret_cast<const void*>(_Unwind_GetIP(context) - 1), &path);
    if (library == ours) return _URC_NO_REASON;
    frames.is_torch |= std::string_view(path).find("libtorch") != std::string_view::npos;
    return --frames.left == 0 ? _URC_NORMAL_STOP : _URC_NO_REASON;
}

}  // namespace

bool is_called_by_torch() {
    static PyObject* const torch = PyUnicode_InternFromString("torch");
    if (!PyDict_Contains(PyImport_GetModuleDict(), torch)) return false;
    Frames frames;
    _Unwind_Backtrace(look_at, &frames);
    return frames.is_torch || frames.left > 0;  // where the stack cannot be read, wrong numbers are ruled out
}

}  // namespace cuarray::python
