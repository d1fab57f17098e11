// pending_plan.h -- what one run of pending nodes computes: which nodes, their Expr, and the values that are stored.
#pragma once
#include <span>
#include <vector>
#include "array/pending_graph.h"
#include "cuarray/array/elements.h"
#include "cuarray/core/expr.h"
#include "cuarray/runtime/task.h"

namespace cuarray {

using Arrays = std::span<const Array* const>;

/// The nodes to run for `roots`, sources first; empty if all have run. Both outputs of a row run together; sources of
/// another shape are run here, before, and so are memory afterwards.
Nodes closure(PendingGraph& g, NodeSpan roots);

/// The public name of a node's operation.
const char* operation_of(const PendingNode& node);

/// Whether all nodes of the plan are still pending. An allocation may run a finalizer that settles an array of the plan
/// and then writes what the plan reads: the plan is invalid then.
bool is_waiting(NodeSpan plan);

/// The nodes of a plan whose values an array that lives on, or a pending node outside the plan, refers to.
Nodes wanted_nodes(NodeSpan plan, Arrays dying = {});

/// The number of the input that is the same elements; their count if there is none.
size_t find_input(const View& operand, std::span<const View> inputs);

/// A plan turned into an Expr: operands and computations without repetition, and the value of every node.
struct MergedExpr {
    Expr expr;
    std::vector<View> inputs;
    std::vector<StorageRef> memory;  ///< of the inputs; kept here because nodes drop theirs when they have run
    std::vector<ValueId> values, input_values;
    std::vector<size_t> inputs_up_to, scalars_up_to;  ///< by node of the plan: how many it and those before it read

    explicit MergedExpr(NodeSpan plan);
    ValueId value(const PendingNode& node) const { return values[size_t(node.position)]; }
    /// Memory for the values of `wanted`, as the outputs: that of an operand, or new by allocate(bytes).
    template <class Allocate>
    std::vector<Array> new_outputs(NodeSpan plan, NodeSpan wanted, Allocate allocate) {
        std::vector<Array> outputs;
        for (const Ref<PendingNode>& node : wanted) {
            const int64_t bytes = checked_size(node->shape, item_size(node->dtype), "fuse") * item_size(node->dtype);
            StorageRef memory = dying_memory(plan, *node, bytes);
            if (!memory) memory = new_memory(node->shape, node->dtype, [&] { return allocate(bytes); });
            outputs.emplace_back(std::move(memory), 0, Layout{node->shape, node->strides}, node->dtype);
            expr.outputs.push_back(value(*node));
        }
        return outputs;
    }

 private:
    ValueId read(const PendingNode::Source& source);
    /// An operand's memory, in which the host may place the node's value: nothing but the plan refers to it, and the
    /// plan reads each of its elements where the value has its own. Null if there is none.
    StorageRef dying_memory(NodeSpan plan, const PendingNode& node, int64_t bytes) const;
};

/// How many of a plan's first nodes one run can compute, with `outputs` more. A value is stored if it is one of
/// `wanted`, or if a node behind them reads it. `limit` is what the node after them would exceed.
size_t fitting(NodeSpan plan, const MergedExpr& program, NodeSpan wanted, size_t outputs, RunLimits::Kind& limit);

/// Runs the nodes needed for `roots`, or some of them: the caller repeats until no root is pending.
void run_together(PendingGraph& g, NodeSpan roots);

}  // namespace cuarray
