// test_division.cpp -- quotients and remainders against exact arithmetic, shifts and powers of all bytes.
#include <cmath>
#include <random>
#include <vector>

#include "../core/check.h"
#include "scalar_math.h"

using namespace cuarray;

namespace {

std::mt19937_64 rng(3);
long quick_results = 0;

template <class T>
bool same(T a, T b) {
    return bits_of(a) == bits_of(b) || (a != a && b != b);
}

/// The C library's fmod is exact; everything else follows from it.
template <class T>
void check(T x, T y) {
    const T r = std::fmod(x, y);
    CHECK(same(math::fmod(x, y), r), "fmod(%a, %a) is %a", f64(x), f64(y), f64(math::fmod(x, y)));
    const pair<T, T> got = math::divmod(x, y);
    CHECK(same(got.first, math::floor_divide(x, y)) && same(got.second, math::remainder(x, y)), "%a %a", f64(x),
          f64(y));
    if (!math::isfinite(x) || !math::isfinite(y) || y == 0) return;
    const bool apart = r != 0 && std::signbit(r) != std::signbit(y);
    CHECK(same(got.second, apart ? r + y : std::copysign(r, y)), "%a %% %a is %a", f64(x), f64(y), f64(got.second));
    bool rare;
    const pair<T, T> quick = math::quick_divmod(x, y, rare);
    CHECK(rare || (same(got.first, quick.first) && same(got.second, quick.second)), "%a %a", f64(x), f64(y));
    quick_results += !rare;
    // x - r is a multiple of y, so that rounding the quotient gives the exact integer.
    const long double q = std::rint(((long double)x - r) / y) - apart;
    if (std::fabs(q) < std::ldexp(1.0L, ieee<T>::fraction + 1))
        CHECK(got.first == T(q), "%a // %a is %a", f64(x), f64(y), f64(got.first));
}

template <class T>
void test_random() {
    const auto any = [] { return bit_cast<T>(unsigned_t<T>(rng())); };
    const auto tame = [] { return T(i64(rng() % 2000) - 1000) / T(rng() % 64 + 1); };
    for (int i = 0; i < 300000; ++i) {
        check(any(), any());
        check(tame(), tame());
        const T y = tame(), multiple = y * T(rng() % 100000);
        check(multiple, y);
        check(std::nextafter(multiple, T(0)), y);
        check(std::nextafter(multiple, infinity<T>()), y);
    }
    const std::vector<T> special = {T(0),           -T(0), T(1),          T(-1),
                                    T(5),           T(-5), infinity<T>(), -infinity<T>(),
                                    quiet_nan<T>(), T(6),  T(0.1),        bit_cast<T>(unsigned_t<T>(1)),
                                    T(3e38)};
    for (T x : special)
        for (T y : special) check(x, y);
}

template <class T>
void test_infinities() {
    const T inf = infinity<T>();
    CHECK(math::floor_divide(inf, T(2)) == inf && math::floor_divide(inf, T(-2)) == -inf);
    CHECK(same(math::floor_divide(T(5), inf), T(0)) && same(math::floor_divide(T(-5), inf), -T(0)));
    CHECK(math::remainder(T(5), inf) == 5 && math::remainder(T(-5), inf) == inf && math::remainder(T(5), -inf) == -inf);
    CHECK(math::floor_divide(T(6), T(0.1)) == 59, "%g", f64(math::floor_divide(T(6), T(0.1))));
    CHECK(math::floor_divide(T(1), T(0)) == inf && math::isnan(math::remainder(T(1), T(0))));
}

/// Every pair of 8-bit integers against Python's rule, computed in a wider type.
template <class T>
void test_bytes() {
    for (int x = int(lowest<T>); x <= int(highest<T>); ++x)
        for (int y = int(lowest<T>); y <= int(highest<T>); ++y) {
            const int q = y == 0 ? 0 : int(std::floor(f64(x) / y)), r = y == 0 ? 0 : x - q * y;
            CHECK(math::floor_divide(T(x), T(y)) == T(q) && math::remainder(T(x), T(y)) == T(r), "%d %d", x, y);
            CHECK(math::fmod(T(x), T(y)) == T(y == 0 ? 0 : x % y), "%d %d", x, y);
            const bool in_range = y >= 0 && y < 8;
            CHECK(math::left_shift(T(x), T(y)) == T(in_range ? u32(x) << y : 0), "%d << %d", x, y);
            CHECK(math::right_shift(T(x), T(y)) == T(in_range ? x >> y : x < 0 ? -1 : 0), "%d >> %d", x, y);
            u64 power = y < 0 ? 0 : 1;
            for (int k = 0; k < y; ++k) power *= u64(i64(x));
            CHECK(math::integer_pow(T(x), T(y)) == T(power), "%d ** %d", x, y);
        }
}

}  // namespace

int main() {
    test_random<f32>();
    test_random<f64>();
    test_infinities<f32>();
    test_infinities<f64>();
    test_bytes<i8>();
    test_bytes<u8>();
    CHECK(math::floor_divide(lowest<i32>, -1) == lowest<i32> && math::remainder(lowest<i32>, -1) == 0);
    CHECK(math::floor_divide(lowest<i64>, i64(-1)) == lowest<i64> && math::abs(lowest<i64>) == lowest<i64>);
    CHECK(math::floor_divide(9007199254740991.0, 1.0) == 9007199254740991.0);
    CHECK(quick_results > 100000, "only %ld results were quick", quick_results);
}
