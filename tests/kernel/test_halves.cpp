// test_halves.cpp -- float16 and bfloat16 against a search of all their values: rounded once.
#include <cmath>
#include <random>
#include <vector>

#include "../core/check.h"
#include "cuarray/kernel/types.h"

using namespace cuarray;

namespace {

std::mt19937_64 rng(5);
long checks = 0;

/// The value of a bit pattern below infinity, from the definition of the format.
template <class H>
long double value(int bits) {
    constexpr int fraction = ieee<H>::fraction, bias = (ieee<H>::infinity >> fraction) / 2;
    const int exponent = bits >> fraction, digits = bits & ((1 << fraction) - 1);
    if (exponent == 0) return std::ldexp((long double)digits, 1 - bias - fraction);
    return std::ldexp((long double)(digits + (1 << fraction)), exponent - bias - fraction);
}

/// The bits of the nearest half to a magnitude; beyond the largest one, of the next in an unbounded range.
template <class H>
int nearest(long double magnitude) {
    int low = 0, high = ieee<H>::infinity;
    if (magnitude >= value<H>(high)) return high;
    while (high - low > 1) {
        const int middle = (low + high) / 2;
        (value<H>(middle) <= magnitude ? low : high) = middle;
    }
    const long double below = magnitude - value<H>(low), above = value<H>(high) - magnitude;
    if (below != above) return below < above ? low : high;
    return low & 1 ? high : low;
}

template <class H, class X>
void check_cast(X x) {
    const int got = cast<H>(x).bits, sign = x < 0 ? 0x8000 : 0;
    const int want = nearest<H>(std::fabs((long double)x));
    CHECK((got & 0x7fff) == want && (want == 0 || (got & 0x8000) == sign), "%.20Lg gives %04x, not %04x",
          (long double)x, got, want);
    ++checks;
}

template <class H>
void test_widening() {
    for (int bits = 0; bits < ieee<H>::infinity; ++bits) {
        CHECK(widen(H{u16(bits)}) == value<H>(bits), "%04x", bits);
        CHECK(widen(H{u16(bits | 0x8000)}) == -value<H>(bits), "%04x", bits);
        CHECK(round_to_half<H>(widen(H{u16(bits | 0x8000)})).bits == (bits | 0x8000), "%04x", bits);
    }
    for (int bits = ieee<H>::infinity; bits < 0x8000; ++bits) {
        const f32 wide = widen(H{u16(bits)});
        CHECK(bits == ieee<H>::infinity ? std::isinf(wide) : std::isnan(wide), "%04x", bits);
        const int quiet = bits == ieee<H>::infinity ? bits : bits | 1 << (ieee<H>::fraction - 1);
        CHECK(round_to_half<H>(wide).bits == quiet, "%04x", bits);
    }
}

/// At, above and below the midpoint of neighbours, where a second rounding would have an effect.
template <class H>
void test_halfway_points() {
    for (int bits = 0; bits < ieee<H>::infinity; ++bits) {
        const f64 halfway = f64((value<H>(bits) + value<H>(bits + 1)) / 2);
        for (f64 x : {halfway, std::nextafter(halfway, 1e300), std::nextafter(halfway, 0.0), halfway * (1 + 1e-9)}) {
            check_cast<H>(x);
            check_cast<H>(-x);
            check_cast<H>(f32(x));
        }
    }
}

template <class H>
void test_random() {
    for (int i = 0; i < 200000; ++i) {
        const u64 bits = rng();
        if (const f64 x = bit_cast<f64>(bits); x == x) check_cast<H>(x);
        if (const f32 x = bit_cast<f32>(u32(bits)); x == x) check_cast<H>(x);
        // Integers of every length, many of them next to a midpoint.
        u64 n = bits >> rng() % 64;
        if (i % 2) n = (((bits & 255) | 128) * 2 + 1) << rng() % 56, n += rng() % 3 - 1;
        check_cast<H>(n);
        check_cast<H>(i64(n));
        check_cast<H>(i64(0 - n));
        check_cast<H>(u32(n));
        check_cast<H>(i32(n));
        check_cast<H>(i16(n));
    }
}

}  // namespace

int main() {
    test_widening<f16>();
    test_widening<bf16>();
    test_halfway_points<f16>();
    test_halfway_points<bf16>();
    test_random<f16>();
    test_random<bf16>();
    CHECK(checks > 2000000, "only %ld checks", checks);
}
