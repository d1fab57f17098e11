// ufunc.cpp -- calls a row: plans the call, then runs or defers it; and outer, by broadcasting.
#include "cuarray/ops/ufunc.h"

#include <algorithm>

#include "cuarray/array/pending.h"
#include "ops/call.h"

namespace cuarray {
namespace {

bool can_wait(const Call& c) {
    if (!is_deferring() || c.options.where || c.row.has(NegativeFault)) return false;
    if (std::none_of(c.arrays, c.arrays + kMaxIn, [](const Array* a) { return a; })) return false;
    return can_defer({c.arrays, c.args.size()});
}

/// Whether `out` may become a handle of the result instead of being written: it is pending, so it has no memory yet,
/// and no other array shares it.
bool can_rebind(const Call& c) {
    const Array* out = c.options.out[0];
    return c.row.nout == 1 && out->is_pending() && out->pending()->handles == 1 && out->dtype() == c.types->out[0] &&
           out->shape() == c.shape;
}

UfuncResult defer_call(const Call& c) {
    UfuncResult result;
    const Dims order = result_order(c);
    for (int k = 0; k < c.row.nout; ++k) {
        const DType dtype = c.types->out[k];
        const Dims strides = strides_in_order(c.shape, order, item_size(dtype));
        if (k == 0) {
            const std::span arrays(c.arrays, c.args.size());
            result.array[0] = defer({ExprNode::Op::Loop, c.loop, dtype, arrays, c.scalars, c.shape, strides, c.device});
        } else {
            const Array* first[] = {&result.array[0]};
            result.array[k] = defer({ExprNode::Op::Second, kNone, dtype, first, c.scalars, c.shape, strides, c.device});
        }
    }
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
    if (can_wait(c)) {
        const GraphLock lock = lock_graph();
        if (!has_output) return defer_call(c);
        if (can_rebind(c)) {
            UfuncResult result = defer_call(c);
            *options.out[0] = result.array[0];
            return result;
        }
    }
    return run_call(c);
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
