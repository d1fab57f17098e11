// masked_fold.h -- folds of the elements that a mask selects, for rows in which no value can replace the others.
#pragma once
#include "cuarray/ops/ufunc.h"

namespace cuarray {

/// f(... f(f(initial, x), y) ..., z) of the selected elements x, y, ... z along an axis, which is kept with extent 1,
/// in the dtype of `initial`. The mask has the array's shape.
Array masked_fold(RowId row, const Array& array, const Array& mask, int axis, const Scalar& initial);

}  // namespace cuarray
