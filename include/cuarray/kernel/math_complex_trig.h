// math_complex_trig.h -- complex circular and hyperbolic functions and their inverses.
//
// The circular functions are computed from the hyperbolic ones of i conj(z). The inverse functions follow
// Kahan, "Branch cuts for complex elementary functions" (1987): products of square roots without cancellation.
#pragma once
#include "cuarray/kernel/math_complex.h"

namespace cuarray::math {

template <class R>
constexpr R kPi = R(3.1415926535897932384626433832795);
template <class R>
constexpr R kLn2 = R(0.69314718055994530941723212145818);

template <class R>
CUARRAY_FN complex<R> both_nan() {
    return {quiet_nan<R>(), quiet_nan<R>()};
}

template <class R>
CUARRAY_FAR complex<R> sinh(complex<R> z) {
    const R x = z.re, y = z.im;
    if (y == 0) return {sinh(x), y};
    if (!isfinite(y)) return isinf(x) || x == 0 ? complex<R>{x, quiet_nan<R>()} : both_nan<R>();
    if (abs(x) <= kLargeExponent<R>) return {sinh(x) * cos(y), cosh(x) * sin(y)};
    const R large = exp(abs(x) - kLargeExponent<R>) * R(0.5), rest = kLargeExp<R>;
    return {copysign(large, x) * cos(y) * rest, large * sin(y) * rest};
}

template <class R>
CUARRAY_FAR complex<R> cosh(complex<R> z) {
    const R x = z.re, y = z.im;
    if (y == 0) return {cosh(x), copysign(R(1), x) * y};
    if (!isfinite(y)) {
        if (x == 0) return {quiet_nan<R>(), copysign(x, y)};
        return {isinf(x) ? infinity<R>() : quiet_nan<R>(), quiet_nan<R>()};
    }
    if (abs(x) <= kLargeExponent<R>) return {cosh(x) * cos(y), sinh(x) * sin(y)};
    const R large = exp(abs(x) - kLargeExponent<R>) * R(0.5), rest = kLargeExp<R>;
    return {large * cos(y) * rest, copysign(large, x) * sin(y) * rest};
}

template <class R>
CUARRAY_FAR complex<R> tanh(complex<R> z) {
    const R x = z.re, y = z.im;
    if (y == 0) return {tanh(x), y};
    if (isinf(x)) return {copysign(R(1), x), copysign(R(0), y)};
    if (!isfinite(y)) return x == 0 ? complex<R>{x, quiet_nan<R>()} : both_nan<R>();
    if (abs(x) > (is_same<R, f32> ? 10 : 22)) {
        const R e = exp(-abs(x));
        return {copysign(R(1), x), 4 * sin(y) * cos(y) * e * e};
    }
    const R t = tan(y), s = sinh(x), beta = 1 + t * t, rho = sqrt(1 + s * s), d = 1 + beta * s * s;
    return {beta * rho * s / d, t / d};
}

template <class R>
CUARRAY_FN complex<R> sin(complex<R> z) {
    return swapped(sinh(swapped(z)));
}
template <class R>
CUARRAY_FN complex<R> cos(complex<R> z) {
    return conj(cosh(swapped(z)));
}
template <class R>
CUARRAY_FN complex<R> tan(complex<R> z) {
    return swapped(tanh(swapped(z)));
}

/// Above it, z * z + 1 rounds to z * z.
template <class R>
constexpr R kLargeSquare = is_same<R, f32> ? 0x1p14 : 0x1p28;

template <class R>
CUARRAY_FN bool is_large(complex<R> z) {
    return abs(z.re) > kLargeSquare<R> || abs(z.im) > kLargeSquare<R>;
}

template <class R>
CUARRAY_FN complex<R> asinh_of_nonfinite(R x, R y) {
    if (isinf(x)) return {x, isnan(y) ? y : copysign(isinf(y) ? kPi<R> / 4 : R(0), y)};
    if (isinf(y)) return isnan(x) ? complex<R>{y, x} : complex<R>{copysign(infinity<R>(), x), copysign(kPi<R> / 2, y)};
    return {quiet_nan<R>(), y == 0 ? y : quiet_nan<R>()};
}

template <class R>
CUARRAY_FAR complex<R> asinh(complex<R> z) {
    if (!isfinite(z)) return asinh_of_nonfinite(z.re, z.im);
    if (is_large(z)) return {copysign(log_abs(z) + kLn2<R>, z.re), atan2(z.im, abs(z.re))};
    const complex<R> a = sqrt(complex<R>{1 - z.im, -z.re}), b = sqrt(complex<R>{1 + z.im, z.re});
    return {asinh(a.re * b.im - a.im * b.re), atan2(z.im, a.re * b.re - a.im * b.im)};
}

template <class R>
CUARRAY_FN complex<R> acos_of_nonfinite(R x, R y) {
    if (isinf(x) && isnan(y)) return {y, x};
    if (isinf(x)) {
        const R angle = isinf(y) ? kPi<R> / 4 : R(0);
        return {x > 0 ? angle : kPi<R> - angle, copysign(infinity<R>(), -y)};
    }
    if (isinf(y)) return {isnan(x) ? x : kPi<R> / 2, -y};
    return {x == 0 ? kPi<R> / 2 : quiet_nan<R>(), quiet_nan<R>()};
}

template <class R>
CUARRAY_FAR complex<R> acos(complex<R> z) {
    if (!isfinite(z)) return acos_of_nonfinite(z.re, z.im);
    if (is_large(z)) return {atan2(abs(z.im), z.re), copysign(log_abs(z) + kLn2<R>, -z.im)};
    const complex<R> a = sqrt(complex<R>{1 - z.re, -z.im}), b = sqrt(complex<R>{1 + z.re, z.im});
    return {2 * atan2(a.re, b.re), asinh(b.re * a.im - b.im * a.re)};
}

template <class R>
CUARRAY_FN complex<R> acosh(complex<R> z) {
    const complex<R> w = acos(z);
    return {abs(w.im), copysign(w.re, z.im)};
}

template <class R>
CUARRAY_FN complex<R> atanh_of_nonfinite(R x, R y) {
    if (isinf(y) || (isinf(x) && !isnan(y))) return {copysign(R(0), x), copysign(kPi<R> / 2, y)};
    return {isinf(x) || x == 0 ? copysign(R(0), x) : quiet_nan<R>(), quiet_nan<R>()};
}

template <class R>
CUARRAY_FAR complex<R> atanh(complex<R> z) {
    if (!isfinite(z)) return atanh_of_nonfinite(z.re, z.im);
    const R x = abs(z.re), y = z.im, near = abs(complex<R>{1 - x, y});
    if (is_large(z) && near > kLargeSquare<R> * kLargeSquare<R>)
        return {copysign(x / near / near, z.re), copysign(kPi<R> / 2, y)};
    const R angle = atan2(2 * y, (1 - x) * (1 + x) - y * y) * R(0.5);
    const R length = near < R(0x1p-10) ? (log(abs(complex<R>{1 + x, y})) - log(near)) * R(0.5)
                                       : log1p(4 * x / (near * near)) * R(0.25);
    return {copysign(length, z.re), angle};
}

template <class R>
CUARRAY_FN complex<R> asin(complex<R> z) {
    return swapped(asinh(swapped(z)));
}
template <class R>
CUARRAY_FN complex<R> atan(complex<R> z) {
    return swapped(atanh(swapped(z)));
}

}  // namespace cuarray::math
