// matmul_launch.h -- plans a matrix product: kernel, grid and parameters.
#pragma once
#include "codegen/gather_launch.h"

namespace cuarray {

/// The operands of a Matmul (runtime/task.h) in device memory; strides over the batch, then rows and columns.
struct MatmulOperands {
    Dims batch;
    int64_t rows, depth, columns;
    DType dtype;
    DeviceOperand left, right, result;
};

/// NotImplementedError if more than 8 axes of the batch remain after merging.
CUARRAY_API NamedLaunch plan_matmul(const MatmulOperands& places);

}  // namespace cuarray
