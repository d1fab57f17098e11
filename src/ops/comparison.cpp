// comparison.cpp -- isclose and allclose: calls of ufuncs.
#include "cuarray/ops/comparison.h"
#include <algorithm>
#include <cmath>
#include "cuarray/array/elements.h"
#include "cuarray/core/few.h"
#include "cuarray/core/layout.h"
#include "cuarray/ops/reduction.h"
#include "cuarray/runtime/devices.h"

namespace cuarray {
namespace {

Array both(const Array& a, const Argument& b) { return apply_row(row::bitwise_and, a, b); }
Array either(const Array& a, const Array& b) { return apply_row(row::bitwise_or, a, b); }

bool is_number(const Argument& x) { return x.weak.has_value(); }
bool is_real_number(const Argument& x) { return is_number(x) && x.weak->kind != Weak::Kind::Complex; }

/// The argument with fractions, so that bools and unsigned integers can be subtracted from it.
Argument inexact(const Argument& x) {
    if (x.array && info(x.array->dtype()).kind < Kind::Floating) return astype(*x.array, DType::float64, 'K', false);
    return is_number(x) && x.weak->kind == Weak::Kind::Int ? Argument(x.weak->real) : x;
}

/// Whether abs(a - b) <= atol + rtol * abs(b). What is computed of numbers alone stays a number.
Array is_within(const Argument& a, const Argument& b, const Argument& rtol, const Argument& atol) {
    const Argument length = is_number(b) ? std::hypot(b.weak->real, b.weak->imag) : Argument(apply_row(row::abs, b));
    const Argument share = is_real_number(rtol) && is_number(length) ? rtol.weak->real * length.weak->real
                                                                     : Argument(apply_row(row::multiply, rtol, length));
    const Argument allowed = is_real_number(atol) && is_number(share) ? atol.weak->real + share.weak->real
                                                                      : Argument(apply_row(row::add, atol, share));
    return apply_row(row::less_equal, apply_row(row::abs, apply_row(row::subtract, a, b)), allowed);
}

Argument are_finite(const Argument& x) {
    if (is_number(x)) return std::isfinite(x.weak->real) && std::isfinite(x.weak->imag);
    return apply_row(row::isfinite, x);
}

Argument are_nan(const Argument& x) {
    if (is_number(x)) return std::isnan(x.weak->real) || std::isnan(x.weak->imag);
    return apply_row(row::isnan, x);
}

}  // namespace

Array isclose(const Argument& a, const Argument& b, const Argument& rtol, const Argument& atol, bool equal_nan) {
    Argument args[] = {a, b, rtol, atol};
    Few<const Dims*, 4> shapes;
    for (const Argument& x : args)
        if (x.array) shapes.push_back(&x.array->shape());
    broadcast({shapes.data(), shapes.size()}, "isclose");  // whose name stands in the error
    const auto* const first = std::find_if(args, std::end(args), [](const Argument& x) { return x.array; });
    const Device device = first == std::end(args) ? current_device() : first->array->device();
    for (Argument& x : args)
        if (x.scalar) x = full({}, *x.scalar, device);
    const Argument& left = args[0];
    const Argument right = inexact(args[1]);
    const Array close =
        either(both(is_within(left, right, args[2], args[3]), are_finite(right)), apply_row(row::equal, left, right));
    if (!equal_nan) return close;
    return either(close, apply_row(row::bitwise_and, are_nan(left), are_nan(right)));
}

bool allclose(const Argument& a, const Argument& b, const Argument& rtol, const Argument& atol, bool equal_nan) {
    return truth(reduce(reduction::all, isclose(a, b, rtol, atol, equal_nan), {}));
}

}  // namespace cuarray
