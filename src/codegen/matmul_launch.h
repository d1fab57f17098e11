// matmul_launch.h -- which kernel multiplies matrices, its grid and its parameters.
#pragma once
#include "codegen/gather_launch.h"

namespace cuarray {

/// Products of stacks of matrices, as runtime/backend.h has them; strides over the batch, then rows and columns.
struct MatmulOperands {
    Dims batch;
    int64_t rows, depth, columns;
    DType dtype;
    DeviceOperand left, right, result;
};

/// NotImplementedError where more than 8 axes of the batch do not merge.
CUARRAY_API NamedLaunch plan_matmul(const MatmulOperands& places);

}  // namespace cuarray
