// coordinates.h -- positions in flattened arrays, and coordinates along axes.
#pragma once
#include <optional>
#include <variant>
#include <vector>
#include "cuarray/ops/arguments.h"
#include "cuarray/ops/indexing.h"

namespace cuarray {

/// The coordinates of positions in an array of that shape, flattened in order 'C' or 'F': for each axis an array, or a
/// number for a number. The call waits for the positions: ValueError for one out of bounds.
CUARRAY_API std::vector<ArrayOrNumber> unravel_index(const Argument& indices, const Dims& shape, char order = 'C');

/// The inverse. `mode` says what a coordinate out of bounds means, for all axes or for each.
CUARRAY_API ArrayOrNumber ravel_multi_index(const ArgumentList& multi_index, const Dims& dims,
                                            const Few<Outside, 4>& mode = {Outside::Raise}, char order = 'C');

/// The coordinates of all points of a grid of that shape, an array along a new first axis; `sparse`, an array for each
/// axis, which broadcast to the grid. On the current device by default.
CUARRAY_API std::variant<Array, std::vector<Array>> indices(const Dims& dimensions, DType dtype = DType::int64,
                                                            bool sparse = false,
                                                            const std::optional<Device>& device = {});

}  // namespace cuarray
