// test_diagonals.cpp -- each function of diagonals.h, triangles.h and interpolation.h from C++, with its options.
#include "../core/check.h"
#include "cuarray/ops/diagonals.h"
#include "cuarray/ops/interpolation.h"
#include "cuarray/ops/triangles.h"
#include "values.h"

using namespace cuarray;

namespace {

bool is_number(const ArrayOrNumber& result, double number) {
    const auto* const scalar = std::get_if<Scalar>(&result);
    return scalar && convert(*scalar, DType::float64) == Scalar::of(DType::float64, number);
}

void test_diagonals() {
    const Array x = counted({2, 3}), cube = counted({2, 2, 2}), v = counted({2});
    CHECK(holds(diagonal(x), {2}, {0, 4}) && holds(diagonal(x, 1), {2}, {1, 5}) && holds(diagonal(x, -1), {1}, {3}));
    CHECK(diagonal(x, 9).shape() == (Dims{0}) && !diagonal(x).is_writable() && diagonal(x).data() == x.data());
    CHECK(holds(diagonal(cube, 0, 1, -1), {2, 2}, {0, 3, 4, 7}) && RAISES(Value, diagonal(x, 0, 1, 1)));
    CHECK(RAISES(Value, diagonal(v)) && RAISES(Axis, diagonal(x, 0, 0, 2)));
    CHECK(is_number(trace(x), 4) && is_number(trace(x, 1), 6) && is_number(trace(x, 0, 1, 0), 4));
    const ArrayOrNumber narrow = trace(x, 0, 0, 1, DType::float32);
    CHECK(std::get<Array>(narrow).dtype() == DType::float32);
    Array out = empty({2}, DType::int64, Device{});
    trace(cube, 0, 0, 1, DType::none, &out);
    CHECK(holds(out, {2}, {6, 8}));
    CHECK(holds(diag(v), {2, 2}, {0, 0, 0, 1}) && holds(diag(v, -1), {3, 3}, {0, 0, 0, 0, 0, 0, 0, 1, 0}));
    CHECK(holds(diag(x, 2), {1}, {2}) && RAISES(Value, diag(cube)) && RAISES(Value, diag(v, INT64_MIN)));
    CHECK(holds(diagflat(counted({1, 2}), 1), {3, 3}, {0, 0, 0, 0, 0, 1, 0, 0, 0}));
}

void test_triangles() {
    const Array x = counted({2, 3}), v = counted({2});
    CHECK(holds(tril(x), {2, 3}, {0, 0, 0, 3, 4, 0}) && holds(tril(x, 1), {2, 3}, {0, 1, 0, 3, 4, 5}));
    CHECK(holds(triu(x), {2, 3}, {0, 1, 2, 0, 4, 5}) && holds(triu(x, -9), {2, 3}, {0, 1, 2, 3, 4, 5}));
    CHECK(holds(triu(v), {2, 2}, {0, 1, 0, 1}) && holds(tril(v, INT64_MIN), {2, 2}, {0, 0, 0, 0}));
    CHECK(RAISES(Value, tril(counted({}))) && RAISES(Value, triu(counted({}))));
}

void test_interpolation() {
    const Array xp = doubles({0, 1, 3}), fp = doubles({2, 4, 0}), x = doubles({-1, 0.5, 2, 9});
    const Scalar minus_one = Scalar::of(DType::float64, -1.0), nine = Scalar::of(DType::float64, 9.0),
                 two = Scalar::of(DType::int64, int64_t(2));
    CHECK(holds<double>(std::get<Array>(interp(x, xp, fp)), {4}, {2, 3, 2, 0}));
    CHECK(holds<double>(std::get<Array>(interp(x, xp, fp, minus_one, nine)), {4}, {-1, 3, 2, 9}));
    CHECK(is_number(interp(two, xp, fp), 2) && is_number(interp(minus_one, xp, fp, nine), 9));
    CHECK(holds<double>(std::get<Array>(interp(doubles({-0.5}), doubles({1, 0}), doubles({4, 2}), {}, {}, two)), {1},
                        {3}));
    CHECK(RAISES(Value, interp(x, xp, x)) && RAISES(Type, interp(x, xp, fp, Scalar::of(DType::complex128, 1.0))));
}

}  // namespace

int main() {
    test_diagonals();
    test_triangles();
    test_interpolation();
}
