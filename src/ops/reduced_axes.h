// reduced_axes.h -- shared by all reductions: axes, checks of where= and out=, and the copy of the result to out=.
#pragma once
#include "cuarray/ops/ufunc.h"

namespace cuarray {

/// The axes to fold, kept or not, and the result's shapes.
struct ReducedAxes {
    Dims folded;        ///< sorted
    Dims kept_shape;    ///< folded axes have extent 1
    Dims result_shape;  ///< as the user sees it
    int64_t folds = 1;  ///< elements per result
};

ReducedAxes plan_axes(const Array& array, const ReduceOptions& options, const char* name);

/// TypeError or ValueError for a where= that is not a mask of the array.
void check_where(const Array& array, const ReduceOptions& options, const char* name);

/// ValueError or TypeError for an out= that cannot take results of `dtype`. Indices are written, as in NumPy, to a type
/// that casts safely to theirs.
void check_out(const Array& array, const ReduceOptions& options, const ReducedAxes& axes, DType dtype, const char* name,
               bool gives_index = false);

/// Returns out= if given, after copying the result there unless it was computed there; else the result.
Array write_output(Array&& target, const ReduceOptions& options, const char* name);

}  // namespace cuarray
