// masked_fold.h -- folds of the elements that a mask chooses, by rows in which nothing can stand for the others.
#pragma once
#include "cuarray/ops/ufunc.h"

namespace cuarray {

/// f(... f(f(initial, x), y) ..., z) of the chosen elements x, y, ... z along an axis, which stays with extent 1, in the
/// dtype of `initial`. The mask has the array's shape.
Array masked_fold(RowId row, const Array& array, const Array& mask, int axis, const Scalar& initial);

}  // namespace cuarray
