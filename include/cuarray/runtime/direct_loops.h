// direct_loops.h -- loops that a caller runs itself on a few elements: a task would cost more than they do.
#pragma once
#include <cstdint>
#include "cuarray/core/table.h"
#include "cuarray/runtime/task.h"

namespace cuarray {

/// One product of matrices of a dtype, rows x depth and depth x columns, into contiguous rows. Strides in bytes, from
/// row to row and from column to column.
struct MatrixProduct {
    struct Factor {
        const char* data;
        int64_t row, column;
    };
    DType dtype;
    int64_t rows, depth, columns;
    Factor left, right;
    char* result;
    bool conjugates_left = false;  ///< of two vectors alone
};

/// The loops of a device that computes on the host. Operands are contiguous and aligned, in host memory.
class DirectLoops {
 public:
    /// The address at which the host may read and write the storage now; null for memory that a GPU uses.
    virtual char* address(const Storage& storage) = 0;
    virtual void run(LoopId loop, const void* const* in, void* const* out, int64_t n) = 0;
    virtual void cast(DType from, DType to, const void* in, void* out, int64_t n) = 0;
    /// Folds runs of n > 0 elements of a dtype in the row's domain, each in the order of a task, to `folds` results.
    /// From one run to the next there are `apart` bytes.
    virtual void reduce(ReductionId row, DType dtype, const void* in, int64_t n, void* out, int64_t folds = 1,
                        int64_t apart = 0) = 0;
    /// The product as a Matmul task by a library computes it; false, with nothing done, where no library takes it.
    virtual bool multiply(const MatrixProduct& product) = 0;
    /// The bits that say which of n bytes are not zero, eight in a byte; and the 8 n bits of n bytes, as bytes.
    virtual void pack_bits(const void* from, void* to, int64_t n, bool highest_first) = 0;
    virtual void unpack_bits(const void* from, void* to, int64_t n, bool highest_first) = 0;
    /// Draws to an aligned address, that of the result.
    virtual void draw(const RandomFill& task, void* result) = 0;
    /// The same of the words of a Fill.
    virtual void draw(const SequenceFill& task, void* result) = 0;
    /// SequenceLoops::follow (host/library.h) of a draw.
    virtual int64_t follow(SequenceDraw draw, const kernel::SequenceParameters& parameters, int64_t& unit, int64_t end,
                           void* to, int64_t most) = 0;

 protected:
    ~DirectLoops() = default;
};

}  // namespace cuarray
