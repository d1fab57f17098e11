// lanes.h -- elements per thread of a program; shared by the generated text and the launch.
#pragma once
#include "codegen/launch.h"

namespace cuarray {

/// Element sizes of a program's operands.
ElementSizes element_sizes(const Expr& expr);

/// Lanes of Walk::Contiguous: 16 bytes of the smallest item, 32 of the largest, at most 256 bytes per thread.
int contiguous_lanes(const ElementSizes& sizes);

/// Rows per thread of Walk::Rows and Walk::StridedRows, each of `lanes` elements: as many as registers hold, and the
/// compiler unrolls in a short time.
int rows_per_thread(const Expr& expr, const ElementSizes& sizes, int lanes);

/// The tiles of Walk::Tiles (`vectors`) and of Walk::StridedTiles, which has one element of each row.
TileShape tile_shape(const Expr& expr, const ElementSizes& sizes, bool vectors);

/// Lanes per thread of Walk::TreeLines: 16 bytes of the largest input, of accumulators that fit the registers.
int line_lanes(const Program& program);

/// Rows of a leaf that a thread of Walk::TreeLines loads at once.
int line_rows(const Program& program);

/// Threads per block of Walk::TreeLines: those of a chunk.
int line_threads(const Program& program);

/// Lanes of Walk::Strided: 16 bytes read per thread, fewer if the operands of all lanes do not fit the registers.
int strided_lanes(const ElementSizes& sizes);

/// Whether 16 elements fit the registers of Walk::Short.
bool can_fold_in_registers(const ElementSizes& sizes);

/// Whether a body is short enough to be unrolled over the lanes.
bool is_short(const Expr& expr);

}  // namespace cuarray
