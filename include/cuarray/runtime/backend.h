// backend.h -- the interface of a device: run tasks, allocate, copy bytes. There are two implementations, host and
// cuda; their headers are included nowhere else, runtime/registry.h gives access to them.
#pragma once
#include <atomic>
#include <cstdint>
#include <string>
#include "cuarray/core/device.h"
#include "cuarray/runtime/direct_loops.h"
#include "cuarray/runtime/memory.h"
#include "cuarray/runtime/task.h"

namespace cuarray {

/// One loop of the table, with one result and no fault, over operands of the loop's dtypes: the common case of a
/// call, without an Expr. The result obeys the rule for the outputs of an Elementwise.
struct SingleLoop {
    struct Location {
        Storage* storage = nullptr;  ///< null: an input is a scalar, the result gets new memory
        int64_t offset = 0;          ///< as in a View
        const Dims* strides = nullptr;
        const Scalar* scalar = nullptr;

        char* data() const { return static_cast<char*>(storage->data) + offset; }
    };
    LoopId loop;
    const Dims& shape;
    const char* name;
    int64_t bytes = 0;  ///< of the result
    Location in[kMaxIn] = {}, out = {};
};

/// An error that a run detects only in the values of its operands.
enum class Fault : uint32_t { None = 0, Raised = 1 };
inline constexpr char kNegativePower[] =
    "integers to negative integer powers are not allowed; use float_power, or a floating-point dtype";

/// How a device would run a task.
struct TaskExplanation {
    std::string how;   ///< in words
    std::string code;  ///< the text of the machine code or of the kernel, if asked for; "" where there is none
};

class Runtime;
class PlanCache;

/// A device. Methods may be called from any thread; work is ordered as if it ran at the call.
class CUARRAY_API Backend {
 public:
    explicit Backend(Device device) : device_(device) {}
    virtual ~Backend() = default;
    Backend(const Backend&) = delete;
    Backend& operator=(const Backend&) = delete;
    Device device() const { return device_; }

    /// The outermost decorator around this backend (runtime/decorator.h), or itself: send work there.
    Backend& front() const { return *front_.load(std::memory_order_acquire); }
    /// For the registry, which installs decorators; a front is never destroyed.
    void set_front(Backend& front) { front_.store(&front, std::memory_order_release); }

    /// A new block of at least `bytes` (256-byte aligned, contents undefined); MemoryError with the bytes requested and
    /// available. Zero bytes give a storage with a null address.
    virtual StorageRef allocate(int64_t bytes) = 0;
    /// The same of zeros; null where filling a new block with a task is as good.
    virtual StorageRef allocate_zeros(int64_t) { return {}; }

    /// Runs a task. Returns Fault::Raised if the fault of an Elementwise's Expr was true for an element; on an
    /// asynchronous device the next synchronisation raises it instead.
    virtual Fault run(const Task& task) = 0;
    /// How run() would compute it; nothing runs, is compiled or is kept. Addresses are compared, and not dereferenced.
    virtual TaskExplanation explain(const Elementwise& task, bool with_code) = 0;
    /// Whether run() would begin at once. Else what it needs is being made, and this call has begun that if nothing
    /// had: a kernel of many operations is compiled, while each alone may run.
    virtual bool is_prepared(const Elementwise&) { return true; }
    /// Runs one loop; returns the result's memory if it is new. The default runs an Expr, cached per thread.
    virtual StorageRef single_loop(const SingleLoop& task);
    /// The loops for a caller who runs them on a few elements without a task. Null on devices that do not compute on
    /// the host, while a graph is captured, and in decorators, which observe tasks.
    virtual DirectLoops* direct() { return nullptr; }
    /// Whether a vendor's library multiplies matrices of this dtype (Matmul::by_library).
    virtual bool multiplies_by_library(DType) { return false; }
    /// Whether that library's sums of products of two vectors are faster than a reduction.
    virtual bool sums_by_library() const { return false; }
    /// Whether it runs a LapackDriver; else a LapackRoutine.
    virtual bool has_lapack_drivers() const { return false; }
    /// Counts the true elements of a contiguous mask of `size` elements; waits for the total.
    virtual MaskCounts count_mask(const View& mask, int64_t size) = 0;

    /// Whether tasks run at their calls: while a graph is captured, or where each is checked.
    virtual bool runs_at_call() = 0;

    /// Copies raw bytes between host memory and a storage of this device. The host memory may be reused on return.
    virtual void write(Storage& to, int64_t offset, const void* from, int64_t bytes) = 0;
    virtual void read(void* to, Storage& from, int64_t offset, int64_t bytes) = 0;
    /// Copies raw bytes between two storages, at least one of this device.
    virtual void copy(Storage& to, int64_t to_offset, Storage& from, int64_t from_offset, int64_t bytes) = 0;

    /// Waits for everything queued here on any stream; raises errors and faults since the last wait.
    virtual void synchronize() = 0;
    /// Whether the host may dereference Storage::data, once wait_on_host() has returned (cpu).
    virtual bool is_host_accessible() const = 0;
    /// Streams, kinds of memory and properties of the device.
    virtual Runtime& runtime() = 0;

    /// Statistics, limits and allocators; always the same object.
    virtual Memory& memory() = 0;
    /// The plans of Fourier transforms; null on devices that need none.
    virtual PlanCache* plan_cache() { return nullptr; }
    /// The device's part of the doctor's report, as JSON: name, level or compute capability, threads, libraries.
    virtual std::string describe() const = 0;

 private:
    const Device device_;
    std::atomic<Backend*> front_{this};
};

inline Storage::Storage(Backend* backend, void* data, int64_t bytes)
    : backend(backend), data(data), bytes(bytes), device_(backend->device()) {}
inline Backend& Storage::front() const { return backend->front(); }

}  // namespace cuarray
