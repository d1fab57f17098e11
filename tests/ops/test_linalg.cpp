// test_linalg.cpp -- each function of linalg.h and products.h from C++, with its options.
#include <cmath>
#include "../core/check.h"
#include "cuarray/ops/linalg.h"
#include "cuarray/ops/matmul.h"
#include "cuarray/ops/products.h"
#include "cuarray/ops/shaping.h"
#include "values.h"

using namespace cuarray;

namespace {

Array matrix(const std::vector<double>& values, int64_t columns) {
    return doubles(values).reshape({int64_t(values.size()) / columns, columns});
}

/// Whether the elements differ by rounding errors only.
bool agrees(const Array& array, const Dims& shape, const std::vector<double>& wanted) {
    std::vector<double> found(size_t(array.size()));
    read_contiguous(astype(array, DType::float64), found.data());
    bool is_good = array.shape() == shape && found.size() == wanted.size();
    for (size_t i = 0; is_good && i < found.size(); ++i) is_good = std::fabs(found[i] - wanted[i]) < 1e-12;
    return is_good;
}

Array product(const Array& a, const Array& b) { return matmul(a, b); }

void test_equations() {
    const Array a = matrix({4, 2, 2, 5}, 2), stack = matrix({4, 2, 2, 5, 1, 0, 0, 2}, 2).reshape({2, 2, 2});
    CHECK(agrees(linalg::det(a), {}, {16}) && agrees(linalg::det(stack), {2}, {16, 2}));
    CHECK(agrees(linalg::inv(stack), {2, 2, 2}, {.3125, -.125, -.125, .25, 1, 0, 0, .5}));
    CHECK(agrees(linalg::solve(a, doubles({8, 12})), {2}, {1, 2}));
    CHECK(agrees(linalg::solve(stack, matrix({8, 12}, 1)), {2, 2, 1}, {1, 2, 8, 6}));
    CHECK(agrees(linalg::solve(stack, doubles({8, 12})), {2, 2}, {1, 2, 8, 6}));
    CHECK(agrees(linalg::cholesky(a), {2, 2}, {2, 0, 1, 2}) && agrees(linalg::cholesky(a, true), {2, 2}, {2, 1, 0, 2}));
    const linalg::SlogdetResult found = linalg::slogdet(a);
    CHECK(agrees(found.sign, {}, {1}) && agrees(found.logabsdet, {}, {std::log(16.0)}));
    CHECK(linalg::inv(astype(a, DType::float32)).dtype() == DType::float32);
    CHECK(linalg::det(counted({2, 2})).dtype() == DType::float64 && agrees(linalg::det(counted({0, 0})), {}, {1}));
    CHECK(RAISES(LinAlg, linalg::inv(matrix({1, 1, 1, 1}, 2))) && RAISES(LinAlg, linalg::inv(doubles({1, 2}))));
    CHECK(RAISES(LinAlg, linalg::cholesky(matrix({0, 1, 1, 0}, 2))) && RAISES(LinAlg, linalg::det(counted({2, 3}))));
    CHECK(RAISES(Value, linalg::solve(a, doubles({1, 2, 3}))) && RAISES(Type, linalg::inv(astype(a, DType::float16))));
}

void test_factors() {
    const Array a = matrix({2, 1, 1, 2}, 2), tall = matrix({3, 1, 4, 2, 0, 1}, 2), wide = matrix_transpose(tall);
    const linalg::EighResult pairs = linalg::eigh(a), upper = linalg::eigh(a, linalg::Triangle::Upper);
    CHECK(agrees(pairs.eigenvalues, {2}, {1, 3}) && agrees(upper.eigenvalues, {2}, {1, 3}));
    CHECK(agrees(product(a, pairs.eigenvectors), {2, 2}, [&] {
        std::vector<double> v(4);
        read_contiguous(pairs.eigenvectors, v.data());
        return std::vector<double>{v[0], 3 * v[1], v[2], 3 * v[3]};
    }()));
    CHECK(agrees(linalg::eigvalsh(a), {2}, {1, 3}) && linalg::eigvals(a).dtype() == DType::complex128);
    CHECK(linalg::eig(a).eigenvectors.dtype() == DType::complex128);
    for (const Array& x : {tall, wide})
        for (const linalg::QRMode mode : {linalg::QRMode::Reduced, linalg::QRMode::Complete}) {
            const linalg::QRResult qr = linalg::qr(x, mode);
            std::vector<double> elements(6);
            read_contiguous(x, elements.data());
            CHECK(agrees(product(qr.Q, qr.R), x.shape(), elements));
        }
    CHECK(linalg::qr(tall, linalg::QRMode::Complete).Q.shape() == (Dims{3, 3}));
    CHECK(!linalg::qr(tall, linalg::QRMode::R).Q.defined() &&
          linalg::qr(tall, linalg::QRMode::R).R.shape() == (Dims{2, 2}));
    const linalg::QRResult raw = linalg::qr(tall, linalg::QRMode::Raw);
    CHECK(raw.Q.shape() == (Dims{2}) && raw.R.shape() == (Dims{2, 3}));
    const linalg::SVDResult all = linalg::svd(tall), few = linalg::svd(tall, false), own = linalg::svd(a, true, true);
    CHECK(all.U.shape() == (Dims{3, 3}) && few.U.shape() == (Dims{3, 2}) && all.Vh.shape() == (Dims{2, 2}));
    CHECK(agrees(linalg::svdvals(a), {2}, {3, 1}) && agrees(own.S, {2}, {3, 1}) && agrees(all.S, {2}, [&] {
              std::vector<double> s(2);
              read_contiguous(few.S, s.data());
              return s;
          }()));
    CHECK(agrees(linalg::svdvals(a, true), {2}, {3, 1}) && linalg::svd(counted({0, 2})).Vh.shape() == (Dims{2, 2}));
    CHECK(RAISES(LinAlg, linalg::eigvals(matrix({NAN, 0, 0, 1}, 2))) && RAISES(LinAlg, linalg::svd(tall, true, true)));
}

void test_norms() {
    const Array v = doubles({3, -4}), m = matrix({1, -2, 3, 4}, 2);
    CHECK(agrees(linalg::norm(v), {}, {5}) && agrees(linalg::norm(v, 1), {}, {7}) &&
          agrees(linalg::norm(v, HUGE_VAL), {}, {4}) && agrees(linalg::norm(v, -HUGE_VAL), {}, {3}) &&
          agrees(linalg::norm(v, 0), {}, {2}) && agrees(linalg::norm(v, 3), {}, {std::cbrt(91.0)}));
    CHECK(agrees(linalg::norm(m, 1), {}, {6}) && agrees(linalg::norm(m, HUGE_VAL, {}, true), {1, 1}, {7}) &&
          agrees(linalg::norm(m, {}, Axes{1}), {2}, {std::sqrt(5.0), 5}) &&
          agrees(linalg::norm(m, "fro", Axes{1, 0}), {}, {std::sqrt(30.0)}));
    CHECK(agrees(linalg::vector_norm(m, Axes{0}, true, 1), {1, 2}, {4, 6}) &&
          agrees(linalg::vector_norm(m), {}, {std::sqrt(30.0)}) &&
          agrees(linalg::matrix_norm(m), {}, {std::sqrt(30.0)}));
    CHECK(RAISES(Value, linalg::norm(v, "fro")) && RAISES(Value, linalg::norm(m, 3)) &&
          RAISES(Value, linalg::norm(m, 2, Axes{0, 0})) && RAISES(Axis, linalg::norm(m, 2, Axes{2})));
}

void test_products() {
    const Array v = counted({3}), m = counted({2, 3}), cube = counted({2, 2, 3}), two = counted({3}).reshape({3, 1});
    CHECK(holds(dot(v, v), {}, {5}) && holds(dot(m, v), {2}, {5, 14}) && holds(dot(m, two), {2, 1}, {5, 14}));
    CHECK(holds(dot(cube, two), {2, 2, 1}, {5, 14, 23, 32}) && holds(dot(numbers({2}).reshape({}), v), {3}, {0, 2, 4}));
    Array out = empty({2}, DType::int64, Device{}), narrow = empty({2}, DType::int32, Device{});
    dot(m, v, &out);
    CHECK(holds(out, {2}, {5, 14}) && RAISES(Value, dot(m, v, &narrow)) && RAISES(Value, dot(v, m)));
    CHECK(holds(inner(m, v), {2}, {5, 14}) && holds(inner(m, m), {2, 2}, {5, 14, 14, 50}) &&
          RAISES(Value, inner(m, two)));
    CHECK(holds(inner(cube, v), {2, 2}, {5, 14, 23, 32}));
    Array pairs = empty({3, 3}, DType::int64, Device{});
    outer(v, two, &pairs);
    CHECK(holds(pairs, {3, 3}, {0, 0, 0, 0, 1, 2, 0, 2, 4}) && holds(outer(v, v), {3, 3}, {0, 0, 0, 0, 1, 2, 0, 2, 4}));
    CHECK(holds(kron(v, numbers({1, 10})), {6}, {0, 0, 1, 10, 2, 20}) && kron(m, two).shape() == (Dims{6, 3}));
    CHECK(holds(linalg::multi_dot({v, m.transpose({1, 0}), m, two}), {1}, {221}) &&
          holds(linalg::multi_dot({v, v}), {}, {5}));
    linalg::multi_dot({m, m.transpose({1, 0}), numbers({1, 1})}, &out);
    CHECK(holds(out, {2}, {19, 64}) && RAISES(Value, linalg::multi_dot({v})));
    CHECK(RAISES(Value, linalg::multi_dot({m, m})) && RAISES(LinAlg, linalg::multi_dot({v, cube, v})));
    CHECK(holds(vdot(m, m), {}, {55}) && holds(vdot(v, two), {}, {5}) && RAISES(Value, vdot(v, m)));
}

}  // namespace

int main() {
    test_equations();
    test_products();
    try {
        test_factors();
        test_norms();
    } catch (const Error& error) {
        CHECK(error.kind() == ErrorKind::NotImplemented, "%s", error.what());  // a machine without LAPACK
    }
}
