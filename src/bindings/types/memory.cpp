// memory.cpp -- what cuarray.memory is made of: figures, limits, allocators written in Python, peers.
#include "cuarray/runtime/memory.h"
#include <string>
#include "bindings/functions/casters.h"
#include "bindings/module.h"
#include "bindings/types/ndarray.h"
#include "cuarray/array/elements.h"
#include "cuarray/runtime/registry.h"
#include "runtime/hooks.h"
#include "runtime/tracking.h"

namespace py = pybind11;

namespace cuarray::python {
namespace {

Memory& memory_of(Device device) { return backend(device).memory(); }

py::list memory_parts(const std::vector<MemoryPart>& all) {
    py::list list;
    for (const MemoryPart& part : all)
        list.append(py::make_tuple(part.name, part.current, part.cached, part.allocations));
    return list;
}

py::object limit_of(int64_t limit) { return limit == kNoLimit ? py::object(py::none()) : py::int_(limit); }

py::dict memory_stats(Device device) {
    Memory& memory = memory_of(device);
    const MemoryStats stats = memory.stats();
    py::dict figures;
    figures["device"] = to_string(memory.device);
    figures["current"] = stats.current;
    figures["peak"] = stats.peak;
    figures["reserved"] = stats.reserved;
    figures["allocations"] = stats.allocations;
    figures["limit"] = limit_of(stats.limit);
    figures["available"] = stats.available;
    figures["total"] = stats.total;
    figures["kinds"] = memory_parts(stats.kinds);
    figures["streams"] = memory_parts(stats.streams);
    return figures;
}

/// Two Python functions. Blocks may be freed in threads without the GIL: the call then waits for a thread that has it.
class PythonAllocator final : public Allocator {
 public:
    PythonAllocator(std::string name, PyObject* allocate, PyObject* free)
        : Allocator(std::move(name)), functions_(new Functions{Object::share(allocate), Object::share(free)}) {}
    ~PythonAllocator() override {
        call_with_gil([](void* functions) { delete static_cast<Functions*>(functions); }, functions_);
    }

 private:
    struct Functions {
        Object allocate, free;
    };
    struct DeferredFree {
        Ref<PythonAllocator> allocator;
        void* address;
        int64_t bytes, stream;
    };

    void* ask(int64_t bytes, Device, int64_t stream, std::string* why) override;
    void give_back(void* address, int64_t bytes, Device, int64_t stream) override;

    Functions* const functions_;
};

/// The text of the MemoryError that is set, which is cleared.
std::string message_of_memory_error() {
    SavedException error;
    const std::string message = error.text();
    error.drop();
    return message.empty() ? "MemoryError" : message;
}

void* PythonAllocator::ask(int64_t bytes, Device, int64_t stream, std::string* why) {
    const GilAcquire gil;
    const Object result = Object::steal_or_null(PyObject_CallFunction(
        functions_->allocate.get(), "LL", static_cast<long long>(bytes), static_cast<long long>(stream)));
    if (!result) {
        if (!PyErr_ExceptionMatches(PyExc_MemoryError)) throw ExceptionIsSet{};
        *why = message_of_memory_error();
        return nullptr;
    }
    if (result.get() == Py_None) return nullptr;
    const Object number = Object::steal_or_null(PyNumber_Index(result.get()));
    if (!number)
        fail(PyExc_TypeError, "memory: allocator %s must return an address, an integer, and returned %R", name.c_str(),
             result.get());
    void* const address = PyLong_AsVoidPtr(number.get());
    if (!address && PyErr_Occurred())
        fail(PyExc_ValueError, "memory: allocator %s was asked for %lld bytes and returned %R, which is no address",
             name.c_str(), static_cast<long long>(bytes), number.get());
    return address;
}

void PythonAllocator::give_back(void* address, int64_t bytes, Device, int64_t stream) {
    const auto call = [](void* context) {
        const std::unique_ptr<DeferredFree> r(static_cast<DeferredFree*>(context));
        PyObject* const function = r->allocator->functions_->free.get();
        const Object done = Object::steal_or_null(PyObject_CallFunction(
            function, "KLL", static_cast<unsigned long long>(reinterpret_cast<uintptr_t>(r->address)),
            static_cast<long long>(r->bytes), static_cast<long long>(r->stream)));
        if (!done) PyErr_WriteUnraisable(function);
    };
    call_with_gil(call, new DeferredFree{Ref<PythonAllocator>(this), address, bytes, stream});
}

Ref<Allocator> allocator_in_capsule(PyObject* capsule) {
    const auto* functions =
        static_cast<const cuarray_allocator_v1*>(PyCapsule_GetPointer(capsule, CUARRAY_ALLOCATOR_CAPSULE));
    if (!functions) throw ExceptionIsSet{};
    if (!functions->allocate || !functions->free)
        fail(PyExc_ValueError, "set_allocator: the capsule's functions allocate and free must not be null");
    return c_allocator(*functions, drop_reference, Py_NewRef(capsule));
}

void set_allocator(PyObject* allocate, PyObject* free, const std::string& name, Device device) {
    Memory& memory = memory_of(device);
    Ref<Allocator> allocator;
    if (PyCapsule_CheckExact(allocate))
        allocator = allocator_in_capsule(allocate);
    else if (allocate != Py_None)
        allocator = Ref<Allocator>(new PythonAllocator(name, allocate, free));
    const GilRelease released;
    memory.set_allocator(std::move(allocator));
}

void use_pool(const py::object& pool, Device device) {
    Memory& memory = memory_of(device);
    PoolChoice choice;
    if (py::isinstance<py::str>(pool))
        choice.kind = PoolChoice::Kind::Own;
    else if (!pool.is_none())
        choice = {PoolChoice::Kind::Given, pool.cast<uint64_t>()};
    const GilRelease released;
    memory.use_pool(choice);
}

py::list tracked_lines(Device device) {
    py::list lines;
    for (const LineAllocations& made : tracked_memory(memory_of(device).device))
        lines.append(py::make_tuple(made.file, made.line, made.allocations, made.bytes));
    return lines;
}

Attribute flush_peers{"cuarray.memory", "flush_peers"};

void flush() {
    if (!Py_IsInitialized()) return;
    const GilAcquire gil;
    const SavedException aside;
    PyObject* const function = flush_peers.get();
    const Object done = Object::steal_or_null(PyObject_CallNoArgs(function));
    if (!done) PyErr_WriteUnraisable(function);
}

}  // namespace

void bind_pools(py::module_& module) {
    const py::arg_v device = py::arg("device") = py::none();
    module.def("memory_stats", &memory_stats, "The figures of cuarray.memory.stats.");
    module.def(
        "memory_trim",
        [](Device d) {
            Memory& memory = memory_of(d);
            without_gil(true, [&] { memory.trim(); });
        },
        "Returns cached memory to the system.");
    module.def("reset_memory_peak", [](Device d) { memory_of(d).reset_peak(); });
    module.def("memory_limit", [](Device d) { return limit_of(memory_of(d).limit()); });
    module.def("set_memory_limit", [](std::optional<int64_t> bytes, Device d) {
        Memory& memory = memory_of(d);
        without_gil(true, [&] { memory.set_limit(bytes.value_or(kNoLimit)); });
    });
    module.def("set_memory_allocator", &set_allocator, py::arg("allocate"), py::arg("free"), py::arg("name"), device,
               "Functions, or a capsule and None, or None and None for the device's own pool.");
    module.def("use_memory_pool", &use_pool, "None: the device's current pool; 'own': ours; a number: a CUmemoryPool.");
    module.def("track_memory", &track_memory, "Begins or ends one demand for tracking.");
    module.def("is_tracking_memory", &is_tracking_memory);
    module.def(
        "allocate_block",
        [](int64_t bytes, int device, int64_t stream) {
            const GilRelease released;
            return reinterpret_cast<uintptr_t>(cuarray_allocate(bytes, device, reinterpret_cast<void*>(stream)));
        },
        "A block of a GPU's memory for another library.");
    module.def("free_block", [](uintptr_t address, int64_t bytes, int device, int64_t stream) {
        const GilRelease released;
        cuarray_deallocate(reinterpret_cast<void*>(address), bytes, device, reinterpret_cast<void*>(stream));
    });
    module.def("tracked_memory", &tracked_lines, "(file, line, live blocks, bytes), those with the most bytes first.");
    set_memory_flush(flush);
}

}  // namespace cuarray::python
