// python.h -- owned references, exceptions and argument lists of CPython, for the hand-written types.
#pragma once
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <cstdint>
#include <new>
#include <string>
#include <string_view>
#include <utility>
#include <vector>
#include "cuarray/core/error.h"
#include "runtime/hooks.h"

#if PY_VERSION_HEX < 0x030c0000
#include <structmember.h>
#define Py_T_PYSSIZET T_PYSSIZET
#define Py_T_OBJECT_EX T_OBJECT_EX
#define Py_T_LONGLONG T_LONGLONG
#define Py_READONLY READONLY
#endif

namespace cuarray::python {

/// Thrown where a Python exception is already set.
struct ExceptionIsSet {};

/// An owned reference, or null.
class Object {
 public:
    Object() = default;
    /// Takes over a new reference; null means that the call which made it has failed.
    static Object steal(PyObject* object) {
        if (!object) throw ExceptionIsSet{};
        return Object(object);
    }
    /// The same, where null is an answer.
    static Object steal_or_null(PyObject* object) { return Object(object); }
    static Object share(PyObject* object) {
        Py_XINCREF(object);
        return Object(object);
    }
    Object(const Object& other) : object_(other.object_) { Py_XINCREF(object_); }
    Object(Object&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
    Object& operator=(Object other) noexcept {
        std::swap(object_, other.object_);
        return *this;
    }
    ~Object() { Py_XDECREF(object_); }

    PyObject* get() const { return object_; }
    PyObject* release() { return std::exchange(object_, nullptr); }
    explicit operator bool() const { return object_ != nullptr; }

 private:
    explicit Object(PyObject* object) : object_(object) {}
    PyObject* object_ = nullptr;
};

/// Stops this thread for good. To a thread that asks for the GIL after the interpreter has begun to end, CPython up to
/// 3.13 answers with pthread_exit, which unwinds the stack without the GIL and dies at the first destructor; from 3.14
/// on it stops the thread as we do.
[[noreturn]] void stop_thread() noexcept;

/// Sets the Python exception for the C++ exception that is being handled.
void set_exception() noexcept;

/// Runs a function that returns a new reference; any C++ exception becomes Python's.
template <class Function>
PyObject* guarded(Function&& function) noexcept {
    try {
        return function();
    } catch (...) {
        set_exception();
        return nullptr;
    }
}

/// The same for slots that return an int or a size, -1 being failure.
template <class Result, class Function>
Result guarded_number(Function&& function) noexcept {
    try {
        return function();
    } catch (...) {
        set_exception();
        return Result(-1);
    }
}

/// cuarray.CudaError, made at import.
extern PyObject* cuda_error;

/// `function: what is wrong` with the name of the function that the program has called, where that is a public one
/// written in Python, in place of `function`, which is something that it is made of.
std::string name_called_function(const std::string& message) noexcept;

/// Raises a Python exception whose message is made as by PyErr_Format, and names the called function.
[[noreturn, gnu::cold]] void fail_with(PyObject* type, const Object& message);
template <class... Parts>
[[noreturn, gnu::cold, gnu::noinline]] void fail(PyObject* type, const char* format, Parts... parts) {
    fail_with(type, Object::steal(PyUnicode_FromFormat(format, parts...)));
}

/// The same with "function: " before it, if there is a name.
template <class... Parts>
[[noreturn, gnu::cold, gnu::noinline]] void fail_in(const char* function, PyObject* type, const char* format,
                                                    Parts... parts) {
    fail(type, function ? (std::string(function) + ": " + format).c_str() : format, parts...);
}

/// Raises TypeError for a keyword that a function with parameters of these names does not have.
[[noreturn, gnu::cold]] void refuse_keyword(const char* function, PyObject* name,
                                            const std::vector<std::string>& names);

/// The parameter that a converter reads, as errors name it. Without a function, fail() finds the public one
/// that was called.
struct Parameter {
    const char* name;
    const char* function = nullptr;
};

/// Raises "function: name must be REQUIREMENT, not GIVEN"; of what has a wrong type, GIVEN is the type.
[[noreturn, gnu::cold]] void refuse(PyObject* type, Parameter parameter, const char* requirement, PyObject* given);

inline void check(int status) {
    if (status < 0) throw ExceptionIsSet{};
}

/// `module.name`, imported once and kept for the life of the process.
class Attribute {
 public:
    constexpr Attribute(const char* module, const char* name) : module_(module), name_(name) {}
    PyObject* get();

 private:
    const char* module_;
    const char* name_;
    PyObject* object_ = nullptr;
};

/// What a function takes: names of its parameters, how many may be positional, how many are required.
struct Signature {
    static constexpr int kMaxParameters = 10;
    const char* function;
    const char* names[kMaxParameters];
    int positional;
    int required = 0;
};

/// Puts the arguments of a fast call into `values`, one per name; absent ones stay null. TypeError as Python's own.
void parse(const Signature& signature, PyObject* const* args, Py_ssize_t count, PyObject* keywords, PyObject** values);

/// A method called by METH_FASTCALL | METH_KEYWORDS: body(self, values), the values being those of the
/// signature's parameters; absent ones are null.
template <const Signature& signature, PyObject* (*body)(PyObject* self, PyObject** values)>
PyObject* fast_method(PyObject* self, PyObject* const* args, Py_ssize_t count, PyObject* keywords) noexcept {
    return guarded([&] {
        PyObject* values[Signature::kMaxParameters];
        parse(signature, args, count, keywords, values);
        return body(self, values);
    });
}

/// A method called by METH_NOARGS or METH_O: body(self, argument), the argument being null for METH_NOARGS.
template <PyObject* (*body)(PyObject* self, PyObject* argument)>
PyObject* plain_method(PyObject* self, PyObject* argument) noexcept {
    return guarded([&] { return body(self, argument); });
}

/// Remembers the line of the program where this thread is about to let go of the GIL.
void keep_source_line() noexcept;

/// Lets other threads run Python while the host works, waits or copies; does nothing for short work.
class GilRelease {
 public:
    explicit GilRelease(bool releases = true) : state_(releases ? let_go() : nullptr) {}
    ~GilRelease() {
        if (!state_) return;
        restore(state_);
        --running_;
    }
    /// Whether any thread works, or waits, without the GIL; asked by the one that has it.
    static bool any() { return running_ > 0; }
    GilRelease(const GilRelease&) = delete;
    GilRelease& operator=(const GilRelease&) = delete;

 private:
    static PyThreadState* let_go() {
        if (are_lines_wanted()) keep_source_line();
        ++running_;
        return PyEval_SaveThread();
    }
    static void restore(PyThreadState* state) noexcept;
    static inline int running_ = 0;  ///< the GIL guards it
    PyThreadState* state_;
};

/// The result of work(), which runs without the GIL if `is_long`.
template <class Work>
auto without_gil(bool is_long, Work&& work) {
    const GilRelease released(is_long);
    return work();
}

/// Takes the GIL in whatever thread the core happens to ask from.
class GilAcquire {
 public:
    GilAcquire() noexcept;
    ~GilAcquire() { PyGILState_Release(state_); }
    GilAcquire(const GilAcquire&) = delete;
    GilAcquire& operator=(const GilAcquire&) = delete;

 private:
    PyGILState_STATE state_;
};

/// Puts the exception in flight aside, if there is one, while code runs that must not see it.
class SavedException {
 public:
    SavedException() { PyErr_Fetch(&type_, &value_, &traceback_); }
    ~SavedException() {
        if (!is_dropped_) PyErr_Restore(type_, value_, traceback_);
    }
    SavedException(const SavedException&) = delete;
    SavedException& operator=(const SavedException&) = delete;

    /// str() of it; empty where there is none.
    std::string text() const noexcept;
    void set_text(const std::string& text) noexcept;
    void add_note(const std::string& note) noexcept;
    /// Forgets it: what is raised meanwhile stays.
    void drop() {
        is_dropped_ = true;
        Py_CLEAR(type_);
        Py_CLEAR(value_);
        Py_CLEAR(traceback_);
    }

 private:
    PyObject *type_, *value_, *traceback_;
    bool is_dropped_ = false;
};

/// Whether this thread has the GIL.
bool has_gil();

/// Calls function(context) under the GIL: now if this thread has it, else when the interpreter next looks; never
/// once the interpreter is being torn down.
void call_with_gil(void (*function)(void*), void* context) noexcept;
/// Gives up a reference to a Python object, in any thread: what frees memory that an object owns.
void drop_reference(void* object);

/// Memory of a new object of that type, whose own members are not set.
template <class Type>
Type* new_object_of(PyTypeObject* type) {
    void* const memory = PyObject_Malloc(sizeof(Type));
    if (!memory) throw std::bad_alloc();
    return reinterpret_cast<Type*>(PyObject_Init(static_cast<PyObject*>(memory), type));
}

/// Functions as the tables of CPython hold them.
template <class Function>
void* slot(Function* function) {
    return reinterpret_cast<void*>(function);
}
template <class Function>
PyCFunction method(Function* function) {
    return reinterpret_cast<PyCFunction>(slot(function));
}
constexpr int kFast = METH_FASTCALL | METH_KEYWORDS;
/// Arguments of a fast call.
using Arguments = PyObject* const*;

/// A list or a tuple, its length and its entries.
inline bool is_list(PyObject* object) { return PyList_CheckExact(object) || PyTuple_CheckExact(object); }
inline Py_ssize_t length_of(PyObject* list) {
    return PyList_CheckExact(list) ? PyList_GET_SIZE(list) : PyTuple_GET_SIZE(list);
}
inline PyObject* entry_of(PyObject* list, Py_ssize_t i) {
    return PyList_CheckExact(list) ? PyList_GET_ITEM(list, i) : PyTuple_GET_ITEM(list, i);
}
/// callable(argument).
inline Object call_with(PyObject* callable, PyObject* argument) {
    return Object::steal(PyObject_CallFunctionObjArgs(callable, argument, nullptr));
}
bool is_true(PyObject* object);
inline bool is_given(PyObject* argument) { return argument && argument != Py_None; }
/// A tuple or list of two as a tuple; null for anything else. Other sequences may say anything of their length.
Object pair_of(PyObject* object);
int64_t to_int64(PyObject* object, Parameter parameter);
double to_double(PyObject* object, Parameter parameter);
/// The text of a str, which owns it.
std::string_view to_text(PyObject* object, Parameter parameter);

/// str() of an attribute.
std::string attribute_text(PyObject* object, const char* attribute);

}  // namespace cuarray::python
