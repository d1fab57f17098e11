// test_creation.cpp -- each function of creation.h from C++, with its options.
#include <cmath>
#include "../core/check.h"
#include "cuarray/ops/creation.h"
#include "cuarray/ops/geometric.h"
#include "values.h"

using namespace cuarray;
using functions::linspace;

namespace {

const Weak kSeven{Weak::Kind::Int, 0, false, 7, 7, 0};

void test_one_value() {
    CHECK(empty({2, 3}).shape() == (Dims{2, 3}) && empty({2, 3}).dtype() == DType::float64);
    CHECK(empty({2, 3}, DType::int8, 'F').strides() == (Dims{1, 2}) && empty({}, DType::none).size() == 1);
    CHECK(empty({2}, DType::int8, 'C', Device{}, MemoryKind::Direct).nbytes() == 2);
    CHECK(holds<double>(zeros({3}), {3}, {0, 0, 0}) && holds(zeros({2}, DType::int16), {2}, {0, 0}));
    CHECK(zeros({2, 3}, DType::int8, 'F', Device{}).is_f_contiguous());
    CHECK(holds(ones({2, 1}, DType::uint8), {2, 1}, {1, 1}) && ones({0}).is_empty());
    CHECK(holds(ones({2}, DType::int32, 'C', {}, MemoryKind::Direct), {2}, {1, 1}));
    CHECK(holds(full({2}, kSeven), {2}, {7, 7}) && full({2}, kSeven).dtype() == DType::int64);
    CHECK(holds<double>(full({2}, Scalar::of(DType::float32, 0.5f)), {2}, {0.5, 0.5}));
    CHECK(holds(full({2, 2}, numbers({3, 4}), DType::int8, 'F'), {2, 2}, {3, 4, 3, 4}));
    CHECK(full({1 << 11}, kSeven, DType::uint8).size() == 1 << 11 &&
          full({}, Scalar::of(DType::bool_, true)).dtype() == DType::bool_);
    CHECK(RAISES(Value, zeros({-1})) && RAISES(Value, empty({2}, DType::int8, 'K')) &&
          RAISES(Value, full({3}, numbers({1, 2}))));
    const Weak large{Weak::Kind::Int, 0, false, 300, 300, 0}, half{Weak::Kind::Float, 0, false, 0, 2.5, 0};
    CHECK(RAISES(Overflow, full({2}, large, DType::uint8)) && holds(full({1}, half, DType::int8), {1}, {2}));
}

void test_like() {
    const Array x = counted({2, 3}), turned = x.transpose({1, 0});
    CHECK(empty_like(turned).strides() == turned.strides() && empty_like(turned, DType::none, 'C').is_c_contiguous());
    CHECK(empty_like(x, DType::int8, 'F').is_f_contiguous() && empty_like(x).dtype() == DType::int64);
    CHECK(holds(zeros_like(x, DType::none, {}, Dims{2}), {2}, {0, 0}) && zeros_like(x, DType::bool_).size() == 6);
    CHECK(zeros_like(x, DType::none, 'F', Dims{2, 2}, Device{}).is_f_contiguous());
    CHECK(holds<double>(ones_like(x, DType::float32, {}, Dims{2}), {2}, {1, 1}));
    CHECK(holds(full_like(x, numbers({1, 2, 3})), {2, 3}, {1, 2, 3, 1, 2, 3}));
    CHECK(holds(full_like(x, kSeven, DType::int8, 'F', Dims{1}), {1}, {7}) &&
          RAISES(Value, empty_like(x, DType::none, 'X')));
}

void test_matrices() {
    CHECK(holds(eye(2, 3, 1, DType::int64), {2, 3}, {0, 1, 0, 0, 0, 1}) && eye(2).dtype() == DType::float64);
    CHECK(holds(eye(3, 2, -1, DType::int8, 'F', Device{}), {3, 2}, {0, 0, 1, 0, 0, 1}) && RAISES(Value, eye(-1)));
    CHECK(holds(eye(2, {}, 2), {2, 2}, {0, 0, 0, 0}) && holds(eye(2, {}, INT64_MIN), {2, 2}, {0, 0, 0, 0}));
    CHECK(holds(identity(2, DType::uint8), {2, 2}, {1, 0, 0, 1}) && identity(40).size() == 1600);
    CHECK(holds(tri(2, 3, 1, DType::int64), {2, 3}, {1, 1, 0, 1, 1, 1}) && tri(-1, 2).shape() == (Dims{0, 2}));
}

void test_arange() {
    CHECK(holds(arange(3), {3}, {0, 1, 2}) && holds(arange(1, 6, 2), {3}, {1, 3, 5}));
    CHECK(holds<double>(arange(0.0, 1.0, 0.25), {4}, {0, 0.25, 0.5, 0.75}) && arange(5, 2).is_empty());
    CHECK(arange(3, {}, {}, DType::float32, Device{}).dtype() == DType::float32 && RAISES(Type, arange({})));
    CHECK(arange(std::complex<double>(2, 1)).dtype() == DType::complex128);
    CHECK(holds(arange(INT64_MAX - 1, INT64_MAX), {1}, {INT64_MAX - 1}) && holds(arange(3, -3, -4), {2}, {3, -1}));
    CHECK(RAISES(Overflow, arange(0, 500, 300, DType::uint8)) && RAISES(Value, arange(0.0, HUGE_VAL)));
    CHECK(RAISES(Type, arange(3, {}, {}, DType::bool_)) && arange(2, {}, {}, DType::bool_).size() == 2);
}

Array only(const std::vector<ArrayOrNumber>& results) { return std::get<Array>(results[0]); }

void test_linspace() {
    const Weak zero{Weak::Kind::Int, 0, false, 0, 0, 0}, ten{Weak::Kind::Int, 0, false, 10, 10, 0};
    CHECK(holds<double>(only(linspace(zero, ten, 3)), {3}, {0, 5, 10}) && only(linspace(zero, ten)).size() == 50);
    CHECK(holds<double>(only(linspace(zero, ten, 2, false)), {2}, {0, 5}) && RAISES(Value, linspace(zero, ten, -1)));
    CHECK(std::get<Scalar>(linspace(zero, ten, 3, true, true)[1]) == Scalar::of(DType::float64, 5.0));
    CHECK(holds(only(linspace(zero, ten, 4, true, false, DType::int32)), {4}, {0, 3, 6, 10}));
    const Array ends = doubles({10, 20});
    CHECK(holds<double>(only(linspace(zero, ends, 3)), {3, 2}, {0, 0, 5, 10, 10, 20}));
    CHECK(holds<double>(only(linspace(zero, ends, 3, true, false, DType::none, 1)), {2, 3}, {0, 5, 10, 0, 10, 20}));
    CHECK(RAISES(Axis, linspace(zero, ten, 3, true, false, DType::none, 1, Device{})));
    CHECK(only(linspace(zero, ten, 5000)).size() == 5000 && only(linspace(zero, ten, 0)).is_empty());
}

void test_geometric() {
    const Weak zero = PlainNumber(0).value, one = PlainNumber(1).value, two = PlainNumber(2).value,
               eight = PlainNumber(8).value, minus = PlainNumber(-1).value;
    const Array ends = doubles({1, 2}), bases = doubles({2, 10});
    CHECK(holds<double>(logspace(zero, two, 3), {3}, {1, 10, 100}));
    CHECK(holds<double>(logspace(zero, two, 2, false, two), {2}, {1, 2}) && logspace(zero, two).size() == 50);
    CHECK(logspace(zero, two, 3, true, two, DType::float32).dtype() == DType::float32);
    CHECK(holds<double>(logspace(zero, ends, 2, true, two, DType::none, 1), {2, 2}, {1, 2, 1, 4}));
    CHECK(holds<double>(logspace(one, two, 2, true, bases, DType::none, -1, Device{}), {2, 2}, {2, 4, 10, 100}));
    CHECK(RAISES(Value, logspace(zero, two, -1)) && RAISES(Axis, logspace(zero, two, 3, true, two, DType::none, 1)));
    CHECK(holds<double>(geomspace(one, eight, 2), {2}, {1, 8}) &&
          holds<double>(geomspace(one, eight, 1, false), {1}, {1}));
    CHECK(holds<double>(geomspace(minus, PlainNumber(-100).value, 3), {3}, {-1, -10, -100}));
    CHECK(holds<double>(geomspace(ends, PlainNumber(100).value, 2, true, DType::none, 1), {2, 2}, {1, 100, 2, 100}));
    CHECK(geomspace(one, eight, 4, true, DType::float32).dtype() == DType::float32);
    CHECK(geomspace(one, eight, 4, true, DType::complex64, 0, Device{}).dtype() == DType::complex64);
    CHECK(holds(vander(numbers({2, 3}), 3), {2, 3}, {4, 2, 1, 9, 3, 1}) && holds(vander(numbers({5})), {1, 1}, {1}));
    CHECK(holds(vander(numbers({2, 3}), 4, true), {2, 4}, {1, 2, 4, 8, 1, 3, 9, 27}) &&
          RAISES(Value, vander(numbers({2}), -1)) && RAISES(Value, vander(ends.reshape({2, 1}))));
    CHECK(RAISES(Value, geomspace(zero, eight)) && RAISES(Value, geomspace(one, eight, -1)));
}

}  // namespace

int main() {
    test_geometric();
    test_one_value();
    test_like();
    test_matrices();
    test_arange();
    test_linspace();
}
