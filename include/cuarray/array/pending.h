// pending.h -- lazy evaluation of elementwise operations: nodes, plans and settling. Every read of a storage settles
// first, every write calls `before_write` first. Each thread has a graph; one lock guards all graphs.
#pragma once
#include <atomic>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <vector>
#include "cuarray/array/array.h"
#include "cuarray/array/deferral.h"
#include "cuarray/core/expr.h"

namespace cuarray {

struct PendingGraph;
struct SourceLines;

/// A mutex that its holder may take again, for the price of a look at who holds it.
class CUARRAY_API GraphMutex {
 public:
    void lock();
    bool try_lock();
    void unlock();

 private:
    std::mutex mutex_;
    std::atomic<const void*> holder_ = nullptr;
    int depth_ = 0;
};

/// While held, no other thread adds a node to a graph, runs one, or drops the last reference to one.
using GraphLock = std::unique_lock<GraphMutex>;
/// Takes the lock; a thread that must block does so in `wait_unlocked`.
CUARRAY_API GraphLock lock_graph();
/// Fork handlers: hold before fork(), release in the parent, renew in the child. They are registered by pthread_atfork;
/// a host program that takes its own locks for a fork must call them, too: hold_graphs() before taking those locks.
CUARRAY_API void hold_graphs();
CUARRAY_API void release_graphs();
CUARRAY_API void renew_graphs();

/// One deferred elementwise operation. Shape, dtype and layout are known when it is made; only the computation waits.
class CUARRAY_API PendingNode {
 public:
    PendingNode();
    ~PendingNode();
    /// From memory of nodes that are gone; under the lock, as nodes are made and deleted.
    static void* operator new(std::size_t bytes);
    static void operator delete(void* node) noexcept;
    void retain() { references_.fetch_add(1, std::memory_order_relaxed); }
    void release() {
        int32_t count = references_.load(std::memory_order_relaxed);
        while (count > 1)
            if (references_.compare_exchange_weak(count, count - 1, std::memory_order_acq_rel)) return;
        release_last();
    }

    /// What a node reads: another node's value, elements of a storage, or a scalar.
    struct Source {
        Ref<PendingNode> node;  ///< a pending node; cleared when that node has run
        StorageRef storage;     ///< else memory, with offset and strides
        int64_t offset = 0;
        Dims strides;
        Scalar scalar;  ///< else (neither node nor storage) a scalar
        DType dtype = DType::none;
    };

    ExprNode::Op op;  ///< Cast, Loop or Second
    LoopId loop = kNone;
    DType dtype;
    int sources = 0;
    Source source[kMaxIn];
    Device device;
    Dims shape, strides;                       ///< the result's own layout, in the memory order of its operands
    StorageRef result;                         ///< set once it has run
    std::exception_ptr error;                  ///< or the error that keeps it from running
    std::atomic<int> handles = 0;              ///< arrays that hold this node; never increases again from 0
    int users = 0;                             ///< edges of pending nodes that read it
    PendingGraph* graph = nullptr;             ///< the graph it waits in; null once it has run
    std::unique_ptr<const SourceLines> lines;  ///< where it was deferred, if somebody wants to know
    bool planned = false;                      ///< part of the plan being made
    int position = 0;                          ///< in the plan being run
    int users_inside = 0;                      ///< edges of the plan's nodes that read it

 private:
    /// Takes the lock: the graph has raw pointers to its nodes and may be taking a reference.
    void release_last();
    std::atomic<int32_t> references_{0};
};

/// Defers this thread's elementwise operations until the outermost Deferral ends, which computes the arrays still held.
/// A function declares it before its intermediate arrays, which are gone then, and returns its result without `settle`.
/// For use within one library call, where exported memory is not written: operations that read it are deferred, too.
class CUARRAY_API Deferral {
 public:
    Deferral();
    ~Deferral() noexcept(false);
    Deferral(const Deferral&) = delete;
    Deferral& operator=(const Deferral&) = delete;
};
CUARRAY_API void begin_call_deferral();
CUARRAY_API void end_call_deferral();
/// The same for one call of a function of the user's program, during which nothing else writes memory that was exported
/// before: operations that read it are deferred, but not those that read memory exported or imported meanwhile.
CUARRAY_API void begin_function_deferral();
CUARRAY_API void end_function_deferral();
/// Whether to defer an operation on these arrays that has so many elements: this thread defers, and no array is memory
/// that other code may write before the operation would run. A Deferral alone declines few elements of the host.
/// Without the lock, ask `reads_shared_memory` once more under it.
CUARRAY_API bool can_defer(std::span<const Array* const> arrays, int64_t elements);
/// Whether one of the arrays is such memory. To hold until `defer`, the answer needs the lock.
CUARRAY_API bool reads_shared_memory(std::span<const Array* const> arrays);

/// An elementwise operation to defer. Operand i is arrays[i], or scalars[i] where that is null; operands are cast to
/// the loop's dtypes.
struct DeferredOperation {
    ExprNode::Op op;
    LoopId loop;
    DType dtype;
    std::span<const Array* const> arrays;
    std::span<const Scalar> scalars;
    const Dims& shape;
    const Dims& strides;  ///< of the result, in bytes
    Device device;
};

/// Adds a node to this thread's graph; returns its pending result.
CUARRAY_API Array defer(const DeferredOperation& operation);

/// Runs the node and all nodes it depends on. Every read of a storage goes through Array::storage(), which calls this.
CUARRAY_API void settle(PendingNode& node);
/// Computes a pending `value` into existing memory of its shape, cast to that dtype, in one run with the named
/// intermediate values; handles in `dying` are not read afterwards, so that their values get no memory. False if `to`
/// may not be written while the computation reads: then the value has been computed into memory of its own, as a rule.
CUARRAY_API bool settle_into(const Array& value, const Array& to, std::span<const Array* const> dying);
/// Runs everything that this thread has deferred and that is still referenced.
CUARRAY_API void settle_all();
/// Runs the pending readers of `storage`; must be called before every write to it.
CUARRAY_API void before_write(Storage& storage);
/// Hands the memory to other code for the life of the result. Pending readers run before, if it may be written.
CUARRAY_API Export export_storage(StorageRef storage, bool is_writable);

/// A pending computation that was merged into its consumer's Expr.
struct CUARRAY_API Absorbed {
    GraphLock lock;  ///< keeps other threads from running it
    std::vector<Ref<PendingNode>> nodes;
    std::vector<StorageRef> memory;  ///< storages that the nodes read

    explicit operator bool() const { return lock.owns_lock(); }
    /// False if a finalizer has run some of the nodes in this thread: their inputs may have been overwritten since.
    bool is_current() const;
};

/// The pending computation of `array` as an Expr whose output 0 is the array, for a consumer (a reduction, an
/// assignment) that extends the Expr and keeps the returned object until it has run. The array itself stays pending.
/// Empty if the array is not pending, or if pending nodes read it. Consumers allocate memory before the call, or check
/// is_current() after allocating.
CUARRAY_API Absorbed absorb(const Array& array, Expr& expr, std::vector<View>& inputs);

/// Computes a pending array of `cpu` that others will read, too, where a consumer that absorbs it would repeat
/// functions of the vector library: these cost more than to store and read their results.
CUARRAY_API void settle_if_costly(const Array& array);

/// Gives an array its result if its node has run, so that its memory is found without the graph.
CUARRAY_API void settle_if_run(const Array& array);

/// The value of an operand in an Expr with these inputs; an operand equal to an existing input reuses that input.
CUARRAY_API ValueId read_once(const View& operand, Expr& expr, std::vector<View>& inputs);

}  // namespace cuarray
