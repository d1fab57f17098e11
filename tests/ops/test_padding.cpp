// test_padding.cpp -- pad of padding.h from C++, in each mode.
#include "../core/check.h"
#include "cuarray/ops/padding.h"
#include "values.h"

using namespace cuarray;

namespace {

void test_pad() {
    const Array v = counted({3}), x = counted({2, 2});
    const PadWidth line[] = {{2, 4}}, both[] = {{1, 0}, {0, 2}};
    const Scalar seven = Scalar::of(DType::int64, int64_t(7)), nine = Scalar::of(DType::int64, int64_t(9));
    const Scalar two[] = {seven, nine}, four[] = {seven, seven, nine, nine};
    CHECK(holds(pad(v, line), {9}, {0, 0, 0, 1, 2, 0, 0, 0, 0}));
    CHECK(holds(pad(v, line, PadMode::Constant, two), {9}, {7, 7, 0, 1, 2, 9, 9, 9, 9}));
    CHECK(holds(pad(x, both, PadMode::Constant, four), {3, 4}, {7, 7, 9, 9, 0, 1, 9, 9, 2, 3, 9, 9}));
    CHECK(holds(pad(x, both, counted({2, 2})), {3, 4}, {0, 0, 3, 3, 0, 1, 3, 3, 2, 3, 3, 3}));
    CHECK(holds(pad(v, line, astype(counted({2}), DType::int32)), {9}, {0, 0, 0, 1, 2, 1, 1, 1, 1}));
    CHECK(RAISES(Value, pad(x, both, counted({3}))));
    CHECK(holds(pad(x, both, PadMode::Edge), {3, 4}, {0, 1, 1, 1, 0, 1, 1, 1, 2, 3, 3, 3}));
    CHECK(holds(pad(v, line, PadMode::Edge), {9}, {0, 0, 0, 1, 2, 2, 2, 2, 2}));
    CHECK(holds(pad(v, line, PadMode::Reflect), {9}, {2, 1, 0, 1, 2, 1, 0, 1, 2}));
    CHECK(holds(pad(v, line, PadMode::Symmetric), {9}, {1, 0, 0, 1, 2, 2, 1, 0, 0}));
    CHECK(holds(pad(v, line, PadMode::Wrap), {9}, {1, 2, 0, 1, 2, 0, 1, 2, 0}));
    CHECK(holds(pad(counted({1}), line, PadMode::Reflect), {7}, {0, 0, 0, 0, 0, 0, 0}));
    CHECK(pad(v, line, PadMode::Empty).shape() == (Dims{9}));
    CHECK(pad(x.transpose({1, 0}), both).is_f_contiguous() && pad(v.reshape({1, 3}).view(Layout()), {}).ndim() == 0);
    CHECK(RAISES(Value, pad(v, both)) && RAISES(Value, pad(counted({0}), line, PadMode::Edge)));
    const PadWidth negative[] = {{-1, 0}}, long_one[] = {{INT64_MAX, 1}};
    CHECK(RAISES(Value, pad(v, negative)) && RAISES(Value, pad(v, long_one)));
    CHECK(holds(pad(counted({0}), line), {6}, {0, 0, 0, 0, 0, 0}));
}

}  // namespace

int main() { test_pad(); }
