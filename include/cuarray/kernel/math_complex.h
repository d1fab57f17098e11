// math_complex.h -- complex arithmetic, comparison, exponentials and logarithms.
//
// Special cases follow C99 Annex G and the Array API standard. Results are accurate to a few ulp of the larger
// component, even if its square would overflow or underflow. Branch cuts respect signed zeros.
#pragma once
#include "cuarray/kernel/math_float.h"
#include "cuarray/kernel/math_half.h"

namespace cuarray {

template <class R>
CUARRAY_FN complex<R> operator+(complex<R> x, complex<R> y) {
    return {x.re + y.re, x.im + y.im};
}
template <class R>
CUARRAY_FN complex<R> operator-(complex<R> x, complex<R> y) {
    return {x.re - y.re, x.im - y.im};
}
template <class R>
CUARRAY_FN complex<R> operator-(complex<R> x) {
    return {-x.re, -x.im};
}

/// The rounded product: g++ 12 vectorises an adjacent difference and sum of products as one fmaddsub, regardless of
/// -ffp-contract.
template <class R>
CUARRAY_FN R product(R x, R y) {
#if defined(__has_builtin) && !defined(__CUDACC__)
#if __has_builtin(__builtin_assoc_barrier)
    return __builtin_assoc_barrier(x * y);
#else
    return x * y;
#endif
#else
    return x * y;
#endif
}

template <class R>
CUARRAY_FN complex<R> operator*(complex<R> x, complex<R> y) {
    return {product(x.re, y.re) - product(x.im, y.im), product(x.re, y.im) + product(x.im, y.re)};
}
template <class R>
CUARRAY_FN complex<R> operator*(complex<R> x, R y) {
    return {x.re * y, x.im * y};
}
template <class R>
CUARRAY_FN bool operator==(complex<R> x, complex<R> y) {
    return x.re == y.re && x.im == y.im;
}

}  // namespace cuarray

namespace cuarray::math {

template <class R>
CUARRAY_FN R real(complex<R> z) {
    return z.re;
}
template <class R>
CUARRAY_FN R imag(complex<R> z) {
    return z.im;
}
template <class R>
CUARRAY_FN complex<R> conj(complex<R> z) {
    return {z.re, -z.im};
}
template <class R>
CUARRAY_FN complex<R> rint(complex<R> z) {
    return {rint(z.re), rint(z.im)};
}

/// i conj(z): maps between a circular function and its hyperbolic counterpart.
template <class R>
CUARRAY_FN complex<R> swapped(complex<R> z) {
    return {z.im, z.re};
}

template <class R>
CUARRAY_FN bool isnan(complex<R> z) {
    return isnan(z.re) | isnan(z.im);
}
template <class R>
CUARRAY_FN bool isinf(complex<R> z) {
    return isinf(z.re) | isinf(z.im);
}
template <class R>
CUARRAY_FN bool isfinite(complex<R> z) {
    return isfinite(z.re) & isfinite(z.im);
}

template <class R>
CUARRAY_FN R abs(complex<R> z) {
    return hypot(z.re, z.im);
}

/// Lexicographic order by real part, then by imaginary part, as in NumPy.
template <class R>
CUARRAY_FN bool less(complex<R> x, complex<R> y) {
    return x.re == y.re ? x.im < y.im : x.re < y.re && !isnan(x.im) && !isnan(y.im);
}
template <class R>
CUARRAY_FN bool less_equal(complex<R> x, complex<R> y) {
    return x.re == y.re ? x.im <= y.im : x.re < y.re && !isnan(x.im) && !isnan(y.im);
}

template <class R>
CUARRAY_FN complex<R> maximum(complex<R> x, complex<R> y) {
    return isnan(x) || less_equal(y, x) ? x : y;
}
template <class R>
CUARRAY_FN complex<R> minimum(complex<R> x, complex<R> y) {
    return isnan(x) || less_equal(x, y) ? x : y;
}
template <class R>
CUARRAY_FN complex<R> fmax(complex<R> x, complex<R> y) {
    return isnan(y) || less_equal(y, x) ? x : y;
}
template <class R>
CUARRAY_FN complex<R> fmin(complex<R> x, complex<R> y) {
    return isnan(y) || less_equal(x, y) ? x : y;
}
template <class R>
CUARRAY_FN complex<R> clip(complex<R> x, complex<R> low, complex<R> high) {
    return minimum(maximum(x, low), high);
}

/// A power of two (and its inverse) that scales the larger component of a finite z to near 1.
template <class R>
CUARRAY_FN pair<R, R> unit_scale(complex<R> z) {
    using U = unsigned_t<R>;
    constexpr int fraction = ieee<R>::fraction, bias = int(ieee<R>::infinity >> fraction) / 2;
    const int exponent = int(bits_of(fmax(abs(z.re), abs(z.im))) >> fraction);
    const int e = exponent < 1 ? 1 : exponent > 2 * bias - 1 ? 2 * bias - 1 : exponent;
    return {bit_cast<R>(U(2 * bias - e) << fraction), bit_cast<R>(U(e) << fraction)};
}

/// An infinite component becomes 1, a finite one 0, with their signs.
template <class R>
CUARRAY_FN complex<R> direction(complex<R> z) {
    return {copysign(isinf(z.re) ? R(1) : R(0), z.re), copysign(isinf(z.im) ? R(1) : R(0), z.im)};
}

template <class R>
CUARRAY_FN bool is_moderate(complex<R> z) {
    return is_moderate(z.re) & is_moderate(z.im);
}

/// The quotient of moderate numbers by Smith's method, in NumPy's order: the bits and the signs of zeros are NumPy's.
template <class R>
CUARRAY_FN complex<R> moderate_quotient(complex<R> x, complex<R> y) {
    const bool by_real = abs(y.re) >= abs(y.im);
    const R more = blend(by_real, y.re, y.im), less = blend(by_real, y.im, y.re);
    const R a = blend(by_real, x.re, x.im), b = blend(by_real, x.im, x.re);
    const R ratio = less / more, scale = 1 / (more + product(less, ratio));
    const R part = product(a, ratio);
    return {(a + product(b, ratio)) * scale, blend(by_real, b - part, part - b) * scale};
}

template <class R>
CUARRAY_FAR complex<R> far_quotient(complex<R> x, complex<R> y) {
    if (y.re == 0 && y.im == 0) return {x.re / abs(y.re), x.im / abs(y.re)};
    if (isinf(x) && isfinite(y)) {
        const complex<R> d = direction(x) * conj(y);
        return {d.re == 0 ? quiet_nan<R>() : infinity<R>() * d.re, d.im == 0 ? quiet_nan<R>() : infinity<R>() * d.im};
    }
    if (isfinite(x) && isinf(y)) return x * conj(direction(y)) * R(0);
    const pair<R, R> s = unit_scale(x), t = unit_scale(y);
    const complex<R> n = x * s.first, d = y * t.first, p = n * conj(d);
    const R square = d.re * d.re + d.im * d.im;
    return complex<R>{p.re / square, p.im / square} * t.first * s.second;
}

template <class R>
CUARRAY_FN bool is_far_quotient(complex<R> x, complex<R> y) {
    return !(is_moderate(x) & is_moderate(y) & ((y.re != 0) | (y.im != 0)));
}
template <class R>
CUARRAY_FN complex<R> divide(complex<R> x, complex<R> y) {
    return is_far_quotient(x, y) ? far_quotient(x, y) : moderate_quotient(x, y);
}

template <class R>
CUARRAY_FN complex<R> moderate_reciprocal(complex<R> z) {
    const bool by_real = abs(z.im) <= abs(z.re);
    const R more = blend(by_real, z.re, z.im), less = blend(by_real, z.im, z.re);
    const R ratio = less / more, whole = more + product(less, ratio);
    return {blend(by_real, R(1), ratio) / whole, -blend(by_real, ratio, R(1)) / whole};
}
template <class R>
CUARRAY_FN complex<R> reciprocal(complex<R> z) {
    const complex<R> one{1, 0};
    return is_far_quotient(one, z) ? far_quotient(one, z) : moderate_reciprocal(z);
}

/// z / |z|; if one component is infinite, the unit vector along its axis.
template <class R>
CUARRAY_FN complex<R> sign(complex<R> z) {
    const complex<R> u = z * unit_scale(z).first;
    const R h = abs(u);
    if (isnan(z) || (isinf(z.re) && isinf(z.im))) return {quiet_nan<R>(), quiet_nan<R>()};
    if (isinf(z)) return {isinf(z.re) ? sign(z.re) : R(0), isinf(z.im) ? sign(z.im) : R(0)};
    return h == 0 ? complex<R>{0, 0} : complex<R>{u.re / h, u.im / h};
}

template <class R>
CUARRAY_FAR complex<R> sqrt(complex<R> z) {
    if (z.re == 0 && z.im == 0) return {0, z.im};
    if (isinf(z.im)) return {infinity<R>(), z.im};
    if (isinf(z.re)) {
        const R other = isnan(z.im) ? z.im : copysign(R(0), z.im);
        return z.re > 0 ? complex<R>{z.re, other} : complex<R>{abs(other), copysign(-z.re, z.im)};
    }
    constexpr int half_range = int(ieee<R>::infinity >> (ieee<R>::fraction + 2));
    const R larger = fmax(abs(z.re), abs(z.im));
    const i32 k = larger > power_of_two(R(), half_range)    ? 1
                  : larger < power_of_two(R(), -half_range) ? -half_range / 2
                                                            : 0;
    const complex<R> u = z * power_of_two(R(), -2 * k);
    const R t = sqrt((abs(u.re) + abs(u)) * R(0.5)), other = abs(u.im) / (2 * t), root = power_of_two(R(), k);
    return u.re >= 0 ? complex<R>{t * root, copysign(other * root, z.im)}
                     : complex<R>{other * root, copysign(t * root, z.im)};
}

/// Above kLargeExponent, exp may overflow although its product with a sine does not; kLargeExp is its exponential.
template <class R>
constexpr R kLargeExponent = is_same<R, f32> ? 80 : 700;
template <class R>
constexpr R kLargeExp = R(is_same<R, f32> ? 5.54062238439350982e34 : 1.01423205473500450e304);

/// exp(x) (cos y + i sin y), where exp(x) is given as first * second because it may overflow on its own.
template <class R>
CUARRAY_FN complex<R> on_circle(R first, R second, R x, R y) {
    if (y == 0) return {first * second, y};
    if (!isfinite(y)) {
        if (!isinf(x)) return {quiet_nan<R>(), quiet_nan<R>()};
        return x > 0 ? complex<R>{x, quiet_nan<R>()} : complex<R>{0, copysign(R(0), y)};
    }
    return {first * cos(y) * second, first * sin(y) * second};
}

template <class R>
CUARRAY_FAR complex<R> exp(complex<R> z) {
    const R part = z.re > kLargeExponent<R> ? kLargeExponent<R> : R(0);
    return on_circle(exp(z.re - part), part == 0 ? R(1) : kLargeExp<R>, z.re, z.im);
}

template <class R>
CUARRAY_FAR complex<R> exp2(complex<R> z) {
    const R part = z.re > kLargeExponent<R> ? kLargeExponent<R> : R(0);
    const R angle = z.im * R(0.69314718055994530941723212145818);
    return on_circle(exp2(z.re - part), power_of_two(part, i32(part)), z.re, angle);
}

template <class R>
CUARRAY_FAR complex<R> expm1(complex<R> z) {
    if (!isfinite(z) || z.re > kLargeExponent<R> || z.im == 0) {
        const complex<R> e = exp(z);
        // The standard requires +0 for both zeros.
        return {z.im == 0 ? expm1(z.re) + R(0) : e.re - 1, e.im};
    }
    const R s = sin(z.im * R(0.5));
    return {expm1(z.re) * cos(z.im) - 2 * s * s, exp(z.re) * sin(z.im)};
}

/// log |z|, without overflow and, around 1, without cancellation.
template <class R>
CUARRAY_FN R log_abs(complex<R> z) {
    const R a = maximum(abs(z.re), abs(z.im)), b = minimum(abs(z.re), abs(z.im));
    if (a > R(0.5) && a < 2 && b < 2) {
        const R distance = (a - 1) * (a + 1) + b * b;
        if (distance > R(-0.5) && distance < 3) return log1p(distance) * R(0.5);
    }
    if (!isfinite(z) || a == 0) return log(abs(z));
    const pair<R, R> s = unit_scale(z);
    return log(abs(z * s.first)) + log(s.second);
}

template <class R>
CUARRAY_FAR complex<R> log(complex<R> z) {
    return {log_abs(z), atan2(z.im, z.re)};
}

template <class R>
CUARRAY_FN complex<R> log2(complex<R> z) {
    return log(z) * R(1.4426950408889634073599246810019);
}

template <class R>
CUARRAY_FN complex<R> log10(complex<R> z) {
    return log(z) * R(0.43429448190325182765112891891661);
}

template <class R>
CUARRAY_FAR complex<R> log1p(complex<R> z) {
    const complex<R> w = {1 + z.re, z.im};
    if (abs(z.re) < R(0.5) && abs(z.im) < 1)
        return {log1p(z.re * (2 + z.re) + z.im * z.im) * R(0.5), atan2(w.im, w.re)};
    return log(w);
}

/// Computed in f64 for c64 too: the rounding error of w log z grows with its magnitude.
template <class R>
CUARRAY_FAR complex<R> pow(complex<R> z, complex<R> w) {
    if (w.re == 0 && w.im == 0) return {1, 0};
    if (z.re == 0 && z.im == 0) return w.re > 0 ? complex<R>{0, 0} : complex<R>{quiet_nan<R>(), quiet_nan<R>()};
    if (w.im == 0 && abs(w.re) < 100 && rint(w.re) == w.re) {
        complex<R> result = {1, 0}, base = z;
        for (int n = int(abs(w.re)); n != 0; n >>= 1) {
            if (n & 1) result = result.re == 1 && result.im == 0 ? base : result * base;
            if (n > 1) base = base * base;
        }
        return w.re < 0 ? divide(complex<R>{1, 0}, result) : result;
    }
    return cast<complex<R>>(exp(cast<c128>(w) * log(cast<c128>(z))));
}

}  // namespace cuarray::math
