// test_scans.cpp -- each function of scan.h from C++, with its options.
#include <cmath>
#include "../core/check.h"
#include "cuarray/ops/scan.h"
#include "values.h"

using namespace cuarray;

namespace {

void test_cumulative() {
    const Array x = numbers({1, 2, 3, 4}), m = x.reshape({2, 2});
    CHECK(holds(cumsum(x), {4}, {1, 3, 6, 10}) && holds(cumsum(m), {4}, {1, 3, 6, 10}));
    CHECK(holds(cumsum(m, 0), {2, 2}, {1, 2, 4, 6}) && holds(cumsum(m, -1), {2, 2}, {1, 3, 3, 7}));
    CHECK(holds(cumprod(m, 1), {2, 2}, {1, 2, 3, 12}) && cumsum(x, 0, DType::float32).dtype() == DType::float32);
    CHECK(holds(cumsum(counted({})), {1}, {0}) && RAISES(Axis, cumprod(m, 2)));
    Array out = empty({4}, DType::float64, Device{});
    cumprod(x, {}, DType::none, &out);
    CHECK(holds(out, {4}, {1, 2, 6, 24}) && RAISES(Value, cumsum(m, 0, DType::none, &out)));
}

void test_initial() {
    const Array x = numbers({1, 2, 3}), m = numbers({1, 2, 3, 4}).reshape({2, 2});
    CHECK(holds(cumulative_sum(x), {3}, {1, 3, 6}) && RAISES(Value, cumulative_sum(m)));
    CHECK(holds(cumulative_sum(x, 0, DType::none, nullptr, true), {4}, {0, 1, 3, 6}));
    CHECK(holds(cumulative_prod(m, 0, DType::none, nullptr, true), {3, 2}, {1, 1, 1, 2, 3, 8}));
    CHECK(holds(cumulative_prod(m, -1, DType::float32, nullptr, true), {2, 3}, {1, 1, 2, 1, 3, 12}));
    Array out = empty({4}, DType::int64, Device{});
    cumulative_sum(x, {}, DType::none, &out, true);
    CHECK(holds(out, {4}, {0, 1, 3, 6}) && RAISES(Value, cumulative_prod(m, 0, DType::none, &out, true)));
}

void test_nan() {
    const Array x = doubles({2, NAN, 3});
    CHECK(holds(nancumsum(x), {3}, {2, 2, 5}) && holds(nancumprod(x), {3}, {2, 2, 6}));
    CHECK(holds(nancumsum(numbers({1, 2})), {2}, {1, 3}));
    Array out = empty({3}, DType::float64, Device{});
    nancumprod(x, -1, DType::none, &out);
    CHECK(holds(out, {3}, {2, 2, 6}));
}

}  // namespace

int main() {
    test_cumulative();
    test_initial();
    test_nan();
}
