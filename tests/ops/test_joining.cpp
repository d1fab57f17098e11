// test_joining.cpp -- each function of joining.h from C++, with its options.
#include "../core/check.h"
#include "cuarray/ops/joining.h"
#include "values.h"

using namespace cuarray;

namespace {

void test_joins() {
    const Array x = counted({2, 3}), v = counted({2});
    const ArrayOrNumber pair[] = {x, x}, mixed[] = {v, doubles({0.5}), Weak{Weak::Kind::Int, 0, false, 7, 7, 0}};
    CHECK(holds(concat(pair), {4, 3}, {0, 1, 2, 3, 4, 5, 0, 1, 2, 3, 4, 5}));
    CHECK(holds(concat(pair, 1), {2, 6}, {0, 1, 2, 0, 1, 2, 3, 4, 5, 3, 4, 5}));
    CHECK(holds(concat(pair, {}), {12}, {0, 1, 2, 3, 4, 5, 0, 1, 2, 3, 4, 5}));
    CHECK(holds<double>(concat(mixed, {}), {4}, {0, 1, 0.5, 7}));
    CHECK(concat(pair, 0, nullptr, DType::float32).dtype() == DType::float32);
    CHECK(RAISES(Type, concat(pair, 0, nullptr, DType::int8, Casting::Safe)) && RAISES(Value, concat({})));
    Array out = empty({4, 3}, DType::int64, Device{});
    CHECK(concat(pair, 0, &out).data() == out.data() && RAISES(Type, concat(pair, 0, &out, DType::int64)));
    CHECK(RAISES(Value, concat(mixed, 0)) && RAISES(Axis, concat(pair, 2)));
    const Array many[] = {counted({1 << 10, 3}), counted({1 << 10, 1 << 11})};  // more than the caller writes
    const ArrayOrNumber wide[] = {many[0], many[1]};
    CHECK(concat(wide, 1).shape() == (Dims{1 << 10, 3 + (1 << 11)}));
    const Array both[] = {v, v}, cubes[] = {x, x};
    CHECK(holds(stack(both), {2, 2}, {0, 1, 0, 1}) && holds(stack(both, -1), {2, 2}, {0, 0, 1, 1}));
    CHECK(stack(cubes, 1, nullptr, DType::float64).shape() == (Dims{2, 2, 3}) && RAISES(Axis, stack(both, 2)));
    CHECK(holds(vstack(both), {2, 2}, {0, 1, 0, 1}) && vstack(cubes).shape() == (Dims{4, 3}));
    CHECK(holds(hstack(both), {4}, {0, 1, 0, 1}) && hstack(cubes).shape() == (Dims{2, 6}));
    CHECK(dstack(cubes).shape() == (Dims{2, 3, 2}) && dstack(both).shape() == (Dims{1, 2, 2}));
    const Array columns[] = {v, x};
    CHECK(holds(column_stack(both), {2, 2}, {0, 0, 1, 1}) && column_stack(columns).shape() == (Dims{2, 4}));
    const Array column = numbers({7, 8}).reshape({2, 1}), row = counted({1, 4});
    CHECK(holds(block({{x, column}, {row}}), {3, 4}, {0, 1, 2, 7, 3, 4, 5, 8, 0, 1, 2, 3}) &&
          holds(block(v), {2}, {0, 1}));
    CHECK(holds(block({v, v}), {4}, {0, 1, 0, 1}) && RAISES(Value, block({{x}, {row}})));
    CHECK(RAISES(Value, block({{v}, v})) && RAISES(Value, block(Blocks(std::vector<Blocks>()))));
    CHECK(holds(append(v, x), {8}, {0, 1, 0, 1, 2, 3, 4, 5}) && append(x, x, 1).shape() == (Dims{2, 6}));
}

void test_parts() {
    const Array x = counted({2, 3}), v = counted({5});
    CHECK(holds(unstack(x, 1)[2], {2}, {2, 5}) && unstack(v)[4].ndim() == 0 && RAISES(Value, unstack(v.view({}))));
    CHECK(array_split(v, 2)[0].size() == 3 && array_split(v, Dims{1, -1}).size() == 3);
    CHECK(holds(array_split(v, Dims{1, -1})[1], {3}, {1, 2, 3}) && RAISES(Value, array_split(v, 0)));
    CHECK(holds(split(x, 3, 1)[1], {2, 1}, {1, 4}) && RAISES(Value, split(v, 2)));
    CHECK(vsplit(x, 2)[1].shape() == (Dims{1, 3}) && hsplit(x, Dims{1})[1].shape() == (Dims{2, 2}));
    CHECK(dsplit(counted({1, 1, 4}), 2).size() == 2 && RAISES(Value, dsplit(x, 2)) && RAISES(Value, vsplit(v, 1)));
    CHECK(RAISES(Memory, array_split(v, INT64_MAX)));
}

}  // namespace

int main() {
    test_joins();
    test_parts();
}
