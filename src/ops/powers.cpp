// powers.cpp -- powers with a constant exponent as a few products, roots and quotients.
#include "ops/powers.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <iterator>
#include <limits>

#include "cuarray/array/elements.h"
#include "cuarray/array/pending.h"
#include "cuarray/core/table.h"

namespace cuarray {
namespace {

constexpr int64_t kLargestInteger = 16;                              // of integers
constexpr double kShort[] = {-2, -1, -0.5, 0.5, 1.5, 2, 2.5, 3, 4};  // of floats
constexpr double kLargestWide = 16;                                  // of float32, in float64

/// Whether floats of the dtype have the power as products in float64, whose errors vanish when the result is rounded,
/// and whose range holds what is finite in the result and its inverse.
bool has_wide_power(double exponent, DType dtype) {
    return dtype == DType::float32 && exponent == std::trunc(exponent) && std::abs(exponent) > 2 &&
           std::abs(exponent) <= kLargestWide;
}

bool is_integer_kind(DType dtype) { return info(dtype).kind == Kind::Signed || info(dtype).kind == Kind::Unsigned; }

template <class T> T value_of(const Scalar& exponent, DType dtype) {
    T value;
    std::memcpy(&value, (exponent.dtype == dtype ? exponent : convert(exponent, dtype)).bytes, sizeof value);
    return value;
}

/// Powers of one value in a dtype.
struct PowerForm {
    Expr& expr;
    const DType dtype;
    const ValueId x;

    ValueId apply(RowId row, ValueId a, ValueId b = kNoValue, ValueId c = kNoValue) const {
        return expr.loop(loop_for(row, dtype), a, b, c);
    }
    ValueId number(double value) const { return expr.scalar(convert(Scalar::of(DType::float64, value), dtype)); }

    /// By repeated squaring; n > 0.
    ValueId product(int64_t n) const {
        ValueId result = kNoValue, power = x;
        for (;; power = apply(row::square, power), n >>= 1) {
            if (n & 1) result = result == kNoValue ? power : apply(row::multiply, result, power);
            if (n == 1) return result;
        }
    }
    /// Unlike sqrt, power(-inf, 0.5) is inf and power(-0.0, 0.5) is 0.0.
    ValueId root() const {
        const double infinity = std::numeric_limits<double>::infinity();
        const ValueId positive = apply(row::add, apply(row::sqrt, x), number(0));
        return apply(row::where, apply(row::equal, x, number(-infinity)), number(infinity), positive);
    }
    ValueId reciprocal(ValueId value) const { return apply(row::reciprocal, value); }

    /// Of floats. The square of 1 / x, because x * x may overflow where the result is subnormal.
    ValueId power(double exponent) const {
        if (exponent == -2) return apply(row::square, reciprocal(x));
        if (exponent == -1) return reciprocal(x);
        if (exponent == -0.5) return reciprocal(root());
        if (exponent == 0.5) return root();
        if (exponent == 1.5) return apply(row::multiply, apply(row::abs, x), root());
        if (exponent == 2.5) return apply(row::multiply, apply(row::square, x), root());
        return exponent < 0 ? reciprocal(product(int64_t(-exponent))) : product(int64_t(exponent));
    }
};

bool is_root(const Scalar& exponent) {
    return exponent.dtype == DType::float64 && value_of<double>(exponent, DType::float64) == 0.5;
}

}  // namespace

namespace {

/// The short form of one element of float64, of an integer, or of float32 without roots, by loops of one element.
struct ElementPower {
    DirectLoops& loops;
    const DType dtype;
    const void* const x;
    void* const result;

    void apply(RowId row, void* to, const void* a, const void* b = nullptr) const {
        const void* const in[kMaxIn] = {a, b};
        void* const out[kMaxOut] = {to};
        loops.run(loop_for(row, dtype), in, out, 1);
    }
    /// As PowerForm::product, whose first product is that of two powers.
    void product(int64_t n) const {
        Scalar power;
        std::memcpy(power.bytes, x, size_t(item_size(dtype)));
        bool has_result = false;
        for (;; apply(row::square, power.bytes, power.bytes), n >>= 1) {
            if (n & 1 && has_result)
                apply(row::multiply, result, result, power.bytes);
            else if (n & 1)
                std::memcpy(result, power.bytes, size_t(item_size(dtype))), has_result = true;
            if (n == 1) return;
        }
    }
    void root() const { take_powers(loops, Scalar::of(DType::float64, 0.5), x, result, 1); }

    bool take(const Scalar& exponent) const {
        if (!has_short_power(exponent)) return false;
        if (is_integer_kind(dtype)) return product(value_of<int64_t>(exponent, DType::int64)), true;
        const auto power = value_of<double>(exponent, DType::float64);
        const bool is_small = dtype == DType::float32 && (power == -2 || power == 3 || power == 4);
        if (dtype != DType::float64 && !is_small) return false;
        Scalar factor;
        if (power > 0 && power == std::trunc(power)) return product(int64_t(power)), true;
        if (power == -2) {
            apply(row::reciprocal, result, x);
            apply(row::square, result, result);
            return true;
        }
        root();
        if (power == -0.5) return apply(row::reciprocal, result, result), true;
        apply(power == 1.5 ? row::abs : row::square, factor.bytes, x);
        apply(row::multiply, result, factor.bytes, result);
        return true;
    }
};

}  // namespace

RowId row_of_power(const Scalar& exponent) {
    const Kind kind = info(exponent.dtype).kind;
    if (kind == Kind::Complex) {
        const auto is = [&](double value) {
            return exponent == convert(Scalar::of(DType::float64, value), exponent.dtype);
        };
        return is(2) ? row::square : is(0.5) ? row::sqrt : RowId(kNone);
    }
    const auto power = value_of<double>(exponent, DType::float64);
    if (power == 2) return row::square;
    return power == -1 && kind == Kind::Floating ? row::reciprocal : RowId(kNone);
}

bool take_powers(DirectLoops& loops, const Scalar& exponent, const void* from, void* to, int64_t n) {
    const bool by_root = is_root(exponent);
    const RowId row = by_root ? row::sqrt : row_of_power(exponent);
    if (row == kNone) return n == 1 && ElementPower{loops, exponent.dtype, from, to}.take(exponent);
    const void* const in[kMaxIn] = {from};
    void* const out[kMaxOut] = {to};
    loops.run(loop_for(row, exponent.dtype), in, out, n);
    if (!by_root) return true;
    // Unlike sqrt, inf for -inf and 0 for -0.
    constexpr double kInfinity = std::numeric_limits<double>::infinity(), kLargest = std::numeric_limits<double>::max();
    const auto* const x = static_cast<const double*>(from);
    auto* const root = static_cast<double*>(to);
    for (int64_t i = 0; i < n; ++i)
        if (x[i] <= 0) root[i] = x[i] == 0 ? 0 : x[i] < -kLargest ? kInfinity : root[i];
    return true;
}

Array powers_of_few(const Array& x, const Scalar& exponent) {
    if (x.dtype() != exponent.dtype || (!is_root(exponent) && row_of_power(exponent) == kNone)) return {};
    if (!x.is_c_contiguous() || x.ndim() == 0 || is_deferring()) return {};
    const char* const from = direct_elements(x);
    if (!from) return {};
    Array result = empty(x.shape(), x.dtype(), x.device());
    char* const to = direct_data(result);
    return to && take_powers(*x.storage().front().direct(), exponent, from, to, x.size()) ? result : Array();
}

bool has_short_power(const Scalar& exponent) {
    if (is_integer_kind(exponent.dtype)) {
        const auto n = value_of<int64_t>(exponent, DType::int64);
        return n >= 2 && n <= kLargestInteger;
    }
    const auto is = [&](double value) {
        return exponent == convert(Scalar::of(DType::float64, value), exponent.dtype);
    };
    if (info(exponent.dtype).kind == Kind::Complex) return is(2) || is(0.5);
    if (info(exponent.dtype).kind != Kind::Floating) return false;
    const auto power = value_of<double>(exponent, DType::float64);
    return std::find(std::begin(kShort), std::end(kShort), power) != std::end(kShort) ||
           has_wide_power(power, exponent.dtype);
}

ValueId short_power(Expr& expr, ValueId x, const Scalar& exponent) {
    const DType dtype = exponent.dtype;
    if (is_integer_kind(dtype)) return PowerForm{expr, dtype, x}.product(value_of<int64_t>(exponent, DType::int64));
    if (info(dtype).kind == Kind::Complex) {
        const bool is_square = exponent == convert(Scalar::of(DType::float64, 2.0), dtype);
        return expr.loop(loop_for(is_square ? row::square : row::sqrt, dtype), x);
    }
    const auto power = value_of<double>(exponent, DType::float64);
    const bool is_shortest = std::find(std::begin(kShort), std::end(kShort), power) != std::end(kShort);
    if (item_size(dtype) > 2 && is_shortest) return PowerForm{expr, dtype, x}.power(power);
    // In a wider type, so that the result is rounded once.
    const DType work = item_size(dtype) > 2 ? DType::float64 : DType::float32;
    return expr.cast(PowerForm{expr, work, expr.cast(x, work)}.power(power), dtype);
}

bool take_power(DirectLoops& loops, LoopId loop, DType dtype, const void* const* in, void* const* out) {
    Scalar exponent;
    exponent.dtype = dtype;
    std::memcpy(exponent.bytes, in[1], size_t(item_size(dtype)));
    if (take_powers(loops, exponent, in[0], out[0], 1)) return true;
    const bool is_plain = dtype == DType::int64 || dtype == DType::float64 || dtype == DType::complex128;
    if (!is_plain || has_short_power(exponent)) return false;
    int64_t integer;
    std::memcpy(&integer, in[1], sizeof integer);
    if (dtype == DType::int64 && integer < 0) return false;
    loops.run(loop, in, out, 1);
    return true;
}

}  // namespace cuarray
