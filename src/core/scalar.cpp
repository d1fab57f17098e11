// scalar.cpp -- Python's numbers and typed scalars as elements of a dtype.
#include "cuarray/core/scalar.h"
#include <cmath>
#include "core/dispatch.h"

namespace cuarray {
namespace {

/// The int's decimal digits; beyond 64 bits, those of the nearest double, or a bound if that is infinite.
std::string digits(const Weak& value) {
    if (std::isinf(value.real)) return value.big > 0 ? "above 2**1024" : "below -2**1024";
    if (value.big != 0) {
        const std::string text = std::to_string(value.real);
        return text.substr(0, text.find('.'));
    }
    return value.negative ? std::to_string(int64_t(value.integer)) : std::to_string(value.integer);
}

template <class T>
bool holds(const Weak& value) {
    if (value.big != 0) return false;
    if (value.negative) return is_signed<T> && int64_t(value.integer) >= int64_t(lowest<T>);
    return value.integer <= uint64_t(highest<T>);
}

template <class T>
T from_int(const Weak& value, const char* function) {
    if constexpr (is_integer<T>) {
        if (!holds<T>(value))
            raise(ErrorKind::Overflow, function, ": Python integer ", digits(value), " out of bounds for ",
                  info(dtype_of<T>).name);
        return T(value.integer);
    } else {
        if (std::isinf(value.real)) raise(ErrorKind::Overflow, function, ": int too large to convert to float");
        if (value.big != 0) return cast<T>(value.real);
        return value.negative ? cast<T>(i64(value.integer)) : cast<T>(u64(value.integer));
    }
}

/// A float as a T; integers round towards zero.
template <class T>
T from_float(f64 value, const char* function) {
    if constexpr (is_integer<T>) {
        if (std::isnan(value)) raise(ErrorKind::Value, function, ": cannot convert float NaN to integer");
        const f64 whole = std::trunc(value), end = 2 * f64(highest<T> / 2 + 1);
        if (whole < f64(lowest<T>) || whole >= end)
            raise(ErrorKind::Overflow, function, ": Python float ", value, " out of bounds for ",
                  info(dtype_of<T>).name);
    }
    return cast<T>(value);
}

}  // namespace

Scalar convert(const Weak& value, DType dtype, const char* function) {
    return dispatch(dtype, [&]<class T>() {
        if (value.kind == Weak::Kind::Int) return Scalar::of(dtype, from_int<T>(value, function));
        if (value.kind == Weak::Kind::Float) return Scalar::of(dtype, from_float<T>(value.real, function));
        return Scalar::of(dtype, cast<T>(c128{value.real, value.imag}));
    });
}

Scalar convert(const Scalar& value, DType dtype) {
    return dispatch(value.dtype, [&]<class From>() {
        stored_t<From> stored;
        std::memcpy(&stored, value.bytes, sizeof stored);
        return dispatch(dtype, [&]<class To>() { return Scalar::of(dtype, cast<To>(load<From>(stored))); });
    });
}

Scalar convert_exactly(const Scalar& value, DType dtype, const char* function) {
    const Kind from = info(value.dtype).kind, to = info(dtype).kind;
    if (from == Kind::Bool || to != Kind::Signed) return convert(value, dtype);
    Weak number;
    if (from == Kind::Signed || from == Kind::Unsigned) {
        number.kind = Weak::Kind::Int;
        const Scalar wide = convert(value, from == Kind::Signed ? DType::int64 : DType::uint64);
        std::memcpy(&number.integer, wide.bytes, sizeof number.integer);
        number.negative = from == Kind::Signed && int64_t(number.integer) < 0;
    } else {
        number.kind = Weak::Kind::Float;
        std::memcpy(&number.real, convert(value, DType::float64).bytes, sizeof number.real);
    }
    return convert(number, dtype, function);
}

}  // namespace cuarray
