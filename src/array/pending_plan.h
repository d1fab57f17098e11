// pending_plan.h -- what one run of pending nodes computes: which nodes, their Expr, and the values that are stored.
#pragma once
#include <span>
#include <vector>
#include "array/pending_graph.h"
#include "cuarray/core/expr.h"
#include "cuarray/runtime/task.h"

namespace cuarray {

using Arrays = std::span<const Array* const>;

/// The nodes to run for `roots`, sources first; empty if all have run. Both outputs of a row run together; sources of
/// another shape are run here, before, and so are memory afterwards.
Nodes closure(PendingGraph& g, NodeSpan roots);

/// Whether all nodes of the plan are still pending. An allocation may run a finalizer that settles an array of the plan
/// and then writes what the plan reads: the plan is invalid then.
bool is_waiting(NodeSpan plan);

/// The nodes of a plan whose values an array that lives on, or a pending node outside the plan, refers to.
Nodes wanted_nodes(NodeSpan plan, Arrays dying = {});

/// The number of the input that is the same elements; their count if there is none.
size_t find_input(const View& operand, std::span<const View> inputs);

/// A plan turned into an Expr: operands without repetition, and the value of every node.
struct MergedExpr {
    Expr expr;
    std::vector<View> inputs;
    std::vector<StorageRef> memory;  ///< of the inputs; kept here because nodes drop theirs when they have run
    std::vector<ValueId> values, input_values;
    std::vector<size_t> inputs_up_to, scalars_up_to;  ///< by node of the plan: how many it and those before it read

    explicit MergedExpr(NodeSpan plan);
    ValueId value(const PendingNode& node) const { return values[size_t(node.position)]; }
    /// New memory for the values of `wanted`, as the outputs.
    std::vector<Array> new_outputs(NodeSpan plan, NodeSpan wanted);

 private:
    ValueId read(const PendingNode::Source& source);
};

/// How many of a plan's first nodes one run can compute, with `outputs` more. A value is stored if it is one of
/// `wanted`, or if a node behind them reads it.
size_t fitting(NodeSpan plan, const MergedExpr& program, NodeSpan wanted, size_t outputs);

}  // namespace cuarray
