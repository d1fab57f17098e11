// test_selection.cpp -- each function of selection.h and choices.h from C++, with its options.
#include "../core/check.h"
#include "cuarray/ops/choices.h"
#include "cuarray/ops/selection.h"
#include "values.h"

using namespace cuarray;

namespace {

Scalar number(double value) { return Scalar::of(DType::float64, value); }

Array mask(const std::vector<int64_t>& values) { return astype(numbers(values), DType::bool_); }

void test_reading() {
    const Array x = counted({2, 3}), v = counted({5}), few = numbers({-1, 0});
    CHECK(holds(take(v, few), {2}, {4, 0}) && holds(take(x, numbers({4, 1})), {2}, {4, 1}));
    CHECK(holds(take(x, few, 1), {2, 2}, {2, 0, 5, 3}) && holds(take(x, few, 0), {2, 3}, {3, 4, 5, 0, 1, 2}));
    CHECK(holds(take(v, numbers({7, -6}), {}, nullptr, Outside::Wrap), {2}, {2, 4}));
    CHECK(holds(take(v, numbers({7, -6}), {}, nullptr, Outside::Clip), {2}, {4, 0}));
    CHECK(RAISES(Index, take(v, numbers({5}))) && RAISES(Type, take(v, doubles({1}))) && RAISES(Axis, take(x, few, 2)));
    CHECK(holds(take(v, mask({1, 0})), {2}, {1, 0}) && take(v, {doubles({}), false}).shape() == (Dims{0}));
    Array out = empty({2}, DType::int64, Device{});
    CHECK(holds(take(v, few, {}, &out), {2}, {4, 0}) && holds(out, {2}, {4, 0}));
    Array itself = v.view({{2}, {8}});
    take(v, numbers({1, 0}), {}, &itself);
    CHECK(holds(v, {5}, {1, 0, 2, 3, 4}));
    CHECK(holds(take_along_axis(x, numbers({2, 0}).reshape({2, 1}), 1), {2, 1}, {2, 3}));
    CHECK(holds(take_along_axis(x, numbers({5, -6}), {}), {2}, {5, 0}));
    CHECK(RAISES(Index, take_along_axis(x, doubles({0}).reshape({1, 1}))));
    CHECK(holds(compress(mask({0, 1}), x, 0), {1, 3}, {3, 4, 5}) && holds(compress(mask({0, 1}), x), {1}, {1}));
    CHECK(holds(compress(mask({1, 0, 0, 0, 0, 1}), x), {2}, {0, 5}) && RAISES(Value, compress(x, x)));
    CHECK(holds(extract(astype(x, DType::bool_), x), {5}, {1, 2, 3, 4, 5}) && RAISES(Index, extract(v, counted({1}))));
}

void test_masks() {
    const Array x = numbers({3, 0, 0, 4}).reshape({2, 2});
    const std::vector<Array> places = nonzero(x);
    CHECK(places.size() == 2 && holds(places[0], {2}, {0, 1}) && holds(places[1], {2}, {0, 1}));
    CHECK(holds(argwhere(x), {2, 2}, {0, 0, 1, 1}) && holds(flatnonzero(x), {2}, {0, 3}));
    CHECK(argwhere(x.view(Layout())).shape() == (Dims{1, 0}) && RAISES(Value, nonzero(x.view(Layout()))));
    CHECK(nonzero(counted({0, 3}))[1].shape() == (Dims{0}));
}

void test_writing() {
    const Array v = counted({5});
    put(v, numbers({-1, 0}), numbers({7, 8}));
    CHECK(holds(v, {5}, {8, 1, 2, 3, 7}));
    put(v, numbers({6, 2}), number(9.5), Outside::Wrap);
    CHECK(holds(v, {5}, {8, 9, 9, 3, 7}));
    put(v, numbers({6, -9}), doubles({5}), Outside::Clip);
    CHECK(holds(v, {5}, {5, 9, 9, 3, 5}) && RAISES(Index, put(v, numbers({5}), number(0))));
    put(v, numbers({0, 1}), v.view({{2}, {8}}, 24));
    CHECK(holds(v, {5}, {3, 5, 9, 3, 5}));
    const Array x = counted({2, 3}), turned = x.transpose({1, 0});
    put(turned, numbers({1, 4, 5}), numbers({10, 20}));
    CHECK(holds(x, {2, 3}, {0, 1, 20, 10, 4, 10}) && RAISES(Index, put(turned, numbers({6}), number(0))));
    put_along_axis(x, numbers({0, 2}).reshape({2, 1}), number(-1), 1);
    CHECK(holds(x, {2, 3}, {-1, 1, 20, 10, 4, -1}));
    put_along_axis(x, numbers({1, -2}), numbers({6, 7}), {});
    CHECK(holds(x, {2, 3}, {-1, 6, 20, 10, 7, -1}) && RAISES(Axis, put_along_axis(x, numbers({0}), number(0), 2)));
    CHECK(RAISES(Value, put_along_axis(x, x, number(0), {})) && RAISES(Index, put_along_axis(x, doubles({0}), x, 0)));
}

void test_writing_by_masks() {
    const Array v = counted({5}), over = mask({0, 1, 1, 0, 1});
    place(v, over, numbers({10, 20}));
    CHECK(holds(v, {5}, {0, 10, 20, 3, 10}) && RAISES(Value, place(v, over, numbers({}))));
    putmask(v, over, numbers({6, 7, 8}));
    CHECK(holds(v, {5}, {0, 7, 8, 3, 7}) && RAISES(Value, putmask(v, mask({1}), number(1))));
    putmask(v, over, number(4));
    place(v, mask({1, 0, 0, 0, 0}), number(2));
    CHECK(holds(v, {5}, {2, 4, 4, 3, 4}) && RAISES(Type, place(v, over, doubles({1}))));
    const Array x = counted({3, 2});
    copyto(x, numbers({7, 8}), Casting::No);
    CHECK(holds(x, {3, 2}, {7, 8, 7, 8, 7, 8}) && RAISES(Type, copyto(x, number(1.5))));
    copyto(x, number(1.5), Casting::Unsafe, mask({1, 0}));
    CHECK(holds(x, {3, 2}, {1, 8, 1, 8, 1, 8}) && RAISES(Type, copyto(x, v, Casting::No, WhereMask(v))));
    Weak weak;
    weak.integer = 3, weak.real = 3;
    copyto(astype(x, DType::uint8), weak, Casting::No);
    copyto(x, weak);
    fill_diagonal(x, numbers({5, 6}));
    CHECK(holds(x, {3, 2}, {5, 3, 3, 6, 3, 3}) && RAISES(Value, fill_diagonal(v, number(0))));
    const Array tall = full({5, 2}, Scalar::of(DType::int64, int64_t(0)), Device{});
    fill_diagonal(tall, number(1), true);
    CHECK(holds(tall, {5, 2}, {1, 0, 0, 1, 0, 0, 1, 0, 0, 1}) && RAISES(Value, fill_diagonal(counted({2, 3, 2}), x)));
    CHECK(RAISES(Value, fill_diagonal(counted({1, 2}).broadcast_to({5, 2}), x)));
}

void test_choices() {
    const Array a = numbers({1, 0, 2}), x = counted({3});
    const std::vector<ArrayOrNumber> three{x, number(7), numbers({4, 5, 6})}, none;
    CHECK(holds(functions::choose(a, three), {3}, {7, 1, 6}) && RAISES(Value, functions::choose(a, none)));
    CHECK(RAISES(Value, functions::choose(numbers({3}), three)) &&
          RAISES(Value, functions::choose(numbers({-1}), three)));
    CHECK(holds(functions::choose(numbers({3, -1, 4}), three, nullptr, Outside::Wrap), {3}, {0, 5, 7}));
    CHECK(holds(functions::choose(numbers({9, -9, 1}), three, nullptr, Outside::Clip), {3}, {4, 1, 7}));
    Array out = empty({3}, DType::int8, Device{}), small = empty({2}, DType::int64, Device{});
    CHECK(holds(functions::choose(a, three, &out), {3}, {7, 1, 6}) && holds(out, {3}, {7, 1, 6}));
    CHECK(RAISES(Type, functions::choose(a, three, &small)) && RAISES(Type, functions::choose(doubles({1}), three)));
    const std::vector<ArrayOrNumber> only{numbers({8})}, two{x, number(9)};
    CHECK(holds(functions::choose(mask({0, 0}), only), {2}, {8, 8}) &&
          RAISES(Value, functions::choose(mask({0, 1}), only)));
    const std::vector<Array> conditions{mask({0, 1, 0}), mask({1, 1, 0})}, wrong{a, a}, one{conditions[0]};
    CHECK(holds(select(conditions, two), {3}, {9, 1, 0}) && holds(select(conditions, two, x), {3}, {9, 1, 2}));
    CHECK(RAISES(Type, select(wrong, two)) && RAISES(Value, select(one, two)));
    CHECK(RAISES(Value, select(ArrayList(), none)));
}

}  // namespace

int main() {
    test_choices();
    test_reading();
    test_masks();
    test_writing();
    test_writing_by_masks();
}
