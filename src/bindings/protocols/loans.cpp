// loans.cpp -- arrays over memory that a library lends for the time of a call; later uses of them raise.
#include <optional>
#include <vector>
#include "bindings/module.h"
#include "bindings/protocols/dlpack.h"
#include "bindings/types/ndarray.h"
#include "cuarray/runtime/registry.h"
#include "cuarray/runtime/threads.h"

namespace cuarray::python {
namespace {

/// producer.__dlpack__(stream=stream, max_version=...).
Object capsule_of(PyObject* producer, PyObject* stream) {
    static PyObject* const method = PyUnicode_InternFromString("__dlpack__");
    static PyObject* const names = Py_BuildValue("(ss)", "stream", "max_version");
    static PyObject* const version = Py_BuildValue("(ii)", DLPACK_MAJOR_VERSION, DLPACK_MINOR_VERSION);
    PyObject* const args[] = {producer, stream, version};
    return Object::steal(PyObject_VectorcallMethod(method, args, 1, names));
}

Device device_of_producer(PyObject* producer) {
    static PyObject* const method = PyUnicode_InternFromString("__dlpack_device__");
    const Object answer = Object::steal(PyObject_CallMethodNoArgs(producer, method));
    return device_told(answer.get());
}

/// Memory of one device, lent by a library on its stream.
class Loan {
 public:
    Loan(Device device, PyObject* context) : device_(device), number_(Object::share(Py_None)) {
        if (is_on_host(device)) return;
        const Object handle = Object::steal(PyObject_GetAttrString(context, "stream"));
        stream_ = runtime(device).foreign_stream(to_int64(handle.get(), {"context.stream", "lend"}));
        number_ = Object::steal(PyLong_FromLongLong(stream_->handle()));
    }

    /// A list of arrays over the memory of the producers.
    Object borrow(PyObject* const* producers, Py_ssize_t count) {
        Object arrays = Object::steal(PyList_New(count));
        for (Py_ssize_t k = 0; k < count; ++k) {
            const Object capsule = capsule_of(producers[k], number_.get());
            Array array = import_capsule(capsule.get(), handle());
            lent_.push_back(array.storage_ref());
            PyList_SET_ITEM(arrays.get(), k, wrap(std::move(array)));
        }
        return arrays;
    }

    /// work() on the owner's device and stream.
    template <class Work>
    void call(Work&& work) const {
        const DeviceScope device(device_);
        std::optional<StreamScope> stream;
        if (stream_) stream.emplace(stream_);
        work();
    }

    /// Whether anything holds views of the memory beside the arrays, in Python or in other libraries.
    bool has_views() const {
        for (const StorageRef& storage : lent_)
            if (storage->references() > 2) return true;
        return false;
    }

    /// The owner's stream waits for the work queued here; later uses of the arrays and of their views raise.
    void end() const {
        for (const StorageRef& storage : lent_) storage->is_revoked = true;
        for (const StorageRef& storage : lent_) runtime(device_).publish(*storage, handle());
    }

 private:
    int64_t handle() const { return stream_ ? stream_->handle() : 0; }

    Device device_;
    StreamRef stream_;
    Object number_;  ///< the stream as producers take it
    std::vector<StorageRef> lent_;
};

/// Lends context, results, *arguments: work(list of arrays over the results' memory, list of those over the
/// arguments'). RuntimeError with the text `refusal`, unless that is None, where they have views afterwards.
template <class Work>
PyObject* lend_to(Work&& work, PyObject* refusal, Arguments args, Py_ssize_t count) {
    return guarded([&] {
        const Object places = Object::steal(PySequence_Fast(args[1], "lend: results must be a sequence"));
        Loan loan(device_of_producer(PySequence_Fast_GET_ITEM(places.get(), 0)), args[0]);
        const Object results = loan.borrow(PySequence_Fast_ITEMS(places.get()), PySequence_Fast_GET_SIZE(places.get()));
        const Object arguments = loan.borrow(args + 2, count - 2);
        try {
            loan.call([&] { work(results.get(), arguments.get()); });
        } catch (const ExceptionIsSet&) {
            const SavedException raised;
            loan.end();
            throw;
        }
        const bool is_refused = refusal != Py_None && loan.has_views() && (PyGC_Collect(), loan.has_views());
        loan.end();
        if (is_refused) fail(PyExc_RuntimeError, "%U", refusal);
        return Py_NewRef(Py_None);
    });
}

/// lend(work, refusal, context, results, *arguments)
PyObject* lend(PyObject*, Arguments args, Py_ssize_t count) {
    const auto work = [&](PyObject* results, PyObject* arguments) {
        PyObject* const given[] = {results, arguments};
        Object::steal(PyObject_Vectorcall(args[0], given, 2, nullptr));
    };
    return lend_to(work, args[1], args + 2, count - 2);
}

/// lend_out(function, store, refusal, context, results, *arguments): calls function(*arguments, out=result), and
/// store(results, returned) if it has returned something else than that.
PyObject* lend_out(PyObject*, Arguments args, Py_ssize_t count) {
    static PyObject* const out = Py_BuildValue("(s)", "out");
    const auto work = [&](PyObject* results, PyObject* arguments) {
        const Py_ssize_t n = PyList_GET_SIZE(arguments);
        std::vector<PyObject*> given(size_t(n) + 1, PyList_GET_ITEM(results, 0));
        for (Py_ssize_t k = 0; k < n; ++k) given[size_t(k)] = PyList_GET_ITEM(arguments, k);
        const Object returned = Object::steal(PyObject_Vectorcall(args[0], given.data(), size_t(n), out));
        if (returned.get() == given.back()) return;
        PyObject* const stored[] = {results, returned.get()};
        Object::steal(PyObject_Vectorcall(args[1], stored, 2, nullptr));
    };
    return lend_to(work, args[2], args + 3, count - 3);
}

/// The array if it is read-only; else a read-only view of it, or a read-only copy of a value.
PyObject* frozen(PyObject*, PyObject* object) {
    return guarded([&]() -> PyObject* {
        if (!is_ndarray(object)) fail(PyExc_TypeError, "frozen: expected a cuarray.ndarray, not %R", object);
        const Array& array = array_of(object);
        if (!array.is_writable()) return Py_NewRef(object);
        const bool is_value = as_ndarray(object)->is_value;
        Array made = is_value ? without_gil(array, [kept = array] { return copy(kept, 'C'); }) : array;
        made.set_read_only();
        return is_value ? wrap(std::move(made)) : wrap_view(std::move(made), object);
    });
}

PyMethodDef loan_functions[] = {
    {"called_on_tensors", method(called_on_tensors), METH_FASTCALL, nullptr},
    {"detached", method(detached), METH_O, nullptr},
    {"frozen", method(frozen), METH_O, nullptr},
    {"lend", method(lend), METH_FASTCALL, nullptr},
    {"lend_out", method(lend_out), METH_FASTCALL, nullptr},
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace

void bind_loans(PyObject* module) { check(PyModule_AddFunctions(module, loan_functions)); }

}  // namespace cuarray::python
