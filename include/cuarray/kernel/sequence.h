// sequence.h -- the numbers of NumPy's Generator that take as many units of kernel/pcg64.h as they need.
//
// An attempt begins at a unit. It takes some units and gives a number or none; the next attempt begins behind it. Most
// attempts take one unit, are accepted at once and need no function; `try_quickly` judges these, and `attempt` the
// others, which read further units by next(). Of sequences with kChains each number takes several units, and all are
// attempted.
#pragma once
#include "cuarray/kernel/distributions.h"
#include "cuarray/kernel/pcg64.h"
#include "cuarray/kernel/ziggurats.h"

namespace cuarray::kernel {

/// The outcome of an attempt. It is not certain where a device's exp or log1p could decide otherwise than the host's.
struct Attempt {
    u32 units;
    bool gives, is_certain;
};

/// The layers of a ziggurat: distances below `inside` are accepted at once.
template <class T>
struct Layers {
    const unsigned_t<T>* inside;
    const T* width;
    const T* height;
};

/// The same for trying units quickly: of the distances, the upper bits.
template <class T>
struct UpperLayers {
    const u32* inside;
    const T* width;
};

/// Whether a < b; uncertain if they differ by less than `slack`.
CUARRAY_FN bool is_less(f64 a, f64 b, f64 slack, bool& is_certain) {
    is_certain = (a < b - slack) == (a < b + slack);
    return a < b;
}

/// The same of positive numbers, with a share of b.
CUARRAY_FN bool is_below(f64 a, f64 b, f64 margin, bool& is_certain) { return is_less(a, b, b * margin, is_certain); }

/// The uniform number of a unit, from 0 to 1.
CUARRAY_FN f64 uniform_unit(u64 unit, f64) { return UniformDraw<f64>::number(unit); }
CUARRAY_FN f32 uniform_unit(u64 unit, f32) { return f32(i32(u32(unit) >> 8)) * 0x1p-24f; }

/// -log(1 - u).
CUARRAY_FN f64 minus_log1p(f64 u) { return -CUARRAY_C(log1p)(-u); }
CUARRAY_FN f32 minus_log1p(f32 u) { return -CUARRAY_C(log1pf)(-u); }

CUARRAY_FN Layers<f64> normal_layers(f64) { return {normal_inside_f64, normal_width_f64, normal_height_f64}; }
CUARRAY_FN Layers<f32> normal_layers(f32) { return {normal_inside_f32, normal_width_f32, normal_height_f32}; }
CUARRAY_FN Layers<f64> exponential_layers(f64) {
    return {exponential_inside_f64, exponential_width_f64, exponential_height_f64};
}
CUARRAY_FN Layers<f32> exponential_layers(f32) {
    return {exponential_inside_f32, exponential_width_f32, exponential_height_f32};
}

/// Whether a unit is accepted at once: by its distance, or surely by the upper bits of it.
template <class Sequence, class T>
CUARRAY_FN bool is_inside(const Layers<T>& layers, u64 unit) {
    return Sequence::distance(unit) < layers.inside[Sequence::layer(unit)];
}
template <class Sequence, class T>
CUARRAY_FN bool is_inside(const UpperLayers<T>& layers, u64 unit) {
    return u32(Sequence::distance(unit) >> Sequence::kLower) < layers.inside[Sequence::layer(unit)];
}

/// start + width * a normal number.
template <class T>
struct NormalSequence {
    using Element = T;
    static constexpr int kBits = 8 * int(sizeof(T));
    static constexpr bool kAttempts = true;
    static constexpr int kLower = kBits == 64 ? 20 : 0;  ///< bits of a distance that UpperLayers leave out
    static constexpr T kTail = T(3.6541528853610087963519472518), kInverseTail = T(0.27366123732975827203338247596);
    static CUARRAY_FN Layers<T> layers() { return normal_layers(T()); }
    static CUARRAY_FN u32 layer(u64 unit) { return u32(unit) & 0xff; }
    static CUARRAY_FN unsigned_t<T> distance(u64 unit) {
        return unsigned_t<T>(unit >> 9 & (kBits == 64 ? 0xfffffffffffff : 0x7fffff));
    }
    static CUARRAY_FN bool is_negative(u64 unit) { return unit >> 8 & 1; }
    template <class Known>
    static CUARRAY_FN T within_layer(const Known& layers, u64 unit) {
        const T x = T(signed_t<T>(distance(unit))) * layers.width[layer(unit)];
        return bit_cast<T>(bits_of(x) | unsigned_t<T>(is_negative(unit)) << (kBits - 1));
    }
    static CUARRAY_FN T scaled(const SequenceParameters& p, T x) { return T(p.numbers.start) + T(p.numbers.width) * x; }
    template <class Known>
    static CUARRAY_FN bool try_quickly(const SequenceParameters& p, const Known& layers, u64 unit, T& to) {
        to = scaled(p, within_layer(layers, unit));
        return is_inside<NormalSequence>(layers, unit);
    }
    template <class Next>
    static CUARRAY_FN Attempt attempt(const SequenceParameters& p, const Layers<T>& layers, u64 unit, Next& next,
                                      T& to) {
        const Attempt made = standard(p.margin, layers, unit, next, to);
        to = scaled(p, to);
        return made;
    }
    /// An attempt at a standard normal number.
    template <class Next>
    static CUARRAY_FN Attempt standard(f64 margin, const Layers<T>& layers, u64 unit, Next& next, T& to) {
        Attempt made = {2, true, true};
        const u32 i = layer(unit);
        to = within_layer(layers, unit);
        if (is_inside<NormalSequence>(layers, unit)) return {1, true, true};
        if (i > 0) {
            const T u = uniform_unit(next.next(), T());
            const T y = (layers.height[i - 1] - layers.height[i]) * u + layers.height[i];
            made.gives = is_below(y, CUARRAY_C(exp)(-0.5 * to * to), margin, made.is_certain);
            return made;
        }
        for (made.units = 3;; made.units += 2) {
            const T x = kInverseTail * minus_log1p(uniform_unit(next.next(), T()));
            const T y = minus_log1p(uniform_unit(next.next(), T()));
            const bool is_done = is_below(x * x, y + y, margin, made.is_certain);
            to = distance(unit) >> 8 & 1 ? -(kTail + x) : kTail + x;
            if (is_done || !made.is_certain) return made;
        }
    }
};

/// width * an exponential number.
template <class T>
struct ExponentialSequence {
    using Element = T;
    static constexpr int kBits = 8 * int(sizeof(T));
    static constexpr bool kAttempts = true;
    static constexpr int kLower = kBits == 64 ? 21 : 0;  ///< bits of a distance that UpperLayers leave out
    static constexpr T kTail = T(7.6971174701310497140446280481);
    static CUARRAY_FN Layers<T> layers() { return exponential_layers(T()); }
    static CUARRAY_FN u32 layer(u64 unit) { return u32(unit >> (kBits == 64 ? 3 : 1)) & 0xff; }
    static CUARRAY_FN unsigned_t<T> distance(u64 unit) { return unsigned_t<T>(unit >> (kBits == 64 ? 11 : 9)); }
    template <class Known>
    static CUARRAY_FN T within_layer(const Known& layers, u64 unit) {
        return T(signed_t<T>(distance(unit))) * layers.width[layer(unit)];
    }
    template <class Known>
    static CUARRAY_FN bool try_quickly(const SequenceParameters& p, const Known& layers, u64 unit, T& to) {
        to = T(p.numbers.width) * within_layer(layers, unit);
        return is_inside<ExponentialSequence>(layers, unit);
    }
    template <class Next>
    static CUARRAY_FN Attempt attempt(const SequenceParameters& p, const Layers<T>& layers, u64 unit, Next& next,
                                      T& to) {
        const Attempt made = standard(p.margin, layers, unit, next, to);
        to = T(p.numbers.width) * to;
        return made;
    }
    /// An attempt at an exponential number of mean 1.
    template <class Next>
    static CUARRAY_FN Attempt standard(f64 margin, const Layers<T>& layers, u64 unit, Next& next, T& to) {
        Attempt made = {2, true, true};
        const u32 i = layer(unit);
        to = within_layer(layers, unit);
        if (is_inside<ExponentialSequence>(layers, unit)) return {1, true, true};
        const T u = uniform_unit(next.next(), T());
        if (i == 0) {
            to = kTail + minus_log1p(u);
            return made;
        }
        const T y = (layers.height[i - 1] - layers.height[i]) * u + layers.height[i];
        made.gives = is_below(y, exponential_density(to), margin, made.is_certain);
        return made;
    }
    static CUARRAY_FN f64 exponential_density(f64 x) { return CUARRAY_C(exp)(-x); }
    static CUARRAY_FN f32 exponential_density(f32 x) { return CUARRAY_C(expf)(-x); }
};

/// low + 0 ... most, from Bits bits each: those of IntegerDraw, whose rejected bits give no number.
template <class T, int Bits>
struct IntegerSequence {
    using Element = T;
    static constexpr int kBits = Bits;
    static constexpr bool kAttempts = false;
    static CUARRAY_FN Layers<T> layers() { return {nullptr, nullptr, nullptr}; }
    template <class Known>
    static CUARRAY_FN bool try_quickly(const SequenceParameters& p, const Known&, u64 unit, T& to) {
        return !IntegerDraw<T, Bits>::take(p.numbers, unit, to);
    }
    template <class Next>
    static CUARRAY_FN Attempt attempt(const SequenceParameters&, const Layers<T>&, u64, Next&, T&) {
        return {1, false, true};
    }
};

/// A uniform number above 0.
struct UniformSequence {
    using Element = f64;
    static constexpr int kBits = 64, kLower = 0;
    static constexpr bool kAttempts = false;
    static CUARRAY_FN Layers<f64> layers() { return {nullptr, nullptr, nullptr}; }
    template <class Known>
    static CUARRAY_FN bool try_quickly(const SequenceParameters&, const Known&, u64 unit, f64& to) {
        to = UniformDraw<f64>::number(unit);
        return to > 0;
    }
    template <class Next>
    static CUARRAY_FN Attempt attempt(const SequenceParameters&, const Layers<f64>&, u64, Next&, f64&) {
        return {1, false, true};
    }
};

/// A function of the numbers of a sequence.
template <class Sequence, class Transform>
struct TransformedSequence {
    using Element = f64;
    static constexpr int kBits = Sequence::kBits, kLower = Sequence::kLower;
    static constexpr bool kAttempts = Sequence::kAttempts;
    static CUARRAY_FN Layers<f64> layers() { return Sequence::layers(); }
    template <class Known>
    static CUARRAY_FN bool try_quickly(const SequenceParameters& p, const Known& layers, u64 unit, f64& to) {
        const bool gives = Sequence::try_quickly(p, layers, unit, to);
        to = Transform::of(p.numbers, to);
        return gives;
    }
    template <class Next>
    static CUARRAY_FN Attempt attempt(const SequenceParameters& p, const Layers<f64>& layers, u64 unit, Next& next,
                                      f64& to) {
        const Attempt made = Sequence::attempt(p, layers, unit, next, to);
        to = Transform::of(p.numbers, to);
        return made;
    }
};

/// Transforms, as NumPy writes them. Those of exponential numbers have their parameter, or its inverse, in value[0];
/// those of uniform ones take `start` and `width`.
struct LognormalTransform {
    static CUARRAY_FN f64 of(const RandomParameters&, f64 x) { return CUARRAY_C(exp)(x); }
};
struct ParetoTransform {
    static CUARRAY_FN f64 of(const RandomParameters& p, f64 x) { return CUARRAY_C(expm1)(x / p.value[0]); }
};
struct PowerTransform {
    static CUARRAY_FN f64 of(const RandomParameters& p, f64 x) {
        return CUARRAY_C(pow)(-CUARRAY_C(expm1)(-x), p.value[0]);
    }
};
struct RayleighTransform {
    static CUARRAY_FN f64 of(const RandomParameters& p, f64 x) { return p.value[0] * CUARRAY_C(sqrt)(2 * x); }
};
struct WeibullTransform {
    static CUARRAY_FN f64 of(const RandomParameters& p, f64 x) { return CUARRAY_C(pow)(x, p.value[0]); }
};
struct GumbelTransform {
    static CUARRAY_FN f64 of(const RandomParameters& p, f64 u) {
        return p.start - p.width * CUARRAY_C(log)(-CUARRAY_C(log)(1 - u));
    }
};
struct LaplaceTransform {
    static CUARRAY_FN f64 of(const RandomParameters& p, f64 u) {
        const f64 logarithm = CUARRAY_C(log)(u >= 0.5 ? 2 - u - u : u + u);
        return u >= 0.5 ? p.start - p.width * logarithm : p.start + p.width * logarithm;
    }
};
struct LogisticTransform {
    static CUARRAY_FN f64 of(const RandomParameters& p, f64 u) {
        return p.start + p.width * CUARRAY_C(log)(u / (1 - u));
    }
};

/// Parts of numbers, which are attempted alone.
template <class T>
struct NormalPart {
    using Element = T;
    f64 margin;
    template <class Next>
    CUARRAY_FN Attempt attempt(u64 unit, Next& next, T& to) const {
        return NormalSequence<T>::standard(margin, normal_layers(T()), unit, next, to);
    }
};
template <class T>
struct ExponentialPart {
    using Element = T;
    f64 margin;
    template <class Next>
    CUARRAY_FN Attempt attempt(u64 unit, Next& next, T& to) const {
        return ExponentialSequence<T>::standard(margin, exponential_layers(T()), unit, next, to);
    }
};

/// Attempts a part until it gives a number, or is uncertain.
template <class Part, class Next>
CUARRAY_FN Attempt whole(const Part& part, u64 unit, Next& next, typename Part::Element& to) {
    u32 units = 0;
    for (;;) {
        const Attempt made = part.attempt(unit, next, to);
        units += made.units;
        if (made.gives || !made.is_certain) return {units, made.gives && made.is_certain, made.is_certain};
        unit = next.next();
    }
}

/// Numbers of which a gamma distribution is made: its shape, and from a shape of 1 on d = shape - 1/3 and
/// 1 / sqrt(9 d), else the inverse of the shape.
template <class T>
struct GammaShape {
    T shape, d, c;
    static CUARRAY_FN GammaShape of(const f64* value) { return {T(value[0]), T(value[1]), T(value[2])}; }
};

CUARRAY_FN f64 gamma_log(f64 x) { return CUARRAY_C(log)(x); }
CUARRAY_FN f32 gamma_log(f32 x) { return CUARRAY_C(logf)(x); }
CUARRAY_FN f64 gamma_pow(f64 x, f64 y) { return CUARRAY_C(pow)(x, y); }
CUARRAY_FN f32 gamma_pow(f32 x, f32 y) { return CUARRAY_C(powf)(x, y); }

/// A gamma number of scale 1, as NumPy makes it: the cube of a normal one (Marsaglia and Tsang: A simple method for
/// generating gamma variables, 2000), or for shapes below 1 a power of a uniform one.
template <class T>
struct GammaPart {
    using Element = T;
    f64 margin;
    GammaShape<T> of;
    template <class Next>
    CUARRAY_FN Attempt attempt(u64 unit, Next& next, T& to) const {
        if (of.shape == 1) return ExponentialPart<T>{margin}.attempt(unit, next, to);
        return of.shape < 1 ? attempt_power(unit, next, to) : attempt_cube(unit, next, to);
    }
    template <class Next>
    CUARRAY_FN Attempt attempt_cube(u64 unit, Next& next, T& to) const {
        T x;
        Attempt made = NormalPart<T>{margin}.attempt(unit, next, x);
        if (!made.gives || !made.is_certain) return made;
        const T base = 1 + of.c * x;
        // Numbers of the tail are as exact as a device's functions, and their sums with almost the opposite are not.
        const bool is_tail = x > NormalSequence<T>::kTail || x < -NormalSequence<T>::kTail;
        if (is_tail && base < T(0.1) && base > T(-0.1)) made.is_certain = margin == 0;
        made.gives = base > 0;
        if (!made.gives) return made;
        const T v = base * base * base, u = uniform_unit(next.next(), T());
        ++made.units;
        to = of.d * v;
        if (u < 1 - T(0.0331) * (x * x) * (x * x)) return made;  // never true in the tail
        bool is_certain;
        const T up = gamma_log(u), half = T(0.5) * x * x, log_v = gamma_log(v);
        const f64 share = (v > 1 ? v - 1 : 1 - v) + (log_v < 0 ? -log_v : log_v);
        made.gives = is_less(up, half + of.d * (1 - v + log_v), margin * (1 - up + half + of.d * share), is_certain);
        made.is_certain = made.is_certain && is_certain;
        return made;
    }
    template <class Next>
    CUARRAY_FN Attempt attempt_power(u64 unit, Next& next, T& to) const {
        const T u = uniform_unit(unit, T());
        T limit, share = 1;  // the power's error: of the function, and that of its argument times the exponent
        Attempt made = whole(ExponentialPart<T>{margin}, next.next(), next, limit);
        ++made.units;
        if (!made.gives) return made;
        if (u <= 1 - of.shape) {
            to = gamma_pow(u, of.c);
        } else {
            const T more = -gamma_log((1 - u) / of.shape);
            to = gamma_pow(1 - of.shape + of.shape * more, of.c);
            limit = limit + more, share = 1 + more + of.c;
        }
        made.gives = !is_less(limit, to, margin * ((limit + to) * share + T(1e-30)), made.is_certain);
        return made;
    }
};

/// width * a gamma number; value: its GammaShape.
template <class T>
struct GammaSequence {
    using Element = T;
    static constexpr int kBits = 8 * int(sizeof(T));
    static constexpr bool kAttempts = true, kChains = true;
    static CUARRAY_FN Layers<T> layers() { return normal_layers(T()); }
    template <class Next>
    static CUARRAY_FN Attempt attempt(const SequenceParameters& p, const Layers<T>&, u64 unit, Next& next, T& to) {
        T number = 0;
        const Attempt made = GammaPart<T>{p.margin, GammaShape<T>::of(p.numbers.value)}.attempt(unit, next, number);
        to = T(p.numbers.width) * number;
        return made;
    }
};

/// Functions of two numbers, as NumPy writes them; value: the GammaShapes of those that are gamma numbers.
template <class Pair>
struct PairSequence {
    using Element = f64;
    static constexpr int kBits = 64;
    static constexpr bool kAttempts = true, kChains = true;
    static CUARRAY_FN Layers<f64> layers() { return normal_layers(f64()); }
    template <class Next>
    static CUARRAY_FN Attempt attempt(const SequenceParameters& p, const Layers<f64>&, u64 unit, Next& next, f64& to) {
        f64 first, second;
        const Attempt made = whole(Pair::first(p), unit, next, first);
        if (!made.gives) return made;
        Attempt then = whole(Pair::second(p), next.next(), next, second);
        then.units += made.units;
        to = Pair::of(p.numbers, first, second);
        return then;
    }
};

struct CauchyPair {
    static CUARRAY_FN NormalPart<f64> first(const SequenceParameters& p) { return {p.margin}; }
    static CUARRAY_FN NormalPart<f64> second(const SequenceParameters& p) { return {p.margin}; }
    static CUARRAY_FN f64 of(const RandomParameters&, f64 x, f64 y) { return x / y; }
};
struct StudentPair {
    static CUARRAY_FN NormalPart<f64> first(const SequenceParameters& p) { return {p.margin}; }
    static CUARRAY_FN GammaPart<f64> second(const SequenceParameters& p) {
        return {p.margin, GammaShape<f64>::of(p.numbers.value)};
    }
    static CUARRAY_FN f64 of(const RandomParameters& p, f64 x, f64 y) { return p.width * x / CUARRAY_C(sqrt)(y); }
};
struct GammaPair {
    static CUARRAY_FN GammaPart<f64> first(const SequenceParameters& p) {
        return {p.margin, GammaShape<f64>::of(p.numbers.value)};
    }
    static CUARRAY_FN GammaPart<f64> second(const SequenceParameters& p) {
        return {p.margin, GammaShape<f64>::of(p.numbers.value + 3)};
    }
};
struct BetaPair : GammaPair {
    static CUARRAY_FN f64 of(const RandomParameters&, f64 x, f64 y) { return x / (x + y); }
};
/// start, width: the degrees of freedom.
struct FisherPair : GammaPair {
    static CUARRAY_FN f64 of(const RandomParameters& p, f64 x, f64 y) { return 2 * x * p.width / (2 * y * p.start); }
};

/// From `start` to `width`; value: the share below the mode, and what the squares of the distances from both ends are
/// multiplied by.
struct TriangularSequence {
    using Element = f64;
    static constexpr int kWords = 1, kElements = 1;
    static constexpr bool kRedraws = false;
    static CUARRAY_FN bool draw(const RandomParameters& p, const u64* words, f64* to) {
        const f64 u = UniformDraw<f64>::number(*words);
        const f64 up = p.start + CUARRAY_C(sqrt)(u * p.value[1]);
        const f64 down = p.width - CUARRAY_C(sqrt)((1 - u) * p.value[2]);
        *to = u <= p.value[0] ? up : down;
        return false;
    }
};

/// The units of a tile on a GPU.
constexpr u32 kTileUnits = 2048;

/// Whether the numbers of a draw take as many units as they need.
template <class Draw, class = void>
constexpr bool is_sequence = false;
template <class Draw>
constexpr bool is_sequence<Draw, void_of<decltype(Draw::kAttempts)>> = true;

/// Whether each number takes several of them.
template <class Draw, class = void>
constexpr bool is_chain = false;
template <class Draw>
constexpr bool is_chain<Draw, void_of<decltype(Draw::kChains)>> = true;

}  // namespace cuarray::kernel
