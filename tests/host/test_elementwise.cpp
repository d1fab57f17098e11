// test_elementwise.cpp -- random programs over random layouts, of all loops and dtypes. `test_elementwise [seed]
// [rounds]`.
#include "host/elementwise_cases.h"

namespace {

using namespace cuarray;
using tests::Case;
using tests::Op;
using tests::Random;

/// A value of that dtype: an existing one (cast if needed), a new input, a scalar or the index.
ValueId value_of(Random& random, Expr& expr, DType dtype) {
    if (!expr.nodes.empty() && !random.one_in(3))
        return expr.cast(ValueId(random.pick(0, int64_t(expr.nodes.size()) - 1)), dtype);
    if (random.one_in(6)) return expr.scalar(tests::random_scalar(random, dtype));
    if (random.one_in(12)) return expr.cast(expr.push({Op::Index, DType::int64, 0, {}}), dtype);
    return expr.inputs.size() < 10 ? expr.input(dtype) : expr.scalar(tests::random_scalar(random, dtype));
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
    tests::add_operands(random, c);
    return c;
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
    for (int64_t round = 0; round < rounds; ++round) tests::compare(library, random_case(random), seed, round);
}
