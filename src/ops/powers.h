// powers.h -- powers with a constant exponent as a few products, roots and quotients.
#pragma once
#include "cuarray/array/array.h"
#include "cuarray/array/elements.h"
#include "cuarray/core/expr.h"
#include "cuarray/runtime/direct_loops.h"

namespace cuarray {

/// The row of one argument that computes this power: square, reciprocal, or sqrt of complex numbers; kNone for others.
RowId row_of_power(const Scalar& exponent);

/// Powers of n elements of the exponent's dtype, if one loop computes them: those of row_of_power, and roots of
/// float64.
CUARRAY_API bool take_powers(DirectLoops& loops, const Scalar& exponent, const void* from, void* to, int64_t n);

/// The power of two numbers of one dtype; false for negative exponents of integers, which are errors, and for those
/// that have a shorter form of several rows.
CUARRAY_API bool take_power(DirectLoops& loops, LoopId loop, DType dtype, const void* const* in, void* const* out);

/// Powers of an array of few elements, in a new one; an array without memory where that cannot be.
CUARRAY_API Array powers_of_few(const Array& x, const Scalar& exponent);

/// Whether elements of the exponent's dtype have such a form: integers for 2 to 16; floats for -2, -1, -1/2, 1/2,
/// 3/2, 2, 5/2, 3 and 4, with at most three roundings; float32 also for other integers of magnitudes up to 16, in
/// float64; complex numbers for 2 and 1/2.
CUARRAY_API bool has_short_power(const Scalar& exponent);

/// That form of x, which takes a fraction of the time of `pow`.
ValueId short_power(Expr& expr, ValueId x, const Scalar& exponent);

}  // namespace cuarray
