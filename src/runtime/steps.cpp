// steps.cpp -- runs each step of an Expr alone, on the device and on the host.
#include "runtime/steps.h"

#include "cuarray/runtime/registry.h"

namespace cuarray {

Steps::Steps(Backend& device, const Expr& expr, const Dims& shape, std::span<const View> inputs, const char* name)
    : device_(device), expr_(expr), shape_(shape), name_(name), values_(expr.nodes.size()) {
    for (size_t id = 0; id < expr.nodes.size(); ++id) run(ValueId(id), inputs);
}

const Values& Steps::value(ValueId id) {
    // A scalar that is an output, or is reduced, must be in memory.
    if (!values_[id].mirror) store(id, {});
    return values_[id];
}

void Steps::compare(const Comparison& comparison, const char* what) const {
    cuarray::compare(comparison, {device_.device(), what, name_, &expr_});
}

void Steps::run(ValueId id, std::span<const View> inputs) {
    const ExprNode& node = expr_.nodes[id];
    if (node.op == ExprNode::Op::Scalar) return;
    if (node.op == ExprNode::Op::Input) {
        Values& read = values_[id];
        read.dtype = node.dtype;
        read.mirror = fetched(device_, inputs[node.index], shape_);
        read.device = device_.allocate(read.mirror->bytes);
        if (read.mirror->bytes > 0) device_.write(*read.device, 0, read.mirror->data, read.mirror->bytes);
        return;
    }
    std::vector<ValueId> sources;
    for (const ValueId source : node.source)
        if (source != kNoValue) sources.push_back(source);
    if (node.op == ExprNode::Op::Second) {
        sources.clear();
        for (const ValueId source : expr_.nodes[node.source[0]].source)
            if (source != kNoValue) sources.push_back(source);
    }
    store(id, sources);
}

/// Runs the node alone, over its sources' values.
void Steps::store(ValueId id, const std::vector<ValueId>& sources) {
    Backend& host = host_factory().open(0);
    const ExprNode& node = expr_.nodes[id];
    Expr step;
    std::vector<View> on_device, on_host;
    std::vector<const Values*> operands;
    ValueId args[kMaxIn] = {kNoValue, kNoValue, kNoValue};
    for (size_t i = 0; i < sources.size(); ++i) {
        const Values& operand = values_[sources[i]];
        if (!operand.mirror) {
            args[i] = step.scalar(expr_.scalars[expr_.nodes[sources[i]].index]);
            continue;
        }
        args[i] = step.input(operand.dtype);
        on_device.push_back(operand.on(operand.device, shape_));
        on_host.push_back(operand.on(operand.mirror, shape_));
        operands.push_back(&operand);
    }
    bool exact = true;
    const char* what = "cast";
    ValueId result = kNoValue;
    switch (node.op) {
        case ExprNode::Op::Input: return;
        case ExprNode::Op::Scalar: result = step.scalar(expr_.scalars[node.index]), what = "scalar"; break;
        case ExprNode::Op::Cast: result = step.cast(args[0], node.dtype); break;
        case ExprNode::Op::Index: result = step.push(node), what = "index"; break;
        case ExprNode::Op::Loop:
        case ExprNode::Op::Second: {
            const bool second = node.op == ExprNode::Op::Second;
            const LoopId loop = second ? expr_.nodes[node.source[0]].index : node.index;
            const Row& row = rows()[loops()[loop].row];
            exact = !row.has(VectorMath);
            what = row.name;
            result = step.loop(loop, args[0], args[1], args[2]);
            if (second) result = step.second(result);
            break;
        }
    }
    step.outputs = {result};
    Values got, wanted;
    got.dtype = wanted.dtype = node.dtype;
    const int64_t bytes = count(shape_) * item_size(node.dtype);
    got.device = device_.allocate(bytes);
    got.mirror = host.allocate(bytes);
    wanted.mirror = host.allocate(bytes);
    const View there = got.on(got.device, shape_), here = wanted.on(wanted.mirror, shape_);
    if (bytes > 0) {
        device_.run(Elementwise{&step, shape_, on_device, {&there, 1}, what});
        host.run(Elementwise{&step, shape_, on_host, {&here, 1}, what});
        device_.read(got.mirror->data, *got.device, 0, bytes);
        compare({got, wanted, shape_, exact, nullptr, operands}, what);
    }
    values_[id] = got;
}

}  // namespace cuarray
