// test_fold.cpp -- the fold order of reduce.h against a second implementation of its rules; results of rows.
#include <cmath>
#include <random>
#include <vector>

#include "../core/check.h"
#include "cuarray/kernel/reduce.h"
#include "scalar_math.h"

using namespace cuarray;

namespace {

std::mt19937_64 rng(11);

/// The tree of neighbours, level by level; an absent right neighbour leaves the left one as it is.
template <class R>
typename R::A tree(std::vector<typename R::A> nodes) {
    while (nodes.size() > 1) {
        std::vector<typename R::A> next;
        for (size_t j = 0; j < nodes.size(); j += 2)
            next.push_back(j + 1 < nodes.size() ? R::combine(nodes[j], nodes[j + 1]) : nodes[j]);
        nodes = next;
    }
    return nodes[0];
}

/// The rules of the fold order, element by element, without the library's own code.
template <class R, class T>
typename R::A rules(const std::vector<T>& x) {
    using A = typename R::A;
    std::vector<A> chunks;
    for (size_t chunk = 0; chunk < x.size(); chunk += 16384) {
        const size_t end = std::min(x.size(), chunk + 16384);
        std::vector<std::vector<A>> lanes(16);
        for (size_t leaf = chunk; leaf < end; leaf += 256) {
            for (size_t lane = 0; lane < 16; ++lane) {
                bool any = false;
                A a{};
                for (size_t i = leaf; i < std::min(end, leaf + 256); ++i) {
                    if (i % 16 != lane) continue;
                    a = any ? R::combine(a, R::map(x[i], i64(i))) : R::map(x[i], i64(i));
                    any = true;
                }
                if (any) lanes[lane].push_back(a);
            }
        }
        std::vector<A> folded;
        for (const auto& lane : lanes)
            if (!lane.empty()) folded.push_back(tree<R>(lane));
        for (size_t d = 8; d > 0; d /= 2)
            for (size_t l = 0; l < d; ++l)
                if (l + d < folded.size()) folded[l] = R::combine(folded[l], folded[l + d]);
        chunks.push_back(folded[0]);
    }
    return tree<R>(chunks);
}

template <class R, class T>
auto fold(const std::vector<T>& x) {
    return kernel::fold<R>([&](i64 i) { return x[size_t(i)]; }, i64(x.size()));
}

/// Sums whose bits show the order in which they were added.
void test_order() {
    using Sum = red::sum<f32>;
    for (size_t n : {1,    2,    15,    16,    17,    31,    255,   256,   257,   300,   511,   512,   513,
                     1000, 4096, 16383, 16384, 16385, 16400, 16640, 16641, 40000, 49152, 65536, 65537, 100000}) {
        std::vector<f32> x(n);
        for (f32& v : x) v = std::ldexp(f32(rng() % 65536) - 32768, int(rng() % 40) - 20);
        CHECK(bits_of(fold<Sum>(x)) == bits_of(rules<Sum>(x)), "%zu elements", n);
        std::vector<f16> h(n);
        for (f16& v : h) v = cast<f16>(f32(rng() % 1000) / 7);
        CHECK(bits_of(fold<red::mean<f16>>(h)) == bits_of(rules<red::mean<f16>>(h)), "%zu elements", n);
    }
}

void test_accuracy() {
    const i64 n = i64(1) << 24;
    const f32 sum = kernel::fold<red::sum<f32>>([](i64) { return 0.1f; }, n);
    CHECK(std::fabs(f64(sum) - 0.1f * f64(n)) <= 4 * 0.125, "%.9g", f64(sum));
}

template <template <class> class Row, class T>
auto reduce(std::vector<T> x) {
    return Row<T>::finish(fold<Row<T>>(x), i64(x.size()));
}

void test_rows() {
    const f64 nan = quiet_nan<f64>(), inf = infinity<f64>();
    CHECK(reduce<red::argmax>(std::vector<f64>{1, 3, 3, 2}) == 1 &&
          reduce<red::argmin>(std::vector<f64>{2, 1, 1}) == 1);
    CHECK(reduce<red::argmax>(std::vector<f64>{1, nan, inf, nan}) == 1);
    CHECK(reduce<red::argmin>(std::vector<f64>{1, nan, -inf, nan}) == 1);
    CHECK(math::isnan(reduce<red::max>(std::vector<f64>{1, nan, 2})) &&
          math::isnan(reduce<red::min>(std::vector<f64>{nan, 1})));
    CHECK(reduce<red::max>(std::vector<f64>{-inf, -2}) == -2 && reduce<red::min>(std::vector<f64>{inf, 2}) == 2);
    CHECK(reduce<red::argmax>(std::vector<c64>{{1, 5}, {2, -1}, {2, 3}, {2, 3}}) == 2);
    CHECK(reduce<red::max>(std::vector<c64>{{1, 5}, {2, -1}, {2, 3}}) == c64(2, 3));
    CHECK(reduce<red::count_nonzero>(std::vector<f32>{0, -0.f, 1, f32(nan)}) == 2);
    CHECK(!reduce<red::any>(std::vector<c128>{{0, 0}, {0, -0.}}) && reduce<red::any>(std::vector<c128>{{0, 1}}));
    CHECK(reduce<red::all>(std::vector<u8>{1, 2}) && !reduce<red::all>(std::vector<u8>{1, 0}));
    CHECK(reduce<red::prod>(std::vector<i32>{lowest<i32>, 3}) == lowest<i32>);
    CHECK(reduce<red::mean>(std::vector<c64>{{1, 2}, {3, 4}}) == c64(2, 3));
    CHECK(reduce<red::sum>(std::vector<f16>(4096, cast<f16>(1.0f))).bits == cast<f16>(4096.0f).bits);
    static_assert(red::sum<i8>::has_identity && red::all<f16>::has_identity && !red::max<f32>::has_identity);
    CHECK(red::prod<c64>::identity() == c64(1, 0) && red::all<i32>::identity() && !red::any<i32>::identity());
}

}  // namespace

int main() {
    test_order();
    test_accuracy();
    test_rows();
}
