// math_half.h -- functions on the bits of a floating-point number, for f16 and bf16 too.
#pragma once
#include "cuarray/kernel/math.h"

namespace cuarray::math {

CUARRAY_FN f16 abs(f16 x) { return {u16(x.bits & 0x7fffu)}; }
CUARRAY_FN bf16 abs(bf16 x) { return {u16(x.bits & 0x7fffu)}; }

CUARRAY_FN f16 negative(f16 x) { return {u16(x.bits ^ 0x8000u)}; }
CUARRAY_FN bf16 negative(bf16 x) { return {u16(x.bits ^ 0x8000u)}; }

CUARRAY_FN bool isnan(f16 x) { return abs(x).bits > ieee<f16>::infinity; }
CUARRAY_FN bool isnan(bf16 x) { return abs(x).bits > ieee<bf16>::infinity; }

CUARRAY_FN bool isinf(f16 x) { return abs(x).bits == ieee<f16>::infinity; }
CUARRAY_FN bool isinf(bf16 x) { return abs(x).bits == ieee<bf16>::infinity; }

CUARRAY_FN bool isfinite(f16 x) { return abs(x).bits < ieee<f16>::infinity; }
CUARRAY_FN bool isfinite(bf16 x) { return abs(x).bits < ieee<bf16>::infinity; }

template <class T>
CUARRAY_FN T nextafter(T x, T y) {
    using U = unsigned_t<T>;
    const auto a = widen(x), b = widen(y);
    const U away = U(bits_of(x) + 1), nearer = U(bits_of(x) - 1);
    const U next = a == 0 ? U((bits_of(y) & sign_mask<T>) | 1) : (a < b) == (a > 0) ? away : nearer;
    // For zeros of different signs the C library returns the second, NumPy's float16 the first.
    const T same = is_same<T, f16> ? x : y;
    return isnan(x) ? x : isnan(y) ? y : a == b ? same : bit_cast<T>(next);
}

/// The distance to the next number away from zero (from -0: upwards); for halves always upwards, as in NumPy.
template <class T>
CUARRAY_FN T spacing(T x) {
    if (!isfinite(x)) return quiet_nan<T>();
    if constexpr (is_half<T>)
        return round_to_half<T>(widen(nextafter(x, infinity<T>())) - widen(x));
    else
        return nextafter(x, copysign(infinity<T>(), x + 0)) - x;
}

/// Mantissa in [0.5, 1) and exponent; zero, infinity and NaN are their own mantissa, with exponent 0.
template <class T>
CUARRAY_FN pair<T, i32> frexp(T x) {
    if constexpr (is_half<T>) {
        const pair<f32, i32> wide = frexp(widen(x));
        return {round_to_half<T>(wide.first), wide.second};
    } else {
        using U = unsigned_t<T>;
        constexpr int fraction = ieee<T>::fraction, bias = int(ieee<T>::infinity >> fraction) / 2;
        const bool tiny = abs(x) < bit_cast<T>(U(1) << fraction);
        const U u = bits_of(tiny ? x * T(U(1) << (fraction + 1)) : x);
        const U half = (u & ~ieee<T>::infinity) | U(bias - 1) << fraction;
        const i32 exponent = i32((u & ieee<T>::infinity) >> fraction) - (bias - 1) - (tiny ? fraction + 1 : 0);
        const bool own = !isfinite(x) | (x == 0);
        return {own ? x : bit_cast<T>(half), own ? 0 : exponent};
    }
}

/// 2 to the power n, which must be a normal number.
CUARRAY_FN f32 power_of_two(f32, i32 n) { return bit_cast<f32>(u32(n + 127) << 23); }
CUARRAY_FN f64 power_of_two(f64, i32 n) { return bit_cast<f64>(u64(i64(n + 1023)) << 52); }

/// x * 2**n for an n that fits the exponent arithmetic: adds to the exponent; one product rounds subnormal results.
template <class T>
CUARRAY_FN T scale(T x, i32 n) {
    using U = unsigned_t<T>;
    using I = signed_t<T>;
    constexpr int fraction = ieee<T>::fraction, down = fraction + 2;
    constexpr I top = I(ieee<T>::infinity >> fraction);
    const bool tiny = abs(x) < bit_cast<T>(U(1) << fraction);
    const U u = bits_of(tiny ? x * T(U(1) << down) : x);
    const I exponent = I(u >> fraction & U(top)) + I(n) - (tiny ? down : 0);
    const I lifted = exponent < 1 ? exponent + down : exponent;
    const I field = lifted < 1 ? 1 : lifted > top - 1 ? top - 1 : lifted;
    const T factor = exponent < 1 ? 1 / T(U(1) << down) : exponent > top - 1 ? T(2) : T(1);
    const T y = bit_cast<T>((u & ~(U(top) << fraction)) | U(field) << fraction) * factor;
    return (x == 0) | !isfinite(x) ? x : y;
}

/// ldexp in one product, which rounds once; `rare`: 2**n is not a normal number.
template <class T, class N>
CUARRAY_FN T quick_ldexp(T x, N n, bool& rare) {
    constexpr int bias = int(ieee<T>::infinity >> ieee<T>::fraction) / 2;
    rare = (n > bias) | (n < 1 - bias);
    return x * power_of_two(x, rare ? 0 : i32(n));
}

template <class T, class N>
CUARRAY_FN T ldexp(T x, N n) {
    const i32 clamped = n > 5000 ? 5000 : n < -5000 ? -5000 : i32(n);
    if constexpr (is_half<T>)
        return cast<T>(scale(f64(widen(x)), clamped));
    else {
        bool rare;
        const T quick = quick_ldexp(x, n, rare);
        return rare ? scale(x, clamped) : quick;
    }
}

}  // namespace cuarray::math
