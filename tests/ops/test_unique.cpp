// test_unique.cpp -- unique from C++, with its options, of few elements and of many.
#include <cmath>
#include "../core/check.h"
#include "cuarray/ops/shaping.h"
#include "cuarray/ops/unique.h"
#include "values.h"

using namespace cuarray;

namespace {

void test_elements() {
    const Array x = numbers({3, 1, 3, 2}).reshape({2, 2});
    CHECK(holds(unique(x)[0], {3}, {1, 2, 3}) && unique(x).size() == 1);
    const std::vector<Array> all = unique(x, true, true, true);
    CHECK(all.size() == 4 && holds(all[1], {3}, {1, 3, 0}) && holds(all[2], {2, 2}, {2, 0, 2, 1}));
    CHECK(holds(all[3], {3}, {1, 1, 2}) && holds(unique(x, false, false, true)[1], {3}, {1, 1, 2}));
    CHECK(holds(unique(counted({}), false, true)[1], {}, {0}) &&
          unique(numbers({}), false, false, true)[1].size() == 0);
    CHECK(unique(doubles({NAN, 1, NAN}))[0].size() == 2);
    CHECK(unique(doubles({NAN, 1, NAN}), false, false, false, {}, false)[0].size() == 3);
    CHECK(RAISES(Axis, unique(x, false, false, false, 2)));
}

void test_many() {
    const int64_t n = 5000;
    const std::vector<Array> all = unique(counted({n}).broadcast_to({2, n}, "test"), true, true, true);
    CHECK(all[0].size() == n && holds(all[1], {n}, [] {
              std::vector<int64_t> places(n);
              for (int64_t i = 0; i < n; ++i) places[size_t(i)] = i;
              return places;
          }()));
    CHECK(holds(all[3], {n}, std::vector<int64_t>(size_t(n), 2)) && all[2].shape() == (Dims{2, n}));
}

void test_slices() {
    const Array x = numbers({1, 0, 2, 2, 1, 0}).reshape({3, 2});
    const std::vector<Array> all = unique(x, true, true, true, 0);
    CHECK(holds(all[0], {2, 2}, {1, 0, 2, 2}) && holds(all[1], {2}, {0, 1}) && holds(all[2], {3}, {0, 1, 0}));
    CHECK(holds(all[3], {2}, {2, 1}) && holds(unique(x, false, false, false, -1)[0], {3, 2}, {0, 1, 2, 2, 0, 1}));
    CHECK(holds(unique(x.reshape({6}), false, false, false, 0)[0], {3}, {0, 1, 2}));
}

}  // namespace

int main() {
    test_elements();
    test_many();
    test_slices();
}
