// math_division.h -- exact floor_divide, remainder, fmod and divmod, and integer powers.
//
// Float division is based on the exact remainder. If the quotient is small enough to be an exact integer, one
// fused multiply-add gives the remainder without a branch. `quick_*` does that, divides 64-bit integers as float64
// where that is exact, and reports elements for which it is not.
#pragma once
#include "cuarray/kernel/math.h"

namespace cuarray::math {

/// x - q * y, exact if q is the truncated quotient or one more: the result is then representable.
CUARRAY_FN f32 residue(f32 x, f32 q, f32 y) {
#if defined(__CUDACC__) || defined(__FMA__)
    return fma(-q, y, x);
#else
    return f32(f64(x) - f64(q) * f64(y));
#endif
}
CUARRAY_FN f64 residue(f64 x, f64 q, f64 y) { return fma(-q, y, x); }

/// Whether residue is one instruction or a few; as a library call it would be slower than the rare path.
#if defined(__CUDACC__) || defined(__FMA__)
template <class T>
constexpr bool has_residue = true;
#else
template <class T>
constexpr bool has_residue = is_same<T, f32>;
#endif

/// Truncated quotient and remainder, both exact. Sets `beyond` if y is 0, an operand is not finite, or the
/// quotient has more bits than a significand.
template <class T>
CUARRAY_FN pair<T, T> exact_quotient(T x, T y, bool& beyond) {
    constexpr T limit = T(u64(1) << (ieee<T>::fraction + 1));
    const T q = trunc(x / y);
    beyond = !((abs(q) < limit) & (abs(y) < infinity<T>()));
    // x / y may have been rounded up to the next integer; then the residue has the opposite sign.
    const T r = residue(x, q, y);
    const bool up = (r != 0) & (signbit(r) != signbit(x));
    return {up ? q - copysign(T(1), q) : q, copysign(up ? r + copysign(y, x) : r, x)};
}

/// Floor quotient and its remainder, within the same bounds.
template <class T>
CUARRAY_FN pair<T, T> exact_divmod(T x, T y, bool& beyond) {
    const pair<T, T> t = exact_quotient(x, y, beyond);
    const bool apart = (t.second != 0) & (signbit(x) != signbit(y));
    const T q = apart ? t.first - 1 : t.first;
    return {q == 0 ? copysign(T(0), x / y) : q, apart ? t.second + y : copysign(t.second, y)};
}

CUARRAY_FN f32 careful_fmod(f32 x, f32 y) { return CUARRAY_C(fmodf)(x, y); }
CUARRAY_FN f64 careful_fmod(f64 x, f64 y) { return CUARRAY_C(fmod)(x, y); }

/// divmod beyond the bounds of exact_divmod; the quotient is rounded. An infinite x gives an infinite quotient
/// and an infinite y a zero quotient, as the Array API test suite requires.
template <class T>
CUARRAY_FAR pair<T, T> careful_divmod(T x, T y) {
    const T ratio = x / y;
    T r = careful_fmod(x, y);
    if (!isfinite(x) || isnan(y) || y == 0) return {ratio, r};
    const bool apart = r != 0 && (r < 0) != (y < 0);
    if (isinf(y)) return {copysign(T(0), ratio), apart ? y : copysign(r, y)};
    T q = (x - r) / y - (apart ? T(1) : T(0));
    const T whole = floor(q);
    q = q - whole > T(0.5) ? whole + 1 : whole;
    return {q == 0 ? copysign(T(0), ratio) : q, r == 0 ? copysign(r, y) : apart ? r + y : r};
}

template <class T>
CUARRAY_FN pair<T, T> float_divmod(T x, T y) {
    bool beyond;
    const pair<T, T> exact = exact_divmod(x, y, beyond);
    return beyond ? careful_divmod(x, y) : exact;
}

/// x / y rounded towards zero; x / 0 is 0, and the lowest integer / -1 wraps.
template <class T>
CUARRAY_FN T integer_quotient(T x, T y) {
    const bool minus_one = is_signed<T> && y == T(-1), special = (y == 0) | minus_one;
    const T divisor = special ? T(1) : y, by_special = minus_one ? negative(x) : T(0);
#ifndef __CUDACC__
    // There is no SIMD integer division; a quotient in a float type that holds both exactly truncates to the same.
    using Wide = choose_t<sizeof(T) <= 2, f32, f64>;
    if constexpr (sizeof(T) <= 4) return special ? by_special : T(Wide(x) / Wide(divisor));
#endif
    return special ? by_special : T(x / divisor);
}

/// The same if float64 holds both operands exactly; otherwise sets `beyond`, and the quotient is meaningless.
template <class T>
CUARRAY_FN T exact_integer_quotient(T x, T y, bool& beyond) {
    constexpr u64 limit = u64(1) << (ieee<f64>::fraction + 1), below = is_signed<T> ? limit : 0;
    beyond = (u64(x) + below > limit + below) | (u64(y) + below > limit + below);
    const T q = T(i64(f64(i64(beyond ? T(0) : x)) / f64(i64(y == 0 ? T(1) : y))));
    return y == 0 ? T(0) : q;
}

/// Python's quotient from a truncated one: rounded towards minus infinity, with a remainder of y's sign. x % 0 is 0.
template <class T>
CUARRAY_FN pair<T, T> floored(T q, T x, T y) {
    const T r = y == 0 ? T(0) : subtract(x, multiply(q, y));
    // Masks: a branch on signs would be mispredicted.
    const bool apart = (r != 0) & ((r < 0) != (y < 0));
    return {T(q - apart), add(r, T(y & T(-T(apart))))};
}

template <class T>
CUARRAY_FN T quick_fmod(T x, T y, bool& rare) {
    rare = true;
    if constexpr (is_integer<T>)
        return y == 0 ? T(0) : subtract(x, multiply(exact_integer_quotient(x, y, rare), y));
    else if constexpr (has_residue<T>)
        return exact_quotient(x, y, rare).second;
    else
        return x;
}

template <class T>
CUARRAY_FN pair<T, T> quick_divmod(T x, T y, bool& rare) {
    rare = true;
    if constexpr (is_integer<T>)
        return floored(exact_integer_quotient(x, y, rare), x, y);
    else if constexpr (has_residue<T>)
        return exact_divmod(x, y, rare);
    else
        return {x, x};
}

template <class T>
CUARRAY_FN pair<T, T> divmod(T x, T y) {
    if constexpr (is_integer<T>)
        return floored(integer_quotient(x, y), x, y);
    else
        return float_divmod(x, y);
}

template <class T>
CUARRAY_FN T floor_divide(T x, T y) {
    return divmod(x, y).first;
}
template <class T>
CUARRAY_FN T remainder(T x, T y) {
    return divmod(x, y).second;
}

template <class T>
CUARRAY_FN T fmod(T x, T y) {
    if constexpr (is_integer<T>)
        return y == 0 ? T(0) : subtract(x, multiply(integer_quotient(x, y), y));
    else {
        bool rare;
        const T quick = quick_fmod(x, y, rare);
        return rare ? careful_fmod(x, y) : quick;
    }
}

/// x to the power y by repeated squaring; 0 for a negative y, which is an error that the caller reports.
template <class T>
CUARRAY_FN T integer_pow(T x, T y) {
    wrap_t<T> result = y < 0 ? 0 : 1, base = wrap_t<T>(x);
    unsigned_t<T> n = y < 0 ? unsigned_t<T>(0) : unsigned_t<T>(y);
#ifndef __CUDACC__
    // One branch-free step per bit of the type: vectorises.
    if constexpr (sizeof(T) <= 4) {
#pragma GCC unroll 32
        for (int bit = 0; bit < int(8 * sizeof(T)); ++bit) {
            result *= n >> bit & 1 ? base : wrap_t<T>(1);
            base *= base;
        }
        return T(result);
    }
#endif
    for (; n != 0; n = unsigned_t<T>(n >> 1)) {
        if (n & 1) result *= base;
        base *= base;
    }
    return T(result);
}

}  // namespace cuarray::math
