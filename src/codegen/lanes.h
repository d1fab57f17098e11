// lanes.h -- how many elements one thread of a program takes at once; what the text and the launch agree on.
#pragma once
#include "cuarray/core/expr.h"

namespace cuarray {

/// What a program's elements occupy.
struct ElementSizes {
    int operands = 0;      ///< outputs, inputs and the index
    int smallest = 16;     ///< bytes
    int largest = 1;
    int total = 0;
    bool has_index = false;
};
ElementSizes element_sizes(const Expr& expr);

/// Lanes of Walk::Contiguous: 16 bytes of the smallest item, 32 of the largest, at most 256 bytes per thread.
int contiguous_lanes(const ElementSizes& sizes);

/// Lanes of the strided walks, which also keep an offset per operand and lane in registers.
int strided_lanes(const ElementSizes& sizes);

/// Whether four lanes of every operand fit the registers of Walk::Transposed.
bool can_transpose(const ElementSizes& sizes);

/// Whether a body is short enough to be repeated for every lane.
bool is_short(const Expr& expr);

}  // namespace cuarray
