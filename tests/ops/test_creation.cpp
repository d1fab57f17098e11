// test_creation.cpp -- each function of creation.h from C++, with its options.
#include "../core/check.h"
#include "cuarray/ops/creation.h"
#include "values.h"

using namespace cuarray;

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

}  // namespace

int main() {
    test_one_value();
    test_like();
}
