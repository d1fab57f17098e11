// scan.h -- scans along an axis with a binary ufunc: cumsum, cumprod and every ufunc's accumulate.
#pragma once
#include <optional>
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

/// The sums and products of the elements up to each, along an axis or of the flattened array, in `dtype` or as of
/// reductions; into `out` if given. nancumsum and nancumprod leave NaN out.
CUARRAY_API Array cumsum(const Array& a, const std::optional<int64_t>& axis = {}, DType dtype = DType::none,
                         Array* out = nullptr);
CUARRAY_API Array cumprod(const Array& a, const std::optional<int64_t>& axis = {}, DType dtype = DType::none,
                          Array* out = nullptr);
CUARRAY_API Array nancumsum(const Array& a, const std::optional<int64_t>& axis = {}, DType dtype = DType::none,
                            Array* out = nullptr);
CUARRAY_API Array nancumprod(const Array& a, const std::optional<int64_t>& axis = {}, DType dtype = DType::none,
                             Array* out = nullptr);
/// The same, of which only an array of one axis may come without the axis; with the initial value, 0 or 1, the result
/// starts with it and is one element longer.
CUARRAY_API Array cumulative_sum(const Array& x, const std::optional<int64_t>& axis = {}, DType dtype = DType::none,
                                 Array* out = nullptr, bool include_initial = false);
CUARRAY_API Array cumulative_prod(const Array& x, const std::optional<int64_t>& axis = {}, DType dtype = DType::none,
                                  Array* out = nullptr, bool include_initial = false);

}  // namespace cuarray
