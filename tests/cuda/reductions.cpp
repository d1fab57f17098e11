// reductions.cpp -- random folds over random axes and layouts: the GPU against the host backend, bit for bit.
#include <algorithm>
#include "programs.h"
#include "random_views.h"

namespace tests {
namespace {

struct Case {
    Expr expr;
    Dims shape, axes;
    std::vector<Operand> inputs;
    Operand output;
    ReductionId row = kNone;
    LoopId loop = kNone;
    Scalar initial;
    bool has_initial = false;
    std::string name;
};

/// The producer: an operand, or the product of two.
void random_producer(Random& random, Case& c, DType dtype) {
    ValueId value = c.expr.input(dtype);
    const LoopId product = loop_for(find_row("multiply"), dtype);
    if (random.one_in(3) && product != kNone && loops()[product].out[0] == dtype)
        value = c.expr.loop(product, value, c.expr.input(dtype));
    c.expr.outputs = {value};
}

bool random_case(Random& random, Case& c) {
    c.shape = random.shape(random.one_in(4) ? 60000 : 3000);
    for (int axis = 0; axis < c.shape.size(); ++axis)
        if (!random.one_in(3)) c.axes.push_back(axis);
    const DType dtype = DType(random.pick(0, kDTypes - 1));
    DType result;
    if (random.one_in(4)) {
        const char* const rows[] = {"subtract", "divide", "maximum", "hypot"};
        c.loop = loop_for(find_row(rows[random.pick(0, 3)]), dtype);
        if (c.loop == kNone || loops()[c.loop].out[0] != dtype || loops()[c.loop].in[1] != dtype) return false;
        c.name = rows[0];
        result = dtype;
    } else {
        c.row = ReductionId(random.pick(0, int64_t(reductions().size()) - 1));
        const ReductionRow& row = reductions()[c.row];
        if (!(row.domain >> int(dtype) & 1)) return false;
        c.name = row.name;
        result = reduction_result(c.row, dtype);
    }
    int64_t reduced = 1;
    for (const int64_t axis : c.axes) reduced *= c.shape[int(axis)];
    const bool needs_element = c.row == kNone || !reductions()[c.row].has_identity;
    if (reduced == 0 && needs_element) return false;
    if (random.one_in(4) && (c.row == kNone || !reductions()[c.row].has(GivesIndex))) {
        c.has_initial = true;
        c.initial.dtype = dtype;
        random_element(random, dtype, reinterpret_cast<char*>(c.initial.bytes));
    }
    random_producer(random, c, dtype);
    for (const DType input : c.expr.inputs) c.inputs.push_back(random_operand(random, input, c.shape, true));
    Dims results = c.shape;
    for (const int64_t axis : c.axes) results[int(axis)] = 1;
    c.output = random_operand(random, result, results, false);
    for (const int64_t axis : c.axes) c.output.strides[int(axis)] = 0;
    return true;
}

std::vector<char> run(Backend& backend, const Case& c) {
    std::vector<StorageRef> storages;
    std::vector<View> inputs;
    for (const Operand& operand : c.inputs) {
        storages.push_back(upload(backend, operand));
        inputs.push_back(view(operand, storages.back()));
    }
    const StorageRef written = upload(backend, c.output);
    const View output = view(c.output, written);
    const Scalar* const initial = c.has_initial ? &c.initial : nullptr;
    if (c.row != kNone)
        backend.run(Reduce{&c.expr, c.shape, inputs, {&output, 1}, c.axes, c.row, initial, c.name.c_str()});
    else
        backend.run(LeftFold{&c.expr, c.shape, inputs, {&output, 1}, c.axes, c.loop, initial, c.name.c_str()});
    return download(backend, *written);
}

/// Few results of many elements, each reduced by several blocks.
Case long_case(Random& random, DType dtype, const Dims& shape, int64_t axis) {
    Case c;
    c.shape = shape;
    c.axes = {axis};
    c.row = find_reduction("sum");
    c.name = "sum";
    c.expr.outputs = {c.expr.input(dtype)};
    c.inputs.push_back(random_operand(random, dtype, shape, false));
    Dims results = shape;
    results[int(axis)] = 1;
    c.output = random_operand(random, reduction_result(c.row, dtype), results, false);
    c.output.strides[int(axis)] = 0;
    return c;
}

/// Leaves dirty memory, so that no value is zero by chance.
void soil(Backend& gpu) {
    const std::vector<char> dirt(1 << 16, '\x7f');
    std::vector<StorageRef> blocks;
    for (int64_t bytes = 512; bytes <= int64_t(dirt.size()); bytes *= 2) {
        blocks.push_back(gpu.allocate(bytes));
        gpu.write(*blocks.back(), 0, dirt.data(), bytes);
    }
}

void compare(const Case& c, uint64_t seed, int64_t round) {
    soil(backend({Device::Kind::Cuda, 0}));
    const auto expected = run(backend({Device::Kind::Cpu, 0}), c), given = run(backend({Device::Kind::Cuda, 0}), c);
    Dims results = c.shape;
    for (const int64_t axis : c.axes) results[int(axis)] = 1;
    for (int64_t i = 0, n = count(results); i < n; ++i) {
        int64_t at = c.output.offset, rest = i;
        for (int axis = results.size(); axis-- > 0; rest /= results[axis])
            at += rest % results[axis] * c.output.strides[axis];
        CHECK(same_element(c.output.dtype, &expected[size_t(at)], &given[size_t(at)], 0),
              "%s of %s over axes %s of shape %s, element %lld: seed %llu round %lld: %.17g instead of "
              "%.17g\n%s",
              c.name.c_str(), info(c.output.dtype).name, to_string(c.axes).c_str(), to_string(c.shape).c_str(),
              (long long)i, (unsigned long long)seed, (long long)round, as_double(c.output.dtype, &given[size_t(at)]),
              as_double(c.output.dtype, &expected[size_t(at)]), to_string(c.expr).c_str());
    }
}

}  // namespace

void test_reductions(uint64_t seed, int64_t rounds) {
    for (int64_t round = -3; round < rounds; ++round) {
        Random random(seed * 1000003 + uint64_t(round));
        Case c;
        if (round == -3)
            c = long_case(random, DType::float64, {3, 40000}, 1);
        else if (round == -2)
            c = long_case(random, DType::float64, {100000}, 0);
        else if (round == -1)
            c = long_case(random, DType::float64, {40000, 3}, 0);
        else if (!random_case(random, c))
            continue;
        compare(c, seed, round);
    }
}

// So many partial results that the last block reduces them in two rounds, in memory small enough to be checked.
void test_long_reduction() {
    Random random(1);
    Case c = long_case(random, DType::int8, {129 * 16384, 5}, 0);
    Operand& rows = c.inputs[0];
    rows.strides = c_strides(c.shape, 1), rows.offset = 0;
    rows.bytes.resize(size_t(count(c.shape)));
    compare(c, 1, 0);
}

}  // namespace tests
