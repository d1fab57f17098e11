// direct_loops.h -- loops that a caller runs itself on a few elements: a task would cost more than they do.
#pragma once
#include <cstdint>
#include "cuarray/core/table.h"
#include "cuarray/runtime/storage.h"

namespace cuarray {

/// The loops of a device that computes on the host. Operands are contiguous and aligned, in host memory.
class DirectLoops {
 public:
    /// The address at which the host may read and write the storage now; null for memory that a GPU uses.
    virtual char* address(const Storage& storage) = 0;
    virtual void run(LoopId loop, const void* const* in, void* const* out, int64_t n) = 0;
    virtual void cast(DType from, DType to, const void* in, void* out, int64_t n) = 0;
    /// Folds n > 0 elements of a dtype in the row's domain, in the order of a task, to one result.
    virtual void reduce(ReductionId row, DType dtype, const void* in, int64_t n, void* out) = 0;

 protected:
    ~DirectLoops() = default;
};

}  // namespace cuarray
