// pending_plan.cpp -- which pending nodes run together, and their Expr.
#include "array/pending_plan.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <numeric>

namespace cuarray {
namespace {

bool joins(const PendingNode& user, const PendingNode::Source& source) {
    return source.node && source.node->graph && source.node->shape == user.shape;
}

/// A node that the plan reads but that cannot run with it (of another shape); null if there is none.
PendingNode* separate_source(NodeSpan plan) {
    for (const Ref<PendingNode>& node : plan)
        for (int i = 0; i < node->sources; ++i)
            if (node->source[i].node && !joins(*node, node->source[i])) return node->source[i].node.get();
    return nullptr;
}

}  // namespace

Nodes closure(PendingGraph& g, NodeSpan roots) {
    for (;;) {
        for (const Ref<PendingNode>& root : roots)
            if (root->graph) root->planned = true;
        for (auto at = g.nodes.rbegin(); at != g.nodes.rend(); ++at)
            for (int i = 0; (*at)->planned && i < (*at)->sources; ++i)
                if (joins(**at, (*at)->source[i])) (*at)->source[i].node->planned = true;
        for (PendingNode* node : g.nodes)
            if (node->op == ExprNode::Op::Second && node->source[0].node->planned) node->planned = true;
        Nodes plan;
        for (PendingNode* node : g.nodes)
            if (node->planned) plan.emplace_back(node);
        for (const Ref<PendingNode>& node : plan) node->planned = false;
        PendingNode* const separate = separate_source(plan);
        if (!separate) return plan;
        settle(*separate);
    }
}

const char* operation_of(const PendingNode& node) {
    return node.op == ExprNode::Op::Cast ? "astype" : rows()[loops()[node.loop].row].name;
}

bool is_waiting(NodeSpan plan) {
    return std::all_of(plan.begin(), plan.end(), [](const Ref<PendingNode>& node) { return node->graph; });
}

size_t find_input(const View& operand, std::span<const View> inputs) {
    const auto is_same = [&](const View& v) {
        return v.storage == operand.storage && v.offset == operand.offset && v.dtype == operand.dtype &&
               v.strides == operand.strides;
    };
    return size_t(std::find_if(inputs.begin(), inputs.end(), is_same) - inputs.begin());
}

ValueId MergedExpr::read(const PendingNode::Source& source) {
    if (source.node) return value(*source.node);
    if (!source.storage) return expr.scalar(source.scalar);
    const View operand{source.storage.get(), source.offset, source.dtype, source.strides};
    const size_t k = find_input(operand, inputs);
    if (k < inputs.size()) return input_values[k];
    inputs.push_back(operand);
    memory.push_back(source.storage);
    input_values.push_back(expr.input(operand.dtype));
    return input_values.back();
}

StorageRef MergedExpr::dying_memory(NodeSpan plan, const PendingNode& node, int64_t bytes) const {
    if (bytes < kReusedFrom || !(node.device == Device{})) return {};
    for (size_t k = 0; k < inputs.size(); ++k) {
        const View& operand = inputs[k];
        const StorageRef& storage = memory[k];
        if (operand.offset || operand.strides != node.strides || item_size(operand.dtype) != item_size(node.dtype))
            continue;
        if (storage->bytes != bytes || storage->read_only || storage->last_export() || storage->lender()) continue;
        int64_t known = 1;
        for (const Ref<PendingNode>& reader : plan)
            for (int i = 0; i < reader->sources; ++i) known += reader->source[i].storage == storage;
        // Another operand that is a part of it has a reference of its own.
        if (storage->references() == known) return storage;
    }
    return {};
}

namespace {

/// The values of an Expr by what computes them.
class KnownValues {
 public:
    /// A kernel is compiled for numbers whatever they are: that two are equal is nothing to it. The host's code is made
    /// in microseconds.
    KnownValues(Expr& expr, size_t operations, Device device)
        : expr_(expr), joins_numbers_(device == Device{}), slots_(std::bit_ceil(8 * operations), kNoValue) {}
    /// The value or, if it is the newest and an equal one is known, that one; the newest is taken back then. Ask for
    /// each value while it is the newest.
    ValueId known(ValueId value) {
        if (value + size_t(1) != expr_.nodes.size()) return value;
        const ExprNode& node = expr_.nodes[value];
        if (node.op == ExprNode::Op::Scalar && !joins_numbers_) return value;
        for (size_t slot = hash(node);; ++slot) {
            ValueId& found = slots_[slot & (slots_.size() - 1)];
            if (found == kNoValue) found = value;
            if (found == value) return value;
            if (!is_same(expr_.nodes[found], node)) continue;
            if (node.op == ExprNode::Op::Scalar) expr_.scalars.resize(expr_.scalars.size() - 1);
            expr_.nodes.resize(expr_.nodes.size() - 1);
            return found;
        }
    }

 private:
    size_t hash(const ExprNode& n) const {
        constexpr uint64_t kMany = 0x9e3779b97f4a7c15;
        uint64_t what = n.index, sources[2] = {};
        if (n.op == ExprNode::Op::Scalar)
            std::memcpy(sources, expr_.scalars[n.index].bytes, sizeof sources), what = 0;
        else
            std::memcpy(sources, n.source, sizeof n.source);
        what = what << 16 | uint64_t(n.op) << 8 | uint64_t(n.dtype);
        const uint64_t all = ((what * kMany ^ sources[0]) * kMany ^ sources[1]) * kMany;
        return size_t(all >> 32);
    }
    bool is_same(const ExprNode& a, const ExprNode& b) const {
        if (a.op != b.op || a.dtype != b.dtype) return false;
        if (a.op == ExprNode::Op::Scalar) return expr_.scalars[a.index] == expr_.scalars[b.index];
        return a.index == b.index && std::equal(a.source, a.source + kMaxIn, b.source);
    }

    Expr& expr_;
    const bool joins_numbers_;
    Few<ValueId, 64> slots_;
};

}  // namespace

MergedExpr::MergedExpr(NodeSpan plan) {
    values.reserve(plan.size()), inputs_up_to.reserve(plan.size()), scalars_up_to.reserve(plan.size());
    KnownValues equal(expr, plan.size(), plan[0]->device);
    for (const Ref<PendingNode>& node : plan) {
        node->position = int(values.size());
        ValueId args[kMaxIn] = {kNoValue, kNoValue, kNoValue};
        for (int i = 0; i < node->sources; ++i) {
            args[i] = equal.known(read(node->source[i]));
            if (node->op == ExprNode::Op::Loop) args[i] = equal.known(expr.cast(args[i], loops()[node->loop].in[i]));
        }
        switch (node->op) {
            case ExprNode::Op::Cast: values.push_back(expr.cast(args[0], node->dtype)); break;
            case ExprNode::Op::Second: values.push_back(expr.second(args[0])); break;
            default: values.push_back(expr.loop(node->loop, args[0], args[1], args[2])); break;
        }
        values.back() = equal.known(values.back());
        inputs_up_to.push_back(inputs.size()), scalars_up_to.push_back(expr.scalars.size());
    }
}

Nodes wanted_nodes(NodeSpan plan, Arrays dying) {
    for (const Ref<PendingNode>& node : plan) node->users_inside = 0;
    for (const Ref<PendingNode>& user : plan)
        for (int i = 0; i < user->sources; ++i)
            if (user->source[i].node) ++user->source[i].node->users_inside;
    Nodes wanted;
    for (const Ref<PendingNode>& node : plan) {
        const auto is_node = [&](const Array* a) { return a->pending() == node.get(); };
        if (node->handles > std::count_if(dying.begin(), dying.end(), is_node) || node->users > node->users_inside)
            wanted.push_back(node);
    }
    return wanted;
}

size_t fitting(NodeSpan plan, const MergedExpr& program, NodeSpan wanted, size_t outputs, RunLimits::Kind& limit) {
    const RunLimits& limits = run_limits(plan[0]->device);
    limit = RunLimits::Kind::None;
    if (limits.allow(plan.size(), program.inputs.size(), wanted.size() + outputs, program.expr.scalars.size()))
        return plan.size();
    // By node: the last one of the plan that reads it.
    std::vector<size_t> last(plan.size()), ends(plan.size() + 1, 0);
    std::iota(last.begin(), last.end(), size_t(0));
    for (size_t i = 0; i < plan.size(); ++i)
        for (int k = 0; k < plan[i]->sources; ++k)
            if (const PendingNode* const from = plan[i]->source[k].node.get()) last[size_t(from->position)] = i;
    for (const Ref<PendingNode>& node : wanted) last[size_t(node->position)] = plan.size();
    size_t best = 1, stored = 0;
    for (size_t i = 0; i < plan.size(); ++i) {
        ++stored, ++ends[last[i]];
        stored -= ends[i];
        // Both outputs of a row run together.
        const bool is_whole = i + 1 == plan.size() || plan[i + 1]->op != ExprNode::Op::Second;
        if (!is_whole) continue;
        const RunLimits::Kind exceeded =
            limits.exceeded(i + 1, program.inputs_up_to[i], stored + outputs, program.scalars_up_to[i]);
        if (exceeded == RunLimits::Kind::None)
            best = i + 1, limit = exceeded;
        else if (limit == RunLimits::Kind::None)
            limit = exceeded;
    }
    return best;
}

}  // namespace cuarray
