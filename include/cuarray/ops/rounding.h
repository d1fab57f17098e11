// rounding.h -- elements rounded to a number of decimals.
#pragma once
#include "cuarray/array/array.h"

namespace cuarray {
namespace functions {

using namespace cuarray;

/// Rounded to so many decimals, halves to the even neighbour; negative ones count digits before the decimal point. A
/// number of decimals that is not 0 scales, rounds and scales back. `out` helps to choose the type of the computation.
CUARRAY_API Array round(const Array& a, int64_t decimals = 0, Array* out = nullptr);

}  // namespace functions

using functions::round;

}  // namespace cuarray
