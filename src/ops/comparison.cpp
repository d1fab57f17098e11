// comparison.cpp -- isclose and allclose: calls of ufuncs.
#include "cuarray/ops/comparison.h"
#include "cuarray/array/elements.h"
#include "cuarray/ops/reduction.h"

namespace cuarray {
namespace {

Array both(const Array& a, const Array& b) { return apply_row(row::bitwise_and, a, b); }
Array either(const Array& a, const Array& b) { return apply_row(row::bitwise_or, a, b); }

/// Whether abs(a - b) <= atol + rtol * abs(b).
Array is_within(const Array& a, const Array& b, const Argument& rtol, const Argument& atol) {
    const Array apart = apply_row(row::abs, apply_row(row::subtract, a, b));
    const Array share = apply_row(row::multiply, rtol, apply_row(row::abs, b));
    return apply_row(row::less_equal, apart, apply_row(row::add, atol, share));
}

}  // namespace

Array isclose(const Array& a, const Array& b, const Argument& rtol, const Argument& atol, bool equal_nan) {
    // One side at least is inexact, so that bools and unsigned integers can be subtracted.
    const Array inexact = info(b.dtype()).kind < Kind::Floating ? astype(b, DType::float64, 'K', false) : b;
    const Array close = either(both(is_within(a, inexact, rtol, atol), apply_row(row::isfinite, inexact)),
                               apply_row(row::equal, a, inexact));
    if (!equal_nan) return close;
    return either(close, both(apply_row(row::isnan, a), apply_row(row::isnan, inexact)));
}

bool allclose(const Array& a, const Array& b, const Argument& rtol, const Argument& atol, bool equal_nan) {
    return truth(reduce(reduction::all, isclose(a, b, rtol, atol, equal_nan), {}));
}

}  // namespace cuarray
