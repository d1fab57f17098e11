// reduceat.h -- the ufunc methods reduceat (reduction of segments of an axis) and at (indexed update).
#pragma once
#include <span>
#include "cuarray/ops/indexing.h"
#include "cuarray/ops/scan.h"

namespace cuarray {

/// Reduces segments of an axis: segment k is begins[k] ... begins[k + 1] - 1, the last one reaches to the end of the
/// axis. If begins[k + 1] <= begins[k], segment k is one element.
CUARRAY_API Array reduceat(RowId row, const Array& array, std::span<const int64_t> begins, const ScanOptions& options);

/// array[index] = row(array[index], values), one element after the other in C order, so that repeated indices
/// accumulate. `values` is null for a row of one input.
CUARRAY_API void update_at(RowId row, const Array& array, std::span<const Index> index, const Array* values);

}  // namespace cuarray
