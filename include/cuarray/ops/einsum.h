// einsum.h -- products of arrays by labelled axes (Einstein summation).
#pragma once
#include <span>
#include <utility>
#include <vector>
#include "cuarray/array/array.h"

namespace cuarray {

/// An array whose axes have labels: the code of a letter, or a number from 128 on for an axis of an ellipsis.
struct LabelledArray {
    Array array;
    Dims labels;
};

/// The sum, over all labels that `wanted` lacks, of the products of the terms, which have one dtype and device; a view
/// where nothing is multiplied or added. An axis of one element broadcasts to the others of its label. Two terms at a
/// time are multiplied: each pair of `path` takes two terms by their positions and appends their product, as in
/// numpy.einsum_path; what is left, or all of it without a path, goes from left to right. ValueError for extents that
/// differ.
CUARRAY_API Array einsum(std::vector<LabelledArray> terms, const Dims& wanted,
                         std::span<const std::pair<int64_t, int64_t>> path = {});

}  // namespace cuarray
