// types.h -- the scalar types of kernels and their conversions, for the host compiler and for NVRTC.
//
// All kernel/*.h files are compiled twice: by the host compiler as headers, and by NVRTC without any header,
// from the declarations that a kernel needs. So that the generator can extract these, the files follow rules:
//   * A declaration is a block of lines between blank lines, at namespace level; functions hold no blank lines.
//   * A declaration defines complete entities: whole functions, types, and every #if that it opens.
//   * `namespace ... {` and its closing brace are declarations, and so are #pragma once and the #includes.
//   * A declaration uses only macros of this file, of the compiler, and those that it defines itself.
//   * Entities are declared before use; this file is always emitted completely, before every other.
//   * Declarations for complex numbers are in math_complex*.h: programs without complex types do not need them.
//   * C++17, no standard headers, no static data with a constructor.
// Under NVRTC the C functions (sinf, fmod, memcpy) are declared by the compiler; a program that runs CUDA code
// on the CPU defines __CUDACC__ and declares them itself. Only this file has inline PTX, under __CUDA_ARCH__.
#pragma once

#ifdef __CUDACC__
#define CUARRAY_FN __device__ __forceinline__
#define CUARRAY_FAR inline __device__
#define CUARRAY_C(name) ::name
#define CUARRAY_VECTOR(name) ::name
#define CUARRAY_COPY ::memcpy
#else
#define CUARRAY_FN inline __attribute__((always_inline))
#define CUARRAY_FAR inline __attribute__((noinline))
#define CUARRAY_C(name) __builtin_##name
#define CUARRAY_VECTOR(name) ::cua_##name
#define CUARRAY_COPY __builtin_memcpy
#endif

namespace cuarray {

using i8 = signed char;
using u8 = unsigned char;
using i16 = short;
using u16 = unsigned short;
using i32 = int;
using u32 = unsigned int;
using i64 = long long;
using u64 = unsigned long long;
using f32 = float;
using f64 = double;

/// IEEE binary16, stored as bits; arithmetic is done in f32.
struct f16 {
    u16 bits;
};
/// The upper half of an f32, stored as bits; arithmetic is done in f32.
struct bf16 {
    u16 bits;
};
/// A complex number; aligned to its component.
template <class R>
struct complex {
    R re, im;
};
using c64 = complex<f32>;
using c128 = complex<f64>;

template <class A, class B>
constexpr bool is_same = false;
template <class A>
constexpr bool is_same<A, A> = true;
template <class T>
constexpr bool is_half = is_same<T, f16> || is_same<T, bf16>;
template <class T>
constexpr bool is_float = is_same<T, f32> || is_same<T, f64>;
template <class T>
constexpr bool is_complex = is_same<T, c64> || is_same<T, c128>;
template <class T>
constexpr bool is_signed = is_same<T, i8> || is_same<T, i16> || is_same<T, i32> || is_same<T, i64>;
template <class T>
constexpr bool is_unsigned = is_same<T, u8> || is_same<T, u16> || is_same<T, u32> || is_same<T, u64>;
template <class T>
constexpr bool is_integer = is_signed<T> || is_unsigned<T>;

/// Two results of one function.
template <class A, class B>
struct pair {
    A first;
    B second;
};

template <bool Choice, class A, class B>
struct choice {
    using type = A;
};
template <class A, class B>
struct choice<false, A, B> {
    using type = B;
};
template <bool Choice, class A, class B>
using choose_t = typename choice<Choice, A, B>::type;

/// The type of an element in memory: a byte for bool, because imported memory may hold values other than 0 and 1.
template <class T>
using stored_t = choose_t<is_same<T, bool>, u8, T>;
/// The type in which arithmetic is done.
template <class T>
using compute_t = choose_t<is_half<T>, f32, T>;
/// The component of a complex type; any other type unchanged.
template <class T>
using real_t = choose_t<is_same<T, c64>, f32, choose_t<is_same<T, c128>, f64, T>>;
/// The complex type over a component.
template <class T>
using complex_t = choose_t<is_same<T, f32>, c64, c128>;
/// Unsigned integers as wide as T, for wrapping arithmetic and for bits.
template <class T>
using unsigned_t = choose_t<sizeof(T) == 1, u8, choose_t<sizeof(T) == 2, u16, choose_t<sizeof(T) == 4, u32, u64>>>;
template <class T>
using signed_t = choose_t<sizeof(T) == 1, i8, choose_t<sizeof(T) == 2, i16, choose_t<sizeof(T) == 4, i32, i64>>>;

template <class To, class From>
CUARRAY_FN To bit_cast(const From& x) {
    static_assert(sizeof(To) == sizeof(From), "bit_cast keeps the size");
    To y;
    CUARRAY_COPY(&y, &x, sizeof y);
    return y;
}

/// The bits of a floating-point number.
template <class T>
CUARRAY_FN unsigned_t<T> bits_of(T x) {
    return bit_cast<unsigned_t<T>>(x);
}

/// Converts an element from its type in memory.
template <class T>
CUARRAY_FN T load(stored_t<T> x) {
    if constexpr (is_same<T, bool>)
        return x != 0;
    else
        return x;
}

/// Converts a value to its type in memory.
template <class T>
CUARRAY_FN stored_t<T> store(T x) {
    return stored_t<T>(x);
}

/// The layout of an IEEE type: fraction bits, and the bits of infinity.
template <class T>
struct ieee;
template <>
struct ieee<f16> {
    static constexpr int fraction = 10;
    static constexpr u16 infinity = 0x7c00;
};
template <>
struct ieee<bf16> {
    static constexpr int fraction = 7;
    static constexpr u16 infinity = 0x7f80;
};
template <>
struct ieee<f32> {
    static constexpr int fraction = 23;
    static constexpr u32 infinity = 0x7f800000;
};
template <>
struct ieee<f64> {
    static constexpr int fraction = 52;
    static constexpr u64 infinity = 0x7ff0000000000000;
};

template <class T>
CUARRAY_FN T infinity() {
    return bit_cast<T>(ieee<T>::infinity);
}
template <class T>
CUARRAY_FN T quiet_nan() {
    return bit_cast<T>(unsigned_t<T>(ieee<T>::infinity | unsigned_t<T>(1) << (ieee<T>::fraction - 1)));
}

/// The largest and the lowest integer of a type.
template <class T>
constexpr T highest = T(unsigned_t<T>(-1) >> (is_signed<T> ? 1 : 0));
template <class T>
constexpr T lowest = T(~unsigned_t<T>(highest<T>));

CUARRAY_FN f32 widen(f16 x) {
#ifdef __CUDA_ARCH__
    f32 y;
    asm("cvt.f32.f16 %0, %1;" : "=f"(y) : "h"(x.bits));
    return y;
#else
    const u32 magnitude = u32(x.bits & 0x7fffu) << 13, exponent = magnitude & 0x0f800000u;
    const u32 normal = magnitude + 0x38000000u;
    const u32 special = (normal + 0x38000000u) | ((magnitude & 0x007fe000u) ? 0x00400000u : 0u);
    const u32 small = bits_of(bit_cast<f32>(normal + 0x00800000u) - bit_cast<f32>(0x38800000u));
    const u32 y = exponent == 0x0f800000u ? special : exponent == 0 ? small : normal;
    return bit_cast<f32>(y | u32(x.bits & 0x8000u) << 16);
#endif
}
CUARRAY_FN f32 widen(bf16 x) { return bit_cast<f32>(u32(x.bits) << 16); }
template <class T>
CUARRAY_FN T widen(T x) {
    return x;
}

/// Rounds to a half type, to nearest even. The host keeps a NaN's payload; the device has a single NaN.
template <class To>
CUARRAY_FN To round_to_half(f32 x) {
    static_assert(is_half<To>, "round_to_half gives f16 or bf16");
    const u32 sign = bits_of(x) >> 16 & 0x8000u, u = bits_of(x) & 0x7fffffffu;
    if constexpr (is_same<To, bf16>) {
        const u32 rounded = (u + 0x7fffu + (u >> 16 & 1u)) >> 16, nan = u >> 16 | 0x40u;
        return {u16(sign | (u > 0x7f800000u ? nan : rounded))};
    } else {
#ifdef __CUDA_ARCH__
        f16 y;
        asm("cvt.rn.f16.f32 %0, %1;" : "=h"(y.bits) : "f"(x));
        return y;
#else
        const u32 normal = (u - 0x37fff001u + (u >> 13 & 1u)) >> 13;
        const u32 small = bits_of(bit_cast<f32>(u) + 0.5f) - 0x3f000000u;
        const u32 big = u > 0x7f800000u ? 0x7e00u | (u >> 13 & 0x1ffu) : 0x7c00u;
        return {u16(sign | (u >= 0x47800000u ? big : u < 0x38800000u ? small : normal))};
#endif
    }
}

/// An f64 as an f32 rounded to odd, so that rounding it to a half type has no double-rounding error.
CUARRAY_FN f32 round_to_odd(f64 x) {
    const f32 near = f32(x);
    const f64 back = near;
    const u32 above = (back < 0 ? -back : back) > (x < 0 ? -x : x);
    return bit_cast<f32>((bits_of(near) - above) | u32(back != x));
}

/// A 64-bit magnitude as an f64; its lowest bits are merged into a sticky bit, so that the conversion is exact.
CUARRAY_FN f64 sticky_f64(u64 x) { return f64(x >> 53 ? (x & ~u64(0x7ff)) | (x & 0x7ff ? 0x800 : 0) : x); }

/// A float as an integer: rounded towards zero, saturated if out of range, NaN to 0.
template <class To, class From>
CUARRAY_FN To saturate(From x) {
    constexpr From above = From(u64(1) << (8 * sizeof(To) - (is_signed<To> ? 2 : 1))) * From(2);
    const From least = is_signed<To> ? -above : From(0);
    const From from_below = x > least ? x : least;
    const bool high = from_below >= above;
    const To inside = To(high ? From(0) : from_below);
    const To y = high ? highest<To> : inside;
    return x == x ? y : To(0);
}

/// Converts any type to any type: integers wrap, floats saturate to integers and round to floats, complex numbers
/// lose their imaginary part, and bool is whether the value differs from zero.
template <class To, class From>
CUARRAY_FN To cast(From x) {
    if constexpr (is_same<To, From>)
        return x;
    else if constexpr (is_complex<To>) {
        using R = real_t<To>;
        if constexpr (is_complex<From>)
            return {R(x.re), R(x.im)};
        else
            return {cast<R>(x), R(0)};
    } else if constexpr (is_same<To, bool>) {
        if constexpr (is_complex<From>)
            return x.re != 0 || x.im != 0;
        else
            return widen(x) != 0;
    } else if constexpr (is_complex<From>)
        return cast<To>(x.re);
    else if constexpr (is_half<From>)
        return cast<To>(widen(x));
    else if constexpr (is_half<To>) {
        if constexpr (is_same<From, f64>)
            return round_to_half<To>(round_to_odd(x));
        else if constexpr (is_same<From, u64>)
            return cast<To>(sticky_f64(x));
        else if constexpr (is_same<From, i64>) {
            const f64 y = sticky_f64(x < 0 ? u64(0) - u64(x) : u64(x));
            return cast<To>(x < 0 ? -y : y);
        } else if constexpr (sizeof(From) == 4 && is_integer<From>)
            return cast<To>(f64(x));
        else
            return round_to_half<To>(f32(x));
    } else if constexpr (is_float<From> && is_integer<To>)
        return saturate<To>(x);
    else
        return To(x);
}

}  // namespace cuarray
