// powers.h -- powers with a constant exponent as a few products, roots and quotients.
#pragma once
#include "cuarray/core/expr.h"

namespace cuarray {

/// Whether elements of the exponent's dtype have such a form: integers for 2 to 16; floats for -2, -1, -1/2, 1/2,
/// 3/2, 2, 5/2, 3 and 4, with at most three roundings; float32 also for other integers of magnitudes up to 16, in
/// float64; complex numbers for 2 and 1/2.
CUARRAY_API bool has_short_power(const Scalar& exponent);

/// That form of x, which takes a fraction of the time of `pow`.
ValueId short_power(Expr& expr, ValueId x, const Scalar& exponent);

}  // namespace cuarray
