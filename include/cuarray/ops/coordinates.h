// coordinates.h -- positions in flattened arrays, and coordinates along axes.
#pragma once
#include <optional>
#include <variant>
#include <vector>
#include "cuarray/ops/arguments.h"
#include "cuarray/ops/creation.h"
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

/// Whether the first two axes of a grid stand for its second and its first coordinate, or all in order.
enum class GridIndexing : uint8_t { XY, IJ };
/// The coordinates of all points of a grid, given those along its axes: an array of the grid's shape for each axis, or
/// where `sparse`, one that extends along this axis alone. Without `copy` they are views, read-only where elements
/// repeat.
CUARRAY_API std::vector<Array> meshgrid(const ArrayList& xi, bool copy = true, bool sparse = false,
                                        GridIndexing indexing = GridIndexing::XY);

/// Positions or masks of several axes.
struct IndexList : std::vector<IndexArray> {
    using std::vector<IndexArray>::vector;
};
/// Lines of positions, one for each axis and along it, that together select all combinations; masks stand for the
/// positions of their true elements.
CUARRAY_API std::vector<Array> ix_(const IndexList& args);

/// The coordinates of the main diagonal of an array with `ndim` axes of n elements, on the current device, or of one
/// that is given.
CUARRAY_API std::vector<Array> diag_indices(const std::optional<PlainNumber>& n, int64_t ndim = 2);
CUARRAY_API std::vector<Array> diag_indices_from(const Array& arr);

/// The coordinates of the elements of a matrix at and below (tril) or above (triu) its k-th diagonal: of a new matrix
/// of n x m on the current device, square by default, or of one that is given.
CUARRAY_API std::vector<Array> tril_indices(const Length& n, int64_t k = 0, const std::optional<Length>& m = {});
CUARRAY_API std::vector<Array> triu_indices(const Length& n, int64_t k = 0, const std::optional<Length>& m = {});
CUARRAY_API std::vector<Array> tril_indices_from(const Array& arr, int64_t k = 0);
CUARRAY_API std::vector<Array> triu_indices_from(const Array& arr, int64_t k = 0);

}  // namespace cuarray
