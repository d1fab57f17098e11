// binary_loop.h -- shared by reduce, accumulate and reduceat: the row's loop, and checks of out= and of exponents.
#pragma once
#include <string>
#include "cuarray/ops/ufunc.h"

namespace cuarray {

/// The dtype in which elements of `dtype` are folded into `out`: as in NumPy their common one, but uint64 and signed
/// integers do not become float64.
DType fold_dtype(DType dtype, const Array& out);

/// The loop (T, T) -> T in which a binary row folds elements of `dtype`, into `out` if given. `asked`: dtype=, or none.
/// TypeError if there is no such loop. Sums and products of smaller integers use int64 or uint64.
LoopId running_loop(RowId row, DType dtype, DType asked, const Array* out, const char* method);

/// ValueError if `out` cannot take a result of this shape computed from `array`; `name` is the calling function or
/// method.
void check_out(const Array& array, const Array& out, const Dims& shape, const std::string& name);

/// ValueError if the row does not have two inputs and one result.
void check_binary(RowId row, const char* method);

/// ValueError if a fold in dtype T, with a row that takes no negative exponents, has one. If `has_base`, the first
/// element along the axis is a base, not an exponent.
void check_exponents(RowId row, const Array& array, int axis, bool has_base, DType T, const char* name);

}  // namespace cuarray
