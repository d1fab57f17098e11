// test_convolution.cpp -- each function of convolution.h and cross.h from C++, with its options.
#include "../core/check.h"
#include "cuarray/ops/convolution.h"
#include "cuarray/ops/cross.h"
#include "values.h"

using namespace cuarray;

namespace {

void test_convolution() {
    const Array x = numbers({1, 2, 3, 4}), v = numbers({1, 0, 2}), few = numbers({1, 2});
    CHECK(holds(convolve(x, v), {6}, {1, 2, 5, 8, 6, 8}) && holds(convolve(v, x), {6}, {1, 2, 5, 8, 6, 8}));
    CHECK(holds(convolve(x, v, Overlaps::Same), {4}, {2, 5, 8, 6}));
    CHECK(holds(convolve(x, v, Overlaps::Valid), {2}, {5, 8}) && convolve(x, doubles({1})).dtype() == DType::float64);
    CHECK(holds(correlate(x, v), {2}, {7, 10}) && holds(correlate(v, x), {2}, {10, 7}));
    CHECK(holds(correlate(x, few, Overlaps::Full), {5}, {2, 5, 8, 11, 4}));
    CHECK(holds(correlate(x, few, Overlaps::Same), {4}, {2, 5, 8, 11}));
    CHECK(holds(convolve(counted({}), few), {2}, {0, 0}));
    CHECK(RAISES(Value, convolve(x, numbers({}))) && RAISES(Value, correlate(x.reshape({2, 2}), v)));
}

void test_cross() {
    const Array x = numbers({1, 2, 3}), y = numbers({4, 5, 6}), flat = numbers({1, 2});
    CHECK(holds(cross(x, y), {3}, {-3, 6, -3}));
    CHECK(holds(cross(doubles({1, 2, 3}), doubles({4, 5, 6})), {3}, {-3, 6, -3}));
    CHECK(holds(cross(flat, y), {3}, {12, -6, -3}) && holds(cross(y, flat), {3}, {-12, 6, 3}));
    CHECK(holds(cross(flat, flat), {}, {0}));
    const Array rows = numbers({1, 2, 3, 4, 5, 6}).reshape({2, 3}), columns = rows.transpose({1, 0});
    CHECK(holds(cross(rows, y), {2, 3}, {-3, 6, -3, 0, 0, 0}));
    CHECK(holds(cross(columns, y, 0, -1, 0), {3, 2}, {-3, 0, 6, 0, -3, 0}));
    CHECK(holds(cross(columns, y, 0), {2, 3}, {-3, 6, -3, 0, 0, 0}));
    CHECK(holds(cross(columns, columns, 0, 0, 0, 0), {3, 2}, {0, 0, 0, 0, 0, 0}));
    CHECK(RAISES(Value, cross(numbers({1}), y)) && RAISES(Axis, cross(x, y, 1)) &&
          RAISES(Value, cross(counted({}), y)));
}

}  // namespace

int main() {
    test_convolution();
    test_cross();
}
