// python.cpp -- exceptions, argument lists, and the calls that wait for the GIL.
#include "bindings/python.h"
#include <cxxabi.h>
#include <pybind11/pybind11.h>
#include <unistd.h>
#include <mutex>
#include <new>
#include <vector>
#include "bindings/protocols/other_arrays.h"

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

struct PendingCall {
    void (*function)(void*);
    void* context;
};

/// Calls that came from threads without the GIL. Never destroyed: a pool thread may outlive static destructors.
struct PendingCalls {
    std::mutex mutex;
    std::vector<PendingCall> calls;
};

PendingCalls& pending_calls() {
    static PendingCalls* waiting = new PendingCalls;
    return *waiting;
}

int run_pending_calls(void*) {
    std::vector<PendingCall> calls;
    {
        const std::lock_guard lock(pending_calls().mutex);
        calls.swap(pending_calls().calls);
    }
    for (const PendingCall& call : calls) call.function(call.context);
    return 0;
}

int position_of(const Signature& signature, PyObject* name) {
    for (int position = 0; position < Signature::kMaxParameters && signature.names[position]; ++position)
        if (PyUnicode_CompareWithASCIIString(name, signature.names[position]) == 0) return position;
    fail(PyExc_TypeError, "%s() got an unexpected keyword argument '%U'", signature.function, name);
}

}  // namespace

/// Stops this thread for good. To a thread that asks for the GIL after the interpreter has begun to end, CPython up to
/// 3.13 answers with pthread_exit, which unwinds the stack without the GIL and dies at the first destructor; from 3.14
/// on it stops the thread as we do.
[[noreturn]] static void stop_thread() noexcept {
    for (;;) pause();
}

void GilRelease::restore(PyThreadState* state) noexcept {
    try {
        PyEval_RestoreThread(state);
    } catch (...) { stop_thread(); }
}

GilAcquire::GilAcquire() noexcept {
    try {
        state_ = PyGILState_Ensure();
    } catch (...) { stop_thread(); }
}

namespace {

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

PyObject* Attribute::get() {
    if (!object_) {
        const Object module = Object::steal(PyImport_ImportModule(module_));
        object_ = Object::steal(PyObject_GetAttrString(module.get(), name_)).release();
    }
    return object_;
}

void parse(const Signature& signature, PyObject* const* args, Py_ssize_t count, PyObject* keywords, PyObject** values) {
    for (int i = 0; i < Signature::kMaxParameters && signature.names[i]; ++i) values[i] = nullptr;
    if (count > signature.positional)
        fail(PyExc_TypeError, "%s() takes at most %d positional arguments (%zd given)", signature.function,
             signature.positional, count);
    for (Py_ssize_t i = 0; i < count; ++i) values[i] = args[i];
    const Py_ssize_t named = keywords ? PyTuple_Size(keywords) : 0;
    for (Py_ssize_t i = 0; i < named; ++i) {
        const int position = position_of(signature, PyTuple_GetItem(keywords, i));
        if (values[position])
            fail(PyExc_TypeError, "%s() got multiple values for argument '%s'", signature.function,
                 signature.names[position]);
        values[position] = args[count + i];
    }
    for (int i = 0; i < signature.required; ++i)
        if (!values[i])
            fail(PyExc_TypeError, "%s() missing required argument '%s' (pos %d)", signature.function,
                 signature.names[i], i + 1);
}

// PyGILState_Check answers yes for every thread once a subinterpreter has existed; this does not.
bool has_gil() {
#if PY_VERSION_HEX >= 0x030d0000
    PyThreadState* current = PyThreadState_GetUnchecked();
#else
    PyThreadState* current = _PyThreadState_UncheckedGet();
#endif
    return current && current == PyGILState_GetThisThreadState();
}

void call_with_gil(void (*function)(void*), void* context) noexcept {
    if (!Py_IsInitialized()) return;
    if (has_gil()) {
        const SavedException aside;
        function(context);
        return;
    }
    {
        const std::lock_guard lock(pending_calls().mutex);
        pending_calls().calls.push_back({function, context});
    }
    // A full queue loses nothing: whoever filled it will make our call as well, or the next release asks again.
    Py_AddPendingCall(run_pending_calls, nullptr);
}

void drop_reference(void* object) {
    call_with_gil([](void* owned) { Py_DECREF(static_cast<PyObject*>(owned)); }, object);
}

bool is_true(PyObject* object) {
    const int truth = PyObject_IsTrue(object);
    check(truth);
    return truth != 0;
}

Object pair_of(PyObject* object) {
    if (!PyTuple_Check(object) && !PyList_Check(object)) return {};
    Object tuple = Object::steal(PySequence_Tuple(object));
    return PyTuple_Size(tuple.get()) == 2 ? tuple : Object();
}

std::string attribute_text(PyObject* object, const char* attribute) {
    const Object value = Object::steal(PyObject_GetAttrString(object, attribute));
    const Object text = Object::steal(PyObject_Str(value.get()));
    return std::string(to_text(text.get(), {attribute}));
}

int64_t to_int64(PyObject* object, Parameter parameter) {
    const Object index = Object::steal_or_null(PyNumber_Index(object));
    if (!index) {
        // What an __index__ of the caller's raises is told as it is; arrays and NumPy's scalars have a shape.
        if (PyIndex_Check(object) && !has_attribute(object, "shape")) throw ExceptionIsSet{};
        PyErr_Clear();
        refuse(PyExc_TypeError, parameter, "an integer", object);
    }
    int overflow = 0;
    const long long value = PyLong_AsLongLongAndOverflow(index.get(), &overflow);
    if (value == -1 && PyErr_Occurred()) throw ExceptionIsSet{};
    // As NumPy, which calls a shape that is too large a wrong value.
    const bool is_shape = std::string_view(parameter.name) == "shape";
    if (overflow)
        refuse(is_shape ? PyExc_ValueError : PyExc_OverflowError, parameter, "an integer of 64 bits", index.get());
    return value;
}

double to_double(PyObject* object, Parameter parameter) {
    const double value = PyFloat_AsDouble(object);
    if (value != -1 || !PyErr_Occurred()) return value;
    // What a __float__ of the caller's raises is told as it is; arrays and NumPy's scalars have a dtype.
    if (!PyErr_ExceptionMatches(PyExc_TypeError) ||
        (has_attribute(object, "__float__") && !has_attribute(object, "dtype")))
        throw ExceptionIsSet{};
    PyErr_Clear();
    refuse(PyExc_TypeError, parameter, "a real number", object);
}

std::string_view to_text(PyObject* object, Parameter parameter) {
    if (!PyUnicode_Check(object)) refuse(PyExc_TypeError, parameter, "a string", object);
    Py_ssize_t size = 0;
    const char* const bytes = PyUnicode_AsUTF8AndSize(object, &size);
    if (!bytes) throw ExceptionIsSet{};
    return {bytes, size_t(size)};
}

}  // namespace cuarray::python
