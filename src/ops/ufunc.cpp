// ufunc.cpp -- one call of a row: which loop, which shape, which memory; then one Expr to run or one node to defer.
#include "cuarray/ops/ufunc.h"

#include <algorithm>
#include <memory>
#include <numeric>
#include <vector>

#include "cuarray/array/pending.h"
#include "cuarray/runtime/registry.h"

namespace cuarray {
namespace {

/// A call as it is being planned.
struct Call {
    const Row& row;
    std::span<const Argument> args;
    const UfuncOptions& options;
    LoopId loop = kNone;
    const Loop* types = nullptr;       ///< of that loop
    Device device;
    Dims shape;
    const Array* arrays[kMaxIn] = {};  ///< array operands; null where the operand is a scalar
    Scalar scalars[kMaxIn];            ///< scalar operands, already of the loop's dtype

    Call(const Row& row, std::span<const Argument> args, const UfuncOptions& options)
        : row(row), args(args), options(options) {}
    const char* name() const { return row.name; }
};

const char* spell(const ArgType& type) {
    static const char* const weak[] = {"", "int", "float", "complex"};
    return type.is_weak() ? weak[int(type.weak)] : info(type.dtype).name;
}

[[noreturn]] void raise_no_loop(const Call& c, std::span<const ArgType> types) {
    std::string text;
    for (size_t i = 0; i < types.size(); ++i) text += (i ? ", " : "") + std::string(spell(types[i]));
    const bool all_bool = std::all_of(types.begin(), types.end(), [](ArgType t) { return t.dtype == DType::bool_; });
    if (c.row.has(NoBool) && all_bool)
        raise(ErrorKind::Type, c.name(), ": not supported for bool; use logical_not, logical_xor or bitwise_xor");
    if (c.options.dtype != DType::none || c.options.has_signature)
        raise(ErrorKind::Type, c.name(), ": no loop matches the given dtype or signature and casting rule '",
              to_string(c.options.casting), "' for argument types (", text, ")");
    raise(ErrorKind::Type, c.name(), ": not supported for the argument types (", text,
          "), and they cannot be cast safely to any that is");
}

/// Whether a Python number of this kind may be given where the loop takes dtype.
bool weak_fits(Weak::Kind weak, DType dtype) {
    const Kind kind = info(dtype).kind;
    const int rank = kind == Kind::Bool ? 0 : kind == Kind::Complex ? 3 : kind == Kind::Floating ? 2 : 1;
    return rank >= int(weak);
}

/// The loop that dtype= or signature= asks for.
LoopId requested_loop(const Call& c, std::span<const ArgType> types) {
    const UfuncOptions& o = c.options;
    for (int k = 0; k < c.row.loops; ++k) {
        const LoopId id = LoopId(c.row.first_loop + k);
        const Loop& loop = loops()[id];
        bool fits = o.dtype == DType::none || loop.out[0] == o.dtype;
        for (int i = 0; i < c.row.nin; ++i) {
            if (o.has_signature && o.signature[i] != DType::none && o.signature[i] != loop.in[i]) fits = false;
            const ArgType& t = types[size_t(i)];
            if (!(t.is_weak() ? weak_fits(t.weak, loop.in[i]) : can_cast(t.dtype, loop.in[i], o.casting))) fits = false;
        }
        for (int i = 0; i < c.row.nout; ++i)
            if (o.has_signature && o.signature[c.row.nin + i] != DType::none && o.signature[c.row.nin + i] != loop.out[i])
                fits = false;
        if (fits) return id;
    }
    return kNone;
}

/// Comparisons with Python ints are exact: an int that an integer dtype cannot hold becomes int64, uint64, or, beyond
/// those, an infinity beside floats.
Scalar exact_integer(const Weak& w) {
    if (w.big) return Scalar::of(DType::float64, w.big > 0 ? __builtin_inf() : -__builtin_inf());
    return w.negative || w.integer <= uint64_t(INT64_MAX) ? Scalar::of(DType::int64, int64_t(w.integer))
                                                          : Scalar::of(DType::uint64, w.integer);
}

bool is_integer(DType dtype) { return info(dtype).kind <= Kind::Signed; }

void choose_exact(Call& c, ArgType (&types)[kMaxIn]) {
    for (size_t i = 0; i < c.args.size(); ++i) {
        const Weak* w = c.args[i].weak;
        if (!w || w->kind != Weak::Kind::Int || types[1 - i].is_weak() || !is_integer(types[1 - i].dtype)) continue;
        c.scalars[i] = exact_integer(*w);
        types[i] = {c.scalars[i].dtype, {}};
        if (w->big) types[1 - i] = {DType::float64, {}};
    }
}

void choose_loop(Call& c) {
    ArgType types[kMaxIn];
    const size_t n = c.args.size();
    for (size_t i = 0; i < n; ++i) types[i] = c.args[i].type();
    if (c.row.has(Exact64)) choose_exact(c, types);
    const bool requested = c.options.dtype != DType::none || c.options.has_signature;
    c.loop = requested ? requested_loop(c, {types, n}) : resolve(RowId(&c.row - rows().data()), {types, n});
    if (c.loop == kNone) raise_no_loop(c, {types, n});
    c.types = &loops()[c.loop];
    for (size_t i = 0; i < n; ++i) {
        const DType in = c.types->in[i];
        if (c.args[i].array) c.arrays[i] = c.args[i].array;
        else if (c.scalars[i].dtype != DType::none) c.scalars[i] = convert(c.scalars[i], in);
        else if (c.args[i].scalar) c.scalars[i] = convert(*c.args[i].scalar, in);
        else c.scalars[i] = convert(*c.args[i].weak, in, c.name());
    }
}

[[noreturn]] void raise_devices(const Call& c, const Array& a) {
    raise(ErrorKind::Value, c.name(), ": operands are on ", to_string(c.device), " and ", to_string(a.device()),
          "; move one with .to_device(...)");
}

void choose_device(Call& c) {
    bool first = true;
    auto see = [&](const Array* a) {
        if (!a) return;
        if (first) c.device = a->device();
        else if (!(a->device() == c.device)) raise_devices(c, *a);
        first = false;
    };
    for (const Argument& arg : c.args) see(arg.array);
    for (Array* out : c.options.out) see(out);
    see(c.options.where);
    if (first) c.device = current_device();
}

void choose_shape(Call& c) {
    const Dims* shapes[kMaxIn + kMaxOut + 1];
    size_t n = 0;
    for (const Argument& arg : c.args)
        if (arg.array) shapes[n++] = &arg.array->shape();
    const size_t inputs = n;
    for (Array* out : c.options.out)
        if (out) shapes[n++] = &out->shape();
    if (c.options.where) shapes[n++] = &c.options.where->shape();
    if (n == 1) {
        c.shape = *shapes[0];
    } else if (n == 2 && *shapes[0] == *shapes[1]) {
        c.shape = *shapes[0];
    } else {
        // Inputs alone first: their message must not name an output.
        if (inputs < n && inputs) broadcast({shapes, inputs}, c.name());
        c.shape = broadcast({shapes, n}, c.name());
    }
    for (Array* out : c.options.out)
        if (out && !(out->shape() == c.shape))
            raise(ErrorKind::Value, c.name(), ": non-broadcastable output operand with shape ", to_string(out->shape()),
                  " doesn't match the broadcast shape ", to_string(c.shape));
}

void check_outputs(const Call& c) {
    for (int k = 0; k < c.row.nout; ++k) {
        const Array* out = c.options.out[k];
        if (!out) continue;
        if (!out->is_writable()) raise(ErrorKind::Value, c.name(), ": output array is read-only");
        if (!can_cast(c.types->out[k], out->dtype(), c.options.casting))
            raise(ErrorKind::Type, c.name(), ": cannot cast the output from ", info(c.types->out[k]).name, " to ",
                  info(out->dtype()).name, " with casting rule '", to_string(c.options.casting), "'");
    }
    if (c.options.where && c.options.where->dtype() != DType::bool_)
        raise(ErrorKind::Type, c.name(), ": where= takes a bool array, not ", info(c.options.where->dtype()).name);
}

/// The order of axes of a new result.
Dims result_order(const Call& c) {
    Dims order(c.shape.size(), 0);
    std::iota(order.begin(), order.end(), 0);
    char wish = c.options.order;
    if (wish == 'A') {
        const bool fortran = std::any_of(c.args.begin(), c.args.end(), [](const Argument& a) { return a.array; }) &&
                             std::all_of(c.args.begin(), c.args.end(), [](const Argument& a) {
                                 return !a.array || (a.array->is_f_contiguous() && !a.array->is_c_contiguous());
                             });
        wish = fortran ? 'F' : 'C';
    }
    if (wish == 'F') std::reverse(order.begin(), order.end());
    if (wish != 'K' || c.shape.size() < 2) return order;
    Dims strides[kMaxIn];
    const Dims* pointers[kMaxIn];
    size_t n = 0;
    bool c_order = true;
    for (const Argument& arg : c.args) {
        if (!arg.array) continue;
        c_order = c_order && arg.array->shape() == c.shape && arg.array->is_c_contiguous();
        strides[n] = broadcast_strides(arg.array->layout(), c.shape, c.name());
        pointers[n] = &strides[n];
        ++n;
    }
    return c_order ? order : memory_order(c.shape, {pointers, n});
}

bool can_wait(const Call& c) {
    if (!is_deferring() || c.options.where || c.row.has(NegativeFault)) return false;
    if (std::none_of(c.arrays, c.arrays + kMaxIn, [](const Array* a) { return a; })) return false;
    return can_defer({c.arrays, c.args.size()});
}

/// Whether writing the result into `out` may simply make `out` the result: nothing else sees its memory, which does
/// not exist yet.
bool can_rebind(const Call& c) {
    const Array* out = c.options.out[0];
    return c.row.nout == 1 && out->is_pending() && out->pending()->handles == 1 &&
           out->dtype() == c.types->out[0] && out->shape() == c.shape;
}

UfuncResult defer_call(const Call& c) {
    UfuncResult result;
    const Dims order = result_order(c);
    for (int k = 0; k < c.row.nout; ++k) {
        const DType dtype = c.types->out[k];
        const Dims strides = strides_in_order(c.shape, order, item_size(dtype));
        if (k == 0) {
            result.array[0] = defer(ExprNode::Op::Loop, c.loop, dtype, {c.arrays, c.args.size()}, c.scalars, c.shape, strides, c.device);
        } else {
            const Array* first[] = {&result.array[0]};
            result.array[k] = defer(ExprNode::Op::Second, kNone, dtype, first, c.scalars, c.shape, strides, c.device);
        }
    }
    return result;
}

/// The computation of a call, in progress: pending operands that nobody else holds join it.
struct Plan {
    Expr expr;
    std::vector<View> inputs;
    ValueId args[kMaxIn] = {kNoValue, kNoValue, kNoValue};
    Array temporaries[kMaxIn + 1];  ///< copies of operands that the outputs would overwrite, alive until the run

    ValueId add_input(const Array& a, const Dims& shape, const char* name) {
        inputs.push_back(a.as_operand(shape, name));
        return expr.input(a.dtype());
    }
};

/// Whether the operand, walked over shape, is exactly the output's elements in the same order.
bool is_in_place(const Array& in, const Array& out, const Dims& shape) {
    return in.shape() == shape && in.strides() == out.strides() && in.data() == out.data() &&
           item_size(in.dtype()) == item_size(out.dtype());
}

/// A copy of the operand where writing `out` would change it before it is read.
const Array* guarded(const Array* in, const Call& c, Array& temporary) {
    for (int k = 0; k < c.row.nout; ++k) {
        const Array* out = c.options.out[k];
        if (!out || !overlaps(*in, *out) || is_in_place(*in, *out, c.shape)) continue;
        temporary = copy(*in, 'K');
        return &temporary;
    }
    return in;
}

void plan_inputs(const Call& c, Plan& plan) {
    // One pending operand of the full shape may bring its own computation along.
    int absorbed = -1;
    for (int i = 0; i < c.row.nin && absorbed < 0; ++i)
        if (c.arrays[i] && c.arrays[i]->shape() == c.shape && c.arrays[i]->is_pending() &&
            absorb(*c.arrays[i], plan.expr, plan.inputs)) {
            absorbed = i;
            plan.args[i] = plan.expr.outputs[0];
            plan.expr.outputs.clear();
        }
    for (int i = 0; i < c.row.nin; ++i) {
        if (i == absorbed) {
        } else if (!c.arrays[i]) {
            plan.args[i] = plan.expr.scalar(c.scalars[i]);
        } else {
            plan.args[i] = plan.add_input(*guarded(c.arrays[i], c, plan.temporaries[i]), c.shape, c.name());
        }
        plan.args[i] = plan.expr.cast(plan.args[i], c.types->in[i]);
    }
}

/// Whether an absorbed computation would read what the outputs overwrite.
bool is_safe(const Call& c, const Plan& plan) {
    for (int k = 0; k < c.row.nout; ++k) {
        const Array* out = c.options.out[k];
        if (!out) continue;
        for (const View& v : plan.inputs) {
            if (v.storage != &out->storage()) continue;
            const bool same = v.offset == out->offset() && v.strides == out->strides() &&
                              item_size(v.dtype) == item_size(out->dtype());
            if (!same) return false;
        }
    }
    return true;
}

void check_exponent(const Call& c, const Plan& plan, Expr& expr) {
    const DType dtype = c.types->in[1];
    if (!c.row.has(NegativeFault) || info(dtype).kind != Kind::Signed) return;
    const ValueId zero = expr.scalar(convert(Scalar::of(DType::int64, int64_t(0)), dtype));
    expr.fault = expr.loop(loop_for(find_row("less"), dtype), plan.args[1], zero);
}

[[noreturn]] void raise_fault(const Call& c) {
    raise(ErrorKind::Value, c.name(), ": integers to negative integer powers are not allowed");
}

/// Results that overlap themselves (a broadcast output) or one another go through arrays of their own.
bool needs_own_result(const Call& c, int k) {
    const Array* out = c.options.out[k];
    if (may_self_overlap(out->layout(), item_size(out->dtype()))) return true;
    return k == 1 && c.options.out[0] && overlaps(*c.options.out[0], *out);
}

UfuncResult run_call(const Call& c) {
    for (Array* out : c.options.out)
        if (out) before_write(out->storage());
    Plan plan;
    plan_inputs(c, plan);
    if (!is_safe(c, plan)) {
        for (const Array* a : c.arrays)
            if (a) a->settle();
        plan = Plan();
        plan_inputs(c, plan);
    }
    Expr& expr = plan.expr;
    if (c.options.where)
        expr.mask = plan.add_input(*guarded(c.options.where, c, plan.temporaries[kMaxIn]), c.shape, c.name());
    check_exponent(c, plan, expr);
    const ValueId first = expr.loop(c.loop, plan.args[0], plan.args[1], plan.args[2]);
    const ValueId values[kMaxOut] = {first, c.row.nout > 1 ? expr.second(first) : kNoValue};
    UfuncResult result;
    const Dims order = result_order(c);
    Array targets[kMaxOut];
    for (int k = 0; k < c.row.nout; ++k) {
        Array* out = c.options.out[k];
        const DType dtype = out ? out->dtype() : c.types->out[k];
        expr.outputs.push_back(expr.cast(values[k], dtype));
        targets[k] = out && !needs_own_result(c, k) ? *out : empty_in_order(c.shape, order, dtype, c.device);
        if (out && c.options.where && needs_own_result(c, k)) assign(targets[k], *out, c.name());
    }
    if (run(expr, c.shape, plan.inputs, {targets, size_t(c.row.nout)}, c.name()) == Fault::Raised) raise_fault(c);
    for (int k = 0; k < c.row.nout; ++k) {
        Array* out = c.options.out[k];
        if (out && needs_own_result(c, k)) assign(*out, targets[k], c.name());
        result.array[k] = out ? *out : std::move(targets[k]);
    }
    return result;
}

/// The Expr of one row over operands of its own dtypes; which operands are scalars is bit i of `scalars`.
Expr single_row(LoopId id, unsigned scalars) {
    Expr expr;
    const Loop& loop = loops()[id];
    ValueId args[kMaxIn] = {kNoValue, kNoValue, kNoValue};
    for (int i = 0; i < rows()[loop.row].nin; ++i) {
        Scalar zero;
        zero.dtype = loop.in[i];
        args[i] = scalars >> i & 1 ? expr.scalar(zero) : expr.input(loop.in[i]);
    }
    expr.outputs = {expr.loop(id, args[0], args[1], args[2])};
    return expr;
}

/// The same, made once per thread: small arrays spend most of their time on what surrounds the loop.
Expr& kept_single_row(LoopId id, unsigned scalars) {
    thread_local std::vector<std::unique_ptr<Expr>> kept(loops().size() << kMaxIn);
    std::unique_ptr<Expr>& expr = kept[size_t(id) << kMaxIn | scalars];
    if (!expr) expr = std::make_unique<Expr>(single_row(id, scalars));
    return *expr;
}

/// An eager call whose operands have the loop's dtypes, with a new result or a contiguous one that no operand overlaps
/// in part: nothing to plan.
bool is_plain(const Call& c) {
    if (c.options.where || c.row.nout != 1 || c.row.has(NegativeFault)) return false;
    const Array* out = c.options.out[0];
    if (out && (out->dtype() != c.types->out[0] || out->is_pending() || !out->is_c_contiguous())) return false;
    for (int i = 0; i < c.row.nin; ++i) {
        const Array* in = c.arrays[i];
        if (!in) continue;
        if (in->dtype() != c.types->in[i] || in->is_pending()) return false;
        if (out && !is_in_place(*in, *out, c.shape) && overlaps(*in, *out)) return false;
    }
    return true;
}

UfuncResult run_plain(const Call& c) {
    Array* out = c.options.out[0];
    if (out) before_write(out->storage());
    View inputs[kMaxIn];
    size_t arrays = 0;
    unsigned scalar_bits = 0;
    for (int i = 0; i < c.row.nin; ++i) {
        if (c.arrays[i]) inputs[arrays++] = c.arrays[i]->as_operand(c.shape, c.name());
        else scalar_bits |= 1u << i;
    }
    Expr& expr = kept_single_row(c.loop, scalar_bits);
    size_t next = 0;
    for (int i = 0; i < c.row.nin; ++i)
        if (!c.arrays[i]) expr.scalars[next++] = c.scalars[i];
    UfuncResult result;
    if (out) {
        run(expr, c.shape, {inputs, arrays}, {out, 1}, c.name());
        result.array[0] = *out;
        return result;
    }
    const int64_t item = item_size(c.types->out[0]), bytes = checked_size(c.shape, item, c.name()) * item;
    Backend& target = arrays ? inputs[0].storage->front() : backend(c.device);
    Dims strides = c.shape.size() < 2 ? c_strides(c.shape, item) : strides_in_order(c.shape, result_order(c), item);
    result.array[0] = Array(target.allocate(bytes), 0, {c.shape, std::move(strides)}, c.types->out[0]);
    run(expr, c.shape, {inputs, arrays}, {&result.array[0], 1}, c.name());
    return result;
}

}  // namespace

UfuncResult call(RowId id, std::span<const Argument> args, const UfuncOptions& options) {
    Call c(rows()[id], args, options);
    if (int(args.size()) != c.row.nin)
        raise(ErrorKind::Type, c.name(), ": takes ", int(c.row.nin), " inputs, got ", args.size());
    choose_device(c);
    choose_loop(c);
    choose_shape(c);
    check_outputs(c);
    const bool has_output = options.out[0] || options.out[1];
    if (can_wait(c) && (!has_output || can_rebind(c))) {
        UfuncResult result = defer_call(c);
        if (has_output) *options.out[0] = result.array[0];
        return result;
    }
    return is_plain(c) ? run_plain(c) : run_call(c);
}

UfuncResult call(std::string_view name, std::span<const Argument> args, const UfuncOptions& options) {
    return call(find_row(name), args, options);
}

Array ufunc_outer(RowId row, const Argument& a, const Argument& b, const UfuncOptions& options) {
    if (rows()[row].nin != 2) raise(ErrorKind::Value, rows()[row].name, ".outer: only binary functions have an outer product");
    if (!a.array || !b.array) {
        const Argument args[] = {a, b};
        return call(row, args, options).array[0];
    }
    Dims shape = a.array->shape();
    for (int i = 0; i < b.array->ndim(); ++i) shape.push_back(1);
    if (shape.size() > kMaxDims)
        raise(ErrorKind::Value, rows()[row].name, ".outer: the result would have ", shape.size(), " dimensions");
    const Array left = a.array->reshape(shape);
    const Argument args[] = {left, b};
    return call(row, args, options).array[0];
}

}  // namespace cuarray
