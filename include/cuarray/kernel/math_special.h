// math_special.h -- special functions of f32 and f64.
#pragma once
#include "cuarray/kernel/math_float.h"

namespace cuarray::math {

CUARRAY_FN f32 erf(f32 x) { return CUARRAY_VECTOR(erff)(x); }
CUARRAY_FN f64 erf(f64 x) { return CUARRAY_VECTOR(erf)(x); }

CUARRAY_FN f32 erfc(f32 x) { return CUARRAY_VECTOR(erfcf)(x); }
CUARRAY_FN f64 erfc(f64 x) { return CUARRAY_VECTOR(erfc)(x); }

CUARRAY_FN f32 gamma(f32 x) { return CUARRAY_C(tgammaf)(x); }
CUARRAY_FN f64 gamma(f64 x) { return CUARRAY_C(tgamma)(x); }

/// lgamma_r, because the C library's lgamma writes the global signgam: a data race between threads.
CUARRAY_FN f32 lgamma(f32 x) {
#ifdef __CUDACC__
    return ::lgammaf(x);
#else
    int sign;
    return __builtin_lgammaf_r(x, &sign);
#endif
}
CUARRAY_FN f64 lgamma(f64 x) {
#ifdef __CUDACC__
    return ::lgamma(x);
#else
    int sign;
    return __builtin_lgamma_r(x, &sign);
#endif
}

/// exp is applied only to negative numbers, so that small results keep their accuracy.
template <class T>
CUARRAY_FN T expit(T x) {
    const T e = exp(-abs(x));
    return (x < 0 ? e : T(1)) / (1 + e);
}

/// Near 1/2 the logarithm of a quotient near 1 loses accuracy; there log1p is used, for which 2 x - 1 is exact.
template <class T>
CUARRAY_FN T logit(T x) {
    const T near = log1p((2 * x - 1) / (1 - x)), far = log(x / (1 - x));
    return blend(abs(x - T(0.5)) < T(0.25), near, far);
}

template <class T>
CUARRAY_FN T xlogy(T x, T y) {
    const T product = x * log(y);
    return blend((x == 0) & !isnan(y), T(0), product);
}

}  // namespace cuarray::math
