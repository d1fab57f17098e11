// python.cpp -- argument lists, and the calls that wait for the GIL.
#include "bindings/python.h"
#include <unistd.h>
#include <algorithm>
#include <mutex>
#include <vector>
#include "bindings/protocols/other_arrays.h"

namespace cuarray::python {
namespace {

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
    std::vector<std::string> names;
    for (int k = 0; k < Signature::kMaxParameters && signature.names[k]; ++k) names.push_back(signature.names[k]);
    refuse_keyword(signature.function, name, names);
}

Attribute get_close_matches{"difflib", "get_close_matches"};

/// What the caller of a function may have meant by a keyword that it does not have; "" if nothing comes near.
std::string advice_on_keyword(PyObject* keyword, const std::vector<std::string>& names) {
    constexpr const char* kNamesOfNumPy[][2] = {
        {"dim", "axis"}, {"dims", "axis"}, {"axes", "axis"}, {"keepdim", "keepdims"}, {"keep_dims", "keepdims"}};
    for (const auto& [theirs, numpys] : kNamesOfNumPy)
        if (PyUnicode_CompareWithASCIIString(keyword, theirs) == 0 && std::ranges::count(names, numpys))
            return std::string("NumPy's name is '") + numpys + "'";
    if (PyUnicode_CompareWithASCIIString(keyword, "requires_grad") == 0)
        return "gradients are never recorded: leave it out";
    const Object known = Object::steal(PyList_New(0));
    for (const std::string& name : names)
        check(PyList_Append(known.get(), Object::steal(PyUnicode_FromString(name.c_str())).get()));
    const Object near =
        Object::steal(PyObject_CallFunction(get_close_matches.get(), "OOid", keyword, known.get(), 1, .75));
    if (PyList_Size(near.get()) < 1) return "";
    return std::string("did you mean '") + PyUnicode_AsUTF8(PyList_GetItem(near.get(), 0)) + "'?";
}

}  // namespace

void refuse_keyword(const char* function, PyObject* name, const std::vector<std::string>& names) {
    const std::string advice = advice_on_keyword(name, names);
    fail(PyExc_TypeError, "%s() got an unexpected keyword argument '%U'%s%s", function, name,
         advice.empty() ? "" : "; ", advice.c_str());
}

void stop_thread() noexcept {
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
