// test_differences.cpp -- each function of differences.h, coordinates.h and bit_packing.h from C++, with its options.
#include "../core/check.h"
#include "cuarray/ops/bit_packing.h"
#include "cuarray/ops/coordinates.h"
#include "cuarray/ops/differences.h"
#include "values.h"

using namespace cuarray;

namespace {

Weak real(double number) { return {Weak::Kind::Float, 0, false, 0, number, 0}; }

void test_differences() {
    const Array v = numbers({1, 2, 4, 7});
    CHECK(holds(diff(v), {3}, {1, 2, 3}) && holds(diff(v, 2), {2}, {1, 1}) && diff(v, 9).is_empty());
    CHECK(holds(diff(v, 1, 0, numbers({0, 0}), v.view(Layout())), {6}, {0, 1, 1, 2, 3, -6}));
    CHECK(holds(diff(counted({2, 3}), 1, 0), {1, 3}, {3, 3, 3}) && RAISES(Value, diff(v, -1)));
    CHECK(holds(ediff1d(v, numbers({9}), numbers({8})), {5}, {8, 1, 2, 3, 9}));
    const Array f = doubles({1, 2, 4, 7});
    CHECK(holds<double>(gradient(f)[0], {4}, {1, 1.5, 2.5, 3}));
    const ArrayOrNumber half[] = {real(0.5)}, places[] = {doubles({1, 2, 3, 4})}, uneven[] = {doubles({0, 1, 3, 4})};
    CHECK(holds<double>(gradient(f, half)[0], {4}, {2, 3, 5, 6}));
    CHECK(holds<double>(gradient(f, places, {}, 2)[0], {4}, {0.5, 1.5, 2.5, 3.5}));
    CHECK(gradient(f, uneven)[0].size() == 4 && gradient(counted({3, 3})).size() == 2);
    CHECK(gradient(counted({3, 3}), {}, Dims{1}).size() == 1 && RAISES(Value, gradient(f, {}, {}, 3)));
    const auto integral = [](const auto&... args) { return std::get<Scalar>(trapezoid(args...)); };
    CHECK(integral(f) == Scalar::of(DType::float64, 10.0) &&
          integral(f, std::nullopt, real(0.5)) == Scalar::of(DType::float64, 5.0));
    CHECK(integral(f, doubles({0, 2, 4, 6})) == Scalar::of(DType::float64, 20.0));
    CHECK(holds<double>(std::get<Array>(trapezoid(counted({2, 2}), {}, real(1), 0)), {2}, {1, 2}));
}

int64_t number_of(const ArrayOrNumber& one) {
    int64_t number;
    std::memcpy(&number, std::get<Scalar>(one).bytes, sizeof number);
    return number;
}

void test_coordinates() {
    const Weak five{Weak::Kind::Int, 0, false, 5, 5, 0}, one{Weak::Kind::Int, 0, false, 1, 1, 0};
    CHECK(number_of(unravel_index(five, {2, 3})[1]) == 2 && number_of(unravel_index(five, {2, 3}, 'F')[0]) == 1);
    CHECK(holds(std::get<Array>(unravel_index(numbers({2, 3}), {2, 3})[0]), {2}, {0, 1}));
    CHECK(RAISES(Value, unravel_index(numbers({6}), {2, 3})) && RAISES(Type, unravel_index(doubles({1}), {2})));
    const ArrayOrNumber pair[] = {numbers({0, 1}), one}, outside[] = {numbers({-1, 5}), one}, both[] = {one, one};
    CHECK(holds(std::get<Array>(ravel_multi_index(pair, {2, 3})), {2}, {1, 4}));
    CHECK(holds(std::get<Array>(ravel_multi_index(pair, {2, 3}, {Outside::Raise}, 'F')), {2}, {2, 3}));
    CHECK(holds(std::get<Array>(ravel_multi_index(outside, {2, 3}, {Outside::Clip})), {2}, {1, 4}));
    CHECK(holds(std::get<Array>(ravel_multi_index(outside, {2, 3}, {Outside::Wrap, Outside::Raise})), {2}, {4, 4}));
    CHECK(RAISES(Value, ravel_multi_index(outside, {2, 3})) && number_of(ravel_multi_index(both, {2, 3})) == 4);
}

void test_bits() {
    const Array bits = numbers({1, 0, 1, 0, 0, 0, 0, 1, 1});
    CHECK(holds(packbits(bits), {2}, {161, 128}) && holds(packbits(bits, 0, BitOrder::Little), {2}, {133, 1}));
    CHECK(holds(packbits(bits.reshape({9, 1}), 0), {2, 1}, {161, 128}) && RAISES(Type, packbits(doubles({1}))));
    const Array bytes = packbits(bits);
    CHECK(holds(unpackbits(bytes, {}, 9), {9}, {1, 0, 1, 0, 0, 0, 0, 1, 1}) && unpackbits(bytes, 0, -3).size() == 13);
    CHECK(unpackbits(bytes, {}, 20).size() == 20 && RAISES(Value, unpackbits(bytes, {}, -17)));
    CHECK(holds(unpackbits(packbits(bits, {}, BitOrder::Little), {}, 9, BitOrder::Little), {9},
                {1, 0, 1, 0, 0, 0, 0, 1, 1}));
}

}  // namespace

int main() {
    test_differences();
    test_coordinates();
    test_bits();
}
