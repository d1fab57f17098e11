// test_dying_operands.cpp -- results take the memory of arrays that are moved into a call, and of no others.
#include <algorithm>
#include <utility>
#include <vector>

#include "../core/check.h"
#include "cuarray/array/elements.h"
#include "cuarray/cuarray.h"
#include "cuarray/runtime/registry.h"

using namespace cuarray;

namespace {

constexpr int64_t kElements = kReusedFrom / 8;

Array filled(double value, int64_t n = kElements) { return full(Dims{n}, Scalar::of(DType::float64, value), Device{}); }

double first(const Array& array) {
    double value;
    read_contiguous(array.view(Layout{Dims{1}, Dims{8}}), &value);
    return value;
}

void check_moved() {
    const Array one = filled(1);
    Array x = filled(2), y = filled(3);
    const void *const at_x = x.data(), *const at_y = y.data();
    const Array a = add(std::move(x), one), b = add(one, std::move(y));
    CHECK(a.data() == at_x && first(a) == 3);
    CHECK(b.data() == at_y && first(b) == 4 && first(one) == 1);
    const Array c = add(add(one, one), add(one, one));
    CHECK(first(c) == 4);
    Array small = filled(2, 10);
    const void* const at_small = small.data();
    CHECK(add(std::move(small), filled(1, 10)).data() != at_small);
}

void check_kept() {
    const Array one = filled(1);
    const Array x = filled(2);
    CHECK(first(add(x, one)) == 3 && first(x) == 2);
    Array y = filled(2);
    const Array also = y, view = y.view(Layout{Dims{4}, Dims{8}});
    CHECK(first(add(std::move(y), one)) == 3 && first(also) == 2 && first(view) == 2, "another array has the memory");
    Array part = filled(2, 2 * kElements).view(Layout{Dims{kElements}, Dims{8}});
    const void* const at_part = part.data();
    CHECK(add(std::move(part), one).data() != at_part, "the result would keep memory that it does not need");
    Array fixed = filled(2);
    fixed.set_read_only();
    const void* const at_fixed = fixed.data();
    CHECK(add(std::move(fixed), one).data() != at_fixed);
    std::vector<double> theirs(size_t(kElements), 2.0);
    Array foreign(foreign_storage(Device{}, theirs.data(), kReusedFrom, nullptr, nullptr), 0,
                  Layout{Dims{kElements}, Dims{8}}, DType::float64);
    CHECK(first(add(std::move(foreign), one)) == 3 && theirs[0] == 2.0);
}

void check_layouts() {
    const Scalar two = Scalar::of(DType::float64, 2.0);
    Array rows = full(Dims{128, 64}, two, Device{}), columns = full(Dims{64, 128}, two, Device{}).transpose(Dims{1, 0});
    const Dims c = rows.strides(), f = columns.strides();
    const Array other = full(Dims{128, 64}, two, Device{}),
                tilted = full(Dims{64, 128}, two, Device{}).transpose({1, 0});
    const Dims of_both = add(tilted, other).strides();
    CHECK(add(tilted, tilted).strides() == f && add(std::move(columns), tilted).strides() == f);
    CHECK(add(std::move(rows), other).strides() == c);
    Array again = full(Dims{64, 128}, two, Device{}).transpose(Dims{1, 0});
    CHECK(add(std::move(again), other).strides() == of_both);
    Array column = full(Dims{128, 1}, two, Device{});
    CHECK(add(std::move(column), other).shape() == other.shape());
}

}  // namespace

int main() {
    const EagerScope eager;  // large operations of cpu wait otherwise
    check_moved();
    check_kept();
    check_layouts();
}
