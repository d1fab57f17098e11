// selection.h -- elements selected by positions and by masks: read, and written in place.
#pragma once
#include <optional>
#include <vector>
#include "cuarray/ops/arguments.h"
#include "cuarray/ops/indexing.h"

namespace cuarray {

/// Elements at `indices` along an axis, which the axes of `indices` replace in the result, or of the flattened array;
/// into `out` if given.
CUARRAY_API Array take(const Array& a, const IndexArray& indices, std::optional<int64_t> axis = {},
                       Array* out = nullptr, Outside mode = Outside::Raise);
/// result[..., i, ...] = arr[..., indices[..., i, ...], ...]; the other axes broadcast. Without an axis both are
/// flattened.
CUARRAY_API Array take_along_axis(const Array& arr, const IndexArray& indices, std::optional<int64_t> axis = -1);
/// The slices along an axis, or the elements of the flattened array, where a condition of one axis is true.
CUARRAY_API Array compress(const IndexArray& condition, const Array& a, std::optional<int64_t> axis = {},
                           Array* out = nullptr);
/// The elements where a condition is true, in C order.
CUARRAY_API Array extract(const IndexArray& condition, const Array& arr);
/// The coordinates of the elements that are not zero, in C order: an int64 array for each axis.
CUARRAY_API std::vector<Array> nonzero(const Array& a);
inline std::vector<Array> where(const Array& condition) { return nonzero(condition); }
/// The same as one array with a row for each element, and the positions in the flattened array.
CUARRAY_API Array argwhere(const Array& a);
CUARRAY_API Array flatnonzero(const Array& a);

/// Stores values, repeated as needed, at positions of the flattened array; of several for one element the last is
/// stored.
CUARRAY_API void put(const OutputArray& a, const IndexArray& ind, const StoredValues& v, Outside mode = Outside::Raise);
/// arr[..., indices[..., i, ...], ...] = values[..., i, ...]; without an axis, at positions of the flattened array.
CUARRAY_API void put_along_axis(const OutputArray& arr, const IndexArray& indices, const StoredValues& values,
                                std::optional<int64_t> axis);
/// Stores one value after another, repeated as needed, where the mask is true.
CUARRAY_API void place(const OutputArray& arr, const IndexArray& mask, const StoredValues& vals);
/// Stores the values, repeated up to the size of `a`, that stand where the mask is true.
CUARRAY_API void putmask(const OutputArray& a, const IndexArray& mask, const StoredValues& values);
/// dst[...] = src where the mask is true, between devices, too; TypeError where the rule forbids the cast.
CUARRAY_API void copyto(const OutputArray& dst, const CopySource& src, Casting casting = Casting::SameKind,
                        const WhereMask& where = {});
/// Stores values, repeated as needed, on the main diagonal; `wrap` starts it anew below the end of a tall matrix.
CUARRAY_API void fill_diagonal(const OutputArray& a, const StoredValues& val, bool wrap = false);

}  // namespace cuarray
