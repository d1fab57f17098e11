// same_value.cpp -- casts that change no value.
#include "ops/same_value.h"

#include <cmath>
#include <cstring>

#include "cuarray/ops/reduction.h"

namespace cuarray {
namespace {

bool holds_integers(DType dtype) { return info(dtype).kind == Kind::Signed || info(dtype).kind == Kind::Unsigned; }

/// 2^n in a floating-point dtype, one more than the largest integer of the other. A cast clamps to that integer, which
/// the cast back rounds up again.
Scalar integer_limit(DType integers, DType floats) {
    const int digits = 8 * int(item_size(integers)) - (info(integers).kind == Kind::Signed);
    return convert(Scalar::of(DType::float64, std::ldexp(1.0, digits)), floats);
}

/// Which elements of real numbers `x` are in `y`, the same ones in another dtype.
Array are_same(const Array& x, const Array& y) {
    if (holds_integers(x.dtype()) && holds_integers(y.dtype()))
        return apply_row(row::equal, x, y);  // a cast back wraps again
    const Array back = astype(y, x.dtype(), 'K', false);
    const Array are_nan =
        apply_row(row::logical_and, apply_row(row::not_equal, x, x), apply_row(row::not_equal, back, back));
    const Array same = apply_row(row::logical_or, apply_row(row::equal, x, back), are_nan);
    const bool from_integers = holds_integers(x.dtype());
    if (!from_integers && !holds_integers(y.dtype())) return same;
    const Array& floats = from_integers ? y : x;
    const Scalar limit = integer_limit(from_integers ? x.dtype() : y.dtype(), floats.dtype());
    const Array fits =
        apply_row(row::logical_and, apply_row(row::less, floats, limit), apply_row(row::isfinite, floats));
    return apply_row(row::logical_and, same, fits);
}

}  // namespace

void check_same_value(const Array& array, const Array& cast, const char* function) {
    if (cast.dtype() == array.dtype() || cast.dtype() == DType::bool_) return;
    // The rule 'safe' allows int64 to float64, which rounds.
    const bool may_round = holds_integers(array.dtype()) && info(cast.dtype()).kind >= Kind::Floating;
    if (!may_round && can_cast(array.dtype(), cast.dtype())) return;
    const bool is_complex = info(array.dtype()).kind == Kind::Complex;
    const bool stays_complex = info(cast.dtype()).kind == Kind::Complex;
    const auto part = [](RowId row, const Array& x) {
        return info(x.dtype()).kind == Kind::Complex ? apply_row(row, x) : x;
    };
    Array same = are_same(part(row::real, array), part(row::real, cast));
    if (is_complex) {
        const Array imaginary = apply_row(row::imag, array);
        const Array expected = stays_complex ? are_same(imaginary, apply_row(row::imag, cast))
                                             : apply_row(row::equal, imaginary, Scalar::of(DType::float64, 0.0));
        same = apply_row(row::logical_and, same, expected);
    }
    const Array count = reduce(reduction::count_nonzero, same, {});
    int64_t kept = 0;
    std::memcpy(&kept, item(count, function).bytes, sizeof kept);
    if (kept == array.size()) return;
    raise(ErrorKind::Value, function, ": could not cast 'same_value' ", info(array.dtype()).name, " to ",
          info(cast.dtype()).name, ": ", array.size() - kept, " of ", array.size(), " elements would change");
}

}  // namespace cuarray
