// test_sorting.cpp -- each function of sort.h and bincount.h that is public in Python from C++, with its options.
#include <cmath>
#include "../core/check.h"
#include "cuarray/ops/bincount.h"
#include "cuarray/ops/sort.h"
#include "values.h"

using namespace cuarray;

namespace {

void test_sort() {
    const Array x = numbers({3, 1, 2, 1}), m = numbers({4, 1, 3, 2}).reshape({2, 2});
    CHECK(holds(sort(x), {4}, {1, 1, 2, 3}) && holds(sort(x, 0, {}, {}, {}, true), {4}, {3, 2, 1, 1}));
    CHECK(holds(sort(m), {2, 2}, {1, 4, 2, 3}) && holds(sort(m, 0), {2, 2}, {3, 1, 4, 2}));
    CHECK(holds(sort(m, std::nullopt), {4}, {1, 2, 3, 4}) && holds(sort(x, -1, SortKind::Stable), {4}, {1, 1, 2, 3}));
    CHECK(RAISES(Value, sort(x, -1, SortKind::Stable, {}, true)) && RAISES(Axis, sort(x, 1)));
    CHECK(holds(argsort(x), {4}, {1, 3, 2, 0}) && holds(argsort(x, 0, {}, {}, {}, true), {4}, {0, 2, 1, 3}));
    CHECK(holds(argsort(m, std::nullopt), {4}, {1, 3, 2, 0}) && holds(argsort(counted({})), {1}, {0}));
    const Array own = copy(x), columns = copy(m);
    sort_in_place(own);
    sort_in_place(columns, 0, {}, {}, {}, true);
    CHECK(holds(own, {4}, {1, 1, 2, 3}) && holds(columns, {2, 2}, {4, 2, 3, 1}));
    Array fixed = copy(x);
    fixed.set_read_only();
    CHECK(RAISES(Value, sort_in_place(fixed)) && RAISES(Value, partition_in_place(fixed, {1})));
}

void test_partition() {
    const Array x = numbers({3, 0, 2, 1});
    CHECK(holds(partition(x, {0, -1, 1, 2}), {4}, {0, 1, 2, 3}));
    CHECK(holds(partition(x, {3, 2, 1, 0}, 0, SelectionKind::Introselect, {}, true), {4}, {3, 2, 1, 0}));
    CHECK(holds(argpartition(x, {0, 1, 2}, std::nullopt), {4}, {1, 3, 2, 0}));
    CHECK(RAISES(Value, partition(x, {4})) && RAISES(Value, argpartition(x, {0, -5})));
    const Array own = copy(x);
    partition_in_place(own, {2, 1});
    CHECK(holds(own, {4}, {0, 1, 2, 3}));
    CHECK(partition(numbers({}), {9}).size() == 0);
}

void test_lexsort() {
    const std::vector<Array> keys{numbers({3, 1, 2, 0}), numbers({1, 1, 0, 0})};
    CHECK(holds(lexsort(keys), {4}, {3, 2, 1, 0}) && RAISES(Type, lexsort(ArrayList())));
    const std::vector<Array> unequal{keys[0], numbers({1})};
    CHECK(RAISES(Value, lexsort(unequal)) && RAISES(Axis, lexsort(keys, 1)));
    const std::vector<Array> one{counted({})};
    CHECK(holds(lexsort(one), {}, {0}) && RAISES(Axis, lexsort(one, 1)));
}

bool is_place(const ArrayOrNumber& found, int64_t place) {
    const auto* const scalar = std::get_if<Scalar>(&found);
    return scalar && *scalar == Scalar::of(DType::int64, place);
}

void test_searchsorted() {
    const Array a = doubles({1, 3, 3, 5}), v = numbers({3, 0, 9});
    const Scalar three = Scalar::of(DType::float64, 3.0);
    const Weak one{Weak::Kind::Int, 0, false, 1, 1, 0}, beyond{Weak::Kind::Int, 1, false, 0, 0x1p70, 0};
    CHECK(is_place(searchsorted(a, one), 0) && is_place(searchsorted(a, full({}, three, Device{}), Side::Right), 3));
    CHECK(holds(std::get<Array>(searchsorted(a, three)), {}, {1}) && RAISES(Type, searchsorted(a, beyond)));
    CHECK(holds(std::get<Array>(searchsorted(a, v)), {3}, {1, 0, 4}));
    CHECK(holds(std::get<Array>(searchsorted(a, v, Side::Right)), {3}, {3, 0, 4}));
    const Array turned = doubles({5, 3, 1, 3}), sorter = numbers({2, 1, 3, 0});
    CHECK(holds(std::get<Array>(searchsorted(turned, v, Side::Left, sorter)), {3}, {1, 0, 4}));
    CHECK(RAISES(Value, searchsorted(a.reshape({2, 2}), v)) && RAISES(Type, searchsorted(a, v, Side::Left, a)));
    CHECK(RAISES(Value, searchsorted(a, v, Side::Left, v)) &&
          RAISES(Value, searchsorted(a, v, Side::Left, numbers({0, 1, 2, 4}))));
}

void test_digitize() {
    const Array edges = doubles({1, 3, 3, 5}), falling = doubles({5, 3, 1}), v = numbers({3, 0, 9});
    CHECK(holds(std::get<Array>(digitize(v, edges)), {3}, {3, 0, 4}));
    CHECK(holds(std::get<Array>(digitize(v, edges, true)), {3}, {1, 0, 4}));
    CHECK(holds(std::get<Array>(digitize(v, falling)), {3}, {1, 3, 0}));
    CHECK(holds(std::get<Array>(digitize(v, falling, true)), {3}, {2, 3, 0}));
    const Weak two{Weak::Kind::Int, 0, false, 2, 2, 0};
    CHECK(holds(std::get<Array>(digitize(two, falling)), {}, {2}) && is_place(digitize(two, edges), 1));
    CHECK(holds(std::get<Array>(digitize(doubles({1, NAN}), doubles({0, NAN}))), {2}, {0, 0}));
    CHECK(RAISES(Value, digitize(v, doubles({1, 3, 2}))) && RAISES(Value, digitize(v, edges.reshape({2, 2}))));
    CHECK(RAISES(Type, digitize(astype(v, DType::complex64), edges)));
}

void test_bincount() {
    const Array x = numbers({0, 2, 2});
    CHECK(holds(bincount(x), {3}, {1, 0, 2}) && holds(bincount(x, {}, 5), {5}, {1, 0, 2, 0, 0}));
    CHECK(holds<double>(bincount(x, doubles({0.5, 1, 2})), {3}, {0.5, 0, 3}) && bincount(numbers({})).size() == 0);
    CHECK(bincount({doubles({}), false}).size() == 0 && RAISES(Type, bincount(doubles({}))));
    CHECK(RAISES(Value, bincount(numbers({-1}))) && RAISES(Value, bincount(x, doubles({1}))));
    CHECK(RAISES(Value, bincount(x, {}, -1)) && RAISES(Type, bincount({doubles({1}), false})));
}

}  // namespace

int main() {
    test_searchsorted();
    test_digitize();
    test_bincount();
    test_sort();
    test_partition();
    test_lexsort();
}
