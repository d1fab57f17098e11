// ptx_approximations.h -- models of the instructions whose results are known only by a bound.
//
// The model is the exact value rounded, or moved: CUDASIM_APPROX=SHARE[:SEED] moves it by up to SHARE (0 to 1) of the
// bound that the PTX ISA (9.1, section 9.7.3) documents. How far is a hash of the instruction, its operands and the
// seed, so that equal operands give equal bits. Values that are numbers of the format stay exact: libdevice relies on
// it (2 to an integer, 1 over a power of 2). For the seeds of double precision the ISA gives no bound: 2^-21 is a
// guess.
#pragma once
#include "ptx_float.h"

namespace ptx {

enum Approximated : u64 {
    kRcp = 1,
    kSqrt,
    kRsqrt,
    kEx2,
    kLg2,
    kDiv,
    kFullDiv,
    kRcpSeed,
    kRsqrtSeed,
    kRsqrtDouble,
    kSin,
    kCos,
    kTanh
};

PTX_STATE static f64 approximation_share = -1;  // below 0: not read yet
PTX_STATE static u64 approximation_seed = 0;

/// How far to move a result, in units of the bound: from -1 to 1.
inline f64 approximation_shift(Approximated what, u64 a, u64 b = 0) {
    if (approximation_share < 0) {
        const char* text = getenv("CUDASIM_APPROX");
        char* end = nullptr;
        f64 share = text ? strtod(text, &end) : 0;
        approximation_share = share > 0 && share <= 1 ? share : 0;
        if (end && *end == ':') approximation_seed = strtoull(end + 1, nullptr, 10);
    }
    if (approximation_share == 0) return 0;
    u64 hash =
        (a * 0x9E3779B97F4A7C15ull ^ b) * 0xD1B54A32D192ED03ull + what * 0x8CB92BA72F3D8DD7ull + approximation_seed;
    hash = (hash ^ hash >> 30) * 0xBF58476D1CE4E5B9ull;
    hash = (hash ^ hash >> 27) * 0x94D049BB133111EBull;
    hash ^= hash >> 31;
    return (f64(hash >> 11) * 0x1p-52 - 1) * approximation_share;
}

/// A unit in the last place of single precision at a value.
inline f64 unit_of(f64 exact) {
    int exponent = int(__builtin_bit_cast(u64, exact) >> 52 & 0x7FF) - 1023;
    return __builtin_ldexp(1.0, (exponent < -126 ? -126 : exponent) - 23);
}
/// The exact value moved by a part of the bound and rounded, but never beyond the bound.
inline f32 moved(f64 exact, f64 bound, f64 shift) {
    f32 nearest = f32(exact);
    if (shift == 0 || !__builtin_isfinite(nearest) || f64(nearest) == exact) return nearest;
    f32 x = f32(exact + shift * bound);
    if (!__builtin_isfinite(x) || x == 0) return nearest;
    if (__builtin_fabs(f64(x) - exact) <= bound) return x;
    bool is_larger = __builtin_fabsf(x) > __builtin_fabs(exact);
    return __builtin_bit_cast(f32, __builtin_bit_cast(u32, x) + (is_larger ? -1 : 1));
}
inline u64 bits_of(f32 x) { return __builtin_bit_cast(u32, x); }
inline u64 bits_of(f64 x) { return __builtin_bit_cast(u64, x); }

/// At most 1 ulp.
template <bool FTZ>
inline f32 rcp_approx(f32 x) {
    f64 exact = 1 / f64(in<FTZ>(x));
    return out<FTZ, false>(moved(exact, unit_of(exact), approximation_shift(kRcp, bits_of(x))));
}
/// A relative error of at most 2^-23.
template <bool FTZ>
inline f32 sqrt_approx(f32 x) {
    f64 exact = sqrt(f64(in<FTZ>(x)));
    return out<FTZ, false>(moved(exact, 0x1p-23 * exact, approximation_shift(kSqrt, bits_of(x))));
}
/// A relative error of at most 2^-22.9.
template <bool FTZ>
inline f32 rsqrt_approx(f32 x) {
    f64 exact = 1 / sqrt(f64(in<FTZ>(x)));
    return out<FTZ, false>(moved(exact, 0x1.125fbp-23 * exact, approximation_shift(kRsqrt, bits_of(x))));
}
/// At most 2 ulp.
template <bool FTZ>
inline f32 ex2_approx(f32 x) {
    f64 exact = exp2(f64(in<FTZ>(x)));
    return out<FTZ, false>(moved(exact, 2 * unit_of(exact), approximation_shift(kEx2, bits_of(x))));
}
/// An absolute error of at most 2^-22 between 0.5 and 2, a relative one of 2^-22 elsewhere.
template <bool FTZ>
inline f32 lg2_approx(f32 x) {
    f64 exact = log2(f64(in<FTZ>(x)));
    f64 bound = x > 0.5f && x < 2 ? 0x1p-22 : 0x1p-22 * __builtin_fabs(exact);
    return out<FTZ, false>(moved(exact, bound, approximation_shift(kLg2, bits_of(x))));
}
/// At most 2 ulp.
template <bool FTZ>
inline f32 div_full(f32 a, f32 b) {
    f64 exact = f64(in<FTZ>(a)) / f64(in<FTZ>(b));
    return out<FTZ, false>(moved(exact, 2 * unit_of(exact), approximation_shift(kFullDiv, bits_of(a), bits_of(b))));
}
/// At most 2 ulp; but the reciprocal of divisors above 2^126 is lost, as documented.
template <bool FTZ>
inline f32 div_approx(f32 a, f32 b) {
    a = in<FTZ>(a), b = in<FTZ>(b);
    if (__builtin_fabsf(b) > 0x1p126f && __builtin_isfinite(b)) {
        if (!__builtin_isfinite(a)) return canonical(__builtin_nanf(""));
        return __builtin_signbit(a) != __builtin_signbit(b) ? -0.0f : 0.0f;
    }
    f64 exact = f64(a) / f64(b);
    return out<FTZ, false>(moved(exact, 2 * unit_of(exact), approximation_shift(kDiv, bits_of(a), bits_of(b))));
}
/// An absolute error of at most 2^-20.5 up to 2 pi, and of 2^-14.7 up to 100 pi. Beyond, no bound is documented.
inline f64 angle_bound(f64 x) { return __builtin_fabs(x) <= 0x1.921fb54442d18p+2 ? 0x1.6a09e6p-21 : 0x1.3b2c48p-15; }
template <bool FTZ>
inline f32 sin_approx(f32 x) {
    x = in<FTZ>(x);
    return out<FTZ, false>(moved(sin(f64(x)), angle_bound(x), approximation_shift(kSin, bits_of(x))));
}
template <bool FTZ>
inline f32 cos_approx(f32 x) {
    x = in<FTZ>(x);
    return out<FTZ, false>(moved(cos(f64(x)), angle_bound(x), approximation_shift(kCos, bits_of(x))));
}
/// A relative error of at most 2^-11.
inline f32 tanh_approx(f32 x) {
    f64 exact = tanh(f64(x));
    return canonical(moved(exact, 0x1p-11 * __builtin_fabs(exact), approximation_shift(kTanh, bits_of(x))));
}
/// Of 16 bits: an absolute error of at most 2^-10.987 (f16) and 2^-8 (bf16), of tanh; a relative one of 2^-9.9 and
/// 2^-7, of powers of 2. The nearest number stands for them.
template <class T>
inline T half_tanh_approx(T x) {
    return to_half<T>(tanh(f64(from_half(x))));
}
template <bool FTZ, class T>
inline T half_ex2_approx(T x) {
    return half_out<T, FTZ, false>(exp2(half_in<FTZ>(x)));
}

/// A seed of double precision: its lower word is zero, as is the operand's.
inline f64 seed(f64 exact, f64 shift) {
    if (exact != exact) return __builtin_bit_cast(f64, 0x7FFFFFFF00000000ull);
    if (!__builtin_isfinite(exact) || exact == 0) return exact;
    if ((bits_of(exact) & 0xFFFFFFFF) != 0) exact += shift * 0x1p-21 * exact;
    return flush(__builtin_bit_cast(f64, (bits_of(exact) + 0x80000000ull) & ~0xFFFFFFFFull));
}
inline f64 upper_word(f64 x) { return flush(__builtin_bit_cast(f64, bits_of(x) & ~0xFFFFFFFFull)); }
inline f64 rcp_seed(f64 x) { return seed(1 / upper_word(x), approximation_shift(kRcpSeed, bits_of(x) >> 32)); }
inline f64 rsqrt_seed(f64 x) {
    return seed(1 / sqrt(upper_word(x)), approximation_shift(kRsqrtSeed, bits_of(x) >> 32));
}
/// Not one instruction but a sequence that ptxas writes: the nearer of the two neighbours, or the other one.
inline f64 rsqrt_approx(f64 x) {
    using Wide = long double;
    Wide exact = x > 0 && __builtin_isfinite(x) ? 1 / __builtin_sqrtl(Wide(x)) : Wide(1 / sqrt(x));
    f64 nearest = f64(exact), shift = approximation_shift(kRsqrtDouble, bits_of(x));
    if (Wide(nearest) == exact || !__builtin_isfinite(nearest)) return nearest;
    // The distances to the neighbours, in units of the last place, add up to 1.
    u64 bits = bits_of(nearest);
    if (shift > 0.5 && Wide(nearest) < exact) ++bits;
    if (shift < -0.5 && Wide(nearest) > exact) --bits;
    return __builtin_bit_cast(f64, bits);
}

}  // namespace ptx
