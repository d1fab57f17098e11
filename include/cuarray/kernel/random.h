// random.h -- random numbers as functions of the words of kernel/philox.h.
//
// Functions use additions, multiplications, divisions and square roots alone: all devices round these alike.
#pragma once
#include "cuarray/kernel/functors.h"
#include "cuarray/kernel/philox.h"

namespace cuarray::kernel {

/// The natural logarithm of a positive, normal number: 2 atanh of a small quotient, by a polynomial.
CUARRAY_FN f64 random_log(f64 x) {
    const i64 offset = bit_cast<i64>(x) - 0x3FE6A09E667F3BCD;  // sqrt(0.5)
    const f64 m = bit_cast<f64>((offset & 0xFFFFFFFFFFFFF) + 0x3FE6A09E667F3BCD), e = f64(i32(u64(offset) >> 32) >> 20);
    const f64 f = m - 1, s = f / (2 + f), z = s * s;
    f64 q = 0.14616449685043406;
    q = q * z + 0.15331721600556042, q = q * z + 0.18182889125261723, q = q * z + 0.2222221113479508;
    q = q * z + 0.28571428625975487, q = q * z + 0.39999999999899505, q = q * z + 0.666666666666667;
    return e * 0.6931471805599453 + (s + s + s * z * q);
}

CUARRAY_FN f32 random_log(f32 x) {
    const i32 offset = bit_cast<i32>(x) - 0x3F3504F3;  // sqrt(0.5)
    const f32 m = bit_cast<f32>((offset & 0x7FFFFF) + 0x3F3504F3), e = f32(offset >> 23);
    const f32 f = m - 1, s = f / (2 + f), z = s * s;
    f32 q = 0.23330467f;
    q = q * z + 0.28550821f, q = q * z + 0.40000122f, q = q * z + 0.66666667f;
    return e * 0.6931472f + (s + s + s * z * q);
}

/// exp(x) as (1 + rest) * factor * other, |rest| < 0.42: the factors are powers of two that do not overflow.
struct RandomPower {
    f64 rest, factor, other;
};

CUARRAY_FN RandomPower random_power(f64 x) {
    const f64 bounded = x < -1000 ? -1000 : x > 1000 ? 1000 : x;
    const f64 shifted = bounded * 1.4426950408889634 + 0x1.8p52, k = shifted - 0x1.8p52;
    const f64 r = (bounded - k * 0.6931471803691238) - k * 1.9082149292705877e-10;
    f64 q = 2.0914679376583935e-09;
    q = q * r + 2.510520637395701e-08, q = q * r + 2.7557273661348637e-07, q = q * r + 2.7557255425746435e-06;
    q = q * r + 2.4801587325533363e-05, q = q * r + 0.00019841269874800493, q = q * r + 0.0013888888888883752;
    q = q * r + 0.008333333333326141, q = q * r + 0.04166666666666667, q = q * r + 0.1666666666666667;
    q = q * r + 0.5;
    const i64 whole = bit_cast<i64>(shifted) - bit_cast<i64>(0x1.8p52), half = i64(u64(whole + 4096) >> 1) - 2048;
    return {r + r * r * q, bit_cast<f64>((half + 1023) << 52), bit_cast<f64>((whole - half + 1023) << 52)};
}

/// exp(x); the result of NaN is not defined.
CUARRAY_FN f64 random_exp(f64 x) {
    const RandomPower power = random_power(x);
    return (1 + power.rest) * power.factor * power.other;
}

/// exp(x) - 1 for x >= 0.
CUARRAY_FN f64 random_expm1(f64 x) {
    const RandomPower power = random_power(x);
    const f64 scale = power.factor * power.other;
    return power.factor > 0x1p400 ? random_exp(x) : power.rest * scale + (scale - 1);
}

/// The sine and the cosine of r quarter turns, |r| <= 0.5, by polynomials.
CUARRAY_FN pair<f64, f64> random_turn(f64 r) {
    const f64 z = r * r;
    f64 s = 5.633933781537854e-08, c = -6.321256869628588e-09;
    s = s * z - 3.59864335298231e-06, s = s * z + 0.0001604411507421909, s = s * z - 0.004681754132340976;
    s = s * z + 0.07969262624604301, s = s * z - 0.6459640975062443, s = s * z + 1.5707963267948966;
    c = c * z + 4.710609726757823e-07, c = c * z - 2.520203677046026e-05, c = c * z + 0.0009192602741831558;
    c = c * z - 0.02086348076331121, c = c * z + 0.2536695079010467, c = c * z - 1.2337005501361697;
    return {s * r, c * z + 1};
}

CUARRAY_FN pair<f32, f32> random_turn(f32 r) {
    const f32 z = r * r;
    f32 s = -0.00460214921f, c = 0.00090362807f;
    s = s * z + 0.07968021765f, s = s * z - 0.64596347766f, s = s * z + 1.57079632195f;
    c = c * z - 0.02086006950f, c = c * z + 0.25366920366f, c = c * z - 1.23370054063f;
    return {s * r, c * z + 1};
}

/// Two independent normal numbers of a radius and of an angle, whose upper two bits are its quadrant (Box and Muller).
template <class T, class Bits>
CUARRAY_FN pair<T, T> random_point(T radius, T r, Bits angle) {
    constexpr int top = 8 * int(sizeof(Bits)) - 1;
    const pair<T, T> turn = random_turn(r);
    const Bits sine = bit_cast<Bits>(turn.first), cosine = bit_cast<Bits>(turn.second);
    const Bits odd = Bits(0) - (angle >> (top - 1) & 1), swapped = (sine ^ cosine) & odd;
    const Bits below = angle >> top << top, left = below ^ (odd >> top << top);
    return {radius * bit_cast<T>((cosine ^ swapped) ^ left), radius * bit_cast<T>((sine ^ swapped) ^ below)};
}

/// Draws. Each turns kWords words of a block into kElements elements; `draw` returns whether some of these must be
/// drawn again.
template <class T>
struct UniformDraw;

/// From 0 to 1, multiples of 2^-53: NumPy's `random`, and its `uniform`.
template <>
struct UniformDraw<f64> {
    using Element = f64;
    static constexpr int kWords = 1, kElements = 1;
    static constexpr bool kRedraws = false;
    /// The upper 53 bits as 1 + 2 k 2^-53 less 1, or less 1 - 2^-53 for the last bit: a subtraction, which is exact,
    /// takes less time than a conversion.
    static CUARRAY_FN f64 number(u64 word) {
        return bit_cast<f64>(u64(0x3FF) << 52 | word >> 12) - bit_cast<f64>((u64(0x3FF) << 52) - (word >> 11 & 1));
    }
    static CUARRAY_FN bool draw(const RandomParameters& p, const u64* words, f64* to) {
        *to = p.start + p.width * number(*words);
        return false;
    }
};

/// From 0 to 1, multiples of 2^-24: NumPy's `random`.
template <>
struct UniformDraw<f32> {
    using Element = f32;
    static constexpr int kWords = 1, kElements = 2;
    static constexpr bool kRedraws = false;
    static CUARRAY_FN bool draw(const RandomParameters& p, const u64* words, f32* to) {
        const f32 start = f32(p.start), width = f32(p.width);
        to[0] = start + width * (f32(i32(u32(*words) >> 8)) * 0x1p-24f);
        to[1] = start + width * (f32(i32(u32(*words >> 40))) * 0x1p-24f);
        return false;
    }
};

template <class T>
struct ExponentialDraw;

/// Minus the logarithm of an odd multiple of 2^-53: above 0 and below 37.
template <>
struct ExponentialDraw<f64> {
    using Element = f64;
    static constexpr int kWords = 1, kElements = 1;
    static constexpr bool kRedraws = false;
    static CUARRAY_FN f64 minus_log(u64 word) {
        return -random_log(bit_cast<f64>(word >> 12 | 0x3FF0000000000000) - (1 - 0x1p-53));
    }
    static CUARRAY_FN bool draw(const RandomParameters& p, const u64* words, f64* to) {
        *to = p.start + p.width * minus_log(*words);
        return false;
    }
};

/// Minus the logarithm of an odd multiple of 2^-32, rounded to float32, where the largest ones become 1: below 23.
template <>
struct ExponentialDraw<f32> {
    using Element = f32;
    static constexpr int kWords = 1, kElements = 2;
    static constexpr bool kRedraws = false;
    static CUARRAY_FN f32 minus_log(u32 bits) { return -random_log((f32(i32(bits >> 1)) + 0.5f) * 0x1p-31f); }
    static CUARRAY_FN bool draw(const RandomParameters& p, const u64* words, f32* to) {
        const f32 start = f32(p.start), width = f32(p.width);
        to[0] = start + width * minus_log(u32(*words));
        to[1] = start + width * minus_log(u32(*words >> 32));
        return false;
    }
};

/// The exponential number of a word: minus the logarithm of a uniform number, so that exp(-it) is uniform.
CUARRAY_FN f64 exponential_of(u64 word) { return ExponentialDraw<f64>::minus_log(word); }

/// Two standard normal numbers of two words.
CUARRAY_FN pair<f64, f64> normal_pair(const u64* words) {
    const f64 radius = CUARRAY_C(sqrt)(2 * exponential_of(words[0]));
    const f64 r = bit_cast<f64>(words[1] << 2 >> 12 | 0x3FF0000000000000) - 1.5 + 0x1p-53;
    return random_point(radius, r, words[1]);
}

template <class T>
struct NormalDraw;

/// Below 8.6 in magnitude.
template <>
struct NormalDraw<f64> {
    using Element = f64;
    static constexpr int kWords = 2, kElements = 2;
    static constexpr bool kRedraws = false;
    static CUARRAY_FN bool draw(const RandomParameters& p, const u64* words, f64* to) {
        const pair<f64, f64> point = normal_pair(words);
        to[0] = p.start + p.width * point.first, to[1] = p.start + p.width * point.second;
        return false;
    }
};

/// Below 6.7 in magnitude.
template <>
struct NormalDraw<f32> {
    using Element = f32;
    static constexpr int kWords = 1, kElements = 2;
    static constexpr bool kRedraws = false;
    static CUARRAY_FN bool draw(const RandomParameters& p, const u64* words, f32* to) {
        const f32 start = f32(p.start), width = f32(p.width);
        const u32 angle = u32(*words >> 32);
        const f32 radius = CUARRAY_C(sqrtf)(2 * ExponentialDraw<f32>::minus_log(u32(*words)));
        const f32 r = bit_cast<f32>(angle << 2 >> 9 | 0x3F800000) - 1.5f + 0x1p-24f;
        const pair<f32, f32> point = random_point(radius, r, angle);
        to[0] = start + width * point.first, to[1] = start + width * point.second;
        return false;
    }
};

/// Elements of a function of `Words` words each.
template <class Number, int Words>
struct NumberDraw {
    using Element = f64;
    static constexpr int kWords = Words, kElements = 1;
    static constexpr bool kRedraws = false;
    static CUARRAY_FN bool draw(const RandomParameters& p, const u64* words, f64* to) {
        *to = Number::of(p, words);
        return false;
    }
};

struct GumbelNumber {
    static CUARRAY_FN f64 of(const RandomParameters& p, const u64* words) {
        return p.start + p.width * -random_log(exponential_of(*words));
    }
};

/// The difference of two exponential numbers.
struct LaplaceNumber {
    static CUARRAY_FN f64 of(const RandomParameters& p, const u64* words) {
        return p.start + p.width * (exponential_of(words[0]) - exponential_of(words[1]));
    }
};

/// The logarithm of their ratio.
struct LogisticNumber {
    static CUARRAY_FN f64 of(const RandomParameters& p, const u64* words) {
        return p.start + p.width * random_log(exponential_of(words[0]) / exponential_of(words[1]));
    }
};

struct RayleighNumber {
    static CUARRAY_FN f64 of(const RandomParameters& p, const u64* words) {
        return p.start + p.width * CUARRAY_C(sqrt)(2 * exponential_of(*words));
    }
};

/// `width` is the inverse of the exponent; so it is of the next two.
struct ParetoNumber {
    static CUARRAY_FN f64 of(const RandomParameters& p, const u64* words) {
        return random_expm1(exponential_of(*words) * p.width);
    }
};

struct PowerNumber {
    static CUARRAY_FN f64 of(const RandomParameters& p, const u64* words) {
        return random_exp(-exponential_of(*words) * p.width);
    }
};

struct WeibullNumber {
    static CUARRAY_FN f64 of(const RandomParameters& p, const u64* words) {
        return random_exp(random_log(exponential_of(*words)) * p.width);
    }
};

/// The tangent of an angle.
struct CauchyNumber {
    static CUARRAY_FN f64 of(const RandomParameters& p, const u64* words) {
        const f64 r = bit_cast<f64>(*words << 2 >> 12 | 0x3FF0000000000000) - 1.5 + 0x1p-53;
        const pair<f64, f64> point = random_point(1.0, r, *words);
        return p.start + p.width * (point.second / point.first);
    }
};

/// From `start` over value[0] to value[1]; `width` is the distance of the ends.
struct TriangularNumber {
    static CUARRAY_FN f64 of(const RandomParameters& p, const u64* words) {
        const f64 u = UniformDraw<f64>::number(*words), first = p.value[0] - p.start, last = p.value[1] - p.value[0];
        const f64 up = p.start + CUARRAY_C(sqrt)(u * (first * p.width));
        const f64 down = p.value[1] - CUARRAY_C(sqrt)((1 - u) * (last * p.width));
        return u * p.width <= first ? up : down;
    }
};

/// exp(start + width * a normal number).
struct LognormalDraw {
    using Element = f64;
    static constexpr int kWords = 2, kElements = 2;
    static constexpr bool kRedraws = false;
    static CUARRAY_FN bool draw(const RandomParameters& p, const u64* words, f64* to) {
        NormalDraw<f64>::draw(p, words, to);
        to[0] = random_exp(to[0]), to[1] = random_exp(to[1]);
        return false;
    }
};

/// low + 0 ... most from Bits bits each, by the upper half of a product (Lemire: Fast random integer generation in an
/// interval, 2019); NumPy's `integers` where most + 1 is a power of two.
template <class T, int Bits>
struct IntegerDraw {
    using Element = T;
    static constexpr int kWords = 1, kElements = 64 / Bits;
    static constexpr bool kRedraws = Bits > 1;
    static constexpr u64 kMask = ~u64(0) >> (64 - Bits);
    /// Stores the number of some bits; returns whether it is one too many.
    static CUARRAY_FN bool take(const RandomParameters& p, u64 bits, T& to) {
        const u64 range = p.most + 1, product = bits * range;
        const u64 upper = Bits < 64 ? product >> (Bits % 64) : range == 0 ? bits : wide_product(bits, range).second;
        to = T(p.low + upper);
        return (product & kMask) < p.least;
    }
    static CUARRAY_FN u64 bits_of(u64 word, int e) { return word >> Bits * e % 64 & kMask; }
    static CUARRAY_FN bool draw(const RandomParameters& p, const u64* words, T* to) {
        bool rejected = false;
#pragma unroll
        for (int e = 0; e < kElements; ++e) rejected |= take(p, bits_of(*words, e), to[e]);
        return rejected;
    }
    static CUARRAY_FN T accepted(const RandomParameters& p, u64 block, u32 place, RandomBlock words, int e) {
        T element;
        bool rejected = take(p, bits_of(words.word[0], e), element);
        for (u32 attempt = 0; rejected; ++attempt)
            rejected = take(p, redrawn(p, block, place + u32(Bits * e / 8), attempt).word[0] & kMask, element);
        return element;
    }
};

/// Stores a gamma number of shape d + 1 / 3 >= 1, with c = 1 / sqrt(9 d), from a normal number and a word (Marsaglia
/// and Tsang: A simple method for generating gamma variables, 2000); returns whether it is rejected.
CUARRAY_FN bool gamma_candidate(f64 d, f64 c, f64 normal, u64 word, f64& number) {
    const f64 t = 1 + c * normal, cube = t * t * t, v = cube > 0 ? cube : 1;
    number = d * v;
    return !((cube > 0) & (-exponential_of(word) < 0.5 * normal * normal + d * (1 - v + random_log(v))));
}

/// width * a gamma number of shape value[0] + 1 / 3 >= 1; value[1] is 1 / sqrt(9 value[0]).
template <class T>
struct GammaDraw {
    using Element = T;
    static constexpr int kWords = 4, kElements = 2;
    static constexpr bool kRedraws = true;
    static CUARRAY_FN bool take(const RandomParameters& p, f64 normal, u64 word, T& to) {
        f64 number;
        const bool rejected = gamma_candidate(p.value[0], p.value[1], normal, word, number);
        to = T(p.width * number);
        return rejected;
    }
    static CUARRAY_FN bool draw(const RandomParameters& p, const u64* words, T* to) {
        const pair<f64, f64> normal = normal_pair(words);
        const bool first = take(p, normal.first, words[2], to[0]);
        return first | take(p, normal.second, words[3], to[1]);
    }
    static CUARRAY_FN T accepted(const RandomParameters& p, u64 block, u32 place, RandomBlock words, int e) {
        const pair<f64, f64> normal = normal_pair(words.word);
        T element;
        bool rejected = take(p, e ? normal.second : normal.first, e ? words.word[3] : words.word[2], element);
        for (u32 attempt = 0; rejected; ++attempt) {
            const RandomBlock more = redrawn(p, block, place + u32(e), attempt);
            rejected = take(p, normal_pair(more.word).first, more.word[2], element);
        }
        return element;
    }
};

/// The same for a shape below 1: the number of shape + 1, times a uniform one to the power of value[2] = 1 / shape.
template <class T>
struct SmallGammaDraw {
    using Element = T;
    static constexpr int kWords = 4, kElements = 1;
    static constexpr bool kRedraws = true;
    static CUARRAY_FN bool take(const RandomParameters& p, const u64* words, T& to) {
        f64 larger;
        const bool rejected = GammaDraw<f64>::take(p, normal_pair(words).first, words[2], larger);
        to = T(larger * random_exp(-exponential_of(words[3]) * p.value[2]));
        return rejected;
    }
    static CUARRAY_FN bool draw(const RandomParameters& p, const u64* words, T* to) { return take(p, words, *to); }
    static CUARRAY_FN T accepted(const RandomParameters& p, u64 block, u32 place, RandomBlock words, int) {
        T element;
        bool rejected = take(p, words.word, element);
        for (u32 attempt = 0; rejected; ++attempt) rejected = take(p, redrawn(p, block, place, attempt).word, element);
        return element;
    }
};

/// An inverse Gaussian number (Michael, Schucany, Haas: Generating random variates using transformations with multiple
/// roots, 1976).
CUARRAY_FN f64 wald_of(f64 mean, f64 scale, f64 normal, u64 word) {
    // The roots are mean / larger and mean * larger.
    const f64 q = 0.5 * (mean / scale) * (normal * normal);
    const f64 larger = 1 + q + CUARRAY_C(sqrt)(q * (2 + q)), smaller = 1 / larger;
    return mean * (UniformDraw<f64>::number(word) * (1 + smaller) <= 1 ? smaller : larger);
}

/// Of mean `start` and scale `width`.
struct WaldDraw {
    using Element = f64;
    static constexpr int kWords = 4, kElements = 2;
    static constexpr bool kRedraws = false;
    static CUARRAY_FN bool draw(const RandomParameters& p, const u64* words, f64* to) {
        const pair<f64, f64> normal = normal_pair(words);
        to[0] = wald_of(p.start, p.width, normal.first, words[2]);
        to[1] = wald_of(p.start, p.width, normal.second, words[3]);
        return false;
    }
};

/// -log(1 - p) for 0 <= p < 1.
CUARRAY_FN f64 random_minus_log1p(f64 p) {
    const f64 s = p / (2 - p), z = s * s;
    f64 sum = 1.0 / 17 * z + 1.0 / 15;  // of the inverse hyperbolic tangent
    sum = sum * z + 1.0 / 13, sum = sum * z + 1.0 / 11, sum = sum * z + 1.0 / 9;
    sum = sum * z + 1.0 / 7, sum = sum * z + 1.0 / 5, sum = sum * z + 1.0 / 3;
    return p > 0.1 ? -random_log(1 - p) : 2 * s * (1 + sum * z);
}

/// The number of trials up to the first success: an exponential number times the width, rounded up.
CUARRAY_FN i64 whole_trials(f64 exponential, f64 width) {
    const f64 trials = exponential * width, largest = 9223372036854774784.0;
    const i64 whole = i64(trials < largest ? trials : largest);
    return whole + (f64(whole) < trials && trials < largest) + (trials == 0) + (trials > largest ? 1023 : 0);
}

/// 1 / -log(1 - p).
CUARRAY_FN f64 geometric_width(f64 p) { return p < 1 ? 1 / random_minus_log1p(p) : 0; }

/// `width` is geometric_width(p).
struct GeometricDraw {
    using Element = i64;
    static constexpr int kWords = 1, kElements = 1;
    static constexpr bool kRedraws = false;
    static CUARRAY_FN bool draw(const RandomParameters& p, const u64* words, i64* to) {
        *to = whole_trials(exponential_of(*words), p.width);
        return false;
    }
};

/// A Poisson number of a mean below 10: the terms of the distribution function, of which the first is exp(-mean), up to
/// a uniform number.
CUARRAY_FN i64 small_poisson(u64 word, f64 mean, f64 first) {
    const f64 u = UniformDraw<f64>::number(word);
    f64 term = first, sum = term;
    i64 k = 0;
    for (f64 before = -1; u >= sum && sum > before; sum += term) term *= mean / f64(++k), before = sum;
    return k;
}

/// Of mean value[0]; value[1] is exp(-mean).
struct SmallPoissonDraw {
    using Element = i64;
    static constexpr int kWords = 1, kElements = 1;
    static constexpr bool kRedraws = false;
    static CUARRAY_FN bool draw(const RandomParameters& p, const u64* words, i64* to) {
        *to = small_poisson(*words, p.value[0], p.value[1]);
        return false;
    }
};

/// log(n!): Stirling's series, for small n behind a product.
CUARRAY_FN f64 random_log_factorial(f64 n) {
    f64 x = n + 1, product = 1;
    while (x < 7) product *= x, x += 1;
    const f64 y = 1 / (x * x);
    const f64 series = (((-1.0 / 1680 * y + 1.0 / 1260) * y - 1.0 / 360) * y + 1.0 / 12) / x;
    return (x - 0.5) * random_log(x) - x + 0.9189385332046727 + series - random_log(product);
}

/// log(k!) - k log(k) + k for k >= 0.
CUARRAY_FN f64 log_rest(f64 k) {
    if (k < 8) return random_log_factorial(k) - (k > 0 ? k * random_log(k) - k : 0);
    const f64 y = 1 / (k * k);
    const f64 series = (((-1.0 / 1680 * y + 1.0 / 1260) * y - 1.0 / 360) * y + 1.0 / 12) / k;
    return 0.5 * random_log(6.283185307179586 * k) + series;
}

/// x log(x / mean) + mean - x, without cancellation (Loader: Fast and accurate computation of binomial probabilities,
/// 2000).
CUARRAY_FN f64 deviance(f64 x, f64 mean) {
    const f64 apart = x - mean, v = apart / (x + mean), z = v * v;
    if (v > 0.1 || v < -0.1) return x > 0 ? x * random_log(x / mean) - apart : mean;
    f64 sum = 1.0 / 19 * z + 1.0 / 17;
    sum = sum * z + 1.0 / 15, sum = sum * z + 1.0 / 13, sum = sum * z + 1.0 / 11, sum = sum * z + 1.0 / 9;
    sum = sum * z + 1.0 / 7, sum = sum * z + 1.0 / 5, sum = sum * z + 1.0 / 3;
    return apart * v + 2 * x * v * z * sum;
}

/// What Poisson numbers of a mean >= 10 are drawn with (Hoermann: The transformed rejection method for generating
/// Poisson random variables, 1993).
struct PoissonHat {
    f64 mean, a, b, inverse_alpha, limit;
};

CUARRAY_FN PoissonHat poisson_hat(f64 mean) {
    const f64 b = 0.931 + 2.53 * CUARRAY_C(sqrt)(mean);
    return {mean, -0.059 + 0.02483 * b, b, 1.1239 + 1.1328 / (b - 3.4), 0.9277 - 3.6224 / (b - 2)};
}

/// A number k that a hat proposes, from two uniform ones: v, and another's distance from the ends.
struct HatCandidate {
    f64 distance, v, k;
};

CUARRAY_FN HatCandidate poisson_candidate(const PoissonHat& hat, const u64* words) {
    const f64 u = UniformDraw<f64>::number(words[0]) - 0.5, v = UniformDraw<f64>::number(words[1]) + 0x1p-54;
    const f64 distance = 0.5 - (u < 0 ? -u : u) + 0x1p-54;
    const f64 k = (2 * hat.a / distance + hat.b) * u + hat.mean + 0.43;
    return {distance, v, k < -1 || k > 0x1.fffffffffffffp62 ? -1 : f64(i64(k)) - (f64(i64(k)) > k)};
}

CUARRAY_FN bool poisson_rejects(const PoissonHat& hat, const HatCandidate& c) {
    if (c.k < 0) return true;
    if (c.distance >= 0.07 && c.v <= hat.limit) return false;
    if (c.distance < 0.013 && c.v > c.distance) return true;
    const f64 scale = hat.inverse_alpha / (hat.a / (c.distance * c.distance) + hat.b);
    return !(random_log(c.v * scale) <= -log_rest(c.k) - deviance(c.k, hat.mean));
}

/// value: the numbers of a PoissonHat.
struct PoissonDraw {
    using Element = i64;
    static constexpr int kWords = 2, kElements = 1;
    static constexpr bool kRedraws = true;
    static CUARRAY_FN PoissonHat hat_of(const RandomParameters& p) {
        return {p.value[0], p.value[1], p.value[2], p.value[3], p.value[4]};
    }
    static CUARRAY_FN bool draw(const RandomParameters& p, const u64* words, i64* to) {
        const PoissonHat hat = hat_of(p);
        const HatCandidate c = poisson_candidate(hat, words);
        *to = i64(c.k);
        return !((c.k >= 0) & (c.distance >= 0.07) & (c.v <= hat.limit));
    }
    static CUARRAY_FN i64 accepted(const RandomParameters& p, u64 block, u32 place, RandomBlock words, int) {
        const PoissonHat hat = hat_of(p);
        HatCandidate c = poisson_candidate(hat, words.word);
        for (u32 attempt = 0; poisson_rejects(hat, c); ++attempt)
            c = poisson_candidate(hat, redrawn(p, block, place, attempt).word);
        return i64(c.k);
    }
};

/// What binomial numbers of n trials and a probability q <= 0.5 are drawn with, where n * q >= 10 (Hoermann: The
/// generation of binomial random variates, 1993).
struct BinomialHat {
    f64 n, mean, a, b, alpha, limit, top;
};

/// The logarithm of the probability of k, up to a constant.
CUARRAY_FN f64 binomial_height(const BinomialHat& hat, f64 k) {
    return -log_rest(k) - log_rest(hat.n - k) - deviance(k, hat.mean) - deviance(hat.n - k, hat.n - hat.mean);
}

CUARRAY_FN BinomialHat binomial_hat(f64 n, f64 q) {
    const f64 mean = n * q, spread = CUARRAY_C(sqrt)(mean * (1 - q)), b = 1.15 + 2.53 * spread;
    BinomialHat hat = {n, mean, -0.0873 + 0.0248 * b + 0.01 * q, b, (2.83 + 5.1 / b) * spread, 0.92 - 4.2 / b, 0};
    hat.top = binomial_height(hat, CUARRAY_C(floor)((n + 1) * q));
    return hat;
}

/// Stores a number; returns whether it must be judged.
CUARRAY_FN bool binomial_candidate(const BinomialHat& hat, const u64* words, HatCandidate& c) {
    const f64 u = UniformDraw<f64>::number(words[0]) - 0.5;
    c.v = UniformDraw<f64>::number(words[1]) + 0x1p-54, c.distance = 0.5 - (u < 0 ? -u : u) + 0x1p-54;
    c.k = CUARRAY_C(floor)((2 * hat.a / c.distance + hat.b) * u + hat.mean + 0.5);
    return !((c.k >= 0) & (c.k <= hat.n) & (c.distance >= 0.07) & (c.v <= hat.limit));
}

CUARRAY_FN bool binomial_rejects(const BinomialHat& hat, const HatCandidate& c) {
    if (c.k < 0 || c.k > hat.n) return true;
    const f64 scale = hat.alpha / (hat.a / (c.distance * c.distance) + hat.b);
    return random_log(c.v * scale) > binomial_height(hat, c.k) - hat.top;
}

/// value: the numbers of a BinomialHat, and whether failures are counted.
struct BinomialDraw {
    using Element = i64;
    static constexpr int kWords = 2, kElements = 1;
    static constexpr bool kRedraws = true;
    static CUARRAY_FN BinomialHat hat_of(const RandomParameters& p) {
        return {p.value[0], p.value[1], p.value[2], p.value[3], p.value[4], p.value[5], p.value[6]};
    }
    static CUARRAY_FN i64 counted(const RandomParameters& p, f64 k) {
        return i64(p.value[7] != 0 ? p.value[0] - k : k);
    }
    static CUARRAY_FN bool draw(const RandomParameters& p, const u64* words, i64* to) {
        HatCandidate c;
        const bool is_open = binomial_candidate(hat_of(p), words, c);
        *to = counted(p, is_open ? 0 : c.k);
        return is_open;
    }
    static CUARRAY_FN i64 accepted(const RandomParameters& p, u64 block, u32 place, RandomBlock words, int) {
        const BinomialHat hat = hat_of(p);
        HatCandidate c;
        bool is_open = binomial_candidate(hat, words.word, c);
        for (u32 attempt = 0; is_open && binomial_rejects(hat, c); ++attempt)
            is_open = binomial_candidate(hat, redrawn(p, block, place, attempt).word, c);
        return counted(p, c.k);
    }
};

/// A binomial number of n trials by inversion: the terms of the distribution function, of which the first is (1 - q)^n,
/// up to a uniform number. The odds are q / (1 - q).
CUARRAY_FN f64 small_binomial(u64 word, f64 n, f64 first, f64 odds) {
    const f64 u = UniformDraw<f64>::number(word);
    f64 term = first, sum = term, k = 0;
    for (f64 before = -1; u >= sum && sum > before && k < n; sum += term)
        k += 1, term *= odds * ((n - k + 1) / k), before = sum;
    return k;
}

/// value: n, the first term, the odds; value[7]: whether failures are counted.
struct SmallBinomialDraw {
    using Element = i64;
    static constexpr int kWords = 1, kElements = 1;
    static constexpr bool kRedraws = false;
    static CUARRAY_FN bool draw(const RandomParameters& p, const u64* words, i64* to) {
        *to = BinomialDraw::counted(p, small_binomial(*words, p.value[0], p.value[1], p.value[2]));
        return false;
    }
};

/// Elements of a block.
template <class Draw>
constexpr int kRandomElements = 4 / Draw::kWords * Draw::kElements;

/// The number of elements that come from the number carried over.
template <class Draw>
CUARRAY_FN i64 carried_elements(const RandomParameters& p) {
    return p.has_carried ? kRandomElements<Draw> / 8 : 0;
}

/// The index of the first element of a block; lower ones than carried_elements are of words drawn before.
template <class Draw>
CUARRAY_FN i64 first_random(const RandomParameters& p, u64 block) {
    constexpr int count = kRandomElements<Draw>;
    return i64(block) * count - i64(p.first) * (count / 4) + carried_elements<Draw>(p);
}

/// The words of group g of a block, followed by others.
template <class Draw>
CUARRAY_FN RandomBlock group_of(const u64* words, int g) {
    if constexpr (Draw::kWords == 4) return {{words[4 * g], words[4 * g + 1], words[4 * g + 2], words[4 * g + 3]}};
    if constexpr (Draw::kWords == 2) return {{words[2 * g], words[2 * g + 1], 0, 0}};
    return {{words[g], 0, 0, 0}};
}

/// Stores the elements of the number that is carried over.
template <class Draw>
CUARRAY_FN void draw_carried(const RandomParameters& p) {
    if constexpr (Draw::kWords == 1 && Draw::kElements > 1) {
        using T = typename Draw::Element;
        constexpr int count = Draw::kElements / 2;
        T elements[Draw::kElements];
        const u64 word = u64(p.carried) << 32;
        const bool rejected = Draw::draw(p, &word, elements);
#pragma unroll
        for (int e = 0; e < count; ++e)
            if (u64(e) < p.n) static_cast<T*>(p.result)[e] = elements[count + e];
        if constexpr (Draw::kRedraws)
            for (int e = 0; rejected && e < count && u64(e) < p.n; ++e)
                static_cast<T*>(p.result)[e] = Draw::accepted(p, 0, 44 + 4 * p.first, {{word, 0, 0, 0}}, count + e);
    }
}

}  // namespace cuarray::kernel
