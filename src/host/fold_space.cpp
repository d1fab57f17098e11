// fold_space.cpp -- kept and reduced axes, collapsed separately and joined in the order of traversal.
#include "host/fold_space.h"

#include <algorithm>
#include <cstdlib>

namespace cuarray::host {
namespace {

/// A subset of the axes, for all operands.
struct FoldAxes {
    Dims shape;
    Dims strides[Space::kMaxOperands];
    const Dims* rows[Space::kMaxOperands];

    explicit FoldAxes(const Dims& from, const Dims& axes) {
        for (const int64_t d : axes) shape.push_back(from[int(d)]);
    }
    void take(int row, const Dims& from, const Dims& axes) {
        for (const int64_t d : axes) strides[row].push_back(from[int(d)]);
        rows[row] = &strides[row];
    }
};

/// The sum over the inputs of each one's smallest non-zero stride. A broadcast input adds nothing; strides of a page
/// and more count equally.
int64_t spread(const Space& s, int outputs) {
    constexpr int64_t kPage = 4096;
    int64_t sum = 0;
    for (int k = outputs; k < s.operands; ++k) {
        int64_t smallest = INT64_MAX;
        for (int d = 0; d < s.ndim; ++d)
            if (s.shape[d] > 1 && s.strides[k][d] != 0) smallest = std::min(smallest, std::abs(s.strides[k][d]));
        if (smallest != INT64_MAX) sum += std::min(smallest, kPage);
    }
    return sum ? sum : INT64_MAX;
}

}  // namespace

void FoldSpace::lay_out(const LoopLibrary& library, const FoldTask& task, int64_t least_row) {
    const auto& [expr, shape, axes, inputs, outputs, name] = task;
    const int ins = int(inputs.size()), outs = int(outputs.size());
    const bool indexed = std::any_of(expr.nodes.begin(), expr.nodes.end(),
                                     [](const ExprNode& node) { return node.op == ExprNode::Op::Index; });
    const int operands = outs + ins + indexed;
    if (operands > Space::kMaxOperands)
        raise(ErrorKind::Value, name, ": ", ins, " inputs; the host takes at most ", Space::kMaxOperands - 2);
    Dims kept_axes;
    for (int d = 0; d < shape.size(); ++d)
        if (std::find(axes.begin(), axes.end(), d) == axes.end()) kept_axes.push_back(d);

    const Dims index_strides = indexed ? c_strides(shape, 1) : Dims();
    FoldAxes kept(shape, kept_axes), reduced(shape, axes);
    for (int k = 0; k < operands; ++k) {
        const Dims& from = k < outs         ? outputs[size_t(k)].strides
                           : k < outs + ins ? inputs[size_t(k - outs)].strides
                                            : index_strides;
        kept.take(k, from, kept_axes);
        reduced.take(k, from, axes);
    }
    Plan along;
    along.set_space(reduced.shape, {reduced.rows, size_t(operands)}, true);
    results_.set_space(kept.shape, {kept.rows, size_t(operands)});
    n = along.space.size;
    folds = results_.space.size;
    by_columns = folds > 1 && (n < least_row || spread(results_.space, outs) < spread(along.space, outs));
    rows_are_even = by_columns && along.space.ndim == 1;
    if (by_columns)
        join(along.space, results_.space);
    else
        join(results_.space, along.space);

    plan.library = &library;
    plan.operands.resize(size_t(ins));
    for (int k = 0; k < ins; ++k) {
        SpaceOperand& operand = plan.operands[size_t(k)];
        operand.base = inputs[size_t(k)].data() + plan.space.offset[outs + k];
        operand.strides = plan.space.strides[outs + k];
        plan.classify(operand, inputs[size_t(k)].dtype);
    }
    plan.index_strides = plan.space.strides[outs + ins];
    plan.index_base = indexed ? plan.space.offset[outs + ins] : 0;
    plan.program.build(expr, library, 0, plan.space.size);
    plan.choose_block();

    results_.library = &library;
    results_.operands.resize(size_t(outs));
    for (int k = 0; k < outs; ++k) {
        SpaceOperand& operand = results_.operands[size_t(k)];
        operand.base = outputs[size_t(k)].data() + results_.space.offset[k];
        operand.strides = results_.space.strides[k];
        results_.classify(operand, outputs[size_t(k)].dtype);
    }
}

void FoldSpace::join(const Space& outer, const Space& inner) {
    Space& s = plan.space;
    s.ndim = outer.ndim + inner.ndim;
    s.operands = outer.operands;
    s.size = outer.size * inner.size;
    std::copy_n(inner.shape, inner.ndim, std::copy_n(outer.shape, outer.ndim, s.shape));
    for (int k = 0; k < s.operands; ++k) {
        s.offset[k] = outer.offset[k] + inner.offset[k];
        std::copy_n(inner.strides[k], inner.ndim, std::copy_n(outer.strides[k], outer.ndim, s.strides[k]));
    }
}

char* FoldSpace::place(size_t k, int64_t first) const {
    const SpaceOperand& result = results_.operands[k];
    return result.kind == SpaceOperand::Kind::Linear ? result.base + first * result.item() : nullptr;
}

void FoldSpace::store(size_t k, int64_t first, int64_t count, const char* results) const {
    const SpaceOperand& result = results_.operands[k];
    const int64_t item = result.item();
    int64_t at[kMaxDims];
    locate(results_.space, first, at);
    for_each_piece(results_.space, result.strides, result.base, at, count,
                   [&](char* to, int64_t rows, int64_t row, int64_t columns, int64_t column) {
                       plan.library->copy[result.log_size](to, row, column, results, columns * item, item, rows,
                                                           columns);
                       results += rows * columns * item;
                   });
}

}  // namespace cuarray::host
