// einsum_path.h -- the order of the products of einsum as pairs of terms.
#pragma once
#include <utility>
#include <vector>
#include "cuarray/array/array.h"

namespace cuarray {

/// The steps of a path for so many terms as pairs. The product of a step is appended to the terms; a step of one term
/// only moves it to the end, and the pairs count positions without such moves.
std::vector<std::pair<int64_t, int64_t>> pairs_of_path(const std::vector<Dims>& steps, int count);

}  // namespace cuarray
