// ptx_float.h -- arithmetic and conversions of floating point, in every rounding.
#pragma once
#include "ptx_prelude.h"

namespace ptx {

/// The numbers are those of the rounding field of MXCSR.
enum Rounding { kNearest = 0, kDown = 1, kUp = 2, kZero = 3 };

/// Rounds in a direction while it lives.
template <Rounding R>
struct Rounded {
    unsigned before = 0;
    Rounded() {
        if constexpr (R != kNearest) {
            before = __builtin_ia32_stmxcsr();
            __builtin_ia32_ldmxcsr((before & ~0x6000u) | R << 13);
        }
    }
    ~Rounded() {
        if constexpr (R != kNearest) __builtin_ia32_ldmxcsr(before);
    }
};

/// NaNs of single precision that an instruction makes are always this one.
inline f32 canonical(f32 x) { return x == x ? x : __builtin_bit_cast(f32, 0x7FFFFFFFu); }
inline f64 canonical(f64 x) { return x; }
inline f32 flush(f32 x) { return x != 0 && __builtin_fabsf(x) < 0x1p-126f ? __builtin_copysignf(0, x) : x; }
inline f64 flush(f64 x) { return x != 0 && __builtin_fabs(x) < 0x1p-1022 ? __builtin_copysign(0, x) : x; }
template <bool FTZ, class T>
inline T in(T x) {
    return FTZ ? flush(x) : x;
}
template <bool FTZ, bool SAT, class T>
inline T out(T x) {
    if (SAT) x = x > 0 ? (x < 1 ? x : T(1)) : T(0);
    x = canonical(x);
    return FTZ ? flush(x) : x;
}

// The instructions are written out so that they stay between the changes of the rounding.
#define PTX_DIRECTED(name, single, twice)                      \
    template <Rounding R, class T>                             \
    inline T name##_directed(T a, T b) {                       \
        Rounded<R> mode;                                       \
        if constexpr (sizeof(T) == 4)                          \
            asm volatile(single " %1, %0" : "+x"(a) : "x"(b)); \
        else                                                   \
            asm volatile(twice " %1, %0" : "+x"(a) : "x"(b));  \
        return a;                                              \
    }
PTX_DIRECTED(add, "addss", "addsd")
PTX_DIRECTED(sub, "subss", "subsd")
PTX_DIRECTED(mul, "mulss", "mulsd")
PTX_DIRECTED(div, "divss", "divsd")
#define PTX_BINARY(name, symbol)                                       \
    template <Rounding R, bool FTZ = false, bool SAT = false, class T> \
    inline T name(T a, T b) {                                          \
        a = in<FTZ>(a), b = in<FTZ>(b);                                \
        if constexpr (R == kNearest)                                   \
            return out<FTZ, SAT>(a symbol b);                          \
        else                                                           \
            return out<FTZ, SAT>(name##_directed<R>(a, b));            \
    }
PTX_BINARY(add, +)
PTX_BINARY(sub, -)
PTX_BINARY(mul, *)
PTX_BINARY(div, /)
template <Rounding R, bool FTZ = false, bool SAT = false, class T>
inline T fma(T a, T b, T c) {
    a = in<FTZ>(a), b = in<FTZ>(b), c = in<FTZ>(c);
    if constexpr (R == kNearest) {
        if constexpr (sizeof(T) == 4)
            a = __builtin_fmaf(a, b, c);
        else
            a = __builtin_fma(a, b, c);
    } else {
        Rounded<R> mode;
        if constexpr (sizeof(T) == 4)
            asm volatile("vfmadd213ss %2, %1, %0" : "+x"(a) : "x"(b), "x"(c));
        else
            asm volatile("vfmadd213sd %2, %1, %0" : "+x"(a) : "x"(b), "x"(c));
    }
    return out<FTZ, SAT>(a);
}
template <Rounding R, bool FTZ = false, class T>
inline T root(T a) {
    a = in<FTZ>(a);
    {
        Rounded<R> mode;
        if constexpr (sizeof(T) == 4)
            asm volatile("sqrtss %0, %0" : "+x"(a));
        else
            asm volatile("sqrtsd %0, %0" : "+x"(a));
    }
    return out<FTZ, false>(a);
}
/// The smaller one; a number rather than a NaN, and -0 rather than 0.
template <bool FTZ = false, bool NAN_WINS = false, class T>
inline T min(T a, T b) {
    a = in<FTZ>(a), b = in<FTZ>(b);
    if (a != a || b != b) return canonical(NAN_WINS ? a + b : a != a ? b : a);
    return a < b || (a == b && __builtin_signbit(a)) ? a : b;
}
template <bool FTZ = false, bool NAN_WINS = false, class T>
inline T max(T a, T b) {
    a = in<FTZ>(a), b = in<FTZ>(b);
    if (a != a || b != b) return canonical(NAN_WINS ? a + b : a != a ? b : a);
    return a > b || (a == b && !__builtin_signbit(a)) ? a : b;
}
inline f32 abs(f32 x) { return __builtin_bit_cast(f32, __builtin_bit_cast(u32, x) & 0x7FFFFFFFu); }
inline f64 abs(f64 x) { return __builtin_bit_cast(f64, __builtin_bit_cast(u64, x) & ~(1ull << 63)); }
inline f32 negate(f32 x) { return __builtin_bit_cast(f32, __builtin_bit_cast(u32, x) ^ 0x80000000u); }
inline f64 negate(f64 x) { return __builtin_bit_cast(f64, __builtin_bit_cast(u64, x) ^ 1ull << 63); }
inline f32 copysign(f32 sign, f32 x) { return __builtin_copysignf(x, sign); }
inline f64 copysign(f64 sign, f64 x) { return __builtin_copysign(x, sign); }

template <class T>
inline bool is_finite(T x) {
    return __builtin_isfinite(x);
}
template <class T>
inline bool is_infinite(T x) {
    return __builtin_isinf(x);
}
template <class T>
inline bool is_number(T x) {
    return x == x;
}
template <class T>
inline bool is_notanumber(T x) {
    return x != x;
}
template <class T>
inline bool is_subnormal(T x) {
    return x != 0 && flush(x) == 0;
}
/// Zeros are normal.
template <class T>
inline bool is_normal(T x) {
    return __builtin_isfinite(x) && !is_subnormal(x);
}

// Conversions

/// A number rounded to an integer, as a floating point number.
template <Rounding R, class T>
inline T integral(T x) {
    f64 wide = f64(x);
    wide = R == kNearest ? __builtin_rint(wide)
           : R == kDown  ? __builtin_floor(wide)
           : R == kUp    ? __builtin_ceil(wide)
                         : __builtin_trunc(wide);
    return T(wide);
}
/// Numbers out of range become the nearest integer. NaN becomes 0, or the top bit alone if the number has or the
/// integer has 64 bits.
template <class To, Rounding R, class From>
inline To to_integer(From x) {
    constexpr int kBits = 8 * sizeof(To) - kIsSigned<To>;
    constexpr To kMost = To(~0ull >> (64 - kBits)), kLeast = kIsSigned<To> ? To(-kMost - 1) : To(0);
    if (x != x) return sizeof(From) < 8 && sizeof(To) < 8 ? To(0) : To(1ull << (8 * sizeof(To) - 1));
    f64 wide = f64(integral<R>(x));
    if (wide >= __builtin_ldexp(1.0, kBits)) return kMost;
    if (wide < (kIsSigned<To> ? -__builtin_ldexp(1.0, kBits) : 0.0)) return kLeast;
    return To(wide);
}
template <class To, Rounding R, class From>
inline To from_integer(From x) {
    if constexpr (R == kNearest) return To(x);
    Rounded<R> mode;
    volatile From kept = x;
    volatile To y = To(kept);
    return y;
}
template <Rounding R, bool FTZ, bool SAT>
inline f32 narrow(f64 x) {
    f32 y = 0;
    {
        Rounded<R> mode;
        asm volatile("cvtsd2ss %1, %0" : "+x"(y) : "x"(x));
    }
    return out<FTZ, SAT>(y);
}

/// The parameters of a format of 16 bits.
template <class T>
struct Half;
template <>
struct Half<f16> {
    static constexpr int kFraction = 10, kBias = 15;
};
template <>
struct Half<bf16> {
    static constexpr int kFraction = 7, kBias = 127;
};

template <class T, Rounding R = kNearest>
inline T to_half(f64 x) {
    constexpr int kFraction = Half<T>::kFraction, kBias = Half<T>::kBias;
    constexpr u16 kInfinity = u16(((1 << (15 - kFraction)) - 1) << kFraction);
    u64 bits = __builtin_bit_cast(u64, x);
    u16 sign = u16(bits >> 63 << 15);
    const bool away = R == (sign ? kDown : kUp);  // from zero
    int exponent = int(bits >> 52 & 0x7FF) - 1023;
    if (x != x) return {0x7FFF};
    if (exponent > kBias)
        return {u16(sign | (R == kNearest || away || __builtin_isinf(x) ? kInfinity : kInfinity - 1))};
    if (exponent < -kBias - kFraction - 1) return {u16(sign | (away && x != 0))};
    u64 fraction = (bits & 0xFFFFFFFFFFFFFull) | 1ull << 52;
    bool is_normal = exponent >= 1 - kBias;
    int drop = 52 - kFraction + (is_normal ? 0 : 1 - kBias - exponent);
    u64 kept = fraction >> drop, rest = fraction & ((1ull << drop) - 1), half = 1ull << (drop - 1);
    kept += R == kNearest ? rest > half || (rest == half && (kept & 1)) : away && rest != 0;
    if (is_normal) kept += u64(exponent + kBias - 1) << kFraction;
    return {u16(sign | (kept < kInfinity ? kept : kInfinity))};
}
template <class T>
inline f32 from_half(T x) {
    constexpr int kFraction = Half<T>::kFraction, kBias = Half<T>::kBias;
    constexpr u32 kInfinity = ((1 << (15 - kFraction)) - 1) << kFraction;
    u32 sign = u32(x.bits >> 15) << 31, magnitude = x.bits & 0x7FFF;
    u32 exponent = magnitude >> kFraction, fraction = magnitude & ((1 << kFraction) - 1);
    if (magnitude > kInfinity) return canonical(__builtin_nanf(""));
    f32 value = magnitude == kInfinity ? __builtin_inff()
                : exponent == 0
                    ? f32(f64(fraction) * __builtin_ldexp(1.0, 1 - kBias - kFraction))
                    : __builtin_bit_cast(f32, (exponent + 127 - kBias) << 23 | fraction << (23 - kFraction));
    return __builtin_bit_cast(f32, __builtin_bit_cast(u32, value) | sign);
}

// Arithmetic of 16 bits: in double precision, rounded to odd, so that the second rounding sees what the first one lost.
// Products are exact there.

/// A sum whose last bit is set where it is not exact.
inline f64 odd_sum(f64 x, f64 y) {
    const f64 sum = x + y, part = sum - x;
    const f64 lost = (x - (sum - part)) + (y - part);
    u64 bits = __builtin_bit_cast(u64, sum);
    if (lost != 0 && __builtin_isfinite(lost) && !(bits & 1)) bits += (lost > 0) == (sum > 0) ? 1 : -1;
    return __builtin_bit_cast(f64, bits);
}
/// An integer whose last bit is set where it is not exact.
template <class T>
inline f64 odd_double(T x) {
    const f64 kept = from_integer<f64, kZero>(x);
    const bool exact = T(kept) == x;
    return __builtin_bit_cast(f64, __builtin_bit_cast(u64, kept) | !exact);
}
template <bool FTZ, class T>
inline T half_flush(T x) {
    constexpr u16 kNormal = 1 << Half<T>::kFraction;
    return FTZ && (x.bits & 0x7FFF) < kNormal ? T{u16(x.bits & 0x8000)} : x;
}
template <bool FTZ, class T>
inline f64 half_in(T x) {
    return from_half(half_flush<FTZ>(x));
}
template <class T, bool FTZ, bool SAT, Rounding R = kNearest>
inline T half_out(f64 x) {
    if (SAT) x = x > 0 ? (x < 1 ? x : 1) : 0;
    return half_flush<FTZ>(to_half<T, R>(x));
}
template <bool FTZ = false, bool SAT = false, class T>
inline T half_add(T a, T b) {
    return half_out<T, FTZ, SAT>(odd_sum(half_in<FTZ>(a), half_in<FTZ>(b)));
}
template <class T>
inline T half_negate(T x) {
    return {u16(x.bits ^ 0x8000)};
}
template <class T>
inline T half_abs(T x) {
    return {u16(x.bits & 0x7FFF)};
}
template <bool FTZ = false, bool SAT = false, class T>
inline T half_mul(T a, T b) {
    return half_out<T, FTZ, SAT>(half_in<FTZ>(a) * half_in<FTZ>(b));
}
template <bool FTZ = false, bool SAT = false, class T>
inline T half_fma(T a, T b, T c) {
    return half_out<T, FTZ, SAT>(odd_sum(half_in<FTZ>(a) * half_in<FTZ>(b), half_in<FTZ>(c)));
}
/// Negative numbers become 0.
template <class T>
inline T half_relu(T x) {
    return x.bits & 0x8000 && from_half(x) == from_half(x) ? T{0} : x;
}
template <bool FTZ = false, bool NAN_WINS = false, class T>
inline T half_min(T a, T b) {
    return half_out<T, FTZ, false>(min<false, NAN_WINS>(half_in<FTZ>(a), half_in<FTZ>(b)));
}
template <bool FTZ = false, bool NAN_WINS = false, class T>
inline T half_max(T a, T b) {
    return half_out<T, FTZ, false>(max<false, NAN_WINS>(half_in<FTZ>(a), half_in<FTZ>(b)));
}

// Floats of 8 bits. Those with 4 bits of exponent have no infinities; 0x7F is the NaN that instructions make.

struct E4m3 {
    static constexpr int kExponentBits = 4, kBits = 3, kBias = 7;
    static constexpr f64 kMost = 448;
};
struct E5m2 {
    static constexpr int kExponentBits = 5, kBits = 2, kBias = 15;
    static constexpr f64 kMost = 57344;
};

/// The nearest number of the format; the largest for what is beyond.
template <class F>
inline u32 to_tiny(f64 x, bool relu) {
    if (x != x) return 0x7F;
    if (relu && !(x > 0)) return 0;
    const u32 sign = __builtin_signbit(x) ? 0x80 : 0;
    const f64 size = __builtin_fmin(__builtin_fabs(x), F::kMost);
    int exponent = size == 0 ? 0 : __builtin_ilogb(size);
    if (exponent < 1 - F::kBias) exponent = 1 - F::kBias;
    const u32 units = u32(__builtin_nearbyint(__builtin_ldexp(size, F::kBits - exponent)));
    if (units < 1u << F::kBits) return sign | units;  // subnormal
    return sign | ((u32(exponent + F::kBias) << F::kBits) + units - (1u << F::kBits));
}
template <class F>
inline u32 pair_of_tiny(f64 high, f64 low, bool relu) {
    return to_tiny<F>(high, relu) << 8 | to_tiny<F>(low, relu);
}
template <class F>
inline f16 from_tiny(u32 bits, bool relu) {
    const u32 exponent = bits >> F::kBits & ((1u << F::kExponentBits) - 1), rest = bits & ((1u << F::kBits) - 1);
    const bool has_infinity = F::kExponentBits == 5, is_last = exponent == (1u << F::kExponentBits) - 1;
    f16 x;
    if (is_last && (has_infinity ? rest != 0 : rest == (1u << F::kBits) - 1))
        return f16{0x7FFF};
    else if (is_last && has_infinity)
        x = f16{u16(0x7C00 | (bits & 0x80) << 8)};
    else
        x = to_half<f16, kNearest>(
            f32(__builtin_copysign(__builtin_ldexp(f64(exponent ? rest + (1u << F::kBits) : rest),
                                                   int(exponent ? exponent : 1) - F::kBias - F::kBits),
                                   bits & 0x80 ? -1.0 : 1.0)));
    return relu ? half_relu(x) : x;
}
template <class F>
inline u32 halves_of_tiny(u32 pair, bool relu) {
    return u32(as<u16>(from_tiny<F>(pair >> 8 & 0xFF, relu))) << 16 | u32(as<u16>(from_tiny<F>(pair & 0xFF, relu)));
}

}  // namespace ptx
