// ufunc.cpp -- calls a row: plans the call, then runs or defers it; and outer, by broadcasting.
#include "cuarray/ops/ufunc.h"

#include <algorithm>

#include "cuarray/array/elements.h"
#include "cuarray/array/pending.h"
#include "cuarray/runtime/registry.h"
#include "ops/call.h"
#include "ops/powers.h"

namespace cuarray {
namespace {

/// Whether elements may be wrong: negative powers of integers, which raise at the call.
bool may_fault(const Call& c) { return c.row.has(NegativeFault) && info(c.types->in[0]).kind < Kind::Floating; }

bool can_wait(const Call& c) {
    const int64_t elements = count(c.shape);
    if (!may_defer(elements, c.device) || c.options.where || may_fault(c)) return false;
    if (std::none_of(c.arrays, c.arrays + kMaxIn, [](const Array* a) { return a; })) return false;
    return can_defer({c.arrays, c.args.size()}, elements);
}

/// Whether `out` may become a handle of the result instead of being written: it is pending and has not run, so it has
/// no memory yet, and no other array shares it.
bool can_rebind(const Call& c) {
    const Array* out = c.options.out[0];
    if (c.row.nout != 1 || !out->is_pending() || out->dtype() != c.types->out[0] || out->shape() != c.shape)
        return false;
    // A handle that was copied may have settled, and given the memory to views, before this one.
    return out->pending()->handles == 1 && !out->pending()->result;
}

/// Defers the operations of an expression of the call's first operand.
Array defer_expr(const Call& c, const Expr& expr, ValueId input) {
    std::vector<Array> values(expr.nodes.size());
    const Dims order = result_order(c);
    for (size_t v = 0; v < values.size(); ++v) {
        const ExprNode& n = expr.nodes[v];
        if (ValueId(v) == input) {
            values[v] = *c.arrays[0];
        } else if (n.op == ExprNode::Op::Loop || n.op == ExprNode::Op::Cast) {
            const Array* arrays[kMaxIn] = {};
            Scalar scalars[kMaxIn];
            const int ins = n.op == ExprNode::Op::Cast ? 1 : rows()[loops()[n.index].row].nin;
            for (int k = 0; k < ins; ++k) {
                const ExprNode& from = expr.nodes[n.source[k]];
                if (from.op == ExprNode::Op::Scalar)
                    scalars[k] = expr.scalars[from.index];
                else
                    arrays[k] = &values[n.source[k]];
            }
            const Dims strides = strides_in_order(c.shape, order, item_size(n.dtype));
            const LoopId loop = n.op == ExprNode::Op::Loop ? LoopId(n.index) : LoopId(kNone);
            values[v] = defer({n.op, loop, n.dtype, {arrays, size_t(ins)}, scalars, c.shape, strides, c.device});
        }
    }
    return values.back();
}

void defer_call(const Call& c, UfuncResult& result) {
    if (c.row.has(NegativeFault) && !c.arrays[1] && has_short_power(c.scalars[1])) {
        Expr expr;
        const ValueId input = expr.input(c.arrays[0]->dtype());
        const ValueId x = expr.cast(input, c.types->in[0]);
        expr.cast(short_power(expr, x, c.scalars[1]), c.types->out[0]);
        result.array[0] = defer_expr(c, expr, input);
        return;
    }
    for (int k = 0; k < c.row.nout; ++k) {
        const DType dtype = c.types->out[k];
        const Dims strides = result_strides(c, item_size(dtype));
        if (k == 0) {
            const std::span arrays(c.arrays, c.args.size());
            result.array[0] = defer({ExprNode::Op::Loop, c.loop, dtype, arrays, c.scalars, c.shape, strides, c.device});
        } else {
            const Array* first[] = {&result.array[0]};
            result.array[k] = defer({ExprNode::Op::Second, kNone, dtype, first, c.scalars, c.shape, strides, c.device});
        }
    }
}

/// Whether to compute pending operands and the output in one run.
bool can_settle_into_output(const Call& c) {
    return c.row.nout == 1 && !is_deferring() &&
           std::any_of(c.arrays, c.arrays + c.row.nin, [](const Array* a) { return a && a->is_pending(); });
}

void settle_into_output(const Call& c) {
    UfuncResult waiting;
    defer_call(c, waiting);
    const Array& value = waiting.array[0];
    std::vector<const Array*> dying = {&value};
    for (const Argument& arg : c.args)
        if (arg.is_dying) dying.push_back(arg.array);
    Array& out = *c.options.out[0];
    out.settle();
    if (!settle_into(value, out, dying)) assign(out, value, c.name(), true);
}

bool has_output(const UfuncOptions& options) { return options.out[0] || options.out[1]; }

/// A power as the call of a row of one argument.
Call power_by_row(const Call& c, RowId row) {
    Call call(rows()[row], c.args.first(1), c.options);
    call.loop = loop_for(row, c.scalars[1].dtype);
    call.types = &loops()[call.loop];
    call.device = c.device;
    call.shape = c.shape;
    call.arrays[0] = c.arrays[0];
    call.scalars[0] = c.scalars[0];
    return call;
}

}  // namespace

Call planned_call(RowId id, std::span<const Argument> args, const UfuncOptions& options) {
    Call c(rows()[id], args, options);
    if (int(args.size()) != c.row.nin)
        raise(ErrorKind::Type, c.name(), ": takes ", int(c.row.nin), " inputs, got ", args.size());
    choose_device(c);
    choose_loop(c);
    choose_shape(c);
    check_outputs(c);
    if (c.row.has(NegativeFault) && !c.arrays[1])
        if (const RowId row = row_of_power(c.scalars[1]); row != kNone) return power_by_row(c, row);
    return c;
}

bool defer_planned(const Call& c, UfuncResult& result) {
    if (has_output(c.options) || !can_wait(c)) return false;
    const GraphLock lock = lock_graph();
    // Another thread may have exported an operand meanwhile.
    if (reads_shared_memory({c.arrays, c.args.size()})) return false;
    defer_call(c, result);
    return true;
}

UfuncResult call_planned(const Call& c) {
    UfuncResult result;
    if (defer_planned(c, result)) return result;
    if (has_output(c.options) && can_wait(c)) {
        const GraphLock lock = lock_graph();
        const bool waits = !reads_shared_memory({c.arrays, c.args.size()});  // now
        if (waits && can_rebind(c)) {
            defer_call(c, result);
            *c.options.out[0] = result.array[0];
            return result;
        }
        if (waits && can_settle_into_output(c)) {
            settle_into_output(c);
            return {};
        }
    }
    return run_call(c);
}

UfuncResult call(RowId id, std::span<const Argument> args, const UfuncOptions& options) {
    return call_planned(planned_call(id, args, options));
}

namespace {

/// Scalar arguments as the loop takes them.
struct LoopValues {
    LoopId loop;
    const void* in[kMaxIn] = {};
    Scalar converted[kMaxIn];
};

/// The common case; false for what choose_loop must judge: comparisons with Python ints beyond the other dtype, and
/// arguments that no loop takes.
bool choose_values(RowId id, std::span<const Argument> args, LoopValues& values) {
    const bool is_exact = rows()[id].has(Exact64);
    ArgType types[kMaxIn];
    for (size_t i = 0; i < args.size(); ++i) {
        if (is_exact && args[i].weak && args[i].weak->kind == Weak::Kind::Int) {
            const ArgType other = args[1 - i].type();
            if (other.is_weak() || (info(other.dtype).kind <= Kind::Signed && !holds(other.dtype, *args[i].weak)))
                return false;
        }
        types[i] = args[i].type();
    }
    values.loop = resolve(id, {types, args.size()});
    if (values.loop == kNone) return false;
    const Loop& loop = loops()[values.loop];
    for (size_t i = 0; i < args.size(); ++i) {
        const DType in = loop.in[i];
        if (args[i].scalar && args[i].scalar->dtype == in) {
            values.in[i] = args[i].scalar->bytes;
        } else if (args[i].weak && args[i].weak->kind == Weak::Kind::Float && in == DType::float64) {
            values.in[i] = &args[i].weak->real;
        } else {
            values.converted[i] =
                args[i].scalar ? convert(*args[i].scalar, in) : element(rows()[id], loop, *args[i].weak, in);
            values.in[i] = values.converted[i].bytes;
        }
    }
    return true;
}

[[gnu::noinline]] void choose_values_of_call(RowId id, std::span<const Argument> args, LoopValues& values) {
    static const UfuncOptions kNoOptions;
    Call c(rows()[id], args, kNoOptions);
    choose_loop(c);
    values.loop = c.loop;
    for (size_t i = 0; i < args.size(); ++i) {
        values.converted[i] = c.scalars[i];
        values.in[i] = values.converted[i].bytes;
    }
}

}  // namespace

bool call_on_values(RowId id, std::span<const Argument> args, Scalar (&results)[kMaxOut]) {
    static Backend& host = backend(Device{});
    const Row& row = rows()[id];
    DirectLoops* const direct = host.front().direct();
    if (!direct || row.has(NegativeFault) || is_deferring()) return false;
    LoopValues values;
    if (!choose_values(id, args, values)) choose_values_of_call(id, args, values);
    const Loop& loop = loops()[values.loop];
    void* out[kMaxOut] = {};
    for (int k = 0; k < row.nout; ++k) {
        results[k].dtype = loop.out[k];
        out[k] = results[k].bytes;
    }
    direct->run(values.loop, values.in, out, 1);
    return true;
}

UfuncResult ufunc_outer(RowId row, const Argument& a, const Argument& b, const UfuncOptions& options) {
    if (rows()[row].nin != 2)
        raise(ErrorKind::Value, rows()[row].name, ".outer: only binary functions have an outer product");
    if (!a.array || !b.array) {
        const Argument args[] = {a, b};
        return call(row, args, options);
    }
    Dims shape = a.array->shape();
    for (int i = 0; i < b.array->ndim(); ++i) shape.push_back(1);
    if (shape.size() > kMaxDims)
        raise(ErrorKind::Value, rows()[row].name, ".outer: the result would have ", shape.size(), " dimensions");
    const Array left = a.array->reshape(shape);
    const Argument args[] = {left, b};
    return call(row, args, options);
}

}  // namespace cuarray
