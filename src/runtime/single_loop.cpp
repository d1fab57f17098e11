// single_loop.cpp -- runs one loop of the table as an Expr, for devices without a faster implementation.
#include <memory>
#include <vector>

#include "cuarray/runtime/backend.h"

namespace cuarray {
namespace {

/// The number of a loop with given scalar operands; bit i of `scalars` is set if operand i is a scalar.
size_t form_of(LoopId id, unsigned scalars) { return size_t(id) << kMaxIn | scalars; }

/// The Expr of one loop.
Expr expr_of(LoopId id, unsigned scalars) {
    Expr expr;
    expr.single = uint32_t(form_of(id, scalars) + 1);
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

/// This thread's cached Expr of the loop.
std::unique_ptr<Expr>& kept_expr(LoopId id, unsigned scalars) {
    thread_local std::vector<std::unique_ptr<Expr>> kept(loops().size() << kMaxIn);
    return kept[form_of(id, scalars)];
}

View view_of(const SingleLoop::Location& operand, DType dtype) {
    return {operand.storage, operand.offset, dtype, *operand.strides};
}

}  // namespace

StorageRef Backend::single_loop(const SingleLoop& task) {
    StorageRef made;
    if (!task.out.storage) made = allocate(task.bytes);
    if (task.bytes == 0) return made;
    const Loop& loop = loops()[task.loop];
    View inputs[kMaxIn];
    const Scalar* values[kMaxIn];
    size_t arrays = 0, scalars = 0;
    unsigned scalar_bits = 0;
    for (int i = 0; i < rows()[loop.row].nin; ++i) {
        if (task.in[i].storage) {
            inputs[arrays++] = view_of(task.in[i], loop.in[i]);
        } else {
            values[scalars++] = task.in[i].scalar;
            scalar_bits |= 1u << i;
        }
    }
    // Take the Expr out of the cache: an allocation in the run may run a finalizer that calls the same loop with other
    // scalars.
    std::unique_ptr<Expr>& kept = kept_expr(task.loop, scalar_bits);
    std::unique_ptr<Expr> expr = std::move(kept);
    if (!expr) expr = std::make_unique<Expr>(expr_of(task.loop, scalar_bits));
    for (size_t k = 0; k < scalars; ++k) expr->scalars[k] = *values[k];
    View output = view_of(task.out, loop.out[0]);
    if (made) output.storage = made.get();
    run(Elementwise{expr.get(), task.shape, {inputs, arrays}, {&output, 1}, task.name});
    kept = std::move(expr);
    return made;
}

}  // namespace cuarray
