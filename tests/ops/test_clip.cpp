// test_clip.cpp -- clip and round from C++, with their options.
#include "../core/check.h"
#include "cuarray/ops/clip.h"
#include "cuarray/ops/rounding.h"
#include "values.h"

using namespace cuarray;

namespace {

Scalar number(int64_t value) { return Scalar::of(DType::int64, value); }

void test_clip() {
    const Array x = counted({5});
    const Scalar one = number(1), three = number(3);
    CHECK(holds(clip(x, one, three), {5}, {1, 1, 2, 3, 3}) && holds(clip(x), {5}, {0, 1, 2, 3, 4}));
    CHECK(holds(clip(x, one), {5}, {1, 1, 2, 3, 4}) && holds(clip(x, {}, three), {5}, {0, 1, 2, 3, 3}));
    CHECK(holds(clip(x, {}, {}, nullptr, {true, one}, {true, three}), {5}, {1, 1, 2, 3, 3}));
    CHECK(RAISES(Value, clip(x, one, {}, nullptr, {true, {}})));
    CHECK(clip(x, one, three, nullptr, {}, {}, {}, DType::float32).dtype() == DType::float32);
    const Array small = astype(x, DType::uint8);
    Weak huge;
    huge.integer = 300, huge.real = 300;
    Weak below;
    below.integer = uint64_t(-5), below.negative = true, below.real = -5;
    CHECK(clip(small, below, huge).dtype() == DType::uint8);
    Array out = astype(numbers({9, 9, 9, 9, 9}), DType::int64);
    const Array mask = astype(numbers({1, 0, 1, 0, 1}), DType::bool_);
    clip(x, one, three, &out, {}, {}, mask);
    CHECK(holds(out, {5}, {1, 9, 2, 9, 3}));
}

void test_round() {
    const Array x = doubles({0.5, 1.25, -17.5});
    CHECK(holds<double>(round(x), {3}, {0, 1, -18}) && holds<double>(round(x, 1), {3}, {0.5, 1.2, -17.5}));
    CHECK(holds<double>(round(x, -1), {3}, {0, 0, -20}) && holds(round(numbers({15, -26}), -1), {2}, {20, -30}));
    Array out = empty({3}, DType::float32, Device{});
    CHECK(round(x, 1, &out).dtype() == DType::float32 && holds(out, {3}, {0, 1, -17}));
    Array small = empty({2}, DType::float64, Device{});
    CHECK(RAISES(Value, round(x, 1, &small)) && RAISES(Overflow, round(x, INT64_MAX)));
    CHECK(RAISES(Type, round(astype(x, DType::bool_), 1)));
}

}  // namespace

int main() {
    test_clip();
    test_round();
}
