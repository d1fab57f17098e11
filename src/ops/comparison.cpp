// comparison.cpp -- isclose and allclose: calls of ufuncs.
#include "cuarray/ops/comparison.h"
#include "cuarray/array/elements.h"
#include "cuarray/array/pending.h"
#include "cuarray/ops/reduction.h"

namespace cuarray {

Array isclose(const Array& a, const Array& b, const Argument& rtol, const Argument& atol, bool equal_nan) {
    // One side at least is inexact, so that bools and unsigned integers can be subtracted.
    const Array inexact = info(b.dtype()).kind < Kind::Floating ? astype(b, DType::float64, 'K', false) : b;
    const Deferral fused;
    const Array apart = apply_row(row::abs, apply_row(row::subtract, a, inexact));
    const Array allowed = apply_row(row::add, atol, apply_row(row::multiply, rtol, apply_row(row::abs, inexact)));
    const Array near =
        apply_row(row::bitwise_and, apply_row(row::less_equal, apart, allowed), apply_row(row::isfinite, inexact));
    const Array close = apply_row(row::bitwise_or, near, apply_row(row::equal, a, inexact));
    if (!equal_nan) return close;
    return apply_row(row::bitwise_or, close,
                     apply_row(row::bitwise_and, apply_row(row::isnan, a), apply_row(row::isnan, inexact)));
}

bool allclose(const Array& a, const Array& b, const Argument& rtol, const Argument& atol, bool equal_nan) {
    return truth(reduce(reduction::all, isclose(a, b, rtol, atol, equal_nan), {}));
}

}  // namespace cuarray
