// einsum_labels.h -- the labels of axes that subscripts of einsum name.
#pragma once
#include <vector>
#include "cuarray/ops/einsum.h"

namespace cuarray {

/// The labels of the axes of each array and of the result; axes of an ellipsis are counted from the end. ValueError for
/// subscripts that do not fit the arrays.
struct EinsumLabels {
    explicit EinsumLabels(const EinsumOperands& operands);
    std::vector<Dims> of_arrays;
    Dims of_result;
};

}  // namespace cuarray
