// binary_loop.h -- what reduce, accumulate and reduceat have in common: the row's loop, out=, and faulty exponents.
#pragma once
#include <string>
#include <string_view>
#include "cuarray/ops/ufunc.h"

namespace cuarray {

/// The loop (T, T) -> T in which a binary row folds elements of `dtype`, into `out` where given. `asked`: dtype=, or none.
/// TypeError where there is none. Sums and products of small integers are those of int64 or uint64.
LoopId running_loop(RowId row, DType dtype, DType asked, const Array* out, const char* method);

/// The reduction that folds with this row, or kNone.
ReductionId reduction_of(std::string_view row);

/// ValueError where `out` cannot take a result of this shape made of `array`; `name` is the function, or method, that asks.
void check_out(const Array& array, const Array& out, const Dims& shape, const std::string& name);

/// ValueError where the row has no single result of two inputs.
void check_binary(RowId row, const char* method);

/// ValueError where a row that takes no negative exponents, folding in dtype T, would meet one. Along the axis the first
/// element may be a base.
void check_exponents(RowId row, const Array& array, int axis, bool has_base, DType T, const char* name);

}  // namespace cuarray
