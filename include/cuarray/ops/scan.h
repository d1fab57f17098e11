// scan.h -- scans along an axis with a binary ufunc: cumsum, cumprod and every ufunc's accumulate.
#pragma once
#include "cuarray/ops/ufunc.h"

namespace cuarray {

struct ScanOptions {
    int64_t axis = 0;
    DType dtype = DType::none;   ///< of the computation; by default as in reduce
    Array* out = nullptr;        ///< the result is cast to its dtype as in an assignment
    const char* name = nullptr;  ///< for messages: "cumsum"; by default the row's
};

/// result[..., i, ...] folds the elements up to i along the axis, in the order of kernel/scan.h. A pending argument is
/// fused into the scan. Raises NumPy's errors.
CUARRAY_API Array accumulate(RowId row, const Array& array, const ScanOptions& options);

}  // namespace cuarray
