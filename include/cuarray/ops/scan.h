// scan.h -- running results of a binary ufunc along an axis: cumsum, cumprod and every ufunc's accumulate.
#pragma once
#include "cuarray/ops/ufunc.h"

namespace cuarray {

struct ScanOptions {
    int64_t axis = 0;
    DType dtype = DType::none;   ///< what to compute in; as in reduce by default
    Array* out = nullptr;        ///< cast to as an assignment does
    const char* name = nullptr;  ///< for messages: "cumsum"; by default the row's
};

/// result[..., i, ...] folds the elements up to i along the axis, in the order of kernel/scan.h. The argument may be
/// pending: its computation then joins the scan. Raises NumPy's errors.
CUARRAY_API Array accumulate(RowId row, const Array& array, const ScanOptions& options);

}  // namespace cuarray
