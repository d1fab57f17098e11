// pending.h -- elementwise results that are computed when somebody looks: nodes, plans and settling. Nothing reads a
// storage but through `settle`, nothing writes one but after `before_write`.
#pragma once
#include <atomic>
#include <cstdint>
#include <vector>
#include "cuarray/array/array.h"
#include "cuarray/core/expr.h"

namespace cuarray {

/// One deferred elementwise operation. Shapes, dtypes and layout are settled when it is made; only the run waits.
class CUARRAY_API PendingNode {
 public:
    void retain() { references_.fetch_add(1, std::memory_order_relaxed); }
    void release() {
        if (references_.fetch_sub(1, std::memory_order_acq_rel) == 1) drop();
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
    int handles = 0;             ///< arrays that hold this node; the rest of the references are users' edges

 private:
    void drop();
    std::atomic<int32_t> references_{0};
};

/// Whether elementwise operations of this thread are deferred now (inside cuarray.fuse).
CUARRAY_API bool is_deferring();

/// Defers this thread's elementwise operations until the outermost one ends, which settles what is still wanted.
class CUARRAY_API Deferral {
 public:
    Deferral();
    ~Deferral() noexcept(false);
    Deferral(const Deferral&) = delete;
    Deferral& operator=(const Deferral&) = delete;
};
CUARRAY_API void begin_deferral();
CUARRAY_API void end_deferral();

/// Adds a node to this thread's graph; its operands become edges or tracked reads.
CUARRAY_API Array defer(ExprNode::Op op, LoopId loop, DType dtype, std::span<const Array* const> arrays,
                        std::span<const Scalar> scalars, const Dims& shape, Device device);

/// Runs what the array's value needs. Every read of a storage goes through Array::storage(), which calls this.
CUARRAY_API void settle(PendingNode& node);
/// Runs everything that this thread has deferred and somebody still holds.
CUARRAY_API void settle_all();
/// Runs the pending readers of `storage`: the one function before every write.
CUARRAY_API void before_write(Storage& storage);

/// The pending computation of `array` as an Expr whose output 0 is the array, for a consumer that absorbs it (a
/// reduction). False, with nothing changed, where the array is not pending or has other holders.
CUARRAY_API bool absorb(const Array& array, Expr& expr, std::vector<View>& inputs);

}  // namespace cuarray
