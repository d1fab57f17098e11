// settling.cpp -- runs pending nodes: for a value, into existing memory, or as part of a consumer's Expr.
#include <algorithm>
#include <exception>

#include "array/pending_plan.h"
#include "array/rehearsal.h"
#include "cuarray/array/elements.h"
#include "cuarray/runtime/registry.h"
#include "runtime/hooks.h"

namespace cuarray {
namespace {

constexpr int64_t kUnlockedFrom = 32768;  // elements of all nodes whose run lets other threads in

/// Replaces an edge to a node that has run by a registered read of the node's memory.
void read_result(PendingNode& user, PendingNode::Source& source) {
    PendingNode& from = *source.node;
    source.storage = from.result;
    source.offset = 0;
    source.strides = broadcast_strides({from.shape, from.strides}, user.shape, "fuse");
    source.storage->pending_readers.push_back(&user);
    --from.users;
    source.node = {};
}

/// After a run: the nodes leave the graph, and edges from outside become reads.
void finish(PendingGraph& g, NodeSpan plan) {
    for (auto node = plan.rbegin(); node != plan.rend(); ++node) {
        if ((*node)->graph) --waiting_nodes;
        (*node)->graph = nullptr;
        leave_sources(**node);
    }
    std::erase_if(g.nodes, [](const PendingNode* node) { return !node->graph; });
    if (g.nodes.empty()) g.inputs = 0;
    for (PendingNode* user : g.nodes)
        for (int i = 0; i < user->sources; ++i)
            if (user->source[i].node && user->source[i].node->result) read_result(*user, user->source[i]);
    for (const Ref<PendingNode>& node : plan) drop_sources(*node);
}

/// The lines where the operations were deferred, as far as they are in the last one's file.
SourceLines lines_of(NodeSpan plan) {
    SourceLines lines;
    for (auto node = plan.rbegin(); node != plan.rend(); ++node) {
        const SourceLines* const one = (*node)->lines.get();
        if (!one || !one->first) continue;
        if (!lines.first) lines = *one;
        if (one->file != lines.file) continue;
        lines.first = std::min(lines.first, one->first), lines.last = std::max(lines.last, one->last);
    }
    return lines;
}

/// One node alone is a single loop of its operands, whose result may be written past the caches; false for others.
bool run_alone(PendingGraph& g, NodeSpan plan) {
    PendingNode& node = *plan[0];
    if (node.op != ExprNode::Op::Loop || !(node.handles || node.users)) return false;
    const Loop& loop = loops()[node.loop];
    if (rows()[loop.row].nout > 1) return false;
    SingleLoop task{node.loop, node.shape, operation_of(node)};
    // Copies: the task allocates, which may run a finalizer that settles this node, whose sources are dropped then.
    PendingNode::Source sources[kMaxIn];
    Storage* some = nullptr;
    for (int i = 0; i < node.sources; ++i) {
        const PendingNode::Source& source = sources[i] = node.source[i];
        if (source.dtype != loop.in[i]) return false;
        if (source.storage)
            task.in[i] = {some = source.storage.get(), source.offset, &source.strides};
        else
            task.in[i].scalar = &source.scalar;
    }
    if (!some) return false;
    const LinesScope recorded(lines_of(plan));
    const int64_t item = item_size(node.dtype);
    task.bytes = checked_size(node.shape, item, "fuse") * item;
    task.out.strides = &node.strides;
    StorageRef memory = some->front().single_loop(task);
    if (!is_waiting(plan)) return true;
    node.result = std::move(memory);
    finish(g, plan);
    return true;
}

/// A pending reader of the memory that is not part of the plan; null if there is none.
PendingNode* other_reader(const Storage& memory, NodeSpan plan) {
    for (PendingNode* reader : memory.pending_readers)
        if (std::none_of(plan.begin(), plan.end(), [=](const auto& node) { return node.get() == reader; }))
            return reader;
    return nullptr;
}

/// Whether an element of `to` may be written once the plan has read the operands there: no operand has it elsewhere.
bool reads_in_place(const MergedExpr& program, const Array& to) {
    for (size_t k = 0; k < program.inputs.size(); ++k) {
        const View& v = program.inputs[k];
        const bool is_same = v.storage == &to.storage() && v.offset == to.offset() && v.strides == to.strides() &&
                             item_size(v.dtype) == item_size(to.dtype());
        if (!is_same && overlaps(Array(program.memory[k], v.offset, {to.shape(), v.strides}, v.dtype), to))
            return false;
    }
    return true;
}

/// Whether a run may start at once, as on the host. What a scope has deferred is computed as a whole, as asked for.
bool is_prepared(const MergedExpr& program, const Dims& shape, std::span<const Array> outputs) {
    if (outputs.empty() || outputs[0].device() == Device{} || is_deferring() || own_graph().ends_scope) return true;
    std::vector<View> views;
    for (const Array& out : outputs) views.push_back(out.as_operand(shape, "fused"));
    return backend(outputs[0].device()).is_prepared({&program.expr, shape, program.inputs, views, "fused"});
}

/// As many nodes of a plan as one run takes, the first ones.
struct PlannedRun {
    Nodes plan, wanted;
    MergedExpr program;
    RunLimits::Kind limit;  ///< that the next node would exceed, if this is not the whole plan
    bool is_whole;

    /// `dying` as for settle_into(); `outputs` are stored beside the nodes' values.
    PlannedRun(Nodes nodes, Arrays dying, size_t outputs)
        : plan(std::move(nodes)), wanted(wanted_nodes(plan, dying)), program(plan) {
        const size_t count = fitting(plan, program, wanted, outputs, limit);
        is_whole = count == plan.size();
        if (is_whole) return;
        plan.resize(count);
        wanted = wanted_nodes(plan, dying);
        program = MergedExpr(plan);
    }

    /// Runs, also with the last node's value cast into `to` if that is not null. False if `to` was not written: because
    /// an allocation ran a finalizer that settled some of the plan, or that reads `to`, and nothing was computed; or
    /// because the nodes have run one by one while the run is prepared.
    bool run(PendingGraph& g, const Array* to) {
        const char* const name = is_chain() || to ? "fused" : operation_of(*plan[0]);
        const LinesScope recorded(lines_of(plan));
        Backend& target = backend(plan[0]->device);
        const auto allocate = [&](int64_t bytes) {
            return g.rehearsal ? g.rehearsal->allocate(target.device(), bytes) : target.allocate(bytes);
        };
        std::vector<Array> outputs = program.new_outputs(plan, wanted, allocate);
        if (!is_waiting(plan) || (to && other_reader(to->storage(), plan))) return false;
        if (to) {
            outputs.push_back(*to);
            program.expr.outputs.push_back(program.expr.cast(program.values.back(), to->dtype()));
        }
        if (!g.rehearsal && is_chain() && !is_prepared(program, plan[0]->shape, outputs)) {
            outputs.clear(), program.memory.clear(), wanted.clear();
            run_one_by_one(g);
            return false;
        }
        if (g.rehearsal)
            g.rehearsal->run(program, plan, outputs, is_whole ? RunLimits::Kind::None : limit);
        else if (!outputs.empty() && count(plan[0]->shape) > 0)
            run_once(g, outputs, name);
        if (!is_waiting(plan)) return true;
        for (size_t k = 0; k < wanted.size(); ++k) wanted[k]->result = outputs[k].storage_ref();
        finish(g, plan);
        return true;
    }

 private:
    /// Whether there are several operations.
    bool is_chain() const { return plan.size() > (plan.back()->op == ExprNode::Op::Second ? 2 : 1); }
    /// If it fails, and may have written over operands, it is not tried again.
    void run_once(PendingGraph& g, std::span<const Array> outputs, const char* name) const {
        try {
            run_unread(program.expr, plan[0]->shape, program.inputs, outputs, name);
        } catch (...) {
            const auto is_operand = [this](const Array& out) {
                return std::find(program.memory.begin(), program.memory.end(), out.storage_ref()) !=
                       program.memory.end();
            };
            if (std::any_of(outputs.begin(), outputs.end(), is_operand)) abandon(g, std::current_exception());
            throw;
        }
    }
    /// Each operation by itself, into memory of its own.
    void run_one_by_one(PendingGraph& g) const {
        for (size_t i = 0; i < plan.size(); ++i) {
            Nodes one{plan[i]};
            if (i + 1 < plan.size() && plan[i + 1]->op == ExprNode::Op::Second) one.push_back(plan[++i]);
            if (!is_waiting(one)) continue;
            if (one.size() > 1 || !run_alone(g, one)) PlannedRun(one, {}, 0).run(g, nullptr);
            for (const Ref<PendingNode>& node : one)  // those that read it have its memory
                if (node->handles == 0) node->result = {};
        }
    }
};

/// Marks values that died with a run and so have no memory.
void bury(Arrays dying) {
    static const auto& dead = *new const std::exception_ptr(
        std::make_exception_ptr(Error(ErrorKind::Runtime, "fuse: this array's value was given to another array")));
    for (const Array* a : dying)
        if (PendingNode* const node = a->pending(); node && !node->graph && !node->result) node->error = dead;
}

}  // namespace

void run_together(PendingGraph& g, NodeSpan roots) {
    Nodes plan = closure(g, roots);
    if (plan.empty() || (plan.size() == 1 && !g.rehearsal && run_alone(g, plan))) return;
    PlannedRun(std::move(plan), {}, 0).run(g, nullptr);
}

void settle(PendingNode& node) {
    const GraphLock lock = lock_graph();
    const Ref<PendingNode> root(&node);
    const auto run_all = [&] {
        while (node.graph) run_together(*node.graph, {&root, 1});
    };
    // Long work lets other threads of the host program run.
    if (node.graph && count(node.shape) * int64_t(node.graph->nodes.size()) >= kUnlockedFrom) {
        std::exception_ptr error;
        run_unlocked([&] {
            try {
                run_all();
            } catch (...) { error = std::current_exception(); }
        });
        if (error) std::rethrow_exception(error);
    } else {
        run_all();
    }
    if (node.error) std::rethrow_exception(node.error);
}

bool settle_into(const Array& value, const Array& to, std::span<const Array* const> dying) {
    const GraphLock lock = lock_graph();
    const Ref<PendingNode> root(value.pending());
    if (!root || !root->graph || !(root->shape == to.shape())) return false;
    for (PendingGraph& g = *root->graph; root->graph;) {
        Nodes plan = closure(g, {&root, 1});
        if (plan.empty() || !(plan.back() == root)) return false;
        if (PendingNode* const reader = other_reader(to.storage(), plan)) {
            settle(*reader);
            continue;
        }
        PlannedRun planned(std::move(plan), dying, 1);
        if (!planned.is_whole) {
            planned.run(g, nullptr);
            bury(dying);
            continue;
        }
        // Several storages may refer to memory that has been exported, and their readers are not known here.
        const bool is_shared = to.storage().last_export() && g.latest_export;
        const bool is_direct =
            !is_shared && !may_self_overlap(to.layout(), item_size(to.dtype())) && reads_in_place(planned.program, to);
        Nodes& wanted = planned.wanted;
        if (!is_direct && (wanted.empty() || !(wanted.back() == root))) wanted.push_back(root);
        const bool has_run = planned.run(g, is_direct ? &to : nullptr);
        bury(dying);
        return has_run && is_direct;
    }
    return false;
}

void settle_all() {
    const GraphLock lock = lock_graph();
    PendingGraph& g = own_graph();
    while (!g.nodes.empty()) {
        // One run for all nodes of the newest shape; sources of other shapes run before it.
        const PendingNode& last = *g.nodes.back();
        Nodes roots;
        for (PendingNode* node : g.nodes)
            if (node->shape == last.shape && node->device == last.device) roots.emplace_back(node);
        run_together(g, roots);
    }
    g.latest_export = g.operand_bytes = g.judged_from = 0;
    g.inputs = 0;
}

ValueId read_once(const View& operand, Expr& expr, std::vector<View>& inputs) {
    const size_t k = find_input(operand, inputs);
    for (size_t id = 0; k < inputs.size() && id < expr.nodes.size(); ++id)
        if (expr.nodes[id].op == ExprNode::Op::Input && expr.nodes[id].index == k) return ValueId(id);
    inputs.push_back(operand);
    return expr.input(operand.dtype);
}

void settle_if_costly(const Array& array) {
    if (!array.is_pending() || !(array.device() == Device{}) || array.size() <= kFewElements) return;
    const GraphLock lock = lock_graph();
    const Ref<PendingNode> node(array.pending());
    if (!node || !node->graph) return;
    const Nodes plan = closure(*node->graph, {&node, 1});
    const auto is_costly = [](const Ref<PendingNode>& n) {
        return n->op == ExprNode::Op::Loop && rows()[loops()[n->loop].row].has(Flag::VectorMath);
    };
    if (std::any_of(plan.begin(), plan.end(), is_costly)) settle(*node);
}

bool Absorbed::is_current() const { return is_waiting(nodes); }

Absorbed absorb(const Array& array, Expr& expr, std::vector<View>& inputs) {
    // Outside of the scopes an array that waits has a name, as a rule, and is computed once.
    if (!array.is_pending() || !is_deferring()) return {};
    Absorbed absorbed{lock_graph(), {}, {}};
    const Ref<PendingNode> node(array.pending());
    for (;;) {
        if (!node || !node->graph) return {};  // it has run already, with other nodes, or failed
        if (node->users > 0 || node->handles > 1 || node->op == ExprNode::Op::Second) return {};
        absorbed.nodes = closure(*node->graph, {&node, 1});
        // Compute intermediate values that are referenced elsewhere; only this node reads the remaining ones.
        const Nodes wanted = wanted_nodes(absorbed.nodes);
        const auto other = std::find_if(wanted.begin(), wanted.end(), [&](const auto& w) { return !(w == node); });
        if (other == wanted.end()) break;
        settle(**other);
    }
    if (absorbed.nodes.empty() || !(absorbed.nodes.back() == node)) return {};
    MergedExpr program(absorbed.nodes);
    const RunLimits& limits = run_limits(node->device);
    if (!limits.allow(absorbed.nodes.size(), program.inputs.size(), 1, program.expr.scalars.size())) return {};
    expr = std::move(program.expr);
    inputs = std::move(program.inputs);
    absorbed.memory = std::move(program.memory);
    expr.outputs = {program.values.back()};
    return absorbed;
}

}  // namespace cuarray
