// exceptions.cpp -- Python's exceptions for those of C++, and their messages.
#include <cxxabi.h>
#include <pybind11/pybind11.h>
#include <new>
#include "bindings/python.h"

namespace cuarray::python {

PyObject* cuda_error = nullptr;

namespace {

Attribute axis_error{"numpy.exceptions", "AxisError"};
Attribute lin_alg_error{"numpy.linalg", "LinAlgError"};

PyObject* exception_type(ErrorKind kind) {
    switch (kind) {
        case ErrorKind::Type: return PyExc_TypeError;
        case ErrorKind::Value: return PyExc_ValueError;
        case ErrorKind::Index: return PyExc_IndexError;
        case ErrorKind::Axis: return axis_error.get();
        case ErrorKind::LinAlg: return lin_alg_error.get();
        case ErrorKind::Memory: return PyExc_MemoryError;
        case ErrorKind::Overflow: return PyExc_OverflowError;
        case ErrorKind::NotImplemented: return PyExc_NotImplementedError;
        case ErrorKind::Buffer: return PyExc_BufferError;
        case ErrorKind::Runtime: return PyExc_RuntimeError;
        case ErrorKind::Cuda: return cuda_error;
    }
    return PyExc_RuntimeError;
}

/// Whether a call was wrong, and not the machine it met.
bool is_about_arguments(ErrorKind kind) {
    return kind != ErrorKind::Memory && kind != ErrorKind::Runtime && kind != ErrorKind::Cuda;
}

/// Text for Python. It may have bytes of others, such as names of capsules and messages of drivers: those that are not
/// UTF-8 become U+FFFD. An empty handle, with an exception set, without memory for it.
Object readable(const std::string& text) noexcept {
    return Object::steal_or_null(PyUnicode_DecodeUTF8(text.data(), Py_ssize_t(text.size()), "replace"));
}

void set_error(PyObject* type, const std::string& text) noexcept {
    if (const Object message = readable(text)) PyErr_SetObject(type, message.get());
}

}  // namespace

// A forced unwind has no object: the reference is to nothing, and is not read.
[[gnu::no_sanitize("null")]] void set_exception() noexcept {
    try {
        throw;
    } catch (const abi::__forced_unwind&) {
        stop_thread();  // in Python code that we have called
    } catch (const ExceptionIsSet&) {
    } catch (pybind11::error_already_set& error) { error.restore(); } catch (const Error& error) {
        const std::string message =
            is_about_arguments(error.kind()) ? name_called_function(error.what()) : error.what();
        if (PyObject* type = exception_type(error.kind())) set_error(type, message);
        if (error.notes().empty()) return;
        SavedException raised;
        for (const std::string& note : error.notes()) raised.add_note(note);
    } catch (const std::bad_alloc&) { PyErr_NoMemory(); } catch (const std::exception& error) {
        set_error(PyExc_RuntimeError, error.what());
    } catch (...) { PyErr_SetString(PyExc_RuntimeError, "an exception of unknown type left the C++ core"); }
}

void fail_with(PyObject* type, const Object& message) {
    const char* const text = PyUnicode_AsUTF8(message.get());
    if (text) set_error(type, name_called_function(text));
    throw ExceptionIsSet{};
}

void refuse(PyObject* type, Parameter parameter, const char* requirement, PyObject* given) {
    const Object shown = type == PyExc_TypeError ? Object::steal(PyType_GetQualName(Py_TYPE(given)))
                                                 : Object::steal(PyObject_Repr(given));
    fail_in(parameter.function, type, "%s must be %s, not %U", parameter.name, requirement, shown.get());
}

std::string SavedException::text() const noexcept {
    const Object text = Object::steal_or_null(value_ ? PyObject_Str(value_) : nullptr);
    const char* const bytes = text ? PyUnicode_AsUTF8(text.get()) : nullptr;
    PyErr_Clear();
    return bytes ? bytes : "";
}

void SavedException::set_text(const std::string& text) noexcept {
    const Object shown = readable(text);
    if (PyObject* const error = shown ? PyObject_CallOneArg(type_, shown.get()) : nullptr)
        Py_XSETREF(value_, error);
    else
        PyErr_Clear();
}

void SavedException::add_note(const std::string& note) noexcept {
    PyErr_NormalizeException(&type_, &value_, &traceback_);
    const Object shown = readable(note);
    if (!shown || !Object::steal_or_null(PyObject_CallMethod(value_, "add_note", "O", shown.get()))) PyErr_Clear();
}

}  // namespace cuarray::python
