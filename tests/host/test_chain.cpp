// test_chain.cpp -- machine code of joined loops: every loop and cast that has some, at pairs of special values and
// every length of tail; then random programs with more values than registers. `test_chain [seed] [rounds]`.
#include <string>
#include "host/elementwise_cases.h"

namespace {

using namespace cuarray;
using tests::Case;
using tests::Random;

constexpr DType kTypes[] = {DType::bool_,  DType::int32,   DType::uint32, DType::int64,
                            DType::uint64, DType::float32, DType::float64};

bool is_known(DType t) { return std::find(std::begin(kTypes), std::end(kTypes), t) != std::end(kTypes); }

/// Values whose pairs meet every rule: signs of zeros, NaNs, infinities, ends of ranges, subnormals, shifts by a width.
std::vector<double> special_values(DType t) {
    if (t == DType::bool_) return {0, 1};
    if (t == DType::int32 || t == DType::int64) return {0, 1, -1, 2, -7, 31, 32, 63, 64, -2147483648.0, 2147483647.0};
    if (t == DType::uint32 || t == DType::uint64) return {0, 1, 2, 31, 32, 63, 64, 2147483648.0, 4294967295.0};
    return {0.0, -0.0,  1,       -1,   0.5,    -0.5,      1.5,          2.5,          INFINITY, -INFINITY,
            NAN, 1e-40, -1e-310, 3e38, -1e300, 8388609.5, 2147483648.0, 4294967296.0, 1e19,     -2147483648.0};
}

void put(DType t, double value, char* to) {
    const bool is_float = info(t).kind == Kind::Floating;
    Scalar x;
    x.dtype = is_float ? DType::float64 : DType::int64;
    const int64_t whole = is_float ? 0 : int64_t(value);
    std::memcpy(x.bytes, is_float ? static_cast<const void*>(&value) : &whole, 8);
    std::memcpy(to, convert(x, t).bytes, size_t(item_size(t)));
}

/// Contiguous inputs that hold all pairs of special values, some bits of 64-bit integers, and for bools any byte.
void add_special_operands(Random& random, Case& c, int64_t n) {
    c.shape = Dims{n};
    int64_t period = 1;
    for (const DType t : c.expr.inputs) {
        const std::vector<double> values = special_values(t);
        tests::Operand operand{t, std::vector<char>(size_t(n * item_size(t))), 0, Dims{item_size(t)}};
        for (int64_t i = 0; i < n; ++i) {
            char* const to = operand.bytes.data() + i * item_size(t);
            put(t, values[size_t(i / period) % values.size()], to);
            if (item_size(t) == 8 && info(t).kind != Kind::Floating && random.one_in(3))
                tests::random_element(random, t, to);
            if (t == DType::bool_ && *to && random.one_in(3)) *to = char(random.pick(1, 255));
        }
        period *= int64_t(values.size());
        c.inputs.push_back(operand);
    }
    for (const ValueId v : c.expr.outputs) {
        const DType t = c.expr.nodes[v].dtype;
        c.outputs.push_back({t, std::vector<char>(size_t(n * item_size(t) + 64)), 32, Dims{item_size(t)}});
        c.in_place.push_back(-1);
    }
}

int64_t chains() {
    const std::string text = backend({}).describe(), key = "\"chains\": ";
    return std::atoll(text.c_str() + text.find(key) + key.size());
}
bool is_on() { return backend({}).describe().find("\"machine_code\": \"avx") != std::string::npos; }

/// Runs the case until it has code, if it gets any.
void check(const host::LoopLibrary& library, const Case& c, uint64_t seed, int64_t round) {
    for (int run = 0; run < 2; ++run) tests::compare(library, c, seed, round);
}

/// x op y, y op x and whether they are equal: three steps, so that they are joined.
void check_loop(const host::LoopLibrary& library, Random& random, LoopId id) {
    const Loop& loop = loops()[id];
    const Row& row = rows()[loop.row];
    for (int round = 0; round < 2; ++round) {
        Case c;
        Expr& e = c.expr;
        ValueId in[kMaxIn] = {kNoValue, kNoValue, kNoValue};
        for (int k = 0; k < row.nin; ++k)
            in[k] = round && k == row.nin - 1 && k > 0 ? e.scalar(tests::random_scalar(random, loop.in[k]))
                                                       : e.input(loop.in[k]);
        const bool can_swap = row.nin > 1 && loop.in[row.nin - 1] == loop.in[row.nin - 2];
        const ValueId first = e.loop(id, in[0], in[1], in[2]);
        if (can_swap) std::swap(in[row.nin - 1], in[row.nin - 2]);
        const ValueId second = e.loop(id, in[0], in[1], in[2]);
        const LoopId equal = loop_for(row::equal, loop.out[0]);
        e.outputs.push_back(first), e.outputs.push_back(second), e.outputs.push_back(e.loop(equal, first, second));
        add_special_operands(random, c, 1024 + random.pick(0, 16) + (round ? 17 : 0));
        check(library, c, id, round);
    }
}

void check_casts(const host::LoopLibrary& library, Random& random) {
    for (const DType from : kTypes)
        for (const DType to : kTypes) {
            if (from == to) continue;
            Case c;
            const ValueId x = c.expr.input(from), y = c.expr.cast(x, to);
            c.expr.outputs.push_back(y);
            c.expr.outputs.push_back(c.expr.loop(loop_for(row::equal, to), y, y));
            add_special_operands(random, c, 1024 + random.pick(0, 33));
            check(library, c, uint64_t(from), int64_t(to));
        }
}

/// Adds up the values of a type that nobody reads, in random order: all of them live until then.
void add_unread(Random& random, Expr& e, DType type) {
    std::vector<ValueId> unread;
    for (size_t v = 0; v < e.nodes.size(); ++v) {
        const bool is_read = std::any_of(e.nodes.begin(), e.nodes.end(), [&](const ExprNode& n) {
            return std::find(n.source, n.source + kMaxIn, ValueId(v)) != n.source + kMaxIn;
        });
        if (e.nodes[v].dtype == type && !is_read) unread.push_back(ValueId(v));
    }
    const LoopId add = loop_for(row::add, type);
    while (unread.size() > 1) {
        std::swap(unread.back(), unread[size_t(random.pick(0, int64_t(unread.size()) - 1))]);
        const ValueId one = unread.back();
        unread.pop_back();
        unread[0] = e.loop(add, unread[0], one);
    }
}

/// A program over few types: of many live values, so that registers run out, or of few, so that two vectors fit in
/// them.
Case random_program(Random& random) {
    Case c;
    Expr& e = c.expr;
    c.shape = random.one_in(3) ? random.shape(3000) : Dims{random.pick(1024, 1500)};
    std::vector<LoopId> usable;
    // Half of the programs have only rows that are joined: long runs.
    static const RowId joined[] = {row::add,     row::subtract, row::multiply, row::where,       row::less,
                                   row::maximum, row::negative, row::equal,    row::logical_not, row::abs};
    const bool only_joined = random.one_in(2);
    const DType main = kTypes[random.pick(0, 6)], other = random.one_in(2) ? main : kTypes[random.pick(0, 6)];
    for (size_t id = 0; id < loops().size(); ++id) {
        const Loop& loop = loops()[id];
        const Row& row = rows()[loop.row];
        if (row.nout > 1 || !is_known(loop.out[0]) || loop.U != loop.T) continue;
        if (only_joined && std::count(std::begin(joined), std::end(joined), loop.row) == 0) continue;
        if (loop.T == main || loop.T == other || loop.T == DType::bool_) usable.push_back(LoopId(id));
    }
    for (int64_t k = random.pick(1, 8); k > 0; --k) e.input(random.one_in(3) ? other : main);
    const bool is_narrow = random.one_in(3);
    const int64_t steps = is_narrow ? random.pick(60, 200) : random.pick(2, random.one_in(3) ? 120 : 20);
    // Far back as often as near, and values live long; or the latest ones and inputs.
    const auto is_at_hand = [&](size_t v) {
        return !is_narrow || v + 3 >= e.nodes.size() || e.nodes[v].op == ExprNode::Op::Input;
    };
    for (int64_t step = 0; step < steps; ++step) {
        const LoopId id = usable[size_t(random.pick(0, int64_t(usable.size()) - 1))];
        const Loop& loop = loops()[id];
        ValueId in[kMaxIn] = {kNoValue, kNoValue, kNoValue};
        for (int k = 0; k < rows()[loop.row].nin; ++k) {
            std::vector<ValueId> fitting;
            for (size_t v = 0; v < e.nodes.size(); ++v)
                if (is_at_hand(v) && e.nodes[v].dtype == loop.in[k]) fitting.push_back(ValueId(v));
            if (!fitting.empty() && !random.one_in(8))
                in[k] = fitting[size_t(random.pick(0, int64_t(fitting.size()) - 1))];
            else if (random.one_in(3))
                in[k] = e.scalar(tests::random_scalar(random, loop.in[k]));
            else
                in[k] = e.cast(
                    ValueId(random.pick(is_narrow ? int64_t(e.nodes.size()) - 1 : 0, int64_t(e.nodes.size()) - 1)),
                    loop.in[k]);
        }
        e.loop(id, in[0], in[1], in[2]);
    }
    if (!is_narrow && random.one_in(2)) add_unread(random, e, main);
    const ValueId last = ValueId(e.nodes.size() - 1);
    e.outputs.push_back(last);
    for (int64_t k = random.pick(0, 6); k > 0; --k) e.outputs.push_back(ValueId(random.pick(0, last)));
    if (random.one_in(8)) e.mask = e.cast(ValueId(random.pick(0, last)), DType::bool_);
    tests::add_operands(random, c);
    return c;
}

/// Values that live at once: fewer and more than there are registers, made by rows that need temporaries.
void check_many_live_values(const host::LoopLibrary& library, Random& random) {
    for (const DType t : {DType::float32, DType::float64, DType::int64, DType::uint32})
        for (int live = 8; live <= 56; live += 3) {
            Case c;
            Expr& e = c.expr;
            const ValueId x = e.input(t), y = e.input(t);
            for (int k = 0; k < live; ++k) {
                const ValueId factor = e.scalar(tests::random_scalar(random, t));
                e.loop(loop_for(k % 2 ? row::maximum : row::minimum, t), e.loop(loop_for(row::multiply, t), x, factor),
                       y);
            }
            add_unread(random, e, t);
            e.outputs.push_back(ValueId(e.nodes.size() - 1));
            add_special_operands(random, c, 1024 + live);
            check(library, c, uint64_t(t), live);
        }
}

/// Values whose last reader has another source that lives on, so that the result needs a further register, and perhaps
/// another value the place in the frame from which the instruction reads.
void check_places_in_the_frame(const host::LoopLibrary& library, Random& random) {
    for (const DType t : {DType::float32, DType::float64, DType::int32, DType::int64})
        for (int live = 8; live <= 56; live += 3) {
            Case c;
            Expr& e = c.expr;
            const ValueId x = e.input(t), kept = e.loop(loop_for(row::add, t), x, e.input(t));
            std::vector<ValueId> values;
            for (int k = 0; k < live; ++k)
                values.push_back(e.loop(loop_for(row::multiply, t), kept, e.scalar(tests::random_scalar(random, t))));
            for (ValueId& value : values) value = e.loop(loop_for(row::subtract, t), kept, value);
            ValueId total = kept;
            for (const ValueId value : values) total = e.loop(loop_for(row::maximum, t), total, value);
            e.outputs = {total};
            add_special_operands(random, c, 1024 + live);
            check(library, c, uint64_t(t), live);
        }
}

/// Chains that compute two vectors in a pass, and four: numbers, bools of memory and of scalars, at every length of the
/// last pass.
void check_long_chains(const host::LoopLibrary& library, Random& random) {
    for (const DType t : {DType::float32, DType::float64, DType::int32, DType::uint64}) {
        for (int64_t n = 1024; n <= 1094; ++n) {
            Case c;
            Expr& e = c.expr;
            const ValueId x = e.input(t), y = e.input(DType::bool_);
            const ValueId all = e.scalar(tests::random_scalar(random, DType::bool_));
            ValueId value = x, flag = y;
            for (int k = 0; k < 24; ++k) {
                // Inputs that are read once are read by the instruction that needs them.
                const ValueId term = k % 5 ? e.scalar(tests::random_scalar(random, t)) : e.input(t);
                const ValueId sum = e.loop(loop_for(row::add, t), value, term);
                const ValueId less = e.loop(loop_for(row::less, t), sum, x);
                flag = e.loop(loop_for(row::not_equal, DType::bool_),
                              e.loop(loop_for(row::equal, DType::bool_), flag, less), k % 3 ? all : y);
                value = e.loop(loop_for(row::where, t), flag, sum, x);
            }
            e.outputs = {flag, value};
            add_special_operands(random, c, n);
            check(library, c, uint64_t(t), n);

            Case lean;
            ValueId single = lean.expr.input(t);
            for (int k = 0; k < 30; ++k)
                single = lean.expr.loop(loop_for(k % 2 ? row::add : row::subtract, t), single,
                                        k % 7 ? lean.expr.scalar(tests::random_scalar(random, t)) : single);
            lean.expr.outputs = {single};
            add_special_operands(random, lean, n);
            check(library, lean, uint64_t(t), n);
        }
    }
}

/// Rows of wider matrices, of every length about those that are computed alone: read and written where they lie, beside
/// one element and a row that all read, or with every second element, which is gathered.
void check_short_rows(const host::LoopLibrary& library, Random& random) {
    for (const DType t : {DType::float32, DType::float64, DType::int32})
        for (int64_t n = 10; n <= 72; ++n) {
            const int64_t item = item_size(t), step = random.one_in(6) ? 2 : 1;
            Case c;
            Expr& e = c.expr;
            const ValueId x = e.input(t), y = e.input(t);
            ValueId sum = e.loop(loop_for(row::add, t), x, y);
            for (int k = 0; k < 3; ++k) sum = e.loop(loop_for(row::add, t), sum, e.input(t));
            const ValueId single = e.input(t), row = e.input(t);
            const ValueId value =
                e.loop(loop_for(row::subtract, t), e.loop(loop_for(row::multiply, t), sum, single), row);
            e.outputs = {value, e.loop(loop_for(row::less, t), value, y)};
            c.shape = Dims{1100 / n + 2, n};
            const auto operand = [&](DType type, Dims strides) {
                const int64_t bytes = c.shape[0] * (step * n + 5) * item_size(type);
                tests::Operand made{type, std::vector<char>(size_t(bytes)), item_size(type), std::move(strides)};
                for (int64_t at = 0; at < bytes; at += item_size(type))
                    tests::random_element(random, type, made.bytes.data() + at);
                return made;
            };
            for (const int64_t more : {2, 5, 3, 4, 5})
                c.inputs.push_back(operand(t, Dims{(step * n + more - 1) * item, step * item}));
            c.inputs.push_back(operand(t, Dims{0, 0})), c.inputs.push_back(operand(t, Dims{0, item}));
            c.outputs.push_back(operand(t, Dims{(n + 3) * item, item}));
            c.outputs.push_back(operand(DType::bool_, Dims{n + 2, 1}));
            c.in_place = {-1, -1};
            check(library, c, uint64_t(t), n);
        }
}

/// More chains than the cache holds: the oldest ones go, and all stay right.
void check_eviction(const host::LoopLibrary& library, Random& random) {
    const RowId rows[] = {row::negative, row::square, row::abs, row::floor, row::sign, row::reciprocal};
    const auto chain_of = [&](int number) {
        Case c;
        ValueId x = c.expr.input(DType::float32);
        for (int k = 0; k < 5; ++k, number /= 6) x = c.expr.loop(loop_for(rows[number % 6], DType::float32), x);
        c.expr.outputs.push_back(x);
        add_special_operands(random, c, 1100);
        return c;
    };
    for (int number = 0; number < 6 * 6 * 6 * 6 * 6; ++number) {
        const Case c = chain_of(number % 7000);
        if (number % 50 == 0)
            check(library, c, 0, number);
        else
            for (int run = 0; run < 2; ++run) tests::run_case(c);
    }
    CHECK(!is_on() || (chains() > 1000 && chains() <= 4096), "%lld chains", (long long)chains());
}

}  // namespace

int main(int argc, char** argv) {
    const uint64_t seed = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 1;
    const int64_t rounds = argc > 2 ? std::atoll(argv[2]) : 600;
    const host::LoopLibrary& library = tests::loops_of_level();
    Random random(seed);
    for (size_t id = 0; id < loops().size(); ++id) {
        const Loop& loop = loops()[id];
        if (rows()[loop.row].nout > 1 || !is_known(loop.T) || !is_known(loop.out[0])) continue;
        check_loop(library, random, LoopId(id));
    }
    check_casts(library, random);
    check_many_live_values(library, random);
    check_places_in_the_frame(library, random);
    check_long_chains(library, random);
    check_short_rows(library, random);
    const int64_t of_rows = chains();
    CHECK(!is_on() || of_rows >= 280, "%lld chains", (long long)of_rows);
    for (int64_t round = 0; round < rounds; ++round) check(library, random_program(random), seed, round);
    CHECK(!is_on() || chains() > std::min(of_rows + rounds / 2, int64_t(3000)), "%lld chains", (long long)chains());
    check_eviction(library, random);
}
