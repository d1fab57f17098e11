// test_fft.cpp -- Fourier transforms from C++, against sums over all points.
#include <cmath>
#include <complex>
#include <numbers>
#include <vector>
#include "../core/check.h"
#include "cuarray/cuarray.h"

using namespace cuarray;
using Numbers = std::vector<std::complex<double>>;

namespace {

/// The sums of exp(sign * 2j * pi * j * k / n) * line[j].
Numbers summed(const Numbers& line, double sign = -1) {
    const size_t n = line.size();
    Numbers result(n);
    for (size_t k = 0; k < n; ++k)
        for (size_t j = 0; j < n; ++j)
            result[k] += line[j] * std::polar(1., sign * 2 * std::numbers::pi * double(j * k % n) / double(n));
    return result;
}

Numbers drawn(size_t n) {
    Numbers line;
    for (size_t i = 0; i < n; ++i) line.emplace_back(std::sin(1.7 * double(i) + .3), std::cos(2.9 * double(i)));
    return line;
}

bool near(const Array& array, const Dims& shape, const Numbers& want, double tolerance = 1e-12) {
    if (!(array.shape() == shape)) return false;
    const Numbers got = array.to_vector<std::complex<double>>();
    for (size_t i = 0; i < want.size(); ++i)
        if (!(std::abs(got[i] - want[i]) <= tolerance * double(want.size()))) return false;
    return got.size() == want.size();
}

bool near(const Array& got, const Array& want, double tolerance = 1e-12) {
    return near(got, want.shape(), want.to_vector<std::complex<double>>(), tolerance);
}

void test_one_axis() {
    for (const size_t n : {1, 2, 5, 8, 12, 97}) {
        const int64_t count = int64_t(n);
        const Numbers line = drawn(n);
        const Array x = array(line);
        CHECK(near(fft::fft(x), {count}, summed(line)) && near(fft::ifft(fft::fft(x)), x));
        CHECK(near(fft::fft(x, {}, 0, fft::Norm::Forward) * double(n), {count}, summed(line)));
        CHECK(near(fft::ifft(x, {}, -1, fft::Norm::Forward), {count}, summed(line, 1)));
        CHECK(near(fft::fft(x, {}, -1, fft::Norm::Ortho) * std::sqrt(double(n)), {count}, summed(line)));
        const Array r = real(x), half = fft::rfft(r);
        CHECK(near(half, fft::fft(r)(slice(count / 2 + 1))) && half.dtype() == DType::complex128);
        CHECK(near(fft::irfft(half, count), r) && fft::irfft(half, count).dtype() == DType::float64);
        CHECK(near(fft::hfft(fft::ihfft(r), count), r) && near(fft::ihfft(r), conj(half) / double(n)));
        CHECK(near(fft::fft(x, count + 3), fft::fft(concat({x, zeros(3, DType::complex128)}))));
        CHECK(near(fft::fft(astype(x, DType::complex64)), {count}, summed(line), 1e-5));
    }
    const Array single = fft::rfft(arange(8., 0., -1., DType::float32));
    CHECK(single.dtype() == DType::complex64 && fft::irfft(single).dtype() == DType::float32);
    CHECK(fft::fft(arange(4)).dtype() == DType::complex128 && fft::fft(zeros(3, DType::bool_)).shape() == Dims{3});
    CHECK(fft::irfft(fft::rfft(ones(6, DType::float16))).dtype() == DType::float32);
    CHECK(fft::irfft(ones(4, DType::float16)).dtype() == DType::float16);
}

void test_several_axes() {
    const Array x = array(drawn(60)).reshape({3, 4, 5}), r = real(x);
    const Array each = fft::fft(fft::fft(fft::fft(x, {}, 2), {}, 1), {}, 0);
    CHECK(near(fft::fftn(x), each) && near(fft::ifftn(each), x) &&
          near(fft::fftn(x.transpose({2, 0, 1})), each.transpose({2, 0, 1})));
    CHECK(near(fft::fft2(x), fft::fft(fft::fft(x, {}, 2), {}, 1)) && near(fft::ifft2(fft::fft2(x)), x));
    CHECK(near(fft::rfftn(r), fft::fftn(r)(ellipsis, slice(3))) && near(fft::irfftn(fft::rfftn(r), {3, 4, 5}), r));
    CHECK(near(fft::rfft2(r, {2, 6}, {0, 1}), fft::fft(fft::rfft(r, 6, 1), 2, 0)));
    CHECK(near(fft::irfft2(fft::rfft2(r), {4, 5}), r) && fft::irfftn(fft::rfftn(r)).shape() == Dims({3, 4, 4}));
    CHECK(near(fft::fftn(x, {4}, {1}), fft::fft(x, {}, 1)) &&
          near(fft::fft(x(slice({}, {}, -1)), {}, 1)(0), fft::fft(x(2), {}, 0)));
    const Array many = ones({2, 2, 2, 2, 2}) + 0. * zeros(2, DType::complex128);
    CHECK(fft::fftn(many)(0, 0, 0, 0, 0).item<double>() == 32 && near(fft::ifftn(fft::fftn(many)), many));
    const Array before = copy(x);
    fft::irfft(x, 8, 0), fft::ifftn(x);
    CHECK(near(x, before, 0) && fft::fft(zeros({0, 4})).shape() == Dims({0, 4}));
    for (const int64_t rows : {2, 66, 131}) {
        const Array same = fft::fft(broadcast_to(array(drawn(1000)), {rows, 1000}));
        CHECK(bool(all(same == same(0))) && bool(all(fft::fft(array(drawn(1000))) == same(rows - 1))));
    }
    const Array large = array(drawn(40000)).reshape({400, 100});
    CHECK(near(fft::fft(large)(399), fft::fft(large(399))) && near(fft::ifft2(fft::fft2(large)), large));
}

void test_frequencies() {
    CHECK(fft::fftfreq(5, .1).to_vector<double>() == (std::vector<double>{0, 2, 4, -4, -2}));
    CHECK(fft::fftfreq(4).to_vector<double>() == (std::vector<double>{0, .25, -.5, -.25}));
    CHECK(fft::rfftfreq(5, .5).to_vector<double>() == (std::vector<double>{0, .4, .8}));
    const Array x = arange(6).reshape({2, 3});
    CHECK(fft::fftshift(x).to_vector<int>() == (std::vector<int>{5, 3, 4, 2, 0, 1}));
    CHECK(fft::fftshift(x, 1).to_vector<int>() == (std::vector<int>{2, 0, 1, 5, 3, 4}));
    CHECK(fft::ifftshift(fft::fftshift(x)).to_vector<int>() == x.to_vector<int>());
}

void test_what_is_refused() {
    const Array x = ones({2, 3});
    CHECK(RAISES(Value, fft::fft(x, 0)) && RAISES(Axis, fft::fft(x, {}, 2)) && RAISES(Value, fft::irfft(ones(1))));
    CHECK(RAISES(Type, fft::rfft(x + 0. * zeros(3, DType::complex64))) &&
          RAISES(Type, fft::fft(ones(3, DType::bfloat16))));
    CHECK(RAISES(Value, fft::fftn(x, {2}, {0, 1})) && RAISES(Axis, fft::rfftn(ones({}))) &&
          RAISES(Value, fft::fftfreq(0)));
    CHECK(fft::fftn(ones({})).ndim() == 0);
}

}  // namespace

int main() {
    test_one_axis();
    test_several_axes();
    test_frequencies();
    test_what_is_refused();
}
