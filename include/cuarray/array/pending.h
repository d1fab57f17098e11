// pending.h -- elementwise results that are computed when somebody looks: nodes, plans and settling. Nothing reads a
// storage but through `settle`, nothing writes one but after `before_write`. Each thread has a graph; one lock guards all.
#pragma once
#include <atomic>
#include <cstdint>
#include <exception>
#include <mutex>
#include <vector>
#include "cuarray/array/array.h"
#include "cuarray/core/expr.h"

namespace cuarray {

struct PendingGraph;

/// Holds everything that is pending still: no thread adds a node, runs one, or lets go of the last reference to one.
using GraphLock = std::unique_lock<std::recursive_mutex>;
/// Takes the lock. A thread that has to wait for it does so as `wait_unlocked` says.
CUARRAY_API GraphLock lock_graph();
/// Around a fork of this thread: hold before it, release in the parent, renew in the child. C and C++ programs need not
/// call them. A host program whose own locks are taken for the fork calls them outside of those.
CUARRAY_API void hold_graphs();
CUARRAY_API void release_graphs();
CUARRAY_API void renew_graphs();

/// One deferred elementwise operation. Shapes, dtypes and layout are settled when it is made; only the run waits.
class CUARRAY_API PendingNode {
 public:
    void retain() { references_.fetch_add(1, std::memory_order_relaxed); }
    void release() {
        int32_t count = references_.load(std::memory_order_relaxed);
        while (count > 1)
            if (references_.compare_exchange_weak(count, count - 1, std::memory_order_acq_rel)) return;
        release_last();
    }

    /// What a node reads: another node's value, elements of a storage, or a scalar.
    struct Source {
        Ref<PendingNode> node;   ///< pending; cleared when that node has run
        StorageRef storage;      ///< else memory, seen through offset and strides
        int64_t offset = 0;
        Dims strides;
        Scalar scalar;           ///< else (neither node nor storage) a scalar
        DType dtype = DType::none;
    };

    ExprNode::Op op;             ///< Cast, Loop or Second
    LoopId loop = kNone;
    DType dtype;
    int sources = 0;
    Source source[kMaxIn];
    Device device;
    Dims shape, strides;         ///< the result's own layout, in the memory order of its operands
    StorageRef result;           ///< set once it has run
    std::exception_ptr error;    ///< or why it never will
    std::atomic<int> handles = 0;   ///< arrays that hold this node; from 0 it rises no more
    int users = 0;               ///< edges of pending nodes that read it
    PendingGraph* graph = nullptr;  ///< the graph it waits in; null once it has run
    bool planned = false;        ///< part of the plan being made

 private:
    /// Under the lock, because the graph knows its nodes by bare pointers and may be taking a reference.
    void release_last();
    std::atomic<int32_t> references_{0};
};

/// How many threads defer now: while none does, none has to look at its own graph.
CUARRAY_API extern std::atomic<int> deferring_threads;
CUARRAY_API bool is_deferring_here();
/// Whether elementwise operations of this thread are deferred now (inside cuarray.fuse).
inline bool is_deferring() {
    return deferring_threads.load(std::memory_order_relaxed) > 0 && is_deferring_here();
}

/// Defers this thread's elementwise operations until the outermost one ends, which settles what is still wanted. It ends
/// within one call of the library, where nobody writes to memory that others can write: what reads that may wait, too.
class CUARRAY_API Deferral {
 public:
    Deferral();
    ~Deferral() noexcept(false);
    Deferral(const Deferral&) = delete;
    Deferral& operator=(const Deferral&) = delete;
};
CUARRAY_API void begin_call_deferral();
CUARRAY_API void end_call_deferral();
/// The same for as long as the user asks: what others can write is read at once.
CUARRAY_API void begin_deferral();
CUARRAY_API void end_deferral();

/// Whether an operation on these arrays may wait: this thread defers, and nobody outside writes what it would read.
CUARRAY_API bool can_defer(std::span<const Array* const> arrays);

/// Adds a node to this thread's graph. Operand i is arrays[i], or scalars[i] where that is null; operands of another
/// dtype than the loop's are cast.
CUARRAY_API Array defer(ExprNode::Op op, LoopId loop, DType dtype, std::span<const Array* const> arrays,
                        std::span<const Scalar> scalars, const Dims& shape, const Dims& strides, Device device);

/// Runs what the array's value needs. Every read of a storage goes through Array::storage(), which calls this.
CUARRAY_API void settle(PendingNode& node);
/// Runs everything that this thread has deferred and somebody still holds.
CUARRAY_API void settle_all();
/// Runs the pending readers of `storage`: the one function before every write.
CUARRAY_API void before_write(Storage& storage);

/// A pending computation that takes part in its consumer's.
struct CUARRAY_API Absorbed {
    GraphLock lock;                       ///< keeps other threads from running it meanwhile
    std::vector<Ref<PendingNode>> nodes;
    std::vector<StorageRef> memory;       ///< what they read

    explicit operator bool() const { return lock.owns_lock(); }
    /// False where a finalizer has run some of it since, in this thread: what it reads may have been written after that.
    bool is_current() const;
};

/// The pending computation of `array` as an Expr whose output 0 is the array, for a consumer that absorbs it (a
/// reduction, an assignment) and holds what comes back until it has run. The array itself stays pending. Nothing where
/// it is not pending or pending work reads it. Consumers make their memory first, or ask then whether it is current.
CUARRAY_API Absorbed absorb(const Array& array, Expr& expr, std::vector<View>& inputs);

/// The value of an operand in an Expr of these inputs: one that is there already is read once.
CUARRAY_API ValueId read_once(const View& operand, Expr& expr, std::vector<View>& inputs);

}  // namespace cuarray
