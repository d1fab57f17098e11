// table.cpp -- the tables as data, and type resolution.
#include "cuarray/core/table.h"
#include <algorithm>
#include <atomic>
#include <bit>
#include <charconv>
#include <memory>
#include <utility>
#include <vector>
#include "core/loops.h"

namespace cuarray {
namespace {

/// The columns of a row that are text; its functor supplies the others.
struct RowText {
    const char *name, *identity, *doc, *body;
};

constexpr RowText kRowTexts[] = {
#define UFUNC(name, inputs, outputs, domain, flags, identity, doc, ...) {#name, #identity, doc, #__VA_ARGS__},
#include "cuarray/ufuncs.def"
};

constexpr bool is_none(std::string_view identity) { return identity == "NONE"; }

#define Public(parameters, example) #parameters, example, false
#define Method(parameters, example) #parameters, example, true
#define Private nullptr, nullptr, false
constexpr ReductionRow kReductionRows[] = {
#define REDUCTION(name, ufunc, domain_, flags, python, accumulator, identity, doc, ...) \
    {#name, row::ufunc, domain::of_reductions[reduction::name], flags, python, !is_none(#identity), doc},
#include "cuarray/reductions.def"
};
#undef Public
#undef Method
#undef Private

/// The reduction whose ufunc is this row, or kNone.
constexpr ReductionId reduction_of(size_t row) {
    for (int r = 0; r < kReductions; ++r)
        if (kReductionRows[r].ufunc == row) return ReductionId(r);
    return kNone;
}

/// Codes of the arguments of type resolution: the dtypes, then Python's int, float, complex.
constexpr int kArgCodes = kDTypes + 3;
int code(ArgType arg) { return arg.is_weak() ? kDTypes + int(arg.weak) - 1 : int(arg.dtype); }

/// A resolution that has not been computed yet.
constexpr LoopId kUnknown = 0xfffe;

struct Table {
    std::vector<Row> rows;
    std::vector<Loop> loops;
    std::vector<size_t> first_resolution;                ///< by row, into `resolutions`
    std::unique_ptr<std::atomic<LoopId>[]> resolutions;  ///< by row and argument codes

    Table();

    template <class F, class T, class U>
    void loop() {
        using In = typename F::template in<T, U>;
        using Out = typename F::template out<T, U>;
        using Result = decltype(fn::call<F, T, U>({}, {}, {}));
        static_assert(In::size <= kMaxIn && Out::size <= kMaxOut);
        static_assert(is_same<Result, fn::result_t<Out>>);
        loops.push_back({RowId(rows.size()),
                         dtype_of<T>,
                         dtype_of<U>,
                         {dtype_of<fn::item_t<0, In>>, dtype_of<fn::item_t<1, In>>, dtype_of<fn::item_t<2, In>>},
                         {dtype_of<fn::item_t<0, Out>>, dtype_of<fn::item_t<1, Out>>}});
    }

    template <class F>
    void row() {
        const RowText& t = kRowTexts[rows.size()];
        const size_t first = loops.size();
        visit_row<F>(*this);
        rows.push_back({t.name, F::template in<f64>::size, F::template out<f64>::size, domain::of_row<F>, F::flags,
                        is_none(t.identity) ? nullptr : t.identity, t.doc, t.body, LoopId(first),
                        uint16_t(loops.size() - first), reduction_of(rows.size())});
    }

    template <int... Index>
    void all_rows(std::integer_sequence<int, Index...>) {
        (row<fn::item_t<Index, Rows>>(), ...);
    }
};

Table::Table() {
    all_rows(std::make_integer_sequence<int, kRows>());
    size_t count = 0;
    for (const Row& row : rows) {
        first_resolution.push_back(count);
        count += row.nin == 1 ? kArgCodes : row.nin == 2 ? kArgCodes * kArgCodes : kArgCodes * kArgCodes * kArgCodes;
    }
    resolutions.reset(new std::atomic<LoopId>[count]);
    for (size_t i = 0; i < count; ++i) resolutions[i].store(kUnknown, std::memory_order_relaxed);
}

/// Made when the library is loaded, so that no access checks for initialisation; no static initialiser uses it. Never
/// destroyed: a thread may compute while the process ends.
const Table& the_table = *new const Table;
const Table& table() { return the_table; }

/// The types and the identity of a reduction over one element type.
struct ReductionTypes {
    DType result = DType::none;
    int accumulator_size = 0;
    Scalar identity;
};

struct ReductionTypesTable {
    ReductionTypes at[kReductions][kDTypes];

    ReductionTypesTable() { visit_reductions(*this); }

    template <int R, class Element>
    void reduction() {
        using Row = reduction_t<R, Element>;
        using Result = decltype(Row::finish(typename Row::A(), 0));
        ReductionTypes& fold = at[R][int(dtype_of<Element>)];
        fold.result = dtype_of<Result>;
        fold.accumulator_size = int(sizeof(typename Row::A));
        if constexpr (Row::has_identity) fold.identity = Scalar::of(fold.result, Row::finish(Row::identity(), 0));
    }
};

const ReductionTypes& fold_of(ReductionId r, DType T) {
    static const ReductionTypesTable folds;
    return folds.at[r][int(T)];
}

/// The rank of a kind in type resolution: bool, integer, floating, complex.
int rank(DType dtype) {
    const Kind kind = info(dtype).kind;
    return kind == Kind::Bool ? 0 : kind < Kind::Floating ? 1 : kind == Kind::Floating ? 2 : 3;
}
int rank(ArgType arg) { return arg.is_weak() ? int(arg.weak) : rank(arg.dtype); }

int highest_rank(std::span<const ArgType> args) {
    int top = -1;
    for (ArgType a : args)
        if (!a.is_weak()) top = std::max(top, rank(a));
    return top;
}

/// A Python number of a higher kind than every array gets a dtype; any other argument is returned unchanged.
ArgType widened(ArgType arg, std::span<const ArgType> args, int top) {
    if (!arg.is_weak() || rank(arg) <= top) return arg;
    if (arg.weak == Weak::Kind::Int) return {DType::int64, arg.weak};
    if (arg.weak == Weak::Kind::Float) return {DType::float64, arg.weak};
    const bool wide =
        top != 2 || std::any_of(args.begin(), args.end(), [](ArgType a) { return a.dtype == DType::float64; });
    return {wide ? DType::complex128 : DType::complex64, arg.weak};
}

bool fits(ArgType arg, DType to) { return arg.is_weak() ? rank(to) >= rank(arg) : can_cast(arg.dtype, to); }

bool has_types(const Row& row, const Loop& loop, const LoopSignature& wanted) {
    const DType* const types = wanted.types;
    for (int i = 0; i < row.nin; ++i)
        if (types[i] != DType::none && types[i] != loop.in[i]) return false;
    for (int k = 0; k < row.nout; ++k)
        if (types[row.nin + k] != DType::none && types[row.nin + k] != loop.out[k]) return false;
    return true;
}

template <class Test>
LoopId first_loop(const Row& row, Test test) {
    for (LoopId id = row.first_loop; id < row.first_loop + row.loops; ++id)
        if (test(table().loops[id])) return id;
    return kNone;
}

/// The first loop with these dtypes to whose inputs the arguments cast safely.
LoopId first_holder(const Row& row, std::span<const ArgType> given, const LoopSignature& wanted) {
    ArgType args[kMaxIn];
    const int top = highest_rank(given);
    for (size_t i = 0; i < given.size(); ++i) args[i] = widened(given[i], given, top);
    return first_loop(row, [&](const Loop& loop) {
        for (int i = 0; i < row.nin; ++i)
            if (!fits(args[i], loop.in[i])) return false;
        return has_types(row, loop, wanted);
    });
}

LoopId find_loop(const Row& row, std::span<const ArgType> args) {
    const auto all = [&](auto&& holds) { return std::all_of(args.begin(), args.end(), holds); };
    if (row.has(NoBool) && all([](ArgType a) { return a.dtype == DType::bool_; })) return kNone;
    if (row.has(WideInt) && all([](ArgType a) { return rank(a) <= 1; }))
        return loop_for(RowId(&row - table().rows.data()), DType::float64);
    return first_holder(row, args, {});
}

template <class Range>
uint16_t find(const Range& range, std::string_view name) {
    for (size_t i = 0; i < std::size(range); ++i)
        if (name == range[i].name) return uint16_t(i);
    return kNone;
}

}  // namespace

const Tables tables{table().rows, table().loops};

std::span<const ReductionRow> reductions() { return kReductionRows; }

RowId find_row(std::string_view name) { return find(table().rows, name); }
ReductionId find_reduction(std::string_view name) { return find(reductions(), name); }

std::vector<const char*> flag_words(uint32_t flags) {
    static constexpr std::pair<Flag, const char*> kWords[] = {
        {WideInt, "WideInt"},
        {NoBool, "NoBool"},
        {Exact64, "Exact64"},
        {EitherInt, "EitherInt"},
        {HalfBits, "HalfBits"},
        {Associative, "Associative"},
        {Commutative, "Commutative"},
        {VectorMath, "VectorMath"},
        {NegativeFault, "NegativeFault"},
        {IntQuotient, "IntQuotient"},
        {IntRemainder, "IntRemainder"},
        {Signless, "Signless"},
        {LongInt, "LongInt"},
        {Average, "Average"},
        {GivesIndex, "GivesIndex"},
        {AltersOne, "AltersOne"},
    };
    std::vector<const char*> words;
    for (const auto& [flag, word] : kWords)
        if (flags & flag) words.push_back(word);
    return words;
}

Scalar row_identity(RowId row, DType dtype) {
    const std::string_view text = table().rows[row].identity;
    Weak value;
    value.negative = text.starts_with('-');
    if (text == "-inf") {
        value.kind = Weak::Kind::Float;
        value.real = -infinity<f64>();
    } else if (text == "true" || text == "false") {
        value.integer = text == "true";
    } else {
        int64_t number = 0;
        std::from_chars(text.data(), text.data() + text.size(), number);
        value.integer = uint64_t(number);
        // All bits set at any width: the identity of bitwise_and.
        if (value.negative && info(dtype).kind != Kind::Signed) return convert(Scalar::of(DType::int64, number), dtype);
    }
    return convert(value, dtype, table().rows[row].name);
}

DType reduction_result(ReductionId r, DType T) { return fold_of(r, T).result; }
int accumulator_size(ReductionId r, DType T) { return fold_of(r, T).accumulator_size; }
Scalar reduction_identity(ReductionId r, DType T) { return fold_of(r, T).identity; }

LoopId resolve(RowId id, std::span<const ArgType> args) {
    const Table& t = table();
    const Row& row = t.rows[id];
    if (args.size() != row.nin)
        raise(ErrorKind::Type, row.name, ": takes ", int(row.nin), " arguments, not ", args.size());
    size_t index = 0;
    for (ArgType a : args) index = index * kArgCodes + code(a);
    std::atomic<LoopId>& known = t.resolutions[t.first_resolution[id] + index];
    LoopId loop = known.load(std::memory_order_relaxed);
    if (loop == kUnknown) {
        loop = find_loop(row, args);
        known.store(loop, std::memory_order_relaxed);
    }
    return loop;
}

LoopId resolve(RowId id, std::span<const ArgType> given, const LoopSignature& signature) {
    const Row& row = table().rows[id];
    ArgType args[kMaxIn];
    for (int i = 0; i < row.nin; ++i)
        args[i] = signature.types[i] == DType::none ? given[size_t(i)] : ArgType{signature.types[i], {}};
    if (const LoopId loop = first_holder(row, {args, row.nin}, signature); loop != kNone) return loop;
    const DType out = signature.types[row.nin];
    LoopSignature uniform = signature;
    for (int i = 0; i < row.nin; ++i)
        if (uniform.types[i] == DType::none) uniform.types[i] = out;
    const DType* const outputs = signature.types + row.nin;
    if (out == DType::none || std::any_of(outputs, outputs + row.nout, [&](DType type) { return type != out; }))
        return kNone;
    return first_loop(row, [&](const Loop& loop) { return has_types(row, loop, uniform); });
}

DType result_type(std::span<const ArgType> args) {
    if (args.empty()) raise(ErrorKind::Value, "result_type: needs at least one argument");
    const int top = highest_rank(args);
    // Not pairwise: int8 with uint16 gives int32, which float16 would promote to float64.
    uint32_t holders = ~0u;
    for (ArgType arg : args)
        if (const ArgType a = widened(arg, args, top); !a.is_weak()) holders &= safe_targets(a.dtype);
    return DType(std::countr_zero(holders));
}

LoopId loop_for(RowId row_id, DType dtype) {
    const Row& row = table().rows[row_id];
    for (LoopId id = row.first_loop; id < row.first_loop + row.loops; ++id) {
        const Loop& loop = table().loops[id];
        if (loop.T == dtype && (loop.U == dtype || row.has(EitherInt))) return id;
    }
    return kNone;
}

}  // namespace cuarray
