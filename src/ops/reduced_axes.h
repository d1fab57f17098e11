// reduced_axes.h -- what every fold of axes asks of its arguments, and how its result reaches out=.
#pragma once
#include "cuarray/ops/ufunc.h"

namespace cuarray {

/// The axes to fold, kept or not, and the result's shapes.
struct ReducedAxes {
    Dims folded;       ///< sorted
    Dims kept_shape;   ///< folded axes have extent 1
    Dims result_shape; ///< as the user sees it
    int64_t folds = 1; ///< elements per result
};

ReducedAxes plan_axes(const Array& array, const ReduceOptions& options, const char* name);

/// TypeError or ValueError for a where= that is no mask of the array.
void check_where(const Array& array, const ReduceOptions& options, const char* name);

/// ValueError or TypeError for an out= that cannot take results of `dtype`.
void check_out(const Array& array, const ReduceOptions& options, const ReducedAxes& axes, DType dtype, const char* name);

/// The result where the caller wants it: in out=, if that is not where it was computed.
Array deliver(Array&& target, const ReduceOptions& options, const char* name);

}  // namespace cuarray
