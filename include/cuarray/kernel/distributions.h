// distributions.h -- random numbers whose parameters may differ from element to element.
//
// Each element has a block of its own, and as many of kernel/philox.h's further blocks as its method needs.
#pragma once
#include "cuarray/kernel/random.h"

namespace cuarray::kernel {

/// The words of one element.
struct ElementWords {
    const RandomParameters& p;
    u64 block;
    RandomBlock own;
    u32 used;
    CUARRAY_FN RandomBlock next() { return used++ == 0 ? own : redrawn(p, block, 0, used - 2); }
};

/// Parameter k of an element: its own, or one for all.
CUARRAY_FN f64 parameter(const RandomParameters& p, int k, u64 i) { return p.of[k] ? p.of[k][i] : p.value[k]; }

CUARRAY_FN f64 uniform_of(u64 word) { return UniformDraw<f64>::number(word); }
/// The same, above 0.
CUARRAY_FN f64 positive_of(u64 word) { return uniform_of(word) + 0x1p-54; }

/// atan(x) for x >= 0.
CUARRAY_FN f64 random_atan(f64 x) {
    // Twice that of half the angle, after a reflection where x > 1.
    const bool is_large = x > 1;
    const f64 y = is_large ? 1 / x : x, t = y / (1 + CUARRAY_C(sqrt)(1 + y * y)), z = t * t;
    f64 sum = 1.0 / 35 * z - 1.0 / 33;
    sum = sum * z + 1.0 / 31, sum = sum * z - 1.0 / 29, sum = sum * z + 1.0 / 27, sum = sum * z - 1.0 / 25;
    sum = sum * z + 1.0 / 23, sum = sum * z - 1.0 / 21, sum = sum * z + 1.0 / 19, sum = sum * z - 1.0 / 17;
    sum = sum * z + 1.0 / 15, sum = sum * z - 1.0 / 13, sum = sum * z + 1.0 / 11, sum = sum * z - 1.0 / 9;
    sum = sum * z + 1.0 / 7, sum = sum * z - 1.0 / 5, sum = sum * z + 1.0 / 3;
    const f64 angle = 2 * (t - t * z * sum);
    return is_large ? 1.5707963267948966 - angle : angle;
}

/// A gamma number of a shape >= 1, and a word that it did not need: GammaDraw for one element.
CUARRAY_FN pair<f64, u64> large_gamma(ElementWords& words, f64 shape) {
    const f64 d = shape - 1.0 / 3, c = 1 / CUARRAY_C(sqrt)(9 * d);
    for (;;) {
        const RandomBlock now = words.next();
        f64 number;
        if (!gamma_candidate(d, c, normal_pair(now.word).first, now.word[2], number)) return {number, now.word[3]};
    }
}

/// A gamma number of any shape that is not negative.
CUARRAY_FN f64 gamma_of(ElementWords& words, f64 shape) {
    if (!(shape > 0)) return 0;
    const pair<f64, u64> drawn = large_gamma(words, shape < 1 ? shape + 1 : shape);
    return shape < 1 ? drawn.first * random_exp(-exponential_of(drawn.second) / shape) : drawn.first;
}

/// The logarithm of one of a positive shape; it does not underflow.
CUARRAY_FN f64 log_gamma_of(ElementWords& words, f64 shape) {
    const pair<f64, u64> drawn = large_gamma(words, shape < 1 ? shape + 1 : shape);
    const f64 logarithm = random_log(drawn.first);
    return shape < 1 ? logarithm - exponential_of(drawn.second) / shape : logarithm;
}

/// Draws of an element from the words of a block of its own. Number::setup makes of its parameters what its numbers are
/// drawn with; elements with the same parameters may share that.
template <class Number, class T>
struct NumberOfEach {
    using Element = T;
    using Setup = decltype(Number::setup(0, 0, 0));
    static constexpr int kWords = 4, kElements = 1;
    static constexpr bool kRedraws = true, kOfEach = true;
    static CUARRAY_FN Setup setup(f64 a, f64 b, f64 c) { return Number::setup(a, b, c); }
    static CUARRAY_FN T number(const RandomParameters& p, u64 block, RandomBlock own, const Setup& setup) {
        ElementWords words = {p, block, own, 0};
        return Number::of(words, setup);
    }
    static CUARRAY_FN bool draw(f64, f64, f64, const u64*, T* to) {
        *to = T(0);
        return true;
    }
    static CUARRAY_FN T accepted(const RandomParameters& p, u64 block, u32, RandomBlock own, int) {
        return number(p, block, own, setup(parameter(p, 0, block), parameter(p, 1, block), parameter(p, 2, block)));
    }
};

template <class...>
using void_of = void;

/// Whether the elements of a draw have parameters of their own.
template <class Draw, class = void>
constexpr bool is_of_each = false;
template <class Draw>
constexpr bool is_of_each<Draw, void_of<decltype(Draw::kOfEach)>> = true;

// Those that are drawn in vectors:

/// b * a gamma number of shape a.
struct GammaOfEach {
    using Element = f64;
    static constexpr int kWords = 4, kElements = 1;
    static constexpr bool kRedraws = true, kOfEach = true;
    static CUARRAY_FN bool draw(f64 a, f64 b, f64, const u64* words, f64* to) {
        const f64 shape = a > 0 ? a : 1, d = (shape < 1 ? shape + 1 : shape) - 1.0 / 3;
        f64 number;
        const bool rejected =
            gamma_candidate(d, 1 / CUARRAY_C(sqrt)(9 * d), normal_pair(words).first, words[2], number);
        const f64 smaller = number * random_exp(-exponential_of(words[3]) / shape);
        *to = a > 0 ? b * (shape < 1 ? smaller : number) : 0 * b;
        return rejected & (a > 0);
    }
    static CUARRAY_FN f64 accepted(const RandomParameters& p, u64 block, u32, RandomBlock own, int) {
        ElementWords words = {p, block, own, 0};
        return parameter(p, 1, block) * gamma_of(words, parameter(p, 0, block));
    }
};

struct GeometricOfEach {
    using Element = i64;
    static constexpr int kWords = 4, kElements = 1;
    static constexpr bool kRedraws = false, kOfEach = true;
    static CUARRAY_FN bool draw(f64 p, f64, f64, const u64* words, i64* to) {
        *to = whole_trials(exponential_of(*words), geometric_width(p));
        return false;
    }
};

struct WaldOfEach {
    using Element = f64;
    static constexpr int kWords = 4, kElements = 1;
    static constexpr bool kRedraws = false, kOfEach = true;
    static CUARRAY_FN bool draw(f64 mean, f64 scale, f64, const u64* words, f64* to) {
        *to = wald_of(mean, scale, normal_pair(words).first, words[2]);
        return false;
    }
};

/// PoissonDraw and SmallPoissonDraw for one element.
struct PoissonNumber {
    struct PoissonSetup {
        PoissonHat hat;
        f64 first;
    };
    static CUARRAY_FN PoissonSetup setup(f64 mean, f64, f64) {
        if (mean < 10) return {{mean, 0, 0, 0, 0}, random_exp(-mean)};
        return {poisson_hat(mean < 9e18 ? mean : 9e18), 0};
    }
    static CUARRAY_FN i64 of(ElementWords& words, const PoissonSetup& s) {
        if (s.hat.mean < 10) return small_poisson(words.next().word[0], s.hat.mean, s.first);
        for (;;) {
            const RandomBlock now = words.next();
            const HatCandidate c = poisson_candidate(s.hat, now.word);
            if (!poisson_rejects(s.hat, c)) return i64(c.k);
        }
    }
};

/// BinomialDraw and SmallBinomialDraw for one element: of n trials and a probability p.
struct BinomialNumber {
    struct BinomialSetup {
        bool is_flipped, is_small;
        BinomialHat hat;
        f64 first, odds;
    };
    static CUARRAY_FN BinomialSetup setup(f64 n, f64 p, f64) {
        const bool is_flipped = p > 0.5;
        const f64 q = is_flipped ? 1 - p : p;
        if (n * q < 10)
            return {is_flipped, true, {n, 0, 0, 0, 0, 0, 0}, random_exp(-n * random_minus_log1p(q)), q / (1 - q)};
        return {is_flipped, false, binomial_hat(n, q), 0, 0};
    }
    static CUARRAY_FN f64 succeeded(ElementWords& words, const BinomialSetup& s) {
        if (s.is_small) return small_binomial(words.next().word[0], s.hat.n, s.first, s.odds);
        for (;;) {
            HatCandidate c;
            if (!binomial_candidate(s.hat, words.next().word, c) || !binomial_rejects(s.hat, c)) return c.k;
        }
    }
    static CUARRAY_FN i64 of(ElementWords& words, const BinomialSetup& s) {
        const f64 k = succeeded(words, s);
        return i64(s.is_flipped ? s.hat.n - k : k);
    }
};

/// The number of good ones in a sample without replacement: by inversion, or by the ratio of uniform numbers
/// (Stadlober: The ratio of uniforms approach for generating discrete random variates, 1990).
struct HypergeometricNumber {
    struct HypergeometricSetup {
        f64 good, bad, sample;
        f64 few, many, m;  // of the rarer kind, of the other, and in the sample or in what is left
        f64 centre, width, highest, end;
        f64 none;  // the probability of none of the rarer kind, where m < 10
    };
    static CUARRAY_FN f64 height(const HypergeometricSetup& s, f64 k) {
        return -random_log_factorial(k) - random_log_factorial(s.few - k) - random_log_factorial(s.m - k) -
               random_log_factorial(s.many - s.m + k);
    }
    static CUARRAY_FN HypergeometricSetup setup(f64 good, f64 bad, f64 sample) {
        const f64 all = good + bad, few = good < bad ? good : bad;
        HypergeometricSetup s = {good, bad, sample, few, all - few, sample < all - sample ? sample : all - sample,
                                 0,    0,   0,      0,   1};
        if (s.m < 10) {
            for (f64 k = 0; k < s.m; k += 1) s.none *= (s.many - k) / (all - k);
            return s;
        }
        const f64 share = few / all, spread2 = (all - s.m) * s.m * share * (1 - share) / (all - 1);
        const f64 spread = CUARRAY_C(sqrt)(spread2 + 0.5);
        s.centre = s.m * share + 0.5, s.width = 1.7155277699214135 * spread + 0.8989161620588988;
        s.highest = height(s, CUARRAY_C(floor)((s.m + 1) * (few + 1) / (all + 2)));
        const f64 far = CUARRAY_C(floor)(s.centre + 16 * spread), most = (s.m < few ? s.m : few) + 1;
        s.end = far < most ? far : most;
        return s;
    }
    static CUARRAY_FN f64 inverted(u64 word, const HypergeometricSetup& s) {
        const f64 u = uniform_of(word), most = s.few < s.m ? s.few : s.m, rest = s.many - s.m;
        f64 term = s.none, sum = term, k = 0;
        while (u >= sum && k < most) {
            term *= (s.few - k) * (s.m - k) / ((k + 1) * (rest + k + 1));
            k += 1, sum += term;
        }
        return k;
    }
    static CUARRAY_FN f64 rare(ElementWords& words, const HypergeometricSetup& s) {
        if (s.m < 10) return inverted(words.next().word[0], s);
        for (;;) {
            const RandomBlock now = words.next();
            const f64 u = positive_of(now.word[0]), v = uniform_of(now.word[1]);
            const f64 x = s.centre + s.width * (v - 0.5) / u;
            if (!(x >= 0 && x < s.end)) continue;
            const f64 k = CUARRAY_C(floor)(x), t = height(s, k) - s.highest;
            if (u * (4 - u) - 3 <= t || (u * (u - t) < 1 && 2 * random_log(u) <= t)) return k;
        }
    }
    static CUARRAY_FN i64 of(ElementWords& words, const HypergeometricSetup& s) {
        f64 k = rare(words, s);
        if (s.good > s.bad) k = s.m - k;
        return i64(s.m < s.sample ? s.good - k : k);
    }
};

/// k has a probability proportional to k^-a (Devroye: Non-uniform random variate generation, 1986, X.6.1).
struct ZipfNumber {
    struct ZipfSetup {
        f64 c, b, share;  // b: 2^c - 1
    };
    static CUARRAY_FN ZipfSetup setup(f64 a, f64, f64) {
        const f64 c = a - 1, grown = random_expm1(c * 43.66827237527655);  // c log(2^63)
        return {c, random_expm1(c * 0.6931471805599453), grown < 0x1p100 ? grown / (1 + grown) : 1};
    }
    static CUARRAY_FN i64 of(ElementWords& words, const ZipfSetup& s) {
        if (s.c > 500) return 1;
        for (;;) {
            const RandomBlock now = words.next();
            const f64 x = CUARRAY_C(floor)(random_exp(random_minus_log1p(s.share * uniform_of(now.word[0])) / s.c));
            if (x >= 9223372036854775808.0) continue;
            const f64 inverse = 1 / x, step = x > 1e6 ? inverse - 0.5 * inverse * inverse : random_log(1 + inverse);
            const f64 rise = random_expm1(s.c * step);
            if (uniform_of(now.word[1]) * x * rise * (s.b + 1) <= (1 + rise) * s.b) return i64(x);
        }
    }
};

/// From 0 to a number of 64 bits, which are those of the parameter: equally often, by products of which some are
/// rejected (Lemire: Fast random integer generation in an interval, 2019).
struct IntegerNumber {
    struct IntegerSetup {
        u64 count, least;  // 0: all 2^64
    };
    static CUARRAY_FN IntegerSetup setup(f64 most, f64, f64) {
        const u64 count = bit_cast<u64>(most) + 1;
        return {count, count == 0 ? 0 : (0 - count) % count};
    }
    static CUARRAY_FN i64 of(ElementWords& words, const IntegerSetup& s) {
        for (;;) {
            const RandomBlock now = words.next();
            for (int k = 0; k < 4; ++k) {
                const pair<u64, u64> product = wide_product(now.word[k], s.count);
                if (product.first >= s.least) return i64(s.count == 0 ? now.word[k] : product.second);
            }
        }
    }
};

/// k has a probability proportional to p^k / k (Kemp: Efficient generation of logarithmically distributed pseudo-random
/// variables, 1981).
struct LogseriesNumber {
    struct LogseriesSetup {
        f64 p, r;
    };
    static CUARRAY_FN LogseriesSetup setup(f64 p, f64, f64) { return {p, random_minus_log1p(p)}; }
    static CUARRAY_FN i64 of(ElementWords& words, const LogseriesSetup& s) {
        for (;;) {
            const RandomBlock now = words.next();
            const f64 v = positive_of(now.word[0]);
            if (v >= s.p) return 1;
            const f64 grown = random_expm1(s.r * positive_of(now.word[1])), q = grown / (1 + grown);
            if (v > q * q) return v >= q ? 1 : 2;
            const f64 k = 1 + CUARRAY_C(floor)(random_log(v) / random_log(q));
            if (k >= 1 && k < 9223372036854775808.0) return i64(k);
        }
    }
};

/// An angle from -pi to pi (Best, Fisher: Efficient simulation of the von Mises distribution, 1979).
struct VonmisesNumber {
    struct VonmisesSetup {
        f64 mu, kappa, above, beyond, ratio;
    };
    static CUARRAY_FN VonmisesSetup setup(f64 mu, f64 kappa, f64) {
        if (kappa > 1e6) return {mu, kappa, 0, 0, 1 / CUARRAY_C(sqrt)(kappa)};
        const f64 root = 1 + CUARRAY_C(sqrt)(1 + 4 * kappa * kappa);
        const f64 rho = 2 * kappa / (root + CUARRAY_C(sqrt)(2 * root));
        const f64 above = (1 - rho) * (1 - rho) / (2 * rho), beyond = (1 + rho) * (1 + rho) / (2 * rho);
        return {mu, kappa, above, beyond, CUARRAY_C(sqrt)(above / beyond)};
    }
    static CUARRAY_FN f64 angle(ElementWords& words, const VonmisesSetup& s) {
        if (s.kappa < 1e-8) return 3.141592653589793 * (2 * uniform_of(words.next().word[0]) - 1);
        if (s.kappa > 1e6) return normal_pair(words.next().word).first * s.ratio;
        for (;;) {
            const RandomBlock now = words.next();
            const f64 u = uniform_of(now.word[0]), v = positive_of(now.word[1]);
            const pair<f64, f64> turn = random_turn(u <= 0.5 ? u : 1 - u);
            const f64 sine = u <= 0.5 ? turn.first : turn.second, cosine = u <= 0.5 ? turn.second : turn.first;
            const f64 y = s.kappa * s.above * s.beyond / (s.above + 2 * cosine * cosine);
            if (!(y * (2 - y) - v >= 0 || random_log(y / v) + 1 - y >= 0)) continue;
            const f64 half = random_atan(s.ratio * (sine / cosine));
            return now.word[2] >> 63 ? 2 * half : -2 * half;
        }
    }
    static CUARRAY_FN f64 of(ElementWords& words, const VonmisesSetup& s) {
        const f64 turned = s.mu + angle(words, s), turns = (turned + 3.141592653589793) / 6.283185307179586;
        return turned - 6.283185307179586 * CUARRAY_C(floor)(turns);
    }
};

/// Parameters as they are.
struct ThreeNumbers {
    f64 a, b, c;
};
struct PlainSetup {
    static CUARRAY_FN ThreeNumbers setup(f64 a, f64 b, f64 c) { return {a, b, c}; }
};

/// A chi-square number of df degrees of freedom.
CUARRAY_FN f64 chisquare_of(ElementWords& words, f64 df) { return 2 * gamma_of(words, 0.5 * df); }

struct BetaNumber : PlainSetup {
    static CUARRAY_FN f64 of(ElementWords& words, const ThreeNumbers& s) {
        const f64 x = log_gamma_of(words, s.a), y = log_gamma_of(words, s.b), most = x > y ? x : y;
        const f64 first = random_exp(x - most);
        return first / (first + random_exp(y - most));
    }
};

/// The ratio of chi-square numbers, each divided by its degrees of freedom.
struct FisherNumber : PlainSetup {
    static CUARRAY_FN f64 of(ElementWords& words, const ThreeNumbers& s) {
        const f64 x = log_gamma_of(words, 0.5 * s.a), y = log_gamma_of(words, 0.5 * s.b);
        return random_exp(x - y) * (s.b / s.a);
    }
};

struct StudentNumber : PlainSetup {
    static CUARRAY_FN f64 of(ElementWords& words, const ThreeNumbers& s) {
        const f64 x = chisquare_of(words, s.a);
        return normal_pair(words.next().word).first / CUARRAY_C(sqrt)(x / s.a);
    }
};

struct ChisquareNumber : PlainSetup {
    static CUARRAY_FN f64 of(ElementWords& words, const ThreeNumbers& s) { return chisquare_of(words, s.a); }
};

/// A Poisson number whose mean is a gamma number.
struct NegativeBinomialNumber : PlainSetup {
    static CUARRAY_FN i64 of(ElementWords& words, const ThreeNumbers& s) {
        return PoissonNumber::of(words, PoissonNumber::setup(gamma_of(words, s.a) * ((1 - s.b) / s.b), 0, 0));
    }
};

/// A chi-square number of more degrees of freedom: twice a Poisson number.
CUARRAY_FN f64 noncentral_chisquare_of(ElementWords& words, f64 df, f64 nonc) {
    return chisquare_of(words, df + 2 * f64(PoissonNumber::of(words, PoissonNumber::setup(0.5 * nonc, 0, 0))));
}

struct NoncentralChisquareNumber : PlainSetup {
    static CUARRAY_FN f64 of(ElementWords& words, const ThreeNumbers& s) {
        return noncentral_chisquare_of(words, s.a, s.b);
    }
};

struct NoncentralFisherNumber : PlainSetup {
    static CUARRAY_FN f64 of(ElementWords& words, const ThreeNumbers& s) {
        const f64 x = noncentral_chisquare_of(words, s.a, s.c);
        return (x * s.b) / (chisquare_of(words, s.b) * s.a);
    }
};

}  // namespace cuarray::kernel
