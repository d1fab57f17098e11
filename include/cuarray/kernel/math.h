// math.h -- arithmetic, comparison, selection and bit operations on integers, bool and floats.
//
// Overloads cover the real types in which kernels compute (bool, integers, f32, f64); those of the halves are
// in math_half.h, complex ones in math_complex.h. Signed integers wrap.
#pragma once
#include "cuarray/kernel/types.h"

namespace cuarray::math {

/// Unsigned and at least 32 bits wide: u16 * u16 would overflow in int.
template <class T>
using wrap_t = choose_t<sizeof(T) == 8, u64, u32>;

/// Branch-free selection of one of two values: a call behind a branch prevents vectorisation of host loops.
template <class T>
CUARRAY_FN T blend(bool first, T x, T y) {
    const unsigned_t<T> mask = unsigned_t<T>(0) - unsigned_t<T>(first);
    return bit_cast<T>(unsigned_t<T>((bits_of(x) & mask) | (bits_of(y) & unsigned_t<T>(~mask))));
}

template <class T>
CUARRAY_FN T add(T x, T y) {
    if constexpr (is_same<T, bool>)
        return x | y;
    else if constexpr (is_integer<T>)
        return T(wrap_t<T>(x) + wrap_t<T>(y));
    else
        return x + y;
}

template <class T>
CUARRAY_FN T subtract(T x, T y) {
    if constexpr (is_integer<T>)
        return T(wrap_t<T>(x) - wrap_t<T>(y));
    else
        return x - y;
}

template <class T>
CUARRAY_FN T multiply(T x, T y) {
    if constexpr (is_same<T, bool>)
        return x & y;
    else if constexpr (is_integer<T>)
        return T(wrap_t<T>(x) * wrap_t<T>(y));
    else
        return x * y;
}

template <class T>
CUARRAY_FN T divide(T x, T y) {
    return x / y;
}

template <class T>
CUARRAY_FN T negative(T x) {
    if constexpr (is_integer<T>)
        return T(wrap_t<T>(0) - wrap_t<T>(x));
    else
        return -x;
}

CUARRAY_FN f32 abs(f32 x) { return CUARRAY_C(fabsf)(x); }
CUARRAY_FN f64 abs(f64 x) { return CUARRAY_C(fabs)(x); }
template <class T>
CUARRAY_FN T abs(T x) {
    if constexpr (is_signed<T>)
        return x < 0 ? negative(x) : x;
    else
        return x;
}

CUARRAY_FN bool isnan(f32 x) { return x != x; }
CUARRAY_FN bool isnan(f64 x) { return x != x; }
template <class T>
CUARRAY_FN bool isnan(T) {
    return false;
}

CUARRAY_FN bool isinf(f32 x) { return abs(x) == infinity<f32>(); }
CUARRAY_FN bool isinf(f64 x) { return abs(x) == infinity<f64>(); }
template <class T>
CUARRAY_FN bool isinf(T) {
    return false;
}

CUARRAY_FN bool isfinite(f32 x) { return abs(x) < infinity<f32>(); }
CUARRAY_FN bool isfinite(f64 x) { return abs(x) < infinity<f64>(); }
template <class T>
CUARRAY_FN bool isfinite(T) {
    return true;
}

/// The mask of the sign bit of a floating-point number.
template <class T>
constexpr unsigned_t<T> sign_mask = unsigned_t<T>(unsigned_t<T>(1) << (8 * sizeof(T) - 1));

template <class T>
CUARRAY_FN bool signbit(T x) {
    return (bits_of(x) & sign_mask<T>) != 0;
}

template <class T>
CUARRAY_FN T copysign(T x, T y) {
    return bit_cast<T>(unsigned_t<T>((bits_of(x) & ~sign_mask<T>) | (bits_of(y) & sign_mask<T>)));
}

CUARRAY_FN f32 floor(f32 x) { return CUARRAY_C(floorf)(x); }
CUARRAY_FN f64 floor(f64 x) { return CUARRAY_C(floor)(x); }
template <class T>
CUARRAY_FN T floor(T x) {
    return x;
}

CUARRAY_FN f32 ceil(f32 x) { return CUARRAY_C(ceilf)(x); }
CUARRAY_FN f64 ceil(f64 x) { return CUARRAY_C(ceil)(x); }
template <class T>
CUARRAY_FN T ceil(T x) {
    return x;
}

CUARRAY_FN f32 trunc(f32 x) { return CUARRAY_C(truncf)(x); }
CUARRAY_FN f64 trunc(f64 x) { return CUARRAY_C(trunc)(x); }
template <class T>
CUARRAY_FN T trunc(T x) {
    return x;
}

CUARRAY_FN f32 rint(f32 x) { return CUARRAY_C(rintf)(x); }
CUARRAY_FN f64 rint(f64 x) { return CUARRAY_C(rint)(x); }
template <class T>
CUARRAY_FN T rint(T x) {
    return x;
}

CUARRAY_FN f32 sqrt(f32 x) { return CUARRAY_C(sqrtf)(x); }
CUARRAY_FN f64 sqrt(f64 x) { return CUARRAY_C(sqrt)(x); }

CUARRAY_FN f32 fma(f32 x, f32 y, f32 z) { return CUARRAY_C(fmaf)(x, y, z); }
CUARRAY_FN f64 fma(f64 x, f64 y, f64 z) { return CUARRAY_C(fma)(x, y, z); }

template <class T>
CUARRAY_FN T sign(T x) {
    if constexpr (is_unsigned<T>)
        return x != 0;
    else if constexpr (is_integer<T>)
        return T((x > 0) - (x < 0));
    else
        return x > 0 ? T(1) : x < 0 ? T(-1) : x == 0 ? T(0) : x;
}

template <class T>
CUARRAY_FN T reciprocal(T x) {
    if constexpr (is_unsigned<T>)
        return x == 1;
    else if constexpr (is_integer<T>)
        return x == 1 || x == -1 ? x : T(0);
    else
        return T(1) / x;
}

CUARRAY_FN f32 rsqrt(f32 x) {
#ifdef __CUDACC__
    return ::rsqrtf(x);
#else
    return 1 / sqrt(x);
#endif
}
CUARRAY_FN f64 rsqrt(f64 x) {
#ifdef __CUDACC__
    return ::rsqrt(x);
#else
    return 1 / sqrt(x);
#endif
}

template <class T>
CUARRAY_FN T real(T x) {
    return x;
}
template <class T>
CUARRAY_FN T imag(T) {
    return T();
}
template <class T>
CUARRAY_FN T conj(T x) {
    return x;
}

template <class T>
CUARRAY_FN T heaviside(T x, T y) {
    return x == 0 ? y : x < 0 ? T(0) : x > 0 ? T(1) : x;
}
template <class T>
CUARRAY_FN T degrees(T x) {
    return x * T(57.295779513082320876798154814105);
}
template <class T>
CUARRAY_FN T radians(T x) {
    return x * T(0.017453292519943295769236907684886);
}

template <class T>
CUARRAY_FN pair<T, T> modf(T x) {
    const T whole = trunc(x);
    return {copysign(isinf(x) ? T(0) : x - whole, x), whole};
}

/// Mixed comparisons are (i64, u64) and (u64, i64): exact, whereas a common float type would round.
template <class T, class U>
CUARRAY_FN bool equal(T x, U y) {
    if constexpr (is_same<T, U>)
        return x == y;
    else if constexpr (is_signed<T>)
        return (x >= 0) & (U(x) == y);
    else
        return (y >= 0) & (x == T(y));
}

template <class T, class U>
CUARRAY_FN bool less(T x, U y) {
    if constexpr (is_same<T, U>)
        return x < y;
    else if constexpr (is_signed<T>)
        return (x < 0) | (U(x) < y);
    else
        return (y >= 0) & (x < T(y));
}

template <class T, class U>
CUARRAY_FN bool less_equal(T x, U y) {
    if constexpr (is_same<T, U>)
        return x <= y;
    else if constexpr (is_signed<T>)
        return (x < 0) | (U(x) <= y);
    else
        return (y >= 0) & (x <= T(y));
}

template <class T>
CUARRAY_FN T maximum(T x, T y) {
    const T larger = x > y ? x : y;
    return isnan(x) ? x : larger;
}
template <class T>
CUARRAY_FN T minimum(T x, T y) {
    const T smaller = x < y ? x : y;
    return isnan(x) ? x : smaller;
}
template <class T>
CUARRAY_FN T fmax(T x, T y) {
    return (x >= y) | isnan(y) ? x : y;
}
template <class T>
CUARRAY_FN T fmin(T x, T y) {
    return (x <= y) | isnan(y) ? x : y;
}
template <class T>
CUARRAY_FN T clip(T x, T low, T high) {
    const T y = blend((x > low) | isnan(x), x, low);
    return blend((y < high) | isnan(y), y, high);
}

template <class T>
CUARRAY_FN T bitwise_invert(T x) {
    if constexpr (is_same<T, bool>)
        return !x;
    else
        return T(~x);
}

template <class T>
CUARRAY_FN T left_shift(T x, T y) {
    using U = unsigned_t<T>;
    constexpr U width = 8 * sizeof(T);
    const T shifted = T(wrap_t<T>(U(x)) << (U(y) & (width - 1)));
    return U(y) < width ? shifted : T(0);
}

template <class T>
CUARRAY_FN T right_shift(T x, T y) {
    using U = unsigned_t<T>;
    constexpr U width = 8 * sizeof(T);
    return T(x >> (U(y) < width ? y : T(width - 1))) & T(U(y) < width || is_signed<T> ? -1 : 0);
}

template <class T>
CUARRAY_FN u8 bitwise_count(T x) {
    using U = unsigned_t<T>;
    U n = U(abs(x));
    n = U(n - (n >> 1 & U(0x5555555555555555)));
    n = U((n & U(0x3333333333333333)) + (n >> 2 & U(0x3333333333333333)));
    n = U((n + (n >> 4)) & U(0x0f0f0f0f0f0f0f0f));
    return u8(U(wrap_t<T>(n) * U(0x0101010101010101)) >> (8 * sizeof(T) - 8));
}

/// Unsigned: the magnitude of the lowest integer overflows the signed type.
template <class T>
CUARRAY_FN unsigned_t<T> magnitude(T x) {
    return unsigned_t<T>(abs(x));
}

template <class U>
CUARRAY_FN U unsigned_gcd(U a, U b) {
    while (b != 0) {
        const U r = U(a % b);
        a = b;
        b = r;
    }
    return a;
}

template <class T>
CUARRAY_FN T gcd(T x, T y) {
    return T(unsigned_gcd(magnitude(x), magnitude(y)));
}

template <class T>
CUARRAY_FN T lcm(T x, T y) {
    const auto a = magnitude(x), b = magnitude(y), g = unsigned_gcd(a, b);
    return g == 0 ? T(0) : T(wrap_t<T>(a / g) * b);
}

}  // namespace cuarray::math
