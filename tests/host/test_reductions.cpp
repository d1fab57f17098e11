// test_reductions.cpp -- random folds over random axes and layouts against kernel::fold, bit for bit.
//
// `test_reductions [seed] [rounds]`.
#include <algorithm>
#include "core/loops.h"
#include "cuda/random_views.h"
#include "host/loops_of_level.h"

namespace {

using namespace cuarray;
using tests::Operand;
using tests::Random;

/// The fold of contiguous elements, by the definition.
using Reference = void (*)(const char* x, int64_t n, const char* initial, char* result);

template <class R, class Element> void reference(const char* x, int64_t n, const char* initial, char* result) {
    const auto* elements = reinterpret_cast<const stored_t<Element>*>(x);
    typename R::A a{};
    if (n > 0)
        a = kernel::fold<R>([&](i64 i) { return load<Element>(elements[i]); }, n);
    else if constexpr (R::has_identity)
        a = R::identity();
    if (initial) {
        const auto first = R::map(load<Element>(*reinterpret_cast<const stored_t<Element>*>(initial)), 0);
        if (n == 0 && !R::has_identity)
            a = first;
        else
            a = R::combine(first, a);
    }
    const auto y = R::finish(a, n);
    const auto stored = store(y);
    std::memcpy(result, &stored, sizeof stored);
}

Reference references[kReductions][kDTypes];
struct Collector {
    template <int R, class Element> void reduction() {
        references[R][int(dtype_of<Element>)] = reference<reduction_t<R, Element>, Element>;
    }
};

struct Case {
    Expr expr;
    Dims shape, axes;
    std::vector<Operand> inputs;
    Operand output;
    ReductionId row = kNone;
    LoopId loop = kNone;
    Scalar initial;
    bool has_initial = false;
};

void random_initial(Random& random, Case& c, DType dtype) {
    c.has_initial = true;
    c.initial.dtype = dtype;
    tests::random_element(random, dtype, reinterpret_cast<char*>(c.initial.bytes));
}

/// An operand, the product of two, or a cast of one.
void random_producer(Random& random, Case& c, DType dtype) {
    Expr& e = c.expr;
    const LoopId product = loop_for(find_row("multiply"), dtype);
    ValueId value = random.one_in(5) ? e.cast(e.input(DType(random.pick(0, kDTypes - 1))), dtype) : e.input(dtype);
    if (random.one_in(3) && product != kNone) value = e.loop(product, value, e.input(dtype));
    if (random.one_in(12)) value = e.cast(e.push({ExprNode::Op::Index, DType::int64, 0, {}}), dtype);
    e.outputs = {value};
}

bool random_case(Random& random, Case& c) {
    const bool large = random.one_in(12);
    c.shape = random.shape(large ? 200000 : 3000);
    if (large && random.one_in(2)) c.shape = Dims{random.pick(1, 5), random.pick(1, 40000)};
    if (large && random.one_in(4)) c.shape = Dims{random.pick(1, 40000), random.pick(1, 5)};
    for (int axis = 0; axis < c.shape.size(); ++axis)
        if (!random.one_in(3)) c.axes.push_back(axis);
    const DType dtype = DType(random.pick(0, kDTypes - 1));
    DType result = dtype;
    int64_t reduced = 1;
    for (const int64_t axis : c.axes) reduced *= c.shape[int(axis)];
    if (random.one_in(6)) {
        const char* const names[] = {"subtract", "divide", "maximum", "hypot", "logaddexp", "bitwise_and"};
        c.loop = loop_for(find_row(names[random.pick(0, 5)]), dtype);
        if (c.loop == kNone || loops()[c.loop].out[0] != dtype) return false;
        if (random.one_in(3) || reduced == 0) random_initial(random, c, dtype);
    } else {
        c.row = ReductionId(random.pick(0, kReductions - 1));
        const ReductionRow& row = reductions()[c.row];
        if (!references[c.row][int(dtype)]) return false;
        result = reduction_result(c.row, dtype);
        const bool argument = row.has(GivesIndex);
        if (!argument && random.one_in(4)) random_initial(random, c, dtype);
        if (reduced == 0 && !row.has_identity && !c.has_initial) return false;
    }
    random_producer(random, c, dtype);
    for (const DType input : c.expr.inputs) c.inputs.push_back(tests::random_operand(random, input, c.shape, true));
    Dims results = c.shape;
    for (const int64_t axis : c.axes) results[int(axis)] = 1;
    c.output = tests::random_operand(random, result, results, false);
    for (const int64_t axis : c.axes) c.output.strides[int(axis)] = 0;
    return true;
}

/// The producer's values as a plain array with the kept axes before the reduced ones.
std::vector<char> plain_values(const Case& c, const std::vector<View>& inputs) {
    Backend& cpu = backend({});
    const DType dtype = c.expr.nodes[c.expr.outputs[0]].dtype;
    Dims order;
    for (int axis = 0; axis < c.shape.size(); ++axis)
        if (std::find(c.axes.begin(), c.axes.end(), axis) == c.axes.end()) order.push_back(axis);
    for (const int64_t axis : c.axes) order.push_back(axis);
    const StorageRef storage = cpu.allocate(count(c.shape) * item_size(dtype));
    const View all{storage.get(), 0, dtype, strides_in_order(c.shape, order, item_size(dtype))};
    const View outputs[] = {all};
    cpu.run(Elementwise{&c.expr, c.shape, inputs, outputs, "test"});
    return tests::download(cpu, *storage);
}

void compare(const host::LoopLibrary& library, const Case& c, uint64_t seed, int64_t round) {
    Backend& cpu = backend({});
    std::vector<StorageRef> read;
    std::vector<View> inputs;
    for (const Operand& operand : c.inputs) {
        read.push_back(tests::upload(cpu, operand));
        inputs.push_back(tests::view(operand, read.back()));
    }
    const StorageRef written = tests::upload(cpu, c.output);
    const View output = tests::view(c.output, written);
    const Scalar* const initial = c.has_initial ? &c.initial : nullptr;
    if (c.row != kNone)
        cpu.run(Reduce{&c.expr, c.shape, inputs, {&output, 1}, c.axes, c.row, initial, "test"});
    else
        cpu.run(LeftFold{&c.expr, c.shape, inputs, {&output, 1}, c.axes, c.loop, initial, "test"});

    const DType dtype = c.expr.nodes[c.expr.outputs[0]].dtype;
    const int64_t item = item_size(dtype), result_item = item_size(c.output.dtype);
    const std::vector<char> values = plain_values(c, inputs);
    int64_t folds = 1, n = 1;
    Dims kept;
    for (int axis = 0; axis < c.shape.size(); ++axis) {
        const bool is_reduced = std::find(c.axes.begin(), c.axes.end(), axis) != c.axes.end();
        (is_reduced ? n : folds) *= c.shape[axis];
        if (!is_reduced) kept.push_back(axis);
    }
    std::vector<char> expected = c.output.bytes;
    const std::vector<char> given = tests::download(cpu, *written);
    for (int64_t k = 0; k < folds; ++k) {
        int64_t at = c.output.offset, rest = k;
        for (int d = kept.size(); d-- > 0; rest /= c.shape[int(kept[d])])
            at += rest % c.shape[int(kept[d])] * c.output.strides[int(kept[d])];
        const char* const x = values.data() + k * n * item;
        const char* const start = initial ? reinterpret_cast<const char*>(initial->bytes) : nullptr;
        alignas(16) char result[16];
        if (c.row != kNone) {
            references[c.row][int(dtype)](x, n, start, result);
        } else {
            std::memcpy(result, start ? start : x, size_t(item));
            for (int64_t i = start ? 0 : 1; i < n; ++i) {
                const void* in[] = {result, x + i * item};
                void* out[] = {result};
                library.loops[c.loop](in, out, 1);
            }
        }
        CHECK(tests::same_element(c.output.dtype, result, given.data() + at, 0),
              "seed %llu round %lld: %s fold %lld of %lld x %lld, shape %s axes %s\n%s", (unsigned long long)seed,
              (long long)round, c.row != kNone ? reductions()[c.row].name : rows()[loops()[c.loop].row].name,
              (long long)k, (long long)folds, (long long)n, to_string(c.shape).c_str(), to_string(c.axes).c_str(),
              to_string(c.expr).c_str());
        std::memcpy(expected.data() + at, given.data() + at, size_t(result_item));
    }
    CHECK(expected == given, "seed %llu round %lld: wrote beside the results", (unsigned long long)seed,
          (long long)round);
}

}  // namespace

int main(int argc, char** argv) {
    const uint64_t seed = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 1;
    const int64_t rounds = argc > 2 ? std::atoll(argv[2]) : 4000;
    Collector collector;
    visit_reductions(collector);
    const host::LoopLibrary& library = tests::loops_of_level();
    Random random(seed);
    for (int64_t round = 0; round < rounds; ++round) {
        Case c;
        if (random_case(random, c)) compare(library, c, seed, round);
    }
}
