// lanes.h -- how many elements one thread of a program takes at once; what the text and the launch agree on.
#pragma once
#include "codegen/launch.h"

namespace cuarray {

/// What a program's elements occupy.
ElementSizes element_sizes(const Expr& expr);

/// Lanes of Walk::Contiguous: 16 bytes of the smallest item, 32 of the largest, at most 256 bytes per thread.
int contiguous_lanes(const ElementSizes& sizes);

/// Lanes of Walk::Strided: 16 bytes read per thread, as far as the offsets of operands and lanes fit
/// registers.
int strided_lanes(const ElementSizes& sizes);

/// Threads of a block of Walk::Strided: a 32 x 32 tile where the program can have tiles.
int strided_threads(const ElementSizes& sizes);

/// Whether a program's operands fit the registers of a 32 x 32 tile.
bool can_tile(const ElementSizes& sizes);

/// Whether 16 elements fit the registers of Walk::Short.
bool can_fold_in_registers(const ElementSizes& sizes);

/// Whether a body is short enough to be repeated for every lane.
bool is_short(const Expr& expr);

}  // namespace cuarray
