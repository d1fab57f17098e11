// test_launch.cpp -- the parameters of launches against the plain arithmetic of strides, also beyond 2^31.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <new>
#include <random>
#include <vector>

#include "../core/check.h"
#include "codegen/gather_launch.h"
#include "codegen/launch.h"
#include "cuarray/kernel/rows.h"
#include "cuarray/kernel/tiles.h"

using namespace cuarray;

namespace {

using Flat = kernel::Flat<kernel::kMaxOperands>;
using Rows = kernel::Rows<kernel::kMaxOperands>;
using Strided = kernel::Strided<kernel::kMaxOperands>;
using Tiles = kernel::Tiles<kernel::kMaxOperands>;
using Addresses = std::vector<uint64_t>;

/// An Expr that adds inputs of one dtype.
Expr sum_of(DType dtype, int inputs) {
    Expr expr;
    ValueId value = expr.input(dtype);
    for (int i = 1; i < inputs; ++i) value = expr.loop(loop_for(find_row("add"), dtype), value, expr.input(dtype));
    expr.outputs = {value};
    return expr;
}

Addresses element_at(int64_t index, const Dims& shape, const std::vector<DeviceOperand>& places) {
    Addresses addresses;
    for (const DeviceOperand& place : places) addresses.push_back(place.address);
    for (int d = shape.size() - 1; d >= 0; --d) {
        for (size_t k = 0; k < places.size(); ++k) addresses[k] += uint64_t(index % shape[d] * (*places[k].strides)[d]);
        index /= shape[d];
    }
    return addresses;
}

void visit_contiguous(const Launch& launch, int operands, int item, std::map<Addresses, int>& seen) {
    const Flat& p = *reinterpret_cast<const Flat*>(launch.parameters);
    for (uint64_t i = 0; i < p.size; ++i) {
        Addresses found;
        for (int k = 0; k < operands; ++k)
            found.push_back(reinterpret_cast<uint64_t>(p.operands[k].data) + i * p.operands[k].step * uint64_t(item));
        ++seen[found];
    }
}

Addresses strided_element(const Strided& p, int64_t index, int operands) {
    Addresses found;
    for (int k = 0; k < operands; ++k)
        found.push_back(reinterpret_cast<uint64_t>(p.operands[k].data) + uint64_t(index * p.operands[k].stride));
    return found;
}

/// What the blocks of Walk::Tiles and Walk::StridedTiles compute: a tile each, by vectors of `lanes` elements.
void visit_tiles(const Launch& launch, int operands, int edge, int lanes, int item, std::map<Addresses, int>& seen) {
    const Tiles& p = *reinterpret_cast<const Tiles*>(launch.parameters);
    for (uint32_t block = 0; block < launch.grid; ++block) {
        const uint32_t down = block / p.tiles_across.size, outer = down / p.tiles_down.size;
        CHECK(p.tiles_across.quotient(block) == down && p.tiles_down.quotient(down) == outer);
        for (uint32_t i = 0; i < uint32_t(edge * edge); ++i) {
            const uint32_t row = down % p.tiles_down.size * uint32_t(edge) + i / uint32_t(edge);
            const uint32_t column = block % p.tiles_across.size * uint32_t(edge) + i % uint32_t(edge);
            if (row >= p.rows || column >= p.columns) continue;
            Addresses found;
            for (int k = 0; k < operands; ++k) {
                const auto& operand = p.operands[k];
                const bool turned = p.turned >> k & 1;
                CHECK(!turned || std::abs(operand.down) < std::abs(operand.across));
                int64_t offset = int64_t(row) * operand.down + int64_t(column) * operand.across;
                uint32_t rest = outer;
                for (int d = int(p.axes) - 1; d >= 0; --d) {
                    CHECK(p.extents[d].quotient(rest) == rest / p.extents[d].size);
                    offset += int64_t(rest % p.extents[d].size) * operand.strides[d];
                    rest /= p.extents[d].size;
                }
                CHECK(rest == 0);
                found.push_back(reinterpret_cast<uint64_t>(operand.data) + uint64_t(offset));
                const int32_t step = turned ? operand.down : operand.across;
                CHECK(lanes == 1 || step == item || (k > 0 && step == 0));
                CHECK(lanes == 1 || step == 0 || (turned ? row : column) % uint32_t(lanes) != 0 ||
                      found.back() % uint64_t(lanes * item) == 0);
            }
            ++seen[found];
        }
    }
}

/// What the threads of Walk::Rows and Walk::StridedRows compute: `lanes` elements of each of their rows.
void visit_rows(const Launch& launch, int operands, int lanes, int rows, int item, std::map<Addresses, int>& seen) {
    const Rows& p = *reinterpret_cast<const Rows*>(launch.parameters);
    const uint32_t apart = launch.block >> p.column_bits;
    for (uint32_t thread = 0; thread < launch.grid * launch.block; ++thread) {
        const uint32_t block = thread / launch.block, here = thread % launch.block;
        const uint32_t down = block / p.row_blocks.size, across = block % p.row_blocks.size;
        CHECK(p.row_blocks.quotient(block) == down);
        const uint32_t column = ((across << p.column_bits) + here % (1u << p.column_bits)) * uint32_t(lanes);
        for (int r = 0; r < rows; ++r) {
            const uint32_t row = (down * uint32_t(rows) + uint32_t(r)) * apart + (here >> p.column_bits);
            if (row >= p.rows) continue;
            for (uint32_t i = column; i < column + uint32_t(lanes) && column < p.columns; ++i) {
                Addresses found;
                for (int k = 0; k < operands; ++k) {
                    const auto& operand = p.operands[k];
                    CHECK(lanes == 1 || operand.step == item || (k > 0 && operand.step == 0));
                    int64_t offset = int64_t(i) * operand.step;
                    uint32_t rest = row;
                    for (int d = int(p.axes) - 1; d >= 0; --d) {
                        offset += int64_t(rest % p.extents[d].size) * operand.strides[d];
                        rest /= p.extents[d].size;
                    }
                    found.push_back(reinterpret_cast<uint64_t>(operand.data) + uint64_t(offset));
                    CHECK(lanes == 1 || operand.step == 0 || i > column || found.back() % uint64_t(lanes * item) == 0);
                }
                ++seen[found];
            }
        }
    }
}

/// Every element exactly once, each with the addresses that strides give.
void check_all_elements(DType dtype, const Dims& shape, const std::vector<DeviceOperand>& places) {
    const int operands = int(places.size());
    const Expr expr = sum_of(dtype, operands - 1);
    ElementwisePlan plan(expr, shape, {places.data(), 1}, {places.data() + 1, places.size() - 1});
    std::map<Addresses, int> expected, seen;
    for (int64_t i = 0, n = count(shape); i < n; ++i) ++expected[element_at(i, shape, places)];
    for (int64_t slice = 0; slice < plan.slices(); ++slice) {
        plan.select(slice);
        if (plan.launch.grid == 0) continue;
        if (plan.launch.walk == Walk::Contiguous) {
            visit_contiguous(plan.launch, operands, item_size(dtype), seen);
            continue;
        }
        if (plan.launch.walk == Walk::Tiles || plan.launch.walk == Walk::StridedTiles) {
            int edge = 0, lanes = 0, rows = 0;
            const std::string text = kernel_source({&expr}, {&plan.launch.walk, 1});
            const size_t call = text.rfind("tiles<program, ");
            CHECK(call != std::string::npos &&
                  std::sscanf(&text[call], "tiles<program, %d, %d, %d>", &edge, &lanes, &rows) == 3);
            CHECK((lanes == 1) == (plan.launch.walk == Walk::StridedTiles));
            CHECK(int(plan.launch.block) == edge * edge / (lanes * rows) && rows % lanes == 0);
            visit_tiles(plan.launch, operands, edge, lanes, item_size(dtype), seen);
            continue;
        }
        if (plan.launch.walk != Walk::Strided) {
            int lanes = 0, rows = 0;
            const std::string text = kernel_source({&expr}, {&plan.launch.walk, 1});
            const size_t call = text.rfind("rows<program, ");
            CHECK(call != std::string::npos && std::sscanf(&text[call], "rows<program, %d, %d>", &lanes, &rows) == 2);
            CHECK((lanes == 1) == (plan.launch.walk == Walk::StridedRows));
            visit_rows(plan.launch, operands, lanes, rows, item_size(dtype), seen);
            continue;
        }
        const Strided& p = *reinterpret_cast<const Strided*>(plan.launch.parameters);
        for (int64_t i = 0; i < p.size; ++i) ++seen[strided_element(p, i, operands)];
    }
    CHECK(seen == expected);
}

void random_layouts() {
    std::mt19937_64 random(7);
    const auto pick = [&](int64_t low, int64_t high) { return low + int64_t(random() % uint64_t(high - low + 1)); };
    for (int round = 0; round < 400; ++round) {
        Dims shape;
        const int ndim = int(pick(0, round % 10 == 0 ? 11 : 4));
        for (int64_t d = 0, size = 1; d < ndim; ++d) {
            const int64_t most = std::max<int64_t>(1, 6000 / size);
            shape.push_back(pick(1, std::min<int64_t>(most, ndim > 5 ? 3 : 70)));
            if (round % 2 == 0 && d == ndim - 1 && most >= 4) shape.back() = shape.back() / 4 * 4 + 4;
            size *= shape.back();
        }
        const int operands = int(pick(2, 4));
        std::vector<Dims> strides;
        std::vector<DeviceOperand> places;
        for (int k = 0; k < operands; ++k) {
            Dims order;
            for (int d = 0; d < ndim; ++d) order.push_back(d);
            if (round % 3 && pick(0, 1)) std::shuffle(order.begin(), order.end(), random);
            strides.push_back(strides_in_order(shape, order, 4 * (round % 4 ? 1 : pick(1, 2))));
            for (int d = 0; d < ndim && k > 0; ++d) {
                if (pick(0, 5) == 0) strides.back()[d] = 0;
                if (pick(0, 5) == 0) strides.back()[d] *= -1;
            }
        }
        for (int k = 0; k < operands; ++k)
            places.push_back({uint64_t(1 + k) << 40 | uint64_t(round % 2 ? 4 * pick(0, 5) : 0), &strides[size_t(k)]});
        check_all_elements(DType::float32, shape, places);
    }
}

/// Huge extents and strides: the slices cover the index space, and each fits 32 bits.
void beyond_32_bits() {
    const Dims shape{3, int64_t(1) << 31, 2};
    const Dims out{(int64_t(1) << 34) + 64, 8, 4}, in{int64_t(1) << 40, 4, -(int64_t(1) << 36)};
    const std::vector<DeviceOperand> places{{uint64_t(1) << 50, &out}, {uint64_t(1) << 51, &in}};
    ElementwisePlan plan(sum_of(DType::float32, 1), shape, {places.data(), 1}, {places.data() + 1, 1});
    CHECK(plan.slices() > 1);
    int64_t total = 0;
    std::map<Addresses, int64_t> found;
    std::vector<Addresses> wanted;
    for (int64_t index : {int64_t(0), int64_t(1), (int64_t(1) << 31) - 1, int64_t(1) << 31, (int64_t(1) << 32) + 5,
                          3 * (int64_t(1) << 32) - 1})
        wanted.push_back(element_at(index, shape, places));
    for (int64_t slice = 0; slice < plan.slices(); ++slice) {
        plan.select(slice);
        const Strided& p = *reinterpret_cast<const Strided*>(plan.launch.parameters);
        CHECK(plan.launch.walk == Walk::Strided && int64_t(plan.launch.grid) * 1024 >= p.size);
        total += p.size;
        for (int64_t i : {int64_t(0), int64_t(p.size) / 2, int64_t(p.size) - 1}) ++found[strided_element(p, i, 2)];
    }
    CHECK(total == count(shape));
    // The first and the last element are slice boundaries in any partition.
    CHECK(found.count(wanted.front()) == 1 && found.count(wanted.back()) == 1);
}

/// One axis of more than 2^31 elements stays one launch while it is contiguous.
void long_and_contiguous() {
    const Dims shape{(int64_t(1) << 32) + 3}, strides{4}, one{0};
    const std::vector<DeviceOperand> places{{256, &strides}, {1 << 20, &strides}, {512, &one}};
    ElementwisePlan plan(sum_of(DType::float32, 2), shape, {places.data(), 1}, {places.data() + 1, 2});
    const Flat& p = *reinterpret_cast<const Flat*>(plan.launch.parameters);
    CHECK(plan.slices() == 1 && plan.launch.walk == Walk::Contiguous && p.size == uint64_t(shape[0]));
    CHECK(plan.launch.grid == (shape[0] + 1023) / 1024 && p.operands[1].step == 1 && p.operands[2].step == 0);
}

void alignment_and_transposes_choose_the_walk() {
    const Dims line{4096}, contiguous{4};
    const std::vector<DeviceOperand> off{{256, &contiguous}, {512 + 4, &contiguous}};
    CHECK(ElementwisePlan(sum_of(DType::float32, 1), line, {off.data(), 1}, {off.data() + 1, 1}).launch.walk ==
          Walk::Strided);
    const Dims square{100, 100}, rows{400, 4}, columns{4, 400};
    const auto check_transposed = [&](const Dims& shape, uint64_t address, Walk walk) {
        const std::vector<DeviceOperand> turned{{256, &rows}, {address, &columns}};
        ElementwisePlan plan(sum_of(DType::float32, 1), shape, {turned.data(), 1}, {turned.data() + 1, 1});
        const Tiles& p = *reinterpret_cast<const Tiles*>(plan.launch.parameters);
        CHECK(plan.launch.walk == walk && p.turned == 2 && plan.launch.grid == 4);
    };
    check_transposed(square, 1 << 20, Walk::Tiles);
    check_transposed(square, (1 << 20) + 4, Walk::StridedTiles);
    check_transposed({98, 100}, 1 << 20, Walk::StridedTiles);
    check_transposed({100, 98}, 1 << 20, Walk::StridedTiles);
    const Dims row{0, 4}, column{4, 0}, wide{408, 4};
    const auto walk_beside = [&](const Dims& strides, uint64_t address) {
        const std::vector<DeviceOperand> of_rows{{256, &rows}, {address, &strides}};
        return ElementwisePlan(sum_of(DType::float32, 1), square, {of_rows.data(), 1}, {of_rows.data() + 1, 1})
            .launch.walk;
    };
    CHECK(walk_beside(row, 1 << 20) == Walk::Rows && walk_beside(column, 4) == Walk::Rows);
    CHECK(walk_beside(row, (1 << 20) + 4) == Walk::StridedRows && walk_beside(wide, 1 << 20) == Walk::StridedRows);
    const std::vector<DeviceOperand> both{{256, &columns}, {1 << 20, &columns}};
    CHECK(ElementwisePlan(sum_of(DType::float32, 1), square, {both.data(), 1}, {both.data() + 1, 1}).launch.walk ==
          Walk::Contiguous);
}

void too_much_is_refused() {
    const Expr expr = sum_of(DType::float32, kernel::kMaxOperands);
    const Walk walk = Walk::Contiguous;
    CHECK(RAISES(NotImplemented, kernel_source({&expr}, {&walk, 1})));
}

/// How a block is divided among outputs, lanes and leaves covers all of them.
void folds_cover_everything() {
    Expr expr = sum_of(DType::float32, 1);
    const Program program{&expr, find_reduction("sum")};
    for (const Dims& shape :
         {Dims{7, 1000}, Dims{1000, 7}, Dims{3, 100000}, Dims{100000, 3}, Dims{40000, 5}, Dims{1, 1}}) {
        for (int axis : {0, 1}) {
            const Dims in = c_strides(shape, 4);
            Dims out = axis ? Dims{4, 0} : Dims{0, 4};
            Launch launch;
            const DeviceOperand input{1 << 20, &in};
            CHECK(plan_fold(program, {shape, {axis}, {256, &out}, {&input, 1}}, launch));
            const auto& p =
                *reinterpret_cast<const kernel::Folded<kernel::Index64, kernel::kMaxOperands>*>(launch.parameters);
            const int64_t n = shape[axis], outputs = shape[1 - axis];
            CHECK(int64_t(p.n) == n && int64_t(p.outputs) == outputs &&
                  int64_t(p.chunks) == std::max<int64_t>(1, (n + 16383) / 16384));
            if (launch.walk == Walk::Short) {
                CHECK(int64_t(launch.grid) * launch.block >= outputs && n <= 256);
                continue;
            }
            const int64_t per_block = launch.block >> (4 + p.groups),
                          leaves = (std::min<int64_t>(n, 16384) + 255) / 256;
            CHECK(int64_t(launch.grid) / int64_t(p.chunks) * per_block >= outputs);
            CHECK(int64_t(1) << (p.groups + p.leaves) >= leaves && p.columns + p.groups + 4 <= 9);
            CHECK((launch.partials > 0) == (p.chunks > 1) &&
                  launch.partials == (p.chunks > 1 ? outputs * int64_t(p.chunks) * 4 : 0));
        }
    }
}

/// A reduction has a slot for its initial value; without one it must not use uninitialized memory.
void no_slot_is_left_to_chance() {
    Expr expr;
    const Scalar two = Scalar::of(DType::float32, 2.0f);
    expr.outputs = {expr.loop(loop_for(find_row("add"), DType::float32), expr.input(DType::float32), expr.scalar(two))};
    alignas(Launch) static unsigned char memory[sizeof(Launch)];
    std::memset(memory, 0xA5, sizeof memory);
    Launch& launch = *new (memory) Launch;
    const Dims shape{3, 1000}, in = c_strides(shape, 4), out{4, 0};
    const DeviceOperand input{1 << 20, &in};
    CHECK(plan_fold({&expr, find_reduction("sum")}, {shape, {1}, {256, &out}, {&input, 1}}, launch));
    const std::vector<unsigned char> zeros(16, 0);
    CHECK(std::memcmp(launch.scalars.values[0].bytes, two.bytes, 16) == 0);
    CHECK(std::memcmp(launch.scalars.values[1].bytes, zeros.data(), 16) == 0);
}

/// The width of indices and offsets follows from the farthest of all operands: elements, array, index arrays, keys.
void indices_are_as_wide_as_needed() {
    const auto suffix = [](int64_t n, int64_t step, int64_t position, int64_t size, int64_t stride) {
        const Dims elements{step}, array{0}, positions{position};
        const IndexedDeviceAxis index{{4096, &positions}, size, stride, 0};
        IndexedAccessPlan plan({{n},
                                {int64_t(1) << 40, &elements},
                                {int64_t(1) << 41, &array},
                                {&index, 1},
                                4,
                                Outside::Raise,
                                kernel::IndexedAccessKind::Gather});
        plan.select(0);
        const std::string& entry = plan.move.kernel.entry;
        const std::string width = entry.substr(std::strlen("gather_b4_1"));
        CHECK(plan.move.kernel.parameters == (width == "_64"    ? "IndexedAccessParameters<Index64, 1>"
                                              : width == "_far" ? "IndexedAccessParameters<IndexFar, 1>"
                                                                : "IndexedAccessParameters<Index32, 1>"));
        return width;
    };
    constexpr int64_t k31 = int64_t(1) << 31;
    CHECK(suffix(1000, 4, 8, 1000, 4).empty());
    CHECK(suffix(k31 / 8, 4, 8, 1000, 4).empty() && suffix(k31 / 8 + 1, 4, 8, 1000, 4) == "_far");
    CHECK(suffix(1000, -k31, 8, 1000, 4) == "_far" && suffix(1000, 4, 8, 1000, -k31 / 900 / 4 * 4) == "_far");
    CHECK(suffix(1000, 4, 8, k31 / 4, 4).empty() && suffix(1000, 4, 8, k31 / 4 + 1, 4) == "_far");
    CHECK(suffix(1000, 4, 8, 2 * k31, 0).empty());
    CHECK(suffix(k31, 4, 8, 1000, 4) == "_64");
}

}  // namespace

int main() {
    indices_are_as_wide_as_needed();
    no_slot_is_left_to_chance();
    random_layouts();
    beyond_32_bits();
    long_and_contiguous();
    alignment_and_transposes_choose_the_walk();
    too_much_is_refused();
    folds_cover_everything();
    return 0;
}
