// test_complex.cpp -- complex functions at C99's and the Array API's special values, and at their branch cuts.
#include <complex>
#include <random>

#include "../core/check.h"
#include "scalar_math.h"

using namespace cuarray;

namespace {

constexpr f64 inf = __builtin_inf(), nan = __builtin_nan(""), pi = 3.14159265358979323846;

/// Equal with the sign of zeros, NaN with NaN, or good to a few ulp.
bool agrees(f64 got, f64 want) {
    if (want != want) return got != got;
    if (want == 0 || math::isinf(want)) return bits_of(got) == bits_of(want);
    return std::fabs(got - want) <= 4e-16 * std::fabs(want);
}

struct Case {
    const char* name;
    c128 got, want;
};

#define CASE(function, x, y, re, im)                                                   \
    {                                                                                  \
        #function "(" #x ", " #y ")", fn::call<fn::function, c128>({x, y}), { re, im } \
    }

const Case cases[] = {
    CASE(exp, 0., -0., 1, -0.),
    CASE(exp, 1., inf, nan, nan),
    CASE(exp, inf, 0., inf, 0.),
    CASE(exp, -inf, 2., -0., 0.),
    CASE(exp, inf, 2., -inf, inf),
    CASE(exp, -inf, inf, 0., 0.),
    CASE(exp, inf, inf, inf, nan),
    CASE(exp, -inf, nan, 0., 0.),
    CASE(exp, nan, 0., nan, 0.),
    CASE(exp, nan, 1., nan, nan),
    CASE(expm1, 0., 0., 0., 0.),
    CASE(expm1, inf, 0., inf, 0.),
    CASE(expm1, -inf, 0., -1, 0.),
    CASE(expm1, -inf, inf, -1, 0.),
    CASE(expm1, inf, nan, inf, nan),
    CASE(expm1, nan, 0., nan, 0.),
    CASE(expm1, 1., inf, nan, nan),
    CASE(expm1, inf, 2., -inf, inf),
    CASE(log, -0., 0., -inf, pi),
    CASE(log, 0., 0., -inf, 0.),
    CASE(log, 1., inf, inf, pi / 2),
    CASE(log, 1., nan, nan, nan),
    CASE(log, -inf, 1., inf, pi),
    CASE(log, inf, 1., inf, 0.),
    CASE(log, -inf, inf, inf, 3 * pi / 4),
    CASE(log, inf, nan, inf, nan),
    CASE(log, nan, inf, inf, nan),
    CASE(log1p, -1., 0., -inf, 0.),
    CASE(log1p, 1., inf, inf, pi / 2),
    CASE(log1p, -inf, 1., inf, pi),
    CASE(log1p, nan, inf, inf, nan),
    CASE(log1p, 1., nan, nan, nan),
    CASE(sqrt, -0., 0., 0., 0.),
    CASE(sqrt, 0., -0., 0., -0.),
    CASE(sqrt, nan, inf, inf, inf),
    CASE(sqrt, -inf, 1., 0., inf),
    CASE(sqrt, inf, 1., inf, 0.),
    CASE(sqrt, inf, nan, inf, nan),
    CASE(sqrt, -inf, nan, nan, inf),
    CASE(sqrt, -4., 0., 0., 2),
    CASE(sqrt, -4., -0., 0., -2),
    CASE(sinh, 0., inf, 0., nan),
    CASE(sinh, inf, 0., inf, 0.),
    CASE(sinh, inf, 2., -inf, inf),
    CASE(sinh, inf, nan, inf, nan),
    CASE(sinh, nan, 0., nan, 0.),
    CASE(sinh, 1., inf, nan, nan),
    CASE(cosh, 0., 0., 1, 0.),
    CASE(cosh, 0., inf, nan, 0.),
    CASE(cosh, inf, 0., inf, 0.),
    CASE(cosh, inf, 2., -inf, inf),
    CASE(cosh, inf, inf, inf, nan),
    CASE(cosh, nan, 0., nan, 0.),
    CASE(tanh, inf, 2., 1, 0.),
    CASE(tanh, inf, inf, 1, 0.),
    CASE(tanh, inf, nan, 1, 0.),
    CASE(tanh, nan, 0., nan, 0.),
    CASE(tanh, 0., inf, 0., nan),
    CASE(tanh, 1., inf, nan, nan),
    CASE(acos, 0., 0., pi / 2, -0.),
    CASE(acos, 0., nan, pi / 2, nan),
    CASE(acos, 1., inf, pi / 2, -inf),
    CASE(acos, -inf, 1., pi, -inf),
    CASE(acos, inf, 1., 0., -inf),
    CASE(acos, -inf, inf, 3 * pi / 4, -inf),
    CASE(acos, nan, inf, nan, -inf),
    CASE(acos, 2., 0., 0., -1.3169578969248167),
    CASE(acos, 2., -0., 0., 1.3169578969248167),
    CASE(acosh, 0., 0., 0., pi / 2),
    CASE(acosh, 0., nan, nan, pi / 2),
    CASE(acosh, -inf, 1., inf, pi),
    CASE(acosh, inf, inf, inf, pi / 4),
    CASE(acosh, nan, inf, inf, nan),
    CASE(acosh, -2., -0., 1.3169578969248167, -pi),
    CASE(asinh, 1., inf, inf, pi / 2),
    CASE(asinh, inf, 1., inf, 0.),
    CASE(asinh, inf, inf, inf, pi / 4),
    CASE(asinh, inf, nan, inf, nan),
    CASE(asinh, nan, 0., nan, 0.),
    CASE(asinh, 0., 2., 1.3169578969248167, pi / 2),
    CASE(asin, 2., 0., pi / 2, 1.3169578969248167),
    CASE(asin, 2., -0., pi / 2, -1.3169578969248167),
    CASE(asin, -0., 0., -0., 0.),
    CASE(asin, inf, inf, pi / 4, inf),
    CASE(atanh, 1., 0., inf, 0.),
    CASE(atanh, 1., inf, 0., pi / 2),
    CASE(atanh, inf, 1., 0., pi / 2),
    CASE(atanh, 0., nan, 0., nan),
    CASE(atanh, inf, nan, 0., nan),
    CASE(atanh, nan, inf, 0., pi / 2),
    CASE(atanh, 2., 0., 0.54930614433405485, pi / 2),
    CASE(atanh, 2., -0., 0.54930614433405485, -pi / 2),
    CASE(atan, 0., 2., pi / 2, 0.54930614433405485),
    CASE(atan, -0., 2., -pi / 2, 0.54930614433405485),
    CASE(sign, 3., -4., 0.6, -0.8),
    CASE(sign, 0., -0., 0., 0.),
    CASE(sign, 1e-320, 0., 1, 0.),
    CASE(sign, 1.5e308, 1.5e308, std::sqrt(0.5), std::sqrt(0.5)),
    CASE(sign, -inf, 1., -1, 0.),
    CASE(reciprocal, 0., 0., inf, nan),
    CASE(reciprocal, 0., 2., 0., -0.5),
};

void test_special_values() {
    for (const Case& c : cases)
        CHECK(agrees(c.got.re, c.want.re) && agrees(c.got.im, c.want.im), "%s = (%.17g, %.17g), not (%.17g, %.17g)",
              c.name, c.got.re, c.got.im, c.want.re, c.want.im);
}

/// The size of the error of a c128 against a long double reference, in ulp of the larger component.
f64 distance(c128 got, std::complex<long double> want) {
    int exponent;
    const long double larger = std::max(std::fabs(want.real()), std::fabs(want.imag()));
    std::frexp(larger, &exponent);
    const long double d = std::max(std::fabs(got.re - want.real()), std::fabs(got.im - want.imag()));
    return larger == 0 ? f64(d) : f64(d / std::ldexp(1.0L, std::max(exponent, -1021) - 53));
}

void test_division() {
    std::mt19937_64 rng(2);
    std::uniform_real_distribution<f64> unit(-1, 1);
    const auto any = [&] { return std::ldexp(unit(rng), int(rng() % 1800) - 900); };
    f64 worst = 0;
    for (int i = 0; i < 200000; ++i) {
        const c128 x{any(), any()}, y{any(), any()};
        const std::complex<long double> u(x.re, x.im), v(y.re, y.im), q = u / v;
        if (std::max(std::fabs(q.real()), std::fabs(q.imag())) > 1e308L) continue;
        worst = std::max(worst, distance(math::divide(x, y), q));
    }
    CHECK(worst < 5, "%g ulp", worst);
}

#define ROUND_TRIP(there, back) worst = std::max(worst, distance(math::back(math::there(z)), {z.re, z.im}))

/// Principal values near zero come back through the inverse function.
void test_inverses() {
    std::mt19937_64 rng(4);
    std::uniform_real_distribution<f64> unit(-1, 1);
    f64 worst = 0;
    for (int i = 0; i < 50000; ++i) {
        const f64 size = std::exp2(-20 * std::fabs(unit(rng)));
        const c128 z{size * unit(rng), size * unit(rng)};
        ROUND_TRIP(sin, asin);
        ROUND_TRIP(sinh, asinh);
        ROUND_TRIP(tan, atan);
        ROUND_TRIP(tanh, atanh);
        ROUND_TRIP(expm1, log1p);
    }
    CHECK(worst < 16, "%g ulp", worst);
}

}  // namespace

int main() {
    test_special_values();
    test_division();
    test_inverses();
}
