// pending.cpp -- the graph of deferred operations: adding nodes, planning one run for many, settling.
#include "cuarray/array/pending.h"

#include <pthread.h>

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <new>
#include <numeric>
#include <string>

#include "cuarray/array/elements.h"
#include "cuarray/kernel/index.h"
#include "cuarray/runtime/registry.h"
#include "runtime/hooks.h"

namespace cuarray {

/// The nodes that one thread has deferred, in program order.
struct PendingGraph {
    int depth = 0;
    int eager = 0;              ///< scopes in which nothing is deferred automatically
    int64_t judged_at = 0;      ///< bytes of operands, up to which the memory that pending nodes keep alive was judged
    int64_t operand_bytes = 0;  ///< of all pending nodes, repetitions included
    size_t inputs = 0;          ///< memory that nodes were the first to read so, since the graph was empty
    int functions = 0;          ///< of `depth`, calls of the user's functions
    int library_calls = 0;      ///< of `depth`, calls of the library's own
    int64_t called_at = 0;      ///< on the export clock: the outermost of `functions`
    int64_t latest_export = 0;  ///< of exported memory that pending nodes read; 0 for none

    /// Memory that was exported up to this moment is not written before this call ends.
    int64_t tolerated() const { return library_calls ? INT64_MAX : functions ? called_at : 0; }
    std::vector<PendingNode*> nodes;
};

namespace {

using Nodes = std::vector<Ref<PendingNode>>;
using NodeSpan = std::span<const Ref<PendingNode>>;

/// What one run takes. A graph of so many nodes runs before one is added. Inputs and outputs are at most
/// Space::kMaxOperands together.
struct RunLimits {
    size_t nodes, inputs, outputs, scalars;

    bool allow(size_t count, size_t in, size_t out, size_t numbers) const {
        return count <= nodes && in <= inputs && out <= outputs && numbers <= scalars;
    }
};
constexpr RunLimits kHostLimits{4096, 14, 8, SIZE_MAX};
/// Kernels are compiled, and their parameters bounded: 8 scalars are left to the consumer that absorbs a plan.
constexpr RunLimits kKernelLimits{64, 14, 8, kernel::kMaxScalars - 8};

const RunLimits& limits_of(Device device) { return device == Device{} ? kHostLimits : kKernelLimits; }

// Elements. From 8192 on, 2 of 45 programs of chains ran at less than 0.95 of their eager speed, from 5000 on 10; the
// geometric mean was 1.3 and 1.4.
constexpr int64_t kAutomaticallyFrom = 8192;
constexpr int64_t kUnlockedFrom = 32768;               // elements of all nodes whose run lets other threads in
constexpr int64_t kMostKeptBytes = int64_t(32) << 20;  // alive on the host for pending nodes alone

/// A run plans all nodes that wait and takes as many as its limits allow: what several runs would share is planned
/// several times. So a graph runs before it reads much more than one run, or before many of its values have names.
constexpr size_t kMostInputs = 4 * kHostLimits.inputs, kWatched = 64, kMostNamed = 4 * kHostLimits.outputs;

/// Pending nodes in all graphs; while it is 0, before_write() returns at once.
std::atomic<int> waiting = 0;

/// The graph of this thread.
class OwnGraph {
 public:
    OwnGraph() : graph_(new PendingGraph) {}
    ~OwnGraph() {
        const GraphLock lock = lock_graph();
        if (graph_->nodes.empty()) delete graph_;
    }
    PendingGraph* operator->() const { return graph_; }
    PendingGraph& operator*() const { return *graph_; }

 private:
    PendingGraph* graph_;
};

thread_local OwnGraph graph;

/// The newest nodes are found first; those behind keep their order.
void forget(std::vector<PendingNode*>& list, PendingNode* node) {
    if (auto it = std::find(list.rbegin(), list.rend(), node); it != list.rend()) list.erase(std::next(it).base());
}

void leave_graph(PendingNode& node) {
    if (!node.graph) return;
    forget(node.graph->nodes, &node);
    node.graph = nullptr;
    --waiting;
}

/// Unregisters the node as a reader of its sources.
void leave_sources(PendingNode& node) {
    for (int i = 0; i < node.sources; ++i) {
        if (node.source[i].storage) forget(node.source[i].storage->pending_readers, &node);
        if (node.source[i].node) --node.source[i].node->users;
    }
}

/// Call after `leave_sources`. Dropping a reference may run a Python finalizer that re-enters this graph, so all other
/// nodes must be consistent.
void drop_sources(PendingNode& node) {
    for (int i = 0; i < node.sources; ++i) node.source[i] = {};
    node.sources = 0;
}

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

/// The nodes to run for `roots`, sources first; empty if all have run. Both outputs of a row run together; sources of
/// another shape are run here, before, and so are memory afterwards.
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

/// Whether all nodes of the plan are still pending. An allocation may run a finalizer that settles an array of the plan
/// and then writes what the plan reads: the plan is invalid then.
bool is_waiting(NodeSpan plan) {
    return std::all_of(plan.begin(), plan.end(), [](const Ref<PendingNode>& node) { return node->graph; });
}

/// The number of the input that is the same elements; their count if there is none.
size_t find_input(const View& operand, std::span<const View> inputs) {
    const auto is_same = [&](const View& v) {
        return v.storage == operand.storage && v.offset == operand.offset && v.dtype == operand.dtype &&
               v.strides == operand.strides;
    };
    return size_t(std::find_if(inputs.begin(), inputs.end(), is_same) - inputs.begin());
}

/// A plan turned into an Expr: operands without repetition, and the value of every node.
struct MergedExpr {
    Expr expr;
    std::vector<View> inputs;
    std::vector<StorageRef> memory;  ///< of the inputs; kept here because nodes drop theirs when they have run
    std::vector<ValueId> values, input_values;
    std::vector<size_t> inputs_up_to, scalars_up_to;  ///< by node of the plan: how many it and those before it read

    ValueId value(const PendingNode& node) const { return values[size_t(node.position)]; }

    ValueId read(const PendingNode::Source& source) {
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

    /// New memory for the values of `wanted`, as the outputs.
    std::vector<Array> new_outputs(NodeSpan plan, NodeSpan wanted) {
        std::vector<Array> outputs;
        Backend& target = backend(plan[0]->device);
        for (const Ref<PendingNode>& node : wanted) {
            const int64_t bytes = checked_size(node->shape, item_size(node->dtype), "fuse") * item_size(node->dtype);
            const auto allocate = [&] { return target.allocate(bytes); };
            outputs.emplace_back(new_memory(node->shape, node->dtype, allocate), 0, Layout{node->shape, node->strides},
                                 node->dtype);
            expr.outputs.push_back(value(*node));
        }
        return outputs;
    }

    explicit MergedExpr(NodeSpan plan) {
        values.reserve(plan.size()), inputs_up_to.reserve(plan.size()), scalars_up_to.reserve(plan.size());
        for (const Ref<PendingNode>& node : plan) {
            node->position = int(values.size());
            ValueId args[kMaxIn] = {kNoValue, kNoValue, kNoValue};
            for (int i = 0; i < node->sources; ++i) {
                args[i] = read(node->source[i]);
                if (node->op == ExprNode::Op::Loop) args[i] = expr.cast(args[i], loops()[node->loop].in[i]);
            }
            switch (node->op) {
                case ExprNode::Op::Cast: values.push_back(expr.cast(args[0], node->dtype)); break;
                case ExprNode::Op::Second: values.push_back(expr.second(args[0])); break;
                default: values.push_back(expr.loop(node->loop, args[0], args[1], args[2])); break;
            }
            inputs_up_to.push_back(inputs.size()), scalars_up_to.push_back(expr.scalars.size());
        }
    }
};

using Arrays = std::span<const Array* const>;

/// The nodes of a plan whose values an array that lives on, or a pending node outside the plan, refers to.
Nodes wanted_nodes(NodeSpan plan, Arrays dying = {}) {
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

/// How many of a plan's first nodes one run can compute, with `outputs` more. A value is stored if it is one of
/// `wanted`, or if a node behind them reads it.
size_t fitting(NodeSpan plan, const MergedExpr& program, NodeSpan wanted, size_t outputs) {
    const RunLimits& limits = limits_of(plan[0]->device);
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
        if (is_whole && limits.allow(i + 1, program.inputs_up_to[i], stored + outputs, program.scalars_up_to[i]))
            best = i + 1;
    }
    return best;
}

/// After a run: the nodes leave the graph, and edges from outside become reads.
void finish(PendingGraph& g, NodeSpan plan) {
    for (auto node = plan.rbegin(); node != plan.rend(); ++node) {
        if ((*node)->graph) --waiting;
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

/// One node alone is a single loop of its operands, whose result may be written past the caches; false for others.
bool run_alone(PendingGraph& g, NodeSpan plan) {
    PendingNode& node = *plan[0];
    if (node.op != ExprNode::Op::Loop || !(node.handles || node.users)) return false;
    const Loop& loop = loops()[node.loop];
    if (rows()[loop.row].nout > 1) return false;
    SingleLoop task{node.loop, node.shape, "deferred"};
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

/// As many nodes of a plan as one run takes, the first ones.
struct PlannedRun {
    Nodes plan, wanted;
    MergedExpr program;
    bool is_whole;

    /// `dying` as for settle_into(); `outputs` are stored beside the nodes' values.
    PlannedRun(Nodes nodes, Arrays dying, size_t outputs)
        : plan(std::move(nodes)), wanted(wanted_nodes(plan, dying)), program(plan) {
        const size_t count = fitting(plan, program, wanted, outputs);
        is_whole = count == plan.size();
        if (is_whole) return;
        plan.resize(count);
        wanted = wanted_nodes(plan, dying);
        program = MergedExpr(plan);
    }

    /// Runs, also with the last node's value cast into `to` if that is not null. False if nothing was computed because
    /// an allocation ran a finalizer that settled some of the plan, or that reads `to`.
    bool run(PendingGraph& g, const Array* to) {
        const char* const name = plan.size() == 1 && !to ? "deferred" : "fused";
        std::vector<Array> outputs = program.new_outputs(plan, wanted);
        if (!is_waiting(plan) || (to && other_reader(to->storage(), plan))) return false;
        if (to) {
            outputs.push_back(*to);
            program.expr.outputs.push_back(program.expr.cast(program.values.back(), to->dtype()));
        }
        if (!outputs.empty() && count(plan[0]->shape) > 0)
            run_unread(program.expr, plan[0]->shape, program.inputs, outputs, name);
        if (!is_waiting(plan)) return true;
        for (size_t k = 0; k < wanted.size(); ++k) wanted[k]->result = outputs[k].storage_ref();
        finish(g, plan);
        return true;
    }
};

/// Runs the nodes needed for `roots`, or some of them: the caller repeats until no root is pending.
void run_together(PendingGraph& g, NodeSpan roots) {
    Nodes plan = closure(g, roots);
    if (plan.empty() || (plan.size() == 1 && run_alone(g, plan))) return;
    PlannedRun(std::move(plan), {}, 0).run(g, nullptr);
}

/// Marks values that died with a run and so have no memory.
void bury(Arrays dying) {
    static const auto& dead = *new const std::exception_ptr(
        std::make_exception_ptr(Error(ErrorKind::Runtime, "fuse: this array's value was given to another array")));
    for (const Array* a : dying)
        if (PendingNode* const node = a->pending(); node && !node->graph && !node->result) node->error = dead;
}

/// Removes nodes that could not be run from the graph: the error is raised only where one of their values is read.
void abandon(PendingGraph& g, std::exception_ptr error) {
    const GraphLock lock = lock_graph();
    const Nodes nodes(g.nodes.begin(), g.nodes.end());
    for (const Ref<PendingNode>& node : nodes) {
        leave_graph(*node), leave_sources(*node);
        node->error = error;
    }
    g.latest_export = 0;
    for (const Ref<PendingNode>& node : nodes) drop_sources(*node);
}

/// Never destroyed: threads outlive statics.
std::recursive_mutex& graph_mutex() {
    static std::recursive_mutex* const mutex = new std::recursive_mutex;
    return *mutex;
}

/// Registers fork handlers: a child finds every graph consistent and unlocked. `prepare` handlers run in reverse order
/// of registration. A run holds our lock and waits for locks that the cpu backend's handlers take, so the backend must
/// register its handlers first.
bool survive_forks() {
    backend(Device{});
    pthread_atfork(hold_graphs, release_graphs, renew_graphs);
    return true;
}

}  // namespace

void hold_graphs() { lock_graph().release(); }
void release_graphs() { graph_mutex().unlock(); }
// A recursive mutex identifies its owner by thread id, which is another one in the child.
void renew_graphs() { new (&graph_mutex()) std::recursive_mutex; }

GraphLock lock_graph() {
    GraphLock lock(graph_mutex(), std::try_to_lock);
    // The holder may be running Python code, and for long.
    if (!lock) wait_unlocked([](void* waiting) { static_cast<GraphLock*>(waiting)->lock(); }, &lock);
    return lock;
}

void PendingNode::release_last() {
    const GraphLock lock = lock_graph();
    if (references_.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
    leave_graph(*this);
    leave_sources(*this);
    delete this;
}

namespace {

/// CUARRAY_FUSE: "off", "on", or the number of elements.
int64_t automatic_size() {
    const char* const wish = std::getenv("CUARRAY_FUSE");
    if (!wish || !*wish || std::string(wish) == "on") return kAutomaticallyFrom;
    const int64_t number = std::atoll(wish);
    return number > 0 ? number : INT64_MAX;
}

/// Whether no other thread has asked yet. A run holds the lock of all graphs: threads that compute side by side do so
/// at the call.
bool computes_alone() {
    static std::atomic<PendingGraph*> first = nullptr;
    static std::atomic<bool> are_several = false;
    if (are_several.load(std::memory_order_relaxed)) return false;
    PendingGraph* expected = nullptr;
    PendingGraph* const own = &*graph;
    if (first.load(std::memory_order_relaxed) == own || first.compare_exchange_strong(expected, own)) return true;
    are_several = true;
    return false;
}

/// Whether to defer an operation outside of the scopes that ask for it: nothing captures or observes the tasks of
/// `cpu`.
bool defers_automatically(std::span<const Array* const> arrays, int64_t elements) {
    if (elements < deferred_from || graph->eager || are_lines_wanted()) return false;
    const bool on_host =
        std::all_of(arrays.begin(), arrays.end(), [](const Array* a) { return !a || a->device() == Device{}; });
    if (!on_host || !computes_alone()) return false;
    [[maybe_unused]] static const bool is_ready = survive_forks();
    return backend(Device{}).front().direct() != nullptr;
}

/// Bytes that are alive because pending nodes read them, beyond those that their results would take.
int64_t kept_bytes(const PendingGraph& g) {
    int64_t bytes = 0;
    std::vector<const Storage*> counted;
    for (const PendingNode* node : g.nodes) {
        if (node->handles > 0) bytes -= count(node->shape) * item_size(node->dtype);
        for (int i = 0; i < node->sources; ++i) {
            const Storage* const memory = node->source[i].storage.get();
            if (!memory || memory->references() > int64_t(memory->pending_readers.size())) continue;
            if (std::find(counted.begin(), counted.end(), memory) != counted.end()) continue;
            counted.push_back(memory);
            bytes += memory->bytes;
        }
    }
    return bytes;
}

/// Whether to run what waits before a node is added.
bool is_full(PendingGraph& g, Device device) {
    const size_t count = g.nodes.size();
    if (count >= limits_of(device).nodes) return true;
    if (device == Device{} && g.operand_bytes > g.judged_at + kMostKeptBytes / 8) {
        if (kept_bytes(g) > kMostKeptBytes) return true;
        g.judged_at = g.operand_bytes;
    }
    if (count < kWatched) return false;
    if (g.inputs > kMostInputs) return true;
    const auto is_named = [](const PendingNode* node) { return node->handles > 0; };
    return count % kWatched == 0 && std::count_if(g.nodes.end() - kWatched, g.nodes.end(), is_named) > kMostNamed;
}

/// Whether the newest reader of the memory reads the same elements. Of others it is not known: they count twice.
bool is_read_so(const PendingNode::Source& source) {
    const auto& readers = source.storage->pending_readers;
    if (readers.empty()) return false;
    const auto is_same = [&](const PendingNode::Source& s) {
        return s.storage == source.storage && s.offset == source.offset && s.strides == source.strides;
    };
    return std::any_of(readers.back()->source, readers.back()->source + readers.back()->sources, is_same);
}

}  // namespace

const int64_t deferred_from = automatic_size();

void begin_eager() { ++graph->eager; }
void end_eager() { --graph->eager; }

std::atomic<int> deferring_threads = 0;
bool is_deferring_here() { return graph->depth > 0; }

void begin_deferral() {
    [[maybe_unused]] static const bool is_ready = survive_forks();
    deferring_threads += graph->depth++ == 0;
}

void end_deferral() {
    // Leave deferred mode first: if the run fails, the next operation must be eager.
    if (--graph->depth > 0) return;
    --deferring_threads;
    try {
        settle_all();
    } catch (...) {
        abandon(*graph, std::current_exception());
        throw;
    }
}

void begin_call_deferral() {
    begin_deferral();
    ++graph->library_calls;
}

void begin_function_deferral() {
    begin_deferral();
    if (graph->functions++ == 0) graph->called_at = export_clock;
}

namespace {

/// Settles what the enclosing scope does not tolerate.
void end_call(int& calls) {
    --calls;
    std::exception_ptr error;
    try {
        if (graph->depth > 1 && graph->latest_export > graph->tolerated()) settle_all();
    } catch (...) {
        error = std::current_exception();
        abandon(*graph, error);
    }
    end_deferral();
    if (error) std::rethrow_exception(error);
}

}  // namespace

void end_call_deferral() { end_call(graph->library_calls); }
void end_function_deferral() { end_call(graph->functions); }

Deferral::Deferral() { begin_call_deferral(); }

Deferral::~Deferral() noexcept(false) {
    try {
        end_call_deferral();
    } catch (...) {
        // An exception already in flight is the cause; keep that one.
        if (!std::uncaught_exceptions()) throw;
    }
}

namespace {

/// Within a library call, operations on so few elements of the host take less time than to defer them.
constexpr int64_t kFewElements = 1024;

bool are_ready_on_host(std::span<const Array* const> arrays) {
    return std::all_of(arrays.begin(), arrays.end(),
                       [](const Array* a) { return !a || (!a->is_pending() && a->device() == Device{}); });
}

}  // namespace

bool can_defer(std::span<const Array* const> arrays, int64_t elements) {
    if (are_floating_errors_wanted() || (!is_deferring() && !defers_automatically(arrays, elements))) return false;
    if (graph->library_calls == graph->depth && elements <= kFewElements && are_ready_on_host(arrays)) return false;
    for (const Array* a : arrays) {
        if (!a || a->is_pending()) continue;
        const Storage& storage = a->storage();
        if (storage.is_exported() && storage.last_export() > graph->tolerated()) return false;
    }
    return true;
}

Array defer(const DeferredOperation& operation) {
    const auto& [op, loop, dtype, arrays, scalars, shape, strides, device] = operation;
    const GraphLock lock = lock_graph();
    if (op != ExprNode::Op::Second && is_full(*graph, device)) settle_all();
    for (const Array* a : arrays)
        if (a && a->is_pending() && a->pending()->graph != &*graph) a->settle();
    Ref<PendingNode> node(new PendingNode);
    node->op = op, node->loop = loop, node->dtype = dtype, node->device = device;
    node->shape = shape, node->strides = strides;
    node->sources = int(arrays.size());
    for (size_t i = 0; i < arrays.size(); ++i) {
        PendingNode::Source& source = node->source[i];
        const Array* a = arrays[i];
        if (!a) {
            source.scalar = scalars[i];
            source.dtype = scalars[i].dtype;
        } else if (a->is_pending()) {
            source.node = Ref<PendingNode>(a->pending());
            source.dtype = a->dtype();
            ++a->pending()->users;
        } else {
            source.storage = a->storage_ref();
            source.offset = a->offset();
            source.strides = broadcast_strides(a->layout(), shape, "fuse");
            source.dtype = a->dtype();
            graph->inputs += !is_read_so(source);
            source.storage->pending_readers.push_back(node.get());
            graph->operand_bytes += source.storage->bytes;
            if (source.storage->is_exported())
                graph->latest_export = std::max(graph->latest_export, source.storage->last_export());
        }
    }
    node->graph = &*graph;
    graph->nodes.push_back(node.get());
    ++waiting;
    return Array(node.get());
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
    while (!graph->nodes.empty()) {
        // One run for all nodes of the newest shape; sources of other shapes run before it.
        const PendingNode& last = *graph->nodes.back();
        Nodes roots;
        for (PendingNode* node : graph->nodes)
            if (node->shape == last.shape && node->device == last.device) roots.emplace_back(node);
        run_together(*graph, roots);
    }
    graph->latest_export = graph->operand_bytes = graph->judged_at = 0;
    graph->inputs = 0;
}

void before_write(Storage& storage) {
    if (waiting == 0) return;
    const GraphLock lock = lock_graph();
    // Several storages may refer to memory that has been exported.
    if (storage.last_export() && graph->latest_export) settle_all();
    while (!storage.pending_readers.empty()) settle(*storage.pending_readers.back());
}

Export export_storage(StorageRef storage, bool is_writable) {
    Storage& memory = *storage;
    Export lent(std::move(storage), is_writable);
    // Counted first: a thread that asks can_defer() under the lock sees the export, or its node is seen here.
    if (!is_writable || (deferring_threads == 0 && waiting == 0)) return lent;
    const GraphLock lock = lock_graph();
    before_write(memory);
    return lent;
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
    const RunLimits& limits = limits_of(node->device);
    if (!limits.allow(absorbed.nodes.size(), program.inputs.size(), 1, program.expr.scalars.size())) return {};
    expr = std::move(program.expr);
    inputs = std::move(program.inputs);
    absorbed.memory = std::move(program.memory);
    expr.outputs = {program.values.back()};
    return absorbed;
}

}  // namespace cuarray
