// test_stacked_products.cpp -- products from C++ with their options: matmul, matvec, vecmat, vecdot, inner and
// tensordot.
#include <complex>
#include "../core/check.h"
#include "cuarray/ops/matmul.h"
#include "cuarray/ops/products.h"
#include "cuarray/ops/shaping.h"
#include "values.h"

using namespace cuarray;

namespace {

constexpr DType kAny = DType::none;

Array complex_vector(const std::vector<std::complex<double>>& values) {
    return from_host(values.data(), {int64_t(values.size())}, {16}, DType::complex128, Device{});
}

LoopSignature types(DType first, DType second, DType result) {
    LoopSignature signature;
    signature.types[0] = first, signature.types[1] = second, signature.types[2] = result;
    return signature;
}

void test_shapes() {
    const Array a = counted({2, 3}), v = counted({3}), stack = counted({2, 2, 3});
    CHECK(holds(matmul(a, a.transpose({1, 0}), nullptr), {2, 2}, {5, 14, 14, 50}) &&
          holds(matmul(v, v, nullptr), {}, {5}));
    CHECK(holds(matvec(a, v), {2}, {5, 14}) && holds(matvec(stack, v), {2, 2}, {5, 14, 23, 32}));
    CHECK(holds(matvec(stack, a), {2, 2}, {5, 14, 86, 122}));
    CHECK(holds(vecmat(counted({2}), a), {3}, {3, 4, 5}) &&
          holds(vecmat(counted({2, 2}), a), {2, 3}, {3, 4, 5, 9, 14, 19}));
    CHECK(holds(vecdot(a, v), {2}, {5, 14}) && holds(vecdot(a, a), {2}, {5, 50}) && holds(vecdot(v, v), {}, {5}));
    CHECK(holds(vecdot(stack, a), {2, 2}, {5, 50, 23, 122}) &&
          holds(vecdot(counted({2, 0}), counted({2, 0})), {2}, {0, 0}));
    const Array z = complex_vector({{0, 1}, {2, 0}}), real = astype(vecdot(z, z), DType::float64);
    CHECK(holds<double>(real, {}, {5}) && vecdot(z, z).dtype() == DType::complex128);
    CHECK(holds<double>(astype(vecmat(z, z.reshape({2, 1})), DType::float64), {1}, {5}));
    CHECK(holds<double>(astype(matvec(z.reshape({1, 2}), z), DType::float64), {1}, {3}));
    CHECK(RAISES(Value, matvec(v, v)) && RAISES(Value, matvec(a, counted({2}))) &&
          RAISES(Value, vecdot(v, counted({}))));
    CHECK(RAISES(Value, vecmat(counted({4, 2}), stack.transpose({0, 1, 2}))) &&
          RAISES(Value, matmul(v, counted({}), nullptr)));
}

void test_types() {
    const Array a = counted({2, 2}), b = astype(a, DType::float32);
    CHECK(matmul(a, b, nullptr).dtype() == DType::float64);
    CHECK(vecdot(a, a, {}, Casting::SameKind, 'K', DType::float32).dtype() == DType::float32);
    CHECK(vecdot(b, b, {}, Casting::SameKind, {}, kAny, types(kAny, DType::float64, kAny)).dtype() == DType::float64);
    CHECK(RAISES(Type, vecdot(a, b, {}, Casting::No)));
    CHECK(RAISES(Type, vecdot(b, b, {}, Casting::SameKind, {}, DType::int64)));
    CHECK(RAISES(Type, vecdot(b, b, {}, Casting::SameKind, {}, DType::float32, types(DType::float32, kAny, kAny))));
    CHECK(RAISES(Type, vecdot(b, b, {}, Casting::SameKind, {}, kAny, types(DType::float32, DType::float64, kAny))));
    CHECK(matmul(a, a, nullptr, Casting::SameKind, 'F').strides() == Dims({8, 16}));
    CHECK(matmul(a, a, nullptr, Casting::SameKind, 'C').strides() == Dims({16, 8}));
}

void test_axes() {
    const Array a = counted({2, 3}), b = a.transpose({1, 0});
    const auto by_axes = [](const Array& x1, const Array& x2, const CoreAxes& axes) {
        return matmul(x1, x2, nullptr, Casting::SameKind, {}, kAny, {}, axes);
    };
    CHECK(holds(by_axes(a, b, {Dims{1, 0}, Dims{1, 0}, Dims{0, 1}}), {3, 3}, {9, 12, 15, 12, 17, 22, 15, 22, 29}));
    CHECK(holds(by_axes(a, a, {Dims{0, 1}, Dims{-1, -2}, Dims{1, 0}}), {2, 2}, {5, 14, 14, 50}));
    CHECK(RAISES(Axis, by_axes(a, b, {Dims{0}, Dims{0, 1}, Dims{0, 1}})));
    CHECK(RAISES(Axis, by_axes(a, b, {Dims{0, 2}, Dims{0, 1}, Dims{0, 1}})));
    CHECK(RAISES(Value, by_axes(a, b, {Dims{0, 0}, Dims{0, 1}, Dims{0, 1}})));
    CHECK(RAISES(Value, by_axes(a, b, {Dims{0, 1}, Dims{0, 1}})));
    const auto by_axis = [&](const SingleAxis& axis, bool keepdims) {
        return vecdot(a, a, {}, Casting::SameKind, {}, kAny, {}, {}, axis, keepdims);
    };
    CHECK(holds(by_axis(0, false), {3}, {9, 17, 29}) && holds(by_axis(0, true), {1, 3}, {9, 17, 29}));
    CHECK(holds(by_axis({}, true), {2, 1}, {5, 50}) && RAISES(Axis, by_axis(2, false)));
    const CoreAxes pair{Dims{0}, Dims{0}};
    CHECK(holds(vecdot(a, a, {}, Casting::SameKind, {}, kAny, {}, pair), {3}, {9, 17, 29}));
    CHECK(RAISES(Type, vecdot(a, a, {}, Casting::SameKind, {}, kAny, {}, pair, 0)));
}

void test_contractions() {
    const Array a = counted({2, 3, 2}), b = counted({3, 2}), v = counted({3});
    const auto by = [](const Dims& first, const Dims& second) { return ContractedAxes(first, second); };
    CHECK(holds(tensordot(a, b), {2}, {55, 145}) && holds(tensordot(a, b, by({1, 2}, {0, 1})), {2}, {55, 145}));
    CHECK(holds(tensordot(a, b, by({-1, 1}, {-1, -2})), {2}, {55, 145}));
    const std::vector<int64_t> rows{1, 3, 5, 3, 13, 23, 5, 23, 41, 7, 33, 59, 9, 43, 77, 11, 53, 95};
    CHECK(holds(inner(a, b), {2, 3, 3}, rows) && holds(tensordot(a, b, by({2}, {1})), {2, 3, 3}, rows));
    CHECK(holds(tensordot(v, v, 1), {}, {5}) && holds(tensordot(counted({2}), counted({2}), 0), {2, 2}, {0, 0, 0, 1}));
    CHECK(holds(tensordot(counted({2, 0}), counted({0, 3}), 1), {2, 3}, {0, 0, 0, 0, 0, 0}));
    CHECK(RAISES(Axis, tensordot(v, v, 2)) && RAISES(Axis, tensordot(a, b, by({3}, {0}))));
    CHECK(RAISES(Value, tensordot(a, b, by({0}, {0}))) && RAISES(Value, tensordot(a, a, by({0, 0}, {0, 0}))));
}

void test_outputs() {
    const Array a = counted({2, 3}), v = counted({3});
    Array out = counted({2}), stack = counted({2, 2}), small = astype(counted({2}), DType::int8);
    Array same = matvec(a, v, &out);
    CHECK(holds(out, {2}, {5, 14}) && &same.storage() == &out.storage());
    matvec(a, v, &stack);
    CHECK(holds(stack, {2, 2}, {5, 14, 5, 14}));
    matvec(a, v, &small);
    CHECK(holds(small, {2}, {5, 14}) && RAISES(Type, matvec(a, v, &small, Casting::Safe)));
    matvec(a.reshape({1, 2, 3}), v, &out);
    CHECK(holds(out, {2}, {5, 14}));
    Array turned = counted({3, 3});
    const CoreAxes axes{Dims{1, 0}, Dims{0, 1}, Dims{1, 0}};
    matmul(a, a, &turned, Casting::SameKind, {}, kAny, {}, axes);
    CHECK(holds(turned, {3, 3}, {9, 12, 15, 12, 17, 22, 15, 22, 29}));
    Array wrong = counted({3}), number = counted({}), locked = out.view(out.layout());
    locked.set_read_only();
    CHECK(RAISES(Value, matvec(a, v, &wrong)) && RAISES(Value, matvec(a, v, &number)));
    CHECK(RAISES(Value, matvec(a, v, &locked)));
}

}  // namespace

int main() {
    test_shapes();
    test_types();
    test_axes();
    test_contractions();
    test_outputs();
}
