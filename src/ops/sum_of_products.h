// sum_of_products.h -- products of elements fused into their sum, in the order of a reduction.
#pragma once
#include "cuarray/array/array.h"

namespace cuarray {

/// sum(x * y) over axes, of arrays that broadcast, in `dtype`: halves are added in float32 and rounded once, and bool
/// is "or" of "and".
Array sum_of_products(const Array& x, const Array& y, DType dtype, const Dims& axes, bool keepdims);

}  // namespace cuarray
