// rearranging.h -- the elements of an array moved or repeated, in a new array.
#pragma once
#include <optional>
#include <variant>
#include "cuarray/array/array.h"
#include "cuarray/ops/arguments.h"

namespace cuarray {

/// Elements moved along axes, those beyond the end to the start; one shift, or one for each axis. Without axes the
/// flattened array is rolled.
CUARRAY_API Array roll(const Array& a, const Integers& shift, const OptionalDims& axis = {});

/// The whole array so many times along each axis; the shorter of `reps` and the shape gets leading ones.
CUARRAY_API Array tile(const Array& A, const Dims& reps);
/// The elements in C order in another shape, from the first again as needed; zeros where there are none.
CUARRAY_API Array resize(const Array& a, const Dims& new_shape);

/// Each element so many times along an axis, or of the flattened array: one count, or an array with one for each
/// element along the axis, whose values the call waits for.
CUARRAY_API Array repeat(const Array& a, const RepeatCounts& repeats, std::optional<int64_t> axis = {});

}  // namespace cuarray
