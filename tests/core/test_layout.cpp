// test_layout.cpp -- layouts against brute force: overlap, collapsing, reshaping, broadcasting, the order of axes.
#include <map>
#include <random>
#include <set>
#include <vector>

#include "../core/check.h"
#include "cuarray/core/layout.h"

using namespace cuarray;

namespace {

std::mt19937 rng(7);
int64_t pick(int64_t low, int64_t high) { return std::uniform_int_distribution<int64_t>(low, high)(rng); }

/// Byte offsets of every element, in C order.
std::vector<int64_t> offsets(const Dims& shape, const Dims& strides) {
    std::vector<int64_t> all{0};
    for (int axis = 0; axis < shape.size(); ++axis) {
        std::vector<int64_t> next;
        for (int64_t base : all)
            for (int64_t i = 0; i < shape[axis]; ++i) next.push_back(base + i * strides[axis]);
        all = next;
    }
    return all;
}

Layout random_layout(int max_ndim, int64_t max_extent) {
    Layout layout;
    const int64_t ndim = pick(0, max_ndim);
    for (int64_t i = 0; i < ndim; ++i) {
        layout.shape.push_back(pick(0, 12) ? pick(1, max_extent) : 0);
        layout.strides.push_back(pick(-24, 24));
    }
    return layout;
}

void test_overlap() {
    int yes = 0, no = 0;
    for (int round = 0; round < 20000; ++round) {
        const Layout a = random_layout(3, 5), b = random_layout(3, 5);
        const int64_t item_a = 1 << pick(0, 3), item_b = 1 << pick(0, 3);
        const uintptr_t at_a = 100000, at_b = uintptr_t(100000 + pick(-120, 120));
        std::set<int64_t> bytes;
        for (int64_t offset : offsets(a.shape, a.strides))
            for (int64_t i = 0; i < item_a; ++i) bytes.insert(int64_t(at_a) + offset + i);
        bool want = false;
        for (int64_t offset : offsets(b.shape, b.strides))
            for (int64_t i = 0; i < item_b; ++i) want |= bytes.count(int64_t(at_b) + offset + i) > 0;
        CHECK(may_overlap(at_a, a, item_a, at_b, b, item_b) == want, "round %d", round);
        (want ? yes : no)++;
    }
    CHECK(yes > 1000 && no > 1000);
}

void test_self_overlap() {
    for (int round = 0; round < 5000; ++round) {
        const Layout a = random_layout(3, 4);
        std::map<int64_t, int> owners;
        bool want = false;
        for (int64_t offset : offsets(a.shape, a.strides))
            for (int64_t i = 0; i < 4; ++i) want |= owners[offset + i]++ > 0;
        if (want) CHECK(may_self_overlap(a, 4), "round %d", round);
    }
    CHECK(!may_self_overlap({{3, 4}, {16, 4}}, 4));
    CHECK(!may_self_overlap({{3, 4}, {4, 12}}, 4));
    CHECK(may_self_overlap({{3, 4}, {0, 4}}, 4));
}

void test_collapse() {
    for (int round = 0; round < 5000; ++round) {
        const bool keep = round % 2;
        Dims shape;
        for (int64_t i = pick(0, 4); i > 0; --i) shape.push_back(pick(1, 4));
        Dims strides[2];
        for (Dims& s : strides) {
            s = pick(0, 1) ? c_strides(shape, 4) : f_strides(shape, 4);
            for (int64_t& stride : s) stride *= pick(0, 3) ? 1 : pick(-2, 2);
        }
        const Dims* pointers[] = {&strides[0], &strides[1]};
        Space space;
        collapse(space, shape, pointers, keep);
        const Dims small(std::span<const int64_t>(space.shape, size_t(space.ndim)));
        std::vector<std::pair<int64_t, int64_t>> want, got;
        const auto a = offsets(shape, strides[0]), b = offsets(shape, strides[1]);
        for (size_t i = 0; i < a.size(); ++i) want.emplace_back(a[i], b[i]);
        const auto c = offsets(small, Dims(std::span<const int64_t>(space.strides[0], size_t(space.ndim))));
        const auto d = offsets(small, Dims(std::span<const int64_t>(space.strides[1], size_t(space.ndim))));
        for (size_t i = 0; i < c.size(); ++i) got.emplace_back(c[i] + space.offset[0], d[i] + space.offset[1]);
        CHECK(space.size == int64_t(want.size()));
        if (!keep) std::sort(want.begin(), want.end()), std::sort(got.begin(), got.end());
        CHECK(want == got, "round %d", round);
    }
    Space space;
    const Dims c = c_strides({3, 4, 5}, 8), f = f_strides({3, 4, 5}, 8);
    const Dims* contiguous[] = {&c, &c};
    collapse(space, {3, 4, 5}, contiguous);
    CHECK(space.ndim == 1 && space.shape[0] == 60);
    const Dims* fortran[] = {&f, &f};
    collapse(space, {3, 4, 5}, fortran);
    CHECK(space.ndim == 1 && space.shape[0] == 60);
}

void test_reshape() {
    for (int round = 0; round < 3000; ++round) {
        Dims shape, target;
        int64_t size = 1;
        for (int64_t i = pick(1, 3); i > 0; --i) shape.push_back(pick(1, 4)), size *= shape.back();
        for (int64_t left = size; left > 1;) {
            int64_t divisor = pick(1, left);
            while (left % divisor) divisor = pick(1, left);
            target.push_back(divisor), left /= divisor;
        }
        Dims strides = c_strides(shape, 4);
        for (int64_t& stride : strides) stride *= pick(0, 2) ? 1 : pick(1, 3);
        Dims result;
        if (!reshape_strides({shape, strides}, target, result)) continue;
        CHECK(offsets(shape, strides) == offsets(target, result), "round %d", round);
    }
    Dims strides;
    CHECK(!reshape_strides({{3, 4}, {4, 12}}, {12}, strides));
    CHECK(reshape_strides({{3, 4}, {4, 12}}, {3, 2, 2}, strides) && strides == Dims({4, 24, 12}));
}

void test_broadcast() {
    const Dims a{3, 1, 5}, b{4, 1}, bad{4};
    const Dims* good[] = {&a, &b};
    CHECK(broadcast(good, "add") == Dims({3, 4, 5}));
    const Dims* wrong[] = {&a, &bad};
    CHECK(RAISES(Value, broadcast(wrong, "add")));
    CHECK(broadcast_strides({{4, 1}, {8, 8}}, {3, 4, 5}, "add") == Dims({0, 8, 0}));
    CHECK(RAISES(Value, broadcast_strides({{4, 2}, {8, 4}}, {3, 4, 5}, "add")));
}

void test_memory_order() {
    const Dims shape{3, 4, 5}, c = c_strides(shape, 4), f = f_strides(shape, 4), none = Dims::filled(3, 0);
    const Dims* one[] = {&f};
    CHECK(memory_order(shape, one) == Dims({2, 1, 0}));
    const Dims* mixed[] = {&f, &c};
    CHECK(memory_order(shape, mixed) == Dims({0, 1, 2}));
    const Dims* scalar[] = {&none, &f};
    CHECK(memory_order(shape, scalar) == Dims({2, 1, 0}));
    const Dims lowest{INT64_MIN, 8};
    const Dims* unwalked[] = {&lowest};
    CHECK(memory_order({1, 4}, unwalked) == Dims({0, 1}));
    CHECK(memory_order({0, 4}, unwalked) == Dims({0, 1}));
}

void test_sizes() {
    CHECK(checked_size({3, 0, int64_t(1) << 57}, 8, "empty") == 0);
    CHECK(RAISES(Value, checked_size({3, 0, int64_t(1) << 60}, 8, "empty")));  // as NumPy
    CHECK(RAISES(Value, checked_size({int64_t(1) << 40, int64_t(1) << 30}, 1, "empty")));
    CHECK(RAISES(Value, checked_size({int64_t(1) << 40, int64_t(1) << 40, int64_t(1) << 40, 7}, 1, "empty")));
    CHECK(RAISES(Value, checked_size({-1}, 1, "empty")));
    CHECK(RAISES(Value, checked_size(Dims::filled(65, 1), 1, "empty")));
    CHECK(normalise_axis(-1, 3, "sum") == 2 && RAISES(Axis, normalise_axis(3, 3, "sum")));
    CHECK(RAISES(Value, normalise_axes({0, -3}, 3, "sum")));
}

}  // namespace

int main() {
    test_overlap();
    test_self_overlap();
    test_collapse();
    test_reshape();
    test_broadcast();
    test_memory_order();
    test_sizes();
    std::puts("layout: ok");
}
