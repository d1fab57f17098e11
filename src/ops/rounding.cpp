// rounding.cpp -- round: calls of the rows round and rint, scaled for a number of decimals.
#include "cuarray/ops/rounding.h"
#include <cmath>
#include <utility>
#include "cuarray/array/pending.h"
#include "cuarray/core/table.h"
#include "cuarray/ops/creation.h"
#include "cuarray/ops/ufunc.h"
#include "ops/element_parts.h"

namespace cuarray {
namespace {

/// The largest power of ten in float64.
constexpr int64_t kMostDecimals = 308;

bool has_integers(DType dtype) { return info(dtype).kind == Kind::Signed || info(dtype).kind == Kind::Unsigned; }
bool has_inexact(DType dtype) { return info(dtype).kind >= Kind::Floating; }

/// The elements rounded to whole numbers by a row, written to `out` if given.
Array rounded_by(RowId row, const Array& a, Array* out) {
    UfuncOptions options;
    options.out[0] = out;
    const Argument args[] = {a};
    Array made = call(row, args, options).array[0];
    return out ? *out : made;
}

bool broadcasts_to(const Dims& shape, const Dims& larger) {
    const int more = larger.size() - shape.size();
    for (int d = 0; d < shape.size(); ++d)
        if (more < 0 || (shape[d] != 1 && shape[d] != larger[d + more])) return false;
    return more >= 0;
}

Array written_to(Array* out, Array&& result) {
    if (!out) return std::move(result);
    if (!broadcasts_to(result.shape(), out->shape()))
        raise(ErrorKind::Value, "round: out= has shape ", to_string(out->shape()), ", the result ",
              to_string(result.shape()));
    if (!can_cast(result.dtype(), out->dtype(), Casting::SameKind))
        raise(ErrorKind::Type, "round: cannot cast the output from ", info(result.dtype()).name, " to ",
              info(out->dtype()).name, " with casting rule 'same_kind'");
    assign(*out, result, rows()[row::round].name);
    return *out;
}

/// The type of a computation on real numbers, to which `out` leads as far as it is wider.
DType dtype_towards(DType dtype, const Array* out) {
    if (!out) return dtype;
    const DType common = promote(dtype, out->dtype());
    const bool loses_digits = info(common).kind == Kind::Floating && has_integers(dtype) && has_integers(out->dtype());
    return loses_digits ? dtype : common;
}

Array round_reals(const Array& a, int64_t decimals, Array* out) {
    const double power = std::abs(decimals) <= kMostDecimals ? std::pow(10.0, double(std::abs(decimals))) : HUGE_VAL;
    const Weak scale{Weak::Kind::Float, 0, false, 0, power, 0};
    const RowId up = decimals > 0 ? row::multiply : row::divide, down = decimals > 0 ? row::divide : row::multiply;
    const DType taker = out ? out->dtype() : a.dtype();
    const DType dtype = has_inexact(taker) ? taker : dtype_towards(a.dtype(), out);
    const bool becomes_complex = info(taker).kind == Kind::Complex;
    const Array from = becomes_complex ? astype(a, dtype, 'K', false) : a;
    UfuncOptions options;
    if (!a.is_f_contiguous()) options.order = 'C';  // not 'K', in NumPy
    const Deferral fused;
    Array scaled = apply_row(up, from, scale);
    if (has_inexact(taker)) scaled = astype(scaled, dtype, 'K', false);  // as in NumPy, which stores them in `out`
    const Array whole = apply_row(row::rint, std::move(scaled));
    const Argument args[] = {whole, scale};
    return astype(call(down, args, options).array[0], dtype, 'K', false);
}

Array round_parts(const Array& a, int64_t decimals) {
    Array result = copy(a, 'K');
    const DType part = real_part(a.dtype());
    for (const int64_t offset : {int64_t(0), int64_t(item_size(part))})
        assign(field(result, part, offset), round_reals(field(a, part, offset), decimals, nullptr),
               rows()[row::round].name);
    return result;
}

}  // namespace

Array functions::round(const Array& a, int64_t decimals, Array* out) {
    if (decimals != int32_t(decimals)) raise(ErrorKind::Overflow, "round: decimals must fit 32 bits, not ", decimals);
    if (out && !out->is_writable()) raise(ErrorKind::Value, "round: output array is read-only");
    if (out && out->size() != a.size())
        raise(ErrorKind::Value, "round: out= has shape ", to_string(out->shape()), ", the result ",
              to_string(a.shape()));
    const Kind kind = info(a.dtype()).kind;
    const bool fills_inexact = out && has_inexact(out->dtype());
    if (kind == Kind::Bool && !(decimals && fills_inexact)) {
        if (decimals) raise(ErrorKind::Type, "round: bools have no decimals to round to ", decimals);
        return rounded_by(row::rint, a, out);
    }
    if (has_integers(a.dtype()) && decimals >= 0 && !out) return copy(a, 'K');
    if (decimals == 0 || (has_integers(a.dtype()) && decimals > 0)) return rounded_by(row::round, a, out);
    if (kind == Kind::Complex) return written_to(out, round_parts(a, decimals));
    if (has_integers(a.dtype()) && decimals < -kMostDecimals && !fills_inexact) return written_to(out, zeros_like(a));
    return written_to(out, round_reals(a, decimals, out));
}

}  // namespace cuarray
