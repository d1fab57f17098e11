// test_elementwise.cpp -- random programs over random layouts against element-by-element evaluation, bit for bit.
//
// The reference calls the same loops with n = 1, so a difference is a fault of the block interpreter (loads, stores,
// registers) or a loop whose result depends on the position of an element. `test_elementwise [seed] [rounds]`.
#include <algorithm>
#include "cuda/random_views.h"
#include "host/loops_of_level.h"

namespace {

using namespace cuarray;
using tests::Operand;
using tests::Random;
using Op = ExprNode::Op;

struct Case {
    Expr expr;
    Dims shape;
    std::vector<Operand> inputs, outputs;
    std::vector<int> in_place;  // by output: the input whose memory it reuses, or -1
};

Scalar random_scalar(Random& random, DType dtype) {
    Scalar scalar;
    scalar.dtype = dtype;
    tests::random_element(random, dtype, reinterpret_cast<char*>(scalar.bytes));
    return scalar;
}

/// A value of that dtype: an existing one (cast if needed), a new input, a scalar or the index.
ValueId value_of(Random& random, Expr& expr, DType dtype) {
    if (!expr.nodes.empty() && !random.one_in(3))
        return expr.cast(ValueId(random.pick(0, int64_t(expr.nodes.size()) - 1)), dtype);
    if (random.one_in(6)) return expr.scalar(random_scalar(random, dtype));
    if (random.one_in(12)) return expr.cast(expr.push({Op::Index, DType::int64, 0, {}}), dtype);
    return expr.inputs.size() < 10 ? expr.input(dtype) : expr.scalar(random_scalar(random, dtype));
}

Case random_case(Random& random) {
    Case c;
    c.shape = random.shape(random.one_in(20) ? 200000 : 3000);
    Expr& e = c.expr;
    for (int64_t steps = random.pick(0, random.one_in(5) ? 12 : 3); steps > 0; --steps) {
        const LoopId id = LoopId(random.pick(0, int64_t(loops().size()) - 1));
        const Loop& loop = loops()[id];
        const Row& row = rows()[loop.row];
        ValueId in[kMaxIn] = {kNoValue, kNoValue, kNoValue};
        for (int k = 0; k < row.nin; ++k) in[k] = value_of(random, e, loop.in[k]);
        const ValueId result = e.loop(id, in[0], in[1], in[2]);
        if (row.nout == 2 && !random.one_in(4)) e.second(result);
    }
    if (e.nodes.empty()) value_of(random, e, DType(random.pick(0, kDTypes - 1)));
    for (int64_t k = random.pick(1, random.one_in(3) ? 4 : 1); k > 0; --k)
        e.outputs.push_back(
            ValueId(random.one_in(3) ? random.pick(0, int64_t(e.nodes.size()) - 1) : int64_t(e.nodes.size()) - 1));
    if (random.one_in(6)) e.mask = value_of(random, e, DType::bool_);
    if (random.one_in(6)) e.fault = value_of(random, e, DType::bool_);
    for (const DType dtype : e.inputs) c.inputs.push_back(tests::random_operand(random, dtype, c.shape, true));
    for (const ValueId v : e.outputs) {
        c.outputs.push_back(tests::random_operand(random, e.nodes[v].dtype, c.shape, false));
        c.in_place.push_back(-1);
        if (!random.one_in(3)) continue;
        for (size_t k = 0; k < c.inputs.size(); ++k) {
            const bool taken = std::count(c.in_place.begin(), c.in_place.end(), int(k)) > 0;
            const Operand& input = c.inputs[k];
            if (taken || item_size(input.dtype) != item_size(e.nodes[v].dtype)) continue;
            if (may_self_overlap({c.shape, input.strides}, item_size(input.dtype))) continue;
            c.in_place.back() = int(k);
            c.outputs.back() = input;
            c.outputs.back().dtype = e.nodes[v].dtype;
            break;
        }
    }
    return c;
}

int64_t address_of(const Operand& operand, const Dims& shape, int64_t linear) {
    int64_t at = operand.offset;
    for (int axis = shape.size(); axis-- > 0; linear /= shape[axis]) at += linear % shape[axis] * operand.strides[axis];
    return at;
}

struct Element {
    alignas(16) char bytes[16];
};

/// All values of one element, one loop call per node.
std::vector<Element> evaluate(const host::LoopLibrary& library, const Case& c, int64_t i) {
    std::vector<Element> values(c.expr.nodes.size());
    for (size_t v = 0; v < values.size(); ++v) {
        const ExprNode& n = c.expr.nodes[v];
        const void* in[kMaxIn] = {};
        for (int k = 0; k < kMaxIn; ++k)
            if (n.source[k] != kNoValue) in[k] = values[n.source[k]].bytes;
        Element other;
        void* out[kMaxOut] = {values[v].bytes, other.bytes};
        switch (n.op) {
            case Op::Input:
                std::memcpy(out[0], c.inputs[n.index].bytes.data() + address_of(c.inputs[n.index], c.shape, i),
                            size_t(item_size(n.dtype)));
                break;
            case Op::Scalar: std::memcpy(out[0], c.expr.scalars[n.index].bytes, 16); break;
            case Op::Index: std::memcpy(out[0], &i, sizeof i); break;
            case Op::Cast:
                library.casts[int(c.expr.nodes[n.source[0]].dtype) * library.dtype_count + int(n.dtype)](in, out, 1);
                break;
            case Op::Loop: library.loops[n.index](in, out, 1); break;
            case Op::Second: {
                const ExprNode& loop = c.expr.nodes[n.source[0]];
                for (int k = 0; k < kMaxIn; ++k)
                    in[k] = loop.source[k] != kNoValue ? values[loop.source[k]].bytes : nullptr;
                std::swap(out[0], out[1]);
                library.loops[loop.index](in, out, 1);
                break;
            }
        }
    }
    return values;
}

void compare(const host::LoopLibrary& library, const Case& c, uint64_t seed, int64_t round) {
    Backend& cpu = backend({});
    std::vector<StorageRef> read, written;
    std::vector<View> inputs, outputs;
    for (const Operand& operand : c.inputs) {
        read.push_back(tests::upload(cpu, operand));
        inputs.push_back(tests::view(operand, read.back()));
    }
    for (size_t k = 0; k < c.outputs.size(); ++k) {
        written.push_back(c.in_place[k] >= 0 ? read[size_t(c.in_place[k])] : tests::upload(cpu, c.outputs[k]));
        outputs.push_back(tests::view(c.outputs[k], written.back()));
    }
    const Fault fault = cpu.run(Elementwise{&c.expr, c.shape, inputs, outputs, "test"});

    std::vector<std::vector<char>> expected;
    for (const Operand& operand : c.outputs) expected.push_back(operand.bytes);
    bool raised = false;
    for (int64_t i = 0, n = count(c.shape); i < n; ++i) {
        const std::vector<Element> values = evaluate(library, c, i);
        if (c.expr.fault != kNoValue) raised |= values[c.expr.fault].bytes[0] != 0;
        if (c.expr.mask != kNoValue && !values[c.expr.mask].bytes[0]) continue;
        for (size_t k = 0; k < c.outputs.size(); ++k)
            std::memcpy(expected[k].data() + address_of(c.outputs[k], c.shape, i), values[c.expr.outputs[k]].bytes,
                        size_t(item_size(c.outputs[k].dtype)));
    }
    CHECK((fault == Fault::Raised) == raised, "seed %llu round %lld: fault", (unsigned long long)seed,
          (long long)round);
    for (size_t k = 0; k < c.outputs.size(); ++k) {
        const std::vector<char> given = tests::download(cpu, *written[k]);
        for (int64_t i = 0, n = count(c.shape); i < n; ++i) {
            const int64_t at = address_of(c.outputs[k], c.shape, i);
            CHECK(tests::same_element(c.outputs[k].dtype, expected[k].data() + at, given.data() + at, 0),
                  "seed %llu round %lld: output %zu element %lld of %s\n%s", (unsigned long long)seed, (long long)round,
                  k, (long long)i, to_string(c.shape).c_str(), to_string(c.expr).c_str());
            std::memcpy(expected[k].data() + at, given.data() + at, size_t(item_size(c.outputs[k].dtype)));
        }
        CHECK(expected[k] == given, "seed %llu round %lld: output %zu wrote beside its elements",
              (unsigned long long)seed, (long long)round, k);
    }
}

/// Every loop and every cast gives an element the same bits at each position of a block.
void check_positions(const host::LoopLibrary& library, Random& random) {
    constexpr int n = 61;
    const auto check = [&](const char* name, host::BlockLoop loop, const DType* in, int ins, const DType* out,
                           int outs) {
        alignas(64) static char memory[kMaxIn][n * 16], whole[kMaxOut][n * 16], single[kMaxOut][16];
        const void* from[kMaxIn] = {memory[0], memory[1], memory[2]};
        void* to[kMaxOut] = {whole[0], whole[1]};
        for (int k = 0; k < ins; ++k)
            for (int i = 0; i < n; ++i) tests::random_element(random, in[k], memory[k] + i * item_size(in[k]));
        loop(from, to, n);
        for (int i = 0; i < n; ++i) {
            for (int k = 0; k < ins; ++k) from[k] = memory[k] + i * item_size(in[k]);
            void* one[kMaxOut] = {single[0], single[1]};
            loop(from, one, 1);
            for (int k = 0; k < outs; ++k)
                CHECK(tests::same_element(out[k], whole[k] + i * item_size(out[k]), single[k], 0),
                      "%s of %s: element %d differs from itself alone", name, info(in[0]).name, i);
        }
    };
    for (int id = 0; id < library.loop_count; ++id) {
        const Loop& loop = loops()[size_t(id)];
        const Row& row = rows()[loop.row];
        for (int round = 0; round < 8; ++round)
            check(row.name, library.loops[id], loop.in, row.nin, loop.out, row.nout);
    }
    for (int from = 0; from < kDTypes; ++from)
        for (int to = 0; to < kDTypes; ++to) {
            const DType in[] = {DType(from)}, out[] = {DType(to)};
            check("cast", library.casts[from * kDTypes + to], in, 1, out, 1);
        }
}

}  // namespace

int main(int argc, char** argv) {
    const uint64_t seed = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 1;
    const int64_t rounds = argc > 2 ? std::atoll(argv[2]) : 1500;
    const host::LoopLibrary& library = tests::loops_of_level();
    Random random(seed);
    check_positions(library, random);
    for (int64_t round = 0; round < rounds; ++round) compare(library, random_case(random), seed, round);
}
