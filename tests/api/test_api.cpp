// test_api.cpp -- the C++ API of programs: arrays from numbers, operators, indices, reductions, random numbers, text.
#include <array>
#include <cmath>
#include <complex>
#include <cstdint>
#include <deque>
#include <list>
#include <ranges>
#include <span>
#include <sstream>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>
#include "../core/check.h"
#include "cuarray/cuarray.h"

using namespace cuarray;

namespace {

template <class T>
bool has(const Array& array, const Dims& shape, const std::vector<T>& values) {
    return array.shape() == shape && array.to_vector<T>() == values;
}

template <class T>
std::string text(const T& value) {
    std::ostringstream stream;
    stream << value;
    return stream.str();
}

template <class F>
std::string message_of(F&& call) {
    try {
        call();
    } catch (const Error& error) { return error.what(); }
    return "";
}

void test_arrays_of_numbers() {
    CHECK(has<double>(array({1., 2.}), {2}, {1, 2}) && array({1., 2.}).dtype() == DType::float64);
    CHECK(has<int>(array({{1, 2, 3}, {4, 5, 6}}), {2, 3}, {1, 2, 3, 4, 5, 6}) && array({1}).dtype() == DType::int32);
    CHECK(has<float>(array({{{1.f}, {2.f}}}), {1, 2, 1}, {1, 2}) && array(1.5f).dtype() == DType::float32);
    CHECK(has<bool>(array({true, false}), {2}, {true, false}) && array(true).item<bool>());
    CHECK(has<bool>(array(std::vector<bool>{false, true}), {2}, {false, true}));
    CHECK(array(std::complex<float>(1, 2)).dtype() == DType::complex64);
    CHECK(array(std::complex<double>(1, 2)).item<std::complex<double>>() == std::complex<double>(1, 2));
    const std::vector<int64_t> numbers{1, 2, 3, 4};
    CHECK(has<int64_t>(array(numbers, Dims{2, 2}), {2, 2}, numbers) &&
          has<int64_t>(array(numbers.data(), {4}), {4}, numbers));
    CHECK(array(std::vector<float>()).size() == 0 && array(7).ndim() == 0 && array(7).item<double>() == 7);
    CHECK(RAISES(Value, array({{1, 2}, {3}})) && RAISES(Value, array(numbers, Dims{3})));
    CHECK(RAISES(Value, array({{{1}, {2}}, {{3}}})) && RAISES(Value, array({{{1}}, {{2, 3}}})));
    CHECK(RAISES(Value, array({1, 2}).item<int>()));
    CHECK((array({300}).item<unsigned char>() == 44) && array({2.9}).item<int>() == 2);
    CHECK(has<double>(array({{1., 2.}, {3., 4.}}).transpose({1, 0}), {2, 2}, {1, 3, 2, 4}), "C order, not memory's");
}

void test_ranges_of_numbers() {
    const std::vector<float> numbers{1, 2, 3, 4};
    const std::array<float, 4> four{1, 2, 3, 4};
    const double plain[] = {1, 2}, matrix[2][2] = {{1, 2}, {3, 4}};
    CHECK(has<float>(array(four), {4}, numbers) && has<float>(array(std::span(numbers).subspan(2)), {2}, {3, 4}));
    CHECK(has<float>(array(four, {2, 2}), {2, 2}, numbers) && has<double>(array(plain), {2}, {1, 2}));
    CHECK(has<double>(array(matrix), {2, 2}, {1, 2, 3, 4}) && RAISES(Value, array(std::span(numbers), 3)));
    using Rows = std::vector<std::vector<int>>;
    CHECK(has<int>(array(Rows{{1, 2, 3}, {4, 5, 6}}), {2, 3}, {1, 2, 3, 4, 5, 6}));
    CHECK(array(Rows{}).shape() == (Dims{0}) && array(Rows{{}, {}}).shape() == (Dims{2, 0}));
    CHECK(RAISES(Value, array(Rows{{1}, {2, 3}})) && RAISES(Value, array(Rows{{}, {1}})));
    CHECK(has<float>(array(std::vector<std::array<float, 2>>{{1, 2}, {3, 4}}), {2, 2}, numbers));
    CHECK(has<bool>(array(std::vector<std::vector<bool>>{{true}, {false}}), {2, 1}, {true, false}));
    CHECK(has<bool>(array(std::vector<bool>{true, false}, {2, 1}), {2, 1}, {true, false}));
    CHECK(has<int>(array({1, 2, 3, 4}, {2, 2}), {2, 2}, {1, 2, 3, 4}) && RAISES(Value, array({1, 2}, {3})));
    static_assert(!api::NumberRange<std::string> && !api::NumberRange<std::wstring> && !api::NumberRange<char[4]>);
}

/// One extent, axis or count needs no braces.
void test_single_integers() {
    const Array x = array({{1, 2}, {3, 4}});
    const size_t two = 2;
    CHECK(zeros(5).shape() == (Dims{5}) && full(two, 7).shape() == (Dims{2}) && x.reshape(4).shape() == (Dims{4}));
    CHECK(has<int>(tile(array({1, 2}), 2), {4}, {1, 2, 1, 2}) && has<int>(roll(x, 1, 0), {2, 2}, {3, 4, 1, 2}));
    CHECK(has<int>(flip(x, 1), {2, 2}, {2, 1, 4, 3}) && Dims(3) == (Dims{3}) && Dims::filled(2, 3) == (Dims{3, 3}));
    CHECK(split(arange(6), two).size() == 2 && split(arange(6), 2)[1].shape() == (Dims{3}), "parts, no place");
    CHECK(split(arange(6), {2})[0].shape() == (Dims{2}) && split(arange(6), Dims{2})[1].shape() == (Dims{4}));
    CHECK(message_of([] { zeros(-1); }).starts_with("zeros:") &&
          message_of([] { ones({2, -1}); }).starts_with("ones:"));
    static_assert(!std::is_constructible_v<Dims, int, int> && !std::is_convertible_v<bool, Dims>);
    static_assert(!std::is_convertible_v<double, Dims> && !std::is_convertible_v<char, Dims>);
    CHECK(x.reshape(-1, 1).shape() == (Dims{4, 1}) &&
          x.reshape(4, 'F').to_vector<int>() == std::vector<int>({1, 3, 2, 4}));
    CHECK(RAISES(Value, x.reshape({4}, 'Z')) && split(arange(6), {}).size() == 1);
    CHECK(take(x, 1).item<int>() == 2 && has<int>(take(x, {0, 3}), {2}, {1, 4}) &&
          has<int>(take(x, 1, 0), {2}, {3, 4}));
}

/// Braces, vectors and numbers of C++ are what a parameter takes, where it is optional, too.
void test_lists_in_braces() {
    const Array x = array({{1, 2, 3}, {4, 5, 6}}), line = array({1, 2, 3});
    const std::vector<int> places{0, 2};
    const std::vector<size_t> extents{3, 2};
    CHECK(squeeze(zeros({1, 2, 1}), {0, 2}).shape() == (Dims{2}) && squeeze(zeros({1, 2, 1}), places).ndim() == 1);
    CHECK(has<int>(roll(x, {1, 1}, {0, 1}), {2, 3}, {6, 4, 5, 3, 1, 2}) && has<int>(roll(line, 1), {3}, {3, 1, 2}));
    CHECK(has<int>(flip(x, {0, 1}), {2, 3}, {6, 5, 4, 3, 2, 1}) && sum(x, std::vector<int>{0, 1}).item<int>() == 21);
    CHECK(zeros_like(x, DType::none, {}, {2, 2}).shape() == (Dims{2, 2}) &&
          ones_like(x, DType::float32, 'C', 4).shape() == (Dims{4}));
    CHECK(gradient(x, {}, {0, 1}).size() == 2 && gradient(x, {2, array({0., 1., 3.})}).size() == 2);
    CHECK(has<int>(gradient(x, {3}, 0)[0], {2, 3}, {1, 1, 1, 1, 1, 1}));
    CHECK(linalg::norm(array({{3., 4.}}), {}, {0, 1}).item<double>() == 5);
    CHECK(zeros(extents).shape() == (Dims{3, 2}) && x.reshape(extents).shape() == (Dims{3, 2}));
    CHECK(has<int>(repeat(line, {0, 1, 2}), {3}, {2, 3, 3}) && repeat(x, extents[1], 0).shape() == (Dims{4, 3}));
    CHECK(has<int>(repeat(line, std::vector<int>{2, 0, 1}), {3}, {1, 1, 3}) && RAISES(Value, repeat(line, {1, -1, 1})));
    CHECK(has<int>(take(line, places), {2}, {1, 3}) && split(line, std::vector<int>{1, 2}).size() == 3);
    CHECK(tensordot(x, x, extents[1]).item<int>() == 91 && tensordot(x, x, {{0, 1}, {0, 1}}).item<int>() == 91);
    CHECK(tensordot(x, x, {1, 1}).shape() == (Dims{2, 2}) && RAISES(Value, tensordot(x, x, {0, 1})));
    CHECK(has<int>(concatenate({line, 9}, std::nullopt), {4}, {1, 2, 3, 9}) && concatenate({x, x + 1}, 1).size() == 12);
    CHECK(has<int>(pad(line, 1), {5}, {0, 1, 2, 3, 0}) && has<int>(pad(line, {1, 2}), {6}, {0, 1, 2, 3, 0, 0}));
    CHECK(pad(x, {{1, 0}, {0, 2}}).shape() == (Dims{3, 5}) && pad(x, {{1, 2}}).shape() == (Dims{5, 6}));
    CHECK(has<int>(pad(line, extents[1], PadMode::Reflect), {7}, {3, 2, 1, 2, 3, 2, 1}));
    CHECK(RAISES(Value, pad(x, {{1, 1}, {1, 1}, {1, 1}})) && RAISES(Value, pad(x, -1)));
    CHECK(RAISES(Index, zeros(std::vector<size_t>{size_t(0) - 1})));
}

/// array() of numbers that do not lie one behind the other, and of numbers of several types.
void test_scattered_numbers() {
    const std::vector<int> numbers{1, 2, 3};
    CHECK(has<int>(array(std::list<int>{1, 2}), {2}, {1, 2}) && array(std::list<float>()).shape() == (Dims{0}));
    CHECK(has<float>(array(std::deque<float>{1, 2}, {2, 1}), {2, 1}, {1, 2}));
    CHECK(has<int>(array(numbers | std::views::reverse), {3}, {3, 2, 1}) &&
          has<int>(array(std::list<std::list<int>>{{1}, {2}}), {2, 1}, {1, 2}));
    CHECK(RAISES(Value, array(std::deque<int>{1, 2}, {3})) && RAISES(Value, array(std::deque<int>{1, 2}, {-1})));
    CHECK(has<double>(array({1, 2.5}), {2}, {1, 2.5}) && has<double>(array({1, 2.5f}, {2, 1}), {2, 1}, {1, 2.5}));
    CHECK(array({1, 2}).dtype() == DType::int32 && array({1.f}).dtype() == DType::float32);
}

void test_numpys_names() {
    const Array x = array({{1., 2., 3.}});
    CHECK(transpose(x).shape() == (Dims{3, 1}) && transpose(x, {1, 0}).shape() == (Dims{3, 1}));
    CHECK(has<double>(concatenate({x, x}, 1), {1, 6}, {1, 2, 3, 1, 2, 3}));
    CHECK(has<bool>(isclose(x, 2.0), {1, 3}, {false, true, false}) && allclose(2, x / x + 1) && allclose(2., 2));
    CHECK(isclose(array({0.1f}), 0.1, 0, 0).item<bool>() && !isclose(array({1.f}), INFINITY).item<bool>());
    const Array near = x * (1 + 1e-7), nan = array({std::nan(""), 1.});
    CHECK(allclose(x, near) && !allclose(x, near, 0, 1e-9) && allclose(x, near, 0, array({1e-6})));
    CHECK(has<bool>(isclose(nan, nan), {2}, {false, true}) && allclose(nan, nan, 1e-5, 1e-8, true));
    CHECK(has<bool>(isclose(array({1u}), array({true})), {1}, {true}) && RAISES(Value, allclose(x, array({1, 2}))));
    CHECK(message_of([&] { isclose(x, array({1, 2})); }).starts_with("isclose:"));
    CHECK(message_of([&] { split(x, 0); }).starts_with("split:"));
    CHECK(message_of([&] { hsplit(x, 0); }).starts_with("hsplit:"));
}

void test_operators() {
    const Array x = array({1., 2., 3.}), i = array({7, -7, 2}), b = array({true, false, true});
    CHECK(has<double>(sqrt(x * x + 1.0) - x, {3}, {std::sqrt(2.) - 1, std::sqrt(5.) - 2, std::sqrt(10.) - 3}));
    CHECK(has<double>(2 / x, {3}, {2, 1, 2. / 3}) && has<double>(-x + +x, {3}, {0, 0, 0}));
    CHECK(has<int>(i % 3, {3}, {1, 2, 2}) && (i % 3).dtype() == DType::int32, "the divisor's sign; int32 stays");
    CHECK(has<int>(i << 1, {3}, {14, -14, 4}) && has<int>(i >> 1, {3}, {3, -4, 1}) && has<int>(~i, {3}, {-8, 6, -3}));
    CHECK(has<int>(i & 3, {3}, {3, 1, 2}) && has<int>(i | 1, {3}, {7, -7, 3}) && has<int>(i ^ i, {3}, {0, 0, 0}));
    CHECK(has<bool>((x > 1) & (x <= 2.5), {3}, {false, true, false}) && has<bool>(!b, {3}, {false, true, false}));
    CHECK(has<bool>(x == 2, {3}, {false, true, false}) && has<bool>(1 != x, {3}, {false, true, true}));
    CHECK((b & true).dtype() == DType::bool_ && (b + 1).dtype() == DType::int64);
    CHECK((array({1.f}) * 2.0).dtype() == DType::float32, "a number takes the array's dtype");
    CHECK((array({1.f}) * std::complex<double>(0, 1)).dtype() == DType::complex64);
    CHECK((array({1.f}) * Scalar::of(DType::float64, 2.0)).dtype() == DType::float64, "a scalar has its own");
    CHECK(RAISES(Overflow, array(std::vector<unsigned char>{1}) + 300) && RAISES(Value, x + array({1., 2.})));
    CHECK(pow(x, 2).to_vector<double>()[2] == 9 && where(x > 1, x, 0).to_vector<double>()[0] == 0);
    const auto [quotient, remainder] = divmod(i, 3);
    CHECK(has<int>(quotient, {3}, {2, -3, 0}) && has<int>(remainder, {3}, {1, 2, 2}));
    UfuncOptions in_double;
    in_double.has_signature = true;
    in_double.signature.types[2] = DType::float64;
    CHECK(add(i, 1, in_double).dtype() == DType::float64);
}

void test_in_place() {
    Array x = array({1., 2., 3.});
    const Array also = x;
    x += 1;
    x *= x;
    CHECK(has<double>(also, {3}, {4, 9, 16}), "all that share the elements see them");
    x(slice(1, {})) -= array({1., 2.});
    CHECK(has<double>(x, {3}, {4, 8, 14}));
    x(x > 5) /= 2;
    CHECK(has<double>(x, {3}, {4, 4, 7}));
    Array i = array({1, 2});
    CHECK(RAISES(Type, i /= 2) && has<int>(i, {2}, {1, 2}));
    (i <<= 2) |= 1;
    CHECK(has<int>(i, {2}, {5, 9}));
}

void test_indices() {
    Array m = arange(12).reshape({3, 4});
    CHECK(has<int>(m(1), {4}, {4, 5, 6, 7}) && m(-1, -1).item<int>() == 11 && m(ellipsis, 0).shape() == Dims{3});
    CHECK(has<int>(m(slice(1, {}), slice(-1, 0, -2)), {2, 2}, {7, 5, 11, 9}) && m(slice(2)).shape() == (Dims{2, 4}));
    CHECK(m(slice(), newaxis).shape() == (Dims{3, 1, 4}) && m(slice({}, {}, 2)).shape() == (Dims{2, 4}));
    CHECK(has<int>(m(array({2, 0})), {2, 4}, {8, 9, 10, 11, 0, 1, 2, 3}));
    CHECK(has<int>(m(m > 9), {2}, {10, 11}) && has<int>(m(array({0, 1}), slice(1)), {2, 1}, {0, 4}));
    CHECK(has<int>(m(array({0, 1})) + 1, {2, 4}, {1, 2, 3, 4, 5, 6, 7, 8}), "an operand");
    CHECK(Array(m(true)).shape() == (Dims{1, 3, 4}));
    m(0) = 0;
    m(slice(1, {}), 0) = array({-1, -2});
    CHECK(has<int>(m, {3, 4}, {0, 0, 0, 0, -1, 5, 6, 7, -2, 9, 10, 11}));
    m(0) = m(2);
    CHECK(has<int>(m(0), {4}, {-2, 9, 10, 11}), "elements, not the name");
    m(m < 0) = 100;
    m(array({1, 1}), array({1, 2})) = array({7., 8.9});
    CHECK(has<int>(m, {3, 4}, {100, 9, 10, 11, 100, 7, 8, 7, 100, 9, 10, 11}));
    m(1, 1) = m(array({0}), 1);
    m(array({2})) = m(array({0}));
    CHECK(m(1, 1).item<int>() == 9 && has<int>(m(2), {4}, {100, 9, 10, 11}));
    Array part = m(1);
    part = array({1});
    CHECK(m(1, 0).item<int>() == 100, "a name is bound, nothing is written");
    CHECK(RAISES(Index, m(3)) && RAISES(Index, m(0, 0, 0)) && RAISES(Value, m(slice({}, {}, 0))));
    CHECK(RAISES(Value, m(0) = array({1, 2})) && RAISES(Value, m(0) = NAN) && RAISES(Overflow, m(0) = 1e30));
    Array small = array(std::vector<unsigned char>{1, 2});
    CHECK(RAISES(Overflow, small(0) = 300) && RAISES(Overflow, small(0) = -1.5) &&
          RAISES(Overflow, small(small > 0) = 256));
    CHECK(RAISES(Type, small(0) = std::complex<double>(1, 1)) && small.to_vector<int>() == std::vector<int>({1, 2}));
    small(0) = 3.9;
    Array flags = zeros({3}, DType::bool_);
    flags(slice(2)) = 0.5;
    CHECK(small(0).item<int>() == 3 && has<bool>(flags, {3}, {true, true, false}));
}

void test_reductions() {
    const Array m = array({{1., 2.}, {3., 6.}});
    CHECK(sum(m).item<double>() == 12 && has<double>(sum(m, 0), {2}, {4, 8}) && mean(m).item<float>() == 3);
    CHECK(has<double>(max(m, -1, true), {2, 1}, {2, 6}) && has<double>(prod(m, {0, 1}), {}, {36}));
    CHECK(has<int64_t>(argmax(m, 1), {2}, {1, 1}) && argmin(m).item<int>() == 0 &&
          count_nonzero(m > 1).item<int>() == 3);
    CHECK(all(m > 0).item<bool>() && !any(m > 9).item<bool>() &&
          sum(array({1.f}), {}, false, DType::float64).dtype() == DType::float64);
    CHECK(var(m).item<double>() == 3.5 && std::fabs(stddev(m, {}, 1).item<double>() - std::sqrt(14. / 3)) < 1e-15);
    CHECK(RAISES(Axis, sum(m, 2)) && RAISES(Value, sum(m, {0, 0})) && RAISES(Value, max(zeros({0}))));
    CHECK(sum(m, std::nullopt).item<double>() == 12 && sum(m, Dims{}).shape() == m.shape());
}

void test_numbers_in_functions() {
    CHECK(has<double>(full({2}, 3.5), {2}, {3.5, 3.5}) && full({2}, 3).dtype() == DType::int64);
    CHECK(has<double>(clip(array({1., 5.}), 2, 4), {2}, {2, 4}));
    CHECK(has<double>(linspace(0, 1, 3), {3}, {0, 0.5, 1}) && linspace(array({0, 1}), 5).shape() == (Dims{50, 2}));
    const Array x = array({1, 2}), y = array({3});
    CHECK(has<int>(concat({x, y}), {3}, {1, 2, 3}) && has<int>(stack({x, x + 1}), {2, 2}, {1, 2, 2, 3}));
    CHECK(has<int>(concat(std::vector<Array>{x, y, x}), {5}, {1, 2, 3, 1, 2}));
    const Argument kept = 2.5;  // owns its number
    CHECK(has<double>(add(array({1.}), kept), {1}, {3.5}));
}

/// Arrays of so many elements, which take memory that was given up.
void reuse_memory(int64_t n) {
    std::vector<Array> all;
    for (int i = 0; i < 20; ++i) all.push_back(full({n}, -7.0));
}

void test_arguments_with_a_name() {
    const EagerScope eager;               // large operations of cpu wait otherwise
    for (const int64_t n : {3, 10000}) {  // a large temporary would give its memory to a result
        const Array x = full({n}, 1.0);
        const Argument sum = x + 1.0, at = x(array({0, 0}));
        const ArrayList list = {x + 2.0, x}, both = std::vector<Array>{x, x + 3.0};
        const ArgumentList numbers = {x + 4.0, x}, moved = std::vector<Array>{x + 5.0};
        const ElementMask mask = x > 1.0;
        reuse_memory(n);
        for (int times = 0; times < 2; ++times) {
            CHECK(add(sum, 1.0)(-1).item<double>() == 3 && negative(sum)(0).item<double>() == -2);
            CHECK(has<double>(add(at, 1.0), {2}, {2, 2}));
            CHECK(stack(list)(0, -1).item<double>() == 3 && stack(both)(1, -1).item<double>() == 4);
            CHECK(concat(numbers)(n - 1).item<double>() == 5 && concat(moved)(-1).item<double>() == 6);
            CHECK(!any(*mask.array).item<bool>());
        }
    }
}

void test_empty_handles() {
    const Array none, x = array({1., 2.});
    Array target, given = array({1.});
    const Array taken = std::move(given);
    UfuncOptions into, masked;
    into.out[0] = &target;
    masked.where = &none;
    ReduceOptions reduce_into;
    reduce_into.out = &target;
    CHECK(!none.defined() && x.defined() && RAISES(Value, static_cast<bool>(none)));
    CHECK(RAISES(Value, none + x) && RAISES(Value, x + none) && RAISES(Value, none + 1) && RAISES(Value, -none));
    CHECK(RAISES(Value, target += 1) && RAISES(Value, x == none) && RAISES(Value, sqrt(none)) &&
          RAISES(Value, divmod(none, 2)) && RAISES(Value, add(x, 1, into)) && RAISES(Value, add(x, 1, masked)));
    CHECK(RAISES(Value, none(0)) && RAISES(Value, none(slice())) && RAISES(Value, Array(none(x > 1))) &&
          RAISES(Value, Array(x(none))) && RAISES(Value, x(0) = none) && RAISES(Value, target(0) = 1));
    CHECK(RAISES(Value, none.item<double>()) && RAISES(Value, none.to_vector<double>()) && RAISES(Value, text(none)));
    CHECK(RAISES(Value, none.shape()) && RAISES(Value, none.strides()) && RAISES(Value, none.dtype()) &&
          RAISES(Value, none.ndim()) && RAISES(Value, none.size()) && RAISES(Value, none.nbytes()) &&
          RAISES(Value, none.device()) && RAISES(Value, none.data()) && RAISES(Value, none.is_empty()) &&
          RAISES(Value, none.is_c_contiguous()) && RAISES(Value, none.reshape({1})) &&
          RAISES(Value, none.transpose({})) && RAISES(Value, none.broadcast_to({2})) && RAISES(Value, none.view({})));
    CHECK(RAISES(Value, sum(none)) && RAISES(Value, max(none, 0)) && RAISES(Value, argmax(none)) &&
          RAISES(Value, mean(none)) && RAISES(Value, var(none)) &&
          RAISES(Value, reduce(reduction::sum, x, reduce_into)));
    CHECK(RAISES(Value, sort(none)) && RAISES(Value, matmul(none, x)) && RAISES(Value, matmul(x, none)) &&
          RAISES(Value, concat({x, none})) && RAISES(Value, stack({none, x})) && RAISES(Value, cumulative_sum(none)) &&
          RAISES(Value, linalg::solve(none, x)) && RAISES(Value, to_device(none, Device{})) &&
          RAISES(Value, where(none, x, 0)) && RAISES(Value, copy(none)) && RAISES(Value, linspace(none, 1)));
    CHECK(RAISES(Value, given + 1) && RAISES(Value, given.data()) && RAISES(Value, given.device()) &&
              RAISES(Value, given.dtype()) && RAISES(Value, given.shape()) && RAISES(Value, given.size()),
          "moved from");
    given = x + 1;
    const Array assigned = std::exchange(given, Array());
    CHECK(has<double>(assigned, {2}, {2, 3}) && RAISES(Value, given.dtype()), "moved from and assigned");
    FuseScope fused;
    CHECK(RAISES(Value, none + x) && RAISES(Value, sum(none)));
    target = x;
    CHECK(has<double>(target + taken, {2}, {2, 3}));
}

void test_truth() {
    const Array x = array({1., 0.}), one = array({2.});
    CHECK(bool(one) && !bool(array(0.)) && bool(array({{true}})) && bool(any(x)) && !bool(all(x)) && bool(!all(x)));
    CHECK(RAISES(Value, static_cast<bool>(x)) && RAISES(Value, static_cast<bool>(zeros({0}))) &&
          RAISES(Value, static_cast<bool>(x > 5)));
    CHECK(RAISES(Value, (x > 0) && (x < 1)) && RAISES(Value, std::max(x, x + 1.0)), "no && of several elements");
    CHECK(all(x >= 0) && sum(x) == 1 && !isnan(1.0));
    int halvings = 0;
    for (Array e = ones({3}); max(e) > 0.1; e *= 0.5) ++halvings;
    CHECK(halvings == 4);
}

void test_numbers_for_arrays() {  // small results may be numbers; they serve as arrays
    const Array few = trace(eye(3)), many = trace(eye(3000));
    CHECK(has<double>(few, {}, {3}) && has<double>(many, {}, {3000}));
    CHECK(trace(eye(3)).item<int>() == 3 && text(trace(eye(3))) == "array(3.)" &&
          text(trace(eye(400))) == "array(400.)");
    CHECK(has<double>(trapezoid(arange(4.)) + 1.0, {}, {5.5}) && has<double>(2 * trace(eye(2)), {}, {4}));
    CHECK(has<int64_t>(searchsorted(arange(4.), 2), {}, {2}) &&
          has<int64_t>(searchsorted(array({1, 2, 3}), 2), {}, {1}));
    CHECK(bool(trace(eye(2)) == 2) && has<double>(sqrt(trace(eye(4))), {}, {2}));
}

void test_numbers_of_any_type() {
    const std::vector<double> three(3);
    const size_t axis = 0;
    CHECK(has<int>(arange(three.size()), {3}, {0, 1, 2}) && arange(3u).dtype() == DType::int64);
    CHECK(has<int>(arange(2LL, 8ull, short(3)), {2}, {2, 5}) && arange(3.f).dtype() == DType::float64);
    CHECK(has<double>(sum(ones({2, 3}), axis), {3}, {2, 2, 2}) && has<double>(sum(ones({2, 3}), 1u), {2}, {3, 3}));
    CHECK(expand_dims(three.empty() ? ones({1}) : ones({2}), 0).shape() == Dims({1, 2}));
    CHECK(squeeze(ones({1, 2}), 0).ndim() == 1 && linalg::norm(ones({4, 1}), 2, 0).item<double>() == 2);
    CHECK(has<int>(partition(array({3, 1, 2}), 1)(1), {}, {2}));
    const Array x = array({{1, 2}, {3, 4}});
    CHECK(has<int>(flip(x, 0), {2, 2}, {3, 4, 1, 2}) && has<int>(flip(x, {1}), {2, 2}, {2, 1, 4, 3}) &&
          has<int>(flip(x), {2, 2}, {4, 3, 2, 1}));
    CHECK(permute_dims(ones({2, 3}), {1, 0}).shape() == Dims({3, 2}));
    const Array y = ones({2, 2});
    put(y, array({0}), 5.0), fill_diagonal(y, 6), place(y, y == 1, 0.5f);
    CHECK(has<double>(y, {2, 2}, {6, 0.5, 0.5, 6}) &&
          RAISES(Overflow, arange(1ull << 63, (1ull << 63) + 2, 1, DType::int64)));
    CHECK(has<int>(choose(array({0, 1}), {array({1, 2}), array({3, 4})}), {2}, {1, 4}));
    CHECK(text(x.dtype()) == "int32" && text(Device{}) == "cpu");
    enum { Rows, Columns };
    CHECK(has<double>(sum(ones({2, 3}), Columns), {2}, {3, 3}) && arange(Columns).size() == 1 &&
          flip(x, Rows).ndim() == 2);
    CHECK(has<int>(flip(x, {}), {2, 2}, {4, 3, 2, 1}) && permute_dims(ones({2, 3}), {}).shape() == Dims({3, 2}));
    const Array small = zeros({2}, DType::int8), square = zeros({2, 2}, DType::uint64);
    CHECK(RAISES(Overflow, put(small, array({0}), 300)) && RAISES(Overflow, place(small, small == 0, 300)) &&
          RAISES(Overflow, putmask(small, small == 0, 300)) && RAISES(Overflow, fill_diagonal(square, -1)));
    CHECK(RAISES(Index, sum(x, ~size_t(0))) && RAISES(Index, flip(x, ~0ull)) && bool(trace(eye(2))));
}

void test_editing() {
    const Array x = arange(6), m = arange(6.).reshape({2, 3});
    CHECK(has<int>(insert(x, 1, 9), {7}, {0, 9, 1, 2, 3, 4, 5}) &&
          has<int>(insert(x, 6, 9), {7}, {0, 1, 2, 3, 4, 5, 9}));
    CHECK(has<int>(insert(x, {1, 1, -1}, array({7, 8, 9})), {9}, {0, 7, 8, 1, 2, 3, 4, 9, 5}));
    CHECK(has<int>(insert(x, slice(0, {}, 3), 9), {8}, {9, 0, 1, 2, 9, 3, 4, 5}));
    CHECK(has<double>(insert(m, 1, array({8, 9}), 1), {2, 4}, {0, 8, 1, 2, 3, 9, 4, 5}));
    CHECK(has<double>(insert(m, 0, .5, 0), {3, 3}, {.5, .5, .5, 0, 1, 2, 3, 4, 5}));
    CHECK(has<double>(insert(m, array({true, false, true}), 7, 1), {2, 5}, {7, 0, 1, 7, 2, 7, 3, 4, 7, 5}));
    CHECK(has<int>(delete_(x, 1), {5}, {0, 2, 3, 4, 5}) && has<int>(delete_(x, -1), {5}, {0, 1, 2, 3, 4}));
    CHECK(has<int>(delete_(x, {0, 2}), {4}, {1, 3, 4, 5}) && has<int>(delete_(x, slice({}, {}, 2)), {3}, {1, 3, 5}));
    CHECK(has<int>(delete_(x, x > 3), {4}, {0, 1, 2, 3}) && has<double>(delete_(m, 1, 0), {1, 3}, {0, 1, 2}));
    CHECK(has<double>(delete_(m, std::vector<int>{0, 5}), {4}, {1, 2, 3, 4}) && delete_(x, array({1})).size() == 5);
    CHECK(delete_(x, {}).size() == 6 && insert(x, {}, 9).size() == 6 && delete_(x, std::vector<int>{}).size() == 6);
    CHECK(has<int>(delete_(x, {true, false, true, false, false, true}), {3}, {1, 3, 4}));
    CHECK(has<int>(insert(arange(3), {false, true, false}, 9), {4}, {0, 9, 1, 2}) && RAISES(Value, delete_(x, {true})));
    CHECK(has<int>(insert(x, 0, trace(m)), {7}, {4, 0, 1, 2, 3, 4, 5}) &&
          delete_(x, trace(arange(4).reshape({2, 2}))).size() == 5);
    CHECK(has<int>(insert(x, 0, x(x > 3)), {8}, {4, 5, 0, 1, 2, 3, 4, 5}));
    CHECK(append(zeros(2, DType::uint8), 300).dtype() == DType::int64 && RAISES(Value, append(x, 9, 0)));
    CHECK(append(zeros(2, DType::float32), 2.5).dtype() == DType::float64);
    CHECK(has<int>(append(x, 9), {7}, {0, 1, 2, 3, 4, 5, 9}) &&
          has<double>(gradient(x, .5)[0], {6}, {2, 2, 2, 2, 2, 2}));
}

void test_statistics() {
    const double none = NAN;
    const Array m = array({{3., 1., 2.}, {none, 5., 4.}});
    CHECK(text(median(m, 1)) == "array([ 2., nan])" && median(arange(4)).item<double>() == 1.5);
    CHECK(has<double>(median(arange(6).reshape({2, 3}), {0, 1}, nullptr, false, true), {1, 1}, {2.5}));
    CHECK(median(arange(0., 4., 1., DType::float32)).dtype() == DType::float32 &&
          median(zeros({0, 2}), 0).shape() == Dims{2});
    CHECK(nansum(m).item<double>() == 15 && nanprod(m).item<double>() == 120 && nanmean(m).item<double>() == 3);
    CHECK(has<double>(nanmax(m, 0), {3}, {3, 5, 4}) && has<double>(nanmin(m, 1, true), {2, 1}, {1, 4}));
    CHECK(nanvar(m).item<double>() == 2 && nanstd(m, 1).to_vector<double>()[1] == .5 && ptp(m, 0).shape() == Dims{3});
    CHECK(nansum(arange(4)).item<int>() == 6 && nansum(arange(4)).dtype() == DType::int64);
}

void test_coordinates_of_axes() {
    const Array x = arange(12).reshape({3, 4});
    const std::vector<Array> mesh = ix_({IndexArray({0, 2}), array({true, false, false, true})});
    CHECK(has<int>(x(mesh[0], mesh[1]), {2, 2}, {0, 3, 8, 11}));
    const std::vector<Array> masks = ix_({{true, false, true}, {1}});
    CHECK(has<int>(masks[0], {2, 1}, {0, 2}) && has<int>(masks[1], {1, 1}, {1}));
    const std::vector<Array> diagonal = diag_indices(3), places = where(x > 9);
    CHECK(has<int>(x(diagonal[0], diagonal[1]), {3}, {0, 5, 10}) && diag_indices_from(eye(2)).size() == 2);
    CHECK(has<int>(places[0], {2}, {2, 2}) && has<int>(places[1], {2}, {2, 3}));
}

void test_arrays_of_lists_in_a_shape() {
    const std::vector<double> one = {2.5};
    const std::vector<std::vector<int>> lists = {{1, 2, 3}, {4, 5, 6}};
    CHECK(array(one, {}).ndim() == 0 && array({7}, {}).item<int>() == 7 &&
          array({1, 2.5}, {2, 1}).shape() == Dims({2, 1}));
    CHECK(has<int>(array(lists, {3, 2}), {3, 2}, {1, 2, 3, 4, 5, 6}) && RAISES(Value, array(lists, {4})));
    CHECK(has<double>(array({{1, 2.5}, {3, 4}}), {2, 2}, {1, 2.5, 3, 4}));
    CHECK(array({{1.}, {2.}}).shape() == Dims({2, 1}) && array({{1.5}}).shape() == Dims({1, 1}));
    CHECK(array({{{1.}}}).shape() == Dims({1, 1, 1}) && array({{{1.}, {2.}}, {{3.}, {4.}}}).shape() == Dims({2, 2, 1}));
    CHECK(array({{1.f}, {2.f}}).dtype() == DType::float32 && array({1, 2.5f}).dtype() == DType::float64);
    CHECK(has<double>(array({{{1, 2.5}}, {{3, 4}}}), {2, 1, 2}, {1, 2.5, 3, 4}) &&
          array({{1, 2}}).dtype() == DType::int32);
}

void test_what_is_refused() {
    const Array x = arange(3), m = arange(6.).reshape({2, 3}), nine = array(std::vector<int64_t>{9});
    CHECK(RAISES(Value, arange(5, 0, 0)) && RAISES(Value, arange(0, 5, 0)) && RAISES(Value, arange(5., 0., 0.)));
    CHECK(RAISES(Axis, m.transpose({-1, 0})) && RAISES(Axis, m.transpose({0, 7})) && RAISES(Value, m.transpose({0})) &&
          RAISES(Value, m.transpose({0, 0})));
    CHECK(RAISES(Index, insert(x, -4, nine)) && RAISES(Index, insert(x, 50, nine)) &&
          RAISES(Axis, insert(x, 0, nine, 1)));
    CHECK(RAISES(Value, insert(x, {0, 1}, array({1, 2, 3}))) &&
          RAISES(Overflow, insert(zeros(2, DType::int8), 0, 300)));
    CHECK(RAISES(Type, insert(x, array({.5}), 9)) && RAISES(Index, delete_(x, array({.5}))));
    CHECK(RAISES(Value, delete_(x, array({true}))) && RAISES(Axis, delete_(x, 0, 2)) && RAISES(Index, delete_(x, 3)));
    CHECK(RAISES(Axis, median(m, 2)) && RAISES(Value, median(m, {0, 0})) && RAISES(Value, ix_({m})));
    CHECK(RAISES(Value, diag_indices_from(m)) && RAISES(Value, array({1, 2}, {})));
    CHECK(RAISES(Index, order_statistics(x, 0, std::vector<int64_t>{9}, "q")) &&
          RAISES(Type, search_sorted(array({1., 2.}), array({1}), false)));
    const Array edges = linspace(0, 3, 4);
    CHECK(has<int>(histogram(array({.1, .5, 1.5}), &edges, true, nullptr, 3, "h"), {3}, {2, 1, 0}));
    CHECK(RAISES(Type, histogram(array({.1f}), &edges, true, nullptr, 3, "h")) &&
          RAISES(Type, histogram(array({1}), nullptr, true, nullptr, 3, "h")) &&
          RAISES(Value, histogram(array({1.}), &edges, true, nullptr, 4000, "h")));
    const std::vector<PadWidth> widths{{1, 1}};
    const std::vector<Scalar> ends{Scalar::of(DType::int8, int8_t(7)), Scalar::of(DType::float64, 8.5)};
    CHECK(has<double>(pad(ones({2}), widths, PadMode::Constant, ends), {4}, {7, 1, 1, 8.5}));
    CHECK(RAISES(Value, pad(ones({2}), widths, PadMode::Constant, std::span(ends).first(1))));
    const size_t none = 0;
    CHECK(RAISES(Index, x(none - 1)) && RAISES(Index, x(3u)));
    CHECK(has<int>(x(slice({}, {}, INT64_MIN)), {1}, {2}) && x(slice(INT64_MIN, {}, -1)).size() == 0);
    CHECK(array<int>({}).shape() == Dims({0}) && array<double>({{}, {}}).shape() == Dims({2, 0}));
}

void test_named_views() {
    const Array x = arange(6).reshape({2, 3});
    auto view = x(0);
    view = x(1);
    CHECK(has<int>(view, {3}, {3, 4, 5}) && has<int>(x, {2, 3}, {0, 1, 2, 3, 4, 5}), "the name goes to another view");
    view = x + 1;
    CHECK(view.shape() == x.shape());
    x(0)(0) = x(0)(1) = 7;
    CHECK(has<int>(x, {2, 3}, {7, 7, 2, 3, 4, 5}));
    const auto large = x(x > 4);
    CHECK(large.size() == 3 && large.shape() == Dims({3}) && large.dtype() == DType::int64 &&
          large.to_vector<int>() == std::vector<int>({7, 7, 5}) && x(x == 2).item<int>() == 2);
}

void test_a_scope_that_fails() {
    Array waits;  // at the end of the scope
    const auto fail = [&](bool early) {
        FuseScope fused;
        waits = broadcast_to(array(1.), {int64_t(1) << 46}) + 1.0;
        if (early) throw std::runtime_error("mine");
    };
    CHECK(RAISES(Memory, fail(false)));
    try {
        fail(true);
        CHECK(false);
    } catch (const std::runtime_error& error) { CHECK(std::string(error.what()) == "mine"); }
    CHECK(!is_deferring() && (array({1.}) + 1.0).item<double>() == 2);
}

void test_scopes() {
    const Array x = array({1., 2.});
    Array y;
    {
        FuseScope fused;
        y = exp(x) * 2.0 + 1.0;
        CHECK(y.is_pending() && is_deferring());
        EagerScope now;
        CHECK(sum(x).item<double>() == 3);
    }
    CHECK(!is_deferring());
    CHECK(y.to_vector<double>() == (exp(x) * 2.0 + 1.0).to_vector<double>(), "the same bits");
}

void test_random() {  // the first numbers of numpy.random.default_rng(42), and of a seed of 64 bits
    Generator rng(42);
    CHECK(has<double>(rng.random({2}), {2}, {0.7739560485559633, 0.4388784397520523}));
    CHECK(has<double>(rng.normal(1, 2, {2}), {2}, {2.5009023916129145, 2.8811294327824277}));
    CHECK(has<int64_t>(rng.integers(-5, 5, {4}), {4}, {-3, -5, 0, 4}));
    CHECK(has<double>(rng.exponential(2, {1}), {1}, {2.819921388515147}) &&
          has<double>(rng.uniform(1, 3, {1}), {1}, {2.5721286105539076}));
    CHECK(has<float>(rng.random({2}, DType::float32), {2}, {0.51322657f, 0.12811363f}));
    CHECK(has<float>(rng.standard_normal({1}, DType::float32), {1}, {-1.1877912f}));
    CHECK(has<int>(rng.integers(3, 4, {2}, DType::int8), {2}, {3, 3}) &&
          Generator(1ull << 40).random({1}).item<double>() == 0.3608095734199638);
    CHECK(has<int>(rng.integers(-100, 100, {2}, DType::int8), {2}, {-2, -41}));
    rng = Generator(7);
    CHECK(has<double>(rng.standard_exponential({1}), {1}, {0.7075292557919215}) &&
          has<float>(rng.standard_exponential({1}, DType::float32), {1}, {0.7230133f}));
    CHECK(has<double>(rng.standard_gamma(2.5, {1}), {1}, {1.787678811970317}) &&
          has<float>(rng.standard_gamma(0.5, {1}, DType::float32), {1}, {1.666625f}));
    CHECK(has<double>(rng.gamma(2.5, 3, {1}), {1}, {3.030761060322566}) &&
          has<double>(rng.chisquare(3, {1}), {1}, {6.591068808965961}) &&
          has<double>(rng.f(3, 7, {1}), {1}, {0.3741775923454267}));
    CHECK(has<double>(rng.gumbel(1, 2, {1}), {1}, {2.0589140210638046}) &&
          has<double>(rng.laplace(1, 2, {1}), {1}, {1.018276287722799}) &&
          has<double>(rng.logistic(1, 2, {1}), {1}, {1.4296232749348343}));
    CHECK(has<double>(rng.lognormal(0, 1, {1}), {1}, {0.26074442987006247}) &&
          has<double>(rng.pareto(3, {1}), {1}, {0.839366894328511}) &&
          has<double>(rng.power(3, {1}), {1}, {0.9854283670120852}) &&
          has<double>(rng.rayleigh(2, {1}), {1}, {2.426284853264013}));
    CHECK(has<double>(rng.standard_cauchy({1}), {1}, {0.1854840693603862}) &&
          has<double>(rng.standard_t(4, {1}), {1}, {0.2799865465796718}) &&
          has<double>(rng.triangular(0, 1, 3, {1}), {1}, {1.2103732657204003}) &&
          has<double>(rng.weibull(2, {1}), {1}, {1.481878808187391}));
    CHECK(has<double>(rng.gamma(0, 3, {2}), {2}, {0, 0}) && has<double>(rng.weibull(0, {1}), {1}, {0}));
    CHECK(RAISES(Value, rng.gamma(-1, 1, {1})) && RAISES(Value, rng.chisquare(0, {1})) &&
          RAISES(Value, rng.triangular(1, 0, 3, {1})) && RAISES(Type, rng.standard_gamma(1, {1}, DType::float16)));
    CHECK(RAISES(Value, rng.normal(0, -1, {1})) && RAISES(Value, rng.integers(3, 3, {1})) &&
          RAISES(Value, rng.uniform(2, 1, {1})));
    CHECK(RAISES(Value, rng.integers(0, 300, {1}, DType::uint8)) && RAISES(Type, rng.random({1}, DType::int8)));
    CHECK(RAISES(Value, rng.integers(-1, 3, {1}, DType::uint64)) &&
          RAISES(Type, rng.integers(0, 3, {1}, DType::float64)));
}

void test_text() {
    CHECK(text(array({1., 2.5})) == "array([1. , 2.5])" && text(array({1, -20})) == "array([  1, -20], dtype=int32)");
    CHECK(text(zeros({0, 3})) == "array([], shape=(0, 3), dtype=float64)" &&
          text(array(2.5f)) == "array(2.5, dtype=float32)");
    CHECK(text(zeros({2, 3}).shape()) == "(2, 3)" && text(array({{true, false}})) == "array([[ True, False]])");
}

}  // namespace

int main() {
    test_arrays_of_numbers();
    test_ranges_of_numbers();
    test_single_integers();
    test_lists_in_braces();
    test_scattered_numbers();
    test_numpys_names();
    test_operators();
    test_in_place();
    test_indices();
    test_reductions();
    test_numbers_in_functions();
    test_arguments_with_a_name();
    test_empty_handles();
    test_truth();
    test_numbers_for_arrays();
    test_numbers_of_any_type();
    test_editing();
    test_statistics();
    test_coordinates_of_axes();
    test_arrays_of_lists_in_a_shape();
    test_what_is_refused();
    test_named_views();
    test_a_scope_that_fails();
    test_scopes();
    test_random();
    test_text();
}
