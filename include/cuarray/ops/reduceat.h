// reduceat.h -- the methods of a ufunc that fold parts of an axis, or elements that an index chooses: reduceat and at.
#pragma once
#include <span>
#include "cuarray/ops/indexing.h"
#include "cuarray/ops/scan.h"

namespace cuarray {

/// Folds the parts of an axis that begin at `begins` and end where the next one begins; where that is not behind it, the
/// part is one element.
CUARRAY_API Array reduceat(RowId row, const Array& array, std::span<const int64_t> begins, const ScanOptions& options);

/// array[index] = row(array[index], values), one element after the other in C order, also where several have one place.
/// `values` are null for a row of one input.
CUARRAY_API void update_at(RowId row, const Array& array, std::span<const Index> index, const Array* values);

}  // namespace cuarray
