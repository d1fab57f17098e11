// test_sine.cpp -- float64 sin and cos: at most 1 ulp, cos(k pi) exact, equal results of the fast and the exact path.
#include <cmath>
#include <random>
#include <vector>

#include "../core/check.h"
#include "scalar_math.h"

using namespace cuarray;

namespace {

/// The error in units of the last place of the correctly rounded result.
f64 ulp(f64 got, long double want) {
    int exponent;
    std::frexp(want, &exponent);
    return f64(std::fabs(got - want) / std::ldexp(1.0L, std::max(exponent, -1021) - 53));
}

f64 worst_sine = 0, worst_cosine = 0;

void check(f64 x) {
    bool rare = true;
    const f64 sine = math::quick_sin(x, rare), cosine = math::quick_cos(x, rare);
    CHECK(rare == !(std::fabs(x) < 1.6e6), "%a", x);
    if (rare) return;
    CHECK(bits_of(sine) == bits_of(math::sin(x)) && bits_of(cosine) == bits_of(math::cos(x)), "%a", x);
    worst_sine = std::max(worst_sine, ulp(sine, std::sin((long double)x)));
    worst_cosine = std::max(worst_cosine, ulp(cosine, std::cos((long double)x)));
}

void test_accuracy() {
    std::mt19937_64 rng(1);
    std::uniform_real_distribution<f64> exponent(-60, 22), unit(-1, 1);
    for (int i = 0; i < 400000; ++i) {
        check(unit(rng) * std::exp2(exponent(rng)));
        check(unit(rng) * 8);
    }
    // Next to multiples of pi/2, where almost all bits cancel.
    for (int k = 1; k < 1000000; k += 3) {
        const f64 x = k * M_PI_2;
        check(x);
        check(std::nextafter(x, 0.0));
        check(std::nextafter(-x, -1e9));
    }
    CHECK(worst_sine < 1 && worst_cosine < 1, "%g %g", worst_sine, worst_cosine);
}

void test_special_values() {
    CHECK(bits_of(math::sin(-0.0)) == bits_of(-0.0) && bits_of(math::sin(0.0)) == 0);
    CHECK(math::sin(5e-324) == 5e-324 && math::cos(0.0) == 1 && math::cos(1e-20) == 1);
    for (f64 x : {infinity<f64>(), -infinity<f64>(), quiet_nan<f64>()})
        CHECK(math::sin(x) != math::sin(x) && math::cos(x) != math::cos(x));
    for (int k = 0; k < 500000; ++k) CHECK(math::cos(k * M_PI) == (k % 2 ? -1 : 1), "%d", k);
    for (f64 x : {1.6e6, 1e7, 1e22, 1.7e308})
        CHECK(ulp(math::sin(x), std::sin((long double)x)) < 1 && ulp(math::cos(x), std::cos((long double)x)) < 1);
}

}  // namespace

int main() {
    test_special_values();
    test_accuracy();
}
