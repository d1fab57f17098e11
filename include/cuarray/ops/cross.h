// cross.h -- cross products of vectors.
#pragma once
#include <optional>
#include "cuarray/array/array.h"

namespace cuarray {

/// The cross products of vectors of three components along an axis of each argument, whose other axes broadcast.
/// Vectors of two components have a third one of zero; two of them give that one alone. `axis` overrides the axes of
/// the arguments and of the result.
CUARRAY_API Array cross(const Array& a, const Array& b, int64_t axisa = -1, int64_t axisb = -1, int64_t axisc = -1,
                        const std::optional<int64_t>& axis = {});

}  // namespace cuarray
