// elementwise.cpp -- random loops over random layouts: the GPU against the host backend, bit for bit but for
// the vector mathematics.
#include "programs.h"
#include "random_views.h"

namespace tests {
namespace {

struct Case {
    Expr expr;
    Dims shape;
    std::vector<Operand> inputs, outputs;
    bool in_place = false;
    double relative = 0;
    std::string name;
};

/// One loop, sometimes with a scalar, a cast, a mask or a second output. `hard`: with a mask, and nothing
/// aligned.
Case random_case(Random& random, bool hard) {
    Case c;
    c.shape = random.shape(3000);
    const LoopId id = LoopId(random.pick(0, int64_t(loops().size()) - 1));
    const Loop& loop = loops()[id];
    const Row& row = rows()[loop.row];
    c.name = row.name;
    ValueId values[kMaxIn] = {kNoValue, kNoValue, kNoValue};
    for (int i = 0; i < row.nin; ++i) {
        Scalar scalar;
        scalar.dtype = loop.in[i];
        random_element(random, loop.in[i], reinterpret_cast<char*>(scalar.bytes));
        values[i] = random.one_in(5) && row.nin > 1 ? c.expr.scalar(scalar) : c.expr.input(loop.in[i]);
    }
    const ValueId result = c.expr.loop(id, values[0], values[1], values[2]);
    c.expr.outputs = {result};
    if (row.nout > 1) c.expr.outputs.push_back(c.expr.second(result));
    if (random.one_in(4) && loop.out[0] != DType::none) {
        const DType other = DType(random.pick(0, kDTypes - 1));
        if (info(other).kind == info(loop.out[0]).kind) c.expr.outputs[0] = c.expr.cast(result, other);
    }
    if (hard || random.one_in(4)) c.expr.mask = c.expr.input(DType::bool_);
    for (const DType dtype : c.expr.inputs) c.inputs.push_back(random_operand(random, dtype, c.shape, true, hard));
    for (const ValueId value : c.expr.outputs)
        c.outputs.push_back(random_operand(random, c.expr.nodes[value].dtype, c.shape, false, hard));
    if (row.has(VectorMath)) c.relative = 1e-5;
    return c;
}

/// The sum of two transposed operands, which both pass through a tile of shared memory.
Case turned_case(Random& random) {
    Case c;
    c.shape = {70, 50};
    c.name = "add";
    const DType dtype = DType::float32;
    c.expr.outputs = {c.expr.loop(loop_for(find_row("add"), dtype), c.expr.input(dtype), c.expr.input(dtype))};
    for (int i = 0; i < 2; ++i) {
        c.inputs.push_back(random_operand(random, dtype, {50, 70}, false));
        std::swap(c.inputs.back().strides[0], c.inputs.back().strides[1]);
    }
    c.outputs.push_back(random_operand(random, dtype, c.shape, false));
    return c;
}

/// The outputs' memory after the case has run on that device.
std::vector<std::vector<char>> run(Backend& backend, const Case& c) {
    std::vector<StorageRef> storages;
    std::vector<View> inputs, outputs;
    for (const Operand& operand : c.inputs) {
        storages.push_back(upload(backend, operand));
        inputs.push_back(view(operand, storages.back()));
    }
    std::vector<StorageRef> written;
    for (const Operand& operand : c.outputs) {
        written.push_back(upload(backend, operand));
        outputs.push_back(view(operand, written.back()));
    }
    if (c.in_place) {
        written[0] = storages[0];
        outputs[0] = inputs[0];
    }
    backend.run(Elementwise{&c.expr, c.shape, inputs, outputs, c.name.c_str()});
    std::vector<std::vector<char>> result;
    for (const StorageRef& storage : written) result.push_back(download(backend, *storage));
    return result;
}

void compare(const Case& c, uint64_t seed, int64_t round) {
    const auto expected = run(backend({Device::Kind::Cpu, 0}), c), given = run(backend({Device::Kind::Cuda, 0}), c);
    for (size_t k = 0; k < expected.size(); ++k) {
        const Operand& layout = c.in_place && k == 0 ? c.inputs[0] : c.outputs[k];
        std::vector<bool> compared(expected[k].size(), false);
        for (int64_t i = 0, n = count(c.shape); i < n; ++i) {
            int64_t at = layout.offset, rest = i;
            for (int axis = c.shape.size(); axis-- > 0; rest /= c.shape[axis])
                at += rest % c.shape[axis] * layout.strides[axis];
            CHECK(same_element(layout.dtype, &expected[k][size_t(at)], &given[k][size_t(at)], c.relative),
                  "%s, output %zu of type %s, shape %s, element %lld: seed %llu round %lld: %.17g instead of "
                  "%.17g\n%s",
                  c.name.c_str(), k, info(layout.dtype).name, to_string(c.shape).c_str(), (long long)i,
                  (unsigned long long)seed, (long long)round, as_double(layout.dtype, &given[k][size_t(at)]),
                  as_double(layout.dtype, &expected[k][size_t(at)]), to_string(c.expr).c_str());
            for (int b = 0; b < item_size(layout.dtype); ++b) compared[size_t(at + b)] = true;
        }
        for (size_t b = 0; b < compared.size(); ++b)
            CHECK(compared[b] || expected[k][b] == given[k][b], "%s wrote outside its output: seed %llu round %lld",
                  c.name.c_str(), (unsigned long long)seed, (long long)round);
    }
}

}  // namespace

void test_elementwise(uint64_t seed, int64_t rounds) {
    for (int64_t round = 0; round < 4; ++round) {
        Random random(seed * 1000003 + uint64_t(round));
        compare(turned_case(random), seed, round);
    }
    for (int64_t round = 0; round < rounds; ++round) {
        Random random(seed * 1000003 + uint64_t(round));
        Case c = random_case(random, round % 4 == 3);
        compare(c, seed, round);
        // The same in place, where an output has the type of an input without repeated elements.
        if (c.inputs.empty() || c.outputs.empty() || c.expr.mask != kNoValue) continue;
        if (c.inputs[0].dtype != c.outputs[0].dtype) continue;
        c.inputs[0] = random_operand(random, c.inputs[0].dtype, c.shape, false);
        c.in_place = true;
        compare(c, seed, round);
    }
}

}  // namespace tests
