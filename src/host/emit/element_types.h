// element_types.h -- the kinds of elements that chains compute with: bool, and numbers of 4 and 8 bytes.
#pragma once
#include "cuarray/core/dtype.h"

namespace cuarray::host::emit {

inline bool is_kind(DType t, Kind kind) { return info(t).kind == kind && (kind == Kind::Bool || item_size(t) >= 4); }
inline bool is_float(DType t) { return is_kind(t, Kind::Floating); }
inline bool is_unsigned(DType t) { return is_kind(t, Kind::Unsigned); }
inline bool is_integer(DType t) { return is_kind(t, Kind::Signed) || is_unsigned(t); }
inline bool is_bool(DType t) { return is_kind(t, Kind::Bool); }
inline bool is_known(DType t) { return is_float(t) || is_integer(t) || is_bool(t); }
inline bool is_wide(DType t) { return !is_bool(t) && item_size(t) == 8; }

}  // namespace cuarray::host::emit
