// test_einsum.cpp -- einsum from C++, with its options.
#include "../core/check.h"
#include "cuarray/ops/einsum.h"
#include "values.h"

using namespace cuarray;

namespace {

using Steps = ContractionOrder::Steps;

Array product(const std::string& subscripts, const std::vector<Array>& arrays, const ContractionOrder& order = {}) {
    return einsum({subscripts, arrays}, nullptr, DType::none, {}, Casting::Safe, order);
}

void test_subscripts() {
    const Array a = counted({2, 3}), v = counted({3}), stack = counted({2, 2, 3}), square = counted({3, 3});
    CHECK(holds(product("ij,j->i", {a, v}), {2}, {5, 14}) && holds(product("ij,j", {a, v}), {2}, {5, 14}));
    CHECK(holds(product("ij,kj", {a, a}), {2, 2}, {5, 14, 14, 50}) &&
          holds(product("ba", {a}), {3, 2}, {0, 3, 1, 4, 2, 5}));
    CHECK(holds(product("ij->", {a}), {}, {15}) && holds(product("ii", {square}), {}, {12}));
    CHECK(holds(product("ii->i", {square}), {3}, {0, 4, 8}) &&
          holds(product("i,j->ij", {v, v}), {3, 3}, {0, 0, 0, 0, 1, 2, 0, 2, 4}));
    CHECK(holds(product("...j,j->...", {stack, v}), {2, 2}, {5, 14, 23, 32}));
    CHECK(holds(product("i...->...i", {a}), {3, 2}, {0, 3, 1, 4, 2, 5}));
    CHECK(RAISES(Value, product("ij,j->i", {a})) && RAISES(Value, product("ijk", {a})) &&
          RAISES(Value, product("i", {a})));
    CHECK(RAISES(Value, product("ij->k", {a})) && RAISES(Value, product("ij->ii", {a})) &&
          RAISES(Value, product("i?", {a})));
    CHECK(RAISES(Value, product("...j->j", {a})) && RAISES(Value, product("ij,j", {a, counted({2})})));
    CHECK(RAISES(Value, product("", {})));
}

void test_views() {
    const Array a = counted({2, 3});
    CHECK(&product("ij->ji", {a}).storage() == &a.storage() && &product("i...->i...", {a}).storage() == &a.storage());
    CHECK(einsum({"ij->ji", std::vector{a}}, nullptr, DType::float64, 'C').dtype() == DType::int64);
    CHECK(einsum({"ij->i", std::vector{a}}, nullptr, DType::float64).dtype() == DType::float64);
    const Array number = counted({});
    CHECK(&product("->", {number}).storage() != &number.storage());
}

void test_types_and_outputs() {
    const Array a = counted({2, 3}), b = astype(a, DType::float32);
    const std::vector<Array> mixed{a, b};
    CHECK(product("ij,ij->i", mixed).dtype() == DType::float64);
    CHECK(einsum({"ij,ij->i", std::vector{b, b}}, nullptr, DType::float64).dtype() == DType::float64);
    CHECK(RAISES(Type, einsum({"ij,ij->i", mixed}, nullptr, DType::float32)));
    CHECK(einsum({"ij,ij->i", mixed}, nullptr, DType::float32, {}, Casting::SameKind).dtype() == DType::float32);
    CHECK(einsum({"ij,ij->ij", mixed}, nullptr, DType::none, 'F').strides() == Dims({8, 16}));
    Array out = counted({2}), wide = astype(out, DType::float64), small = astype(out, DType::int8),
          wrong = counted({3});
    const Array same = einsum({"ij,ij->i", std::vector{a, a}}, &out);
    CHECK(&same.storage() == &out.storage() && holds(out, {2}, {5, 50}));
    einsum({"ij->i", std::vector{a}}, &wide);
    CHECK(holds(wide, {2}, {3, 12}));
    CHECK(RAISES(Type, einsum({"ij->i", std::vector{a}}, &small)) &&
          RAISES(Value, einsum({"ij->i", std::vector{a}}, &wrong)));
    einsum({"ij->i", std::vector{a}}, &small, DType::none, {}, Casting::SameKind);
    CHECK(holds(small, {2}, {3, 12}));
    out.set_read_only();
    CHECK(RAISES(Value, einsum({"ij->i", std::vector{a}}, &out)));
}

void test_orders() {
    const Array a = counted({2, 2});
    const std::vector<Array> three{a, a, a};
    const std::vector<int64_t> wanted{6, 11, 22, 39};
    const auto by_steps = [&](const Steps& steps) {
        ContractionOrder order;
        order.steps = steps;
        return product("ij,jk,kl->il", three, order);
    };
    CHECK(holds(product("ij,jk,kl->il", three), {2, 2}, wanted) && holds(by_steps({{0, 1, 2}}), {2, 2}, wanted));
    CHECK(holds(by_steps({{1, 2}, {0, 1}}), {2, 2}, wanted) && holds(by_steps({{0}, {1, 0}, {0, 1}}), {2, 2}, wanted));
    CHECK(RAISES(Index, by_steps({{0, 3}})) && RAISES(Value, by_steps({{0, 0}})) && RAISES(Value, by_steps({{}})));
    CHECK(RAISES(Runtime, by_steps({{0, 1}})) && RAISES(Runtime, by_steps({})));
    int found = 0;
    ContractionOrder order;
    order.find = [&](const std::string& subscripts, std::span<const Dims> shapes) {
        found += subscripts == "ij,jk,kl->il" && shapes.size() == 3 && shapes[2] == Dims({2, 2});
        return Steps{{1, 2}, {0, 1}};
    };
    CHECK(holds(product("ij,jk,kl->il", three, order), {2, 2}, wanted) && found == 1);
    CHECK(holds(product("ij,jk->ik", {a, a}, order), {2, 2}, {2, 3, 6, 11}) && found == 1);
    order.is_free_for_few = true;
    CHECK(holds(product("ij,jk,kl->il", three, order), {2, 2}, wanted) && found == 1);
    CHECK(RAISES(Value, product("ij,jk,kl->il", {a, counted({3, 2}), a}, order)) && found == 1);
}

}  // namespace

int main() {
    test_subscripts();
    test_views();
    test_types_and_outputs();
    test_orders();
}
