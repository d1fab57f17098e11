// tiles.h -- the parameters of walks that transpose tiles, in the same struct for both compilers; see index.h.
#pragma once
#include "cuarray/kernel/index.h"

namespace cuarray::kernel {

/// An operand over a matrix of elements: strides along a column, along a row and of the outer axes, in bytes.
struct TilesOperand {
    char* data;
    i32 down, across, strides[kMaxAxes - 2];
};

/// An iteration space of matrices of `rows` and `columns`, which the outer axes count. A thread block computes one
/// square tile of a matrix; `tiles_across` and `tiles_down` tiles cover it. Operands whose bit is set in `turned` have
/// their smaller stride down the columns: they are read down the columns and transposed in shared memory.
template <int N>
struct Tiles {
    u32 rows, columns, axes, turned;
    Extent32 tiles_across, tiles_down, extents[kMaxAxes - 2];
    TilesOperand operands[N];
};

}  // namespace cuarray::kernel
