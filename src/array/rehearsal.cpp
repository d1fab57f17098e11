// rehearsal.cpp -- what a run would read, write and be, from its Expr and operands.
#include "array/rehearsal.h"

#include "cuarray/runtime/registry.h"

namespace cuarray {
namespace {

class NoMemory final : public Storage {
 public:
    using Storage::Storage;

 private:
    void destroy() override { delete this; }
};

ExplainedOperand operand_of(const View& view, const Dims& shape) {
    ExplainedOperand operand{shape, view.dtype, 0};
    for (int axis = 0; axis < shape.size(); ++axis)
        if (view.strides[axis] == 0 && shape[axis] > 1) operand.shape[axis] = 1;
    operand.bytes = count(operand.shape) * item_size(view.dtype);
    return operand;
}

std::string limit_text(RunLimits::Kind limit, const RunLimits& limits) {
    const auto number = [](size_t most) { return std::to_string(most); };
    switch (limit) {
        case RunLimits::Kind::Nodes: return "a run has at most " + number(limits.nodes) + " operations";
        case RunLimits::Kind::Inputs: return "a run reads at most " + number(limits.inputs) + " arrays";
        case RunLimits::Kind::Outputs: return "a run stores at most " + number(limits.outputs) + " arrays";
        case RunLimits::Kind::Scalars: return "a run has at most " + number(limits.scalars) + " scalars";
        case RunLimits::Kind::None: break;
    }
    return "";
}

}  // namespace

StorageRef Rehearsal::allocate(Device device, int64_t bytes) {
    constexpr uint64_t kAlignment = 256;
    void* const address = reinterpret_cast<void*>(next_address_);
    next_address_ += (uint64_t(bytes) / kAlignment + 1) * kAlignment;
    return StorageRef(new NoMemory(&backend(device), address, bytes));
}

void Rehearsal::run(const MergedExpr& program, NodeSpan plan, std::span<const Array> outputs, RunLimits::Kind limit) {
    if (outputs.empty()) return;
    const PendingNode& first = *plan[0];
    std::vector<View> views;
    for (const Array& out : outputs) views.push_back(out.as_operand(first.shape, "explain"));
    const TaskExplanation task =
        backend(first.device)
            .explain(Elementwise{&program.expr, first.shape, program.inputs, views, "fused"}, with_code_);
    ExplainedRun& run = runs.emplace_back();
    run.device = first.device, run.shape = first.shape;
    for (const Ref<PendingNode>& node : plan)
        if (node->op != ExprNode::Op::Second) run.operations.emplace_back(operation_of(*node));
    run.expression = to_infix(program.expr);
    for (const View& view : program.inputs) run.inputs.push_back(operand_of(view, first.shape));
    for (const View& view : views) run.outputs.push_back(operand_of(view, first.shape));
    run.how = task.how, run.code = task.code;
    run.end = limit_text(limit, run_limits(first.device));
}

}  // namespace cuarray
