// rows.h -- the parameters of walks over rows, in the same struct for both compilers; see index.h.
#pragma once
#include "cuarray/kernel/index.h"

namespace cuarray::kernel {

/// An operand whose rows lie along the last axis: `step` is the stride along it, `strides` those of the outer axes, in
/// bytes.
struct RowsOperand {
    char* data;
    i32 step, strides[kMaxAxes];
};

/// An iteration space of `rows` rows, which the outer axes count, and `columns` elements of each. A thread block
/// holds 2^column_bits threads along a row, and the other threads along the rows; `row_blocks` blocks lie along a row.
template <int N>
struct Rows {
    u32 rows, columns, axes, column_bits;
    Extent32 row_blocks, extents[kMaxAxes];
    RowsOperand operands[N];
};

}  // namespace cuarray::kernel
