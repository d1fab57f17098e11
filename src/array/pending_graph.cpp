// pending_graph.cpp -- the lock of all graphs, forks, and how nodes enter and leave the graph of a thread.
#include "array/pending_graph.h"

#include <pthread.h>

#include <algorithm>
#include <mutex>
#include <new>
#include <utility>

#include "cuarray/runtime/registry.h"
#include "runtime/hooks.h"

namespace cuarray {

std::atomic<int> waiting_nodes = 0;

namespace {

/// The graph of this thread, if it has one.
constinit thread_local PendingGraph* graph = nullptr;

/// Ends the graph with the thread.
struct EndOfGraph {
    ~EndOfGraph() {
        const GraphLock lock = lock_graph();
        if (graph->nodes.empty()) delete graph;
        graph = nullptr;
    }
};

[[gnu::noinline]] PendingGraph& begin_graph() {
    graph = new PendingGraph;
    thread_local const EndOfGraph end;
    return *graph;
}

/// The newest nodes are found first; those behind keep their order.
void forget(std::vector<PendingNode*>& list, PendingNode* node) {
    if (auto it = std::find(list.rbegin(), list.rend(), node); it != list.rend()) list.erase(std::next(it).base());
}

void leave_graph(PendingNode& node) {
    if (!node.graph) return;
    forget(node.graph->nodes, &node);
    node.graph = nullptr;
    --waiting_nodes;
}

}  // namespace

PendingGraph& own_graph() { return graph ? *graph : begin_graph(); }

void leave_sources(PendingNode& node) {
    for (int i = 0; i < node.sources; ++i) {
        if (node.source[i].storage) forget(node.source[i].storage->pending_readers, &node);
        if (node.source[i].node) --node.source[i].node->users;
    }
}

void drop_sources(PendingNode& node) {
    for (int i = std::exchange(node.sources, 0); i-- > 0;) node.source[i].node = {}, node.source[i].storage = {};
}

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

// The lock, and forks.

namespace {

/// Never destroyed: threads outlive statics.
GraphMutex& graph_mutex() {
    static GraphMutex* const mutex = new GraphMutex;
    return *mutex;
}

/// By its address a thread knows whether it is the holder. A forked child's thread has the address of its parent's.
constinit thread_local char identity = 0;

}  // namespace

void GraphMutex::lock() {
    if (holder_.load(std::memory_order_relaxed) != &identity) {
        mutex_.lock();
        holder_.store(&identity, std::memory_order_relaxed);
    }
    ++depth_;
}

bool GraphMutex::try_lock() {
    if (holder_.load(std::memory_order_relaxed) != &identity) {
        if (!mutex_.try_lock()) return false;
        holder_.store(&identity, std::memory_order_relaxed);
    }
    ++depth_;
    return true;
}

void GraphMutex::unlock() {
    if (--depth_ > 0) return;
    holder_.store(nullptr, std::memory_order_relaxed);
    mutex_.unlock();
}

void hold_graphs() { lock_graph().release(); }
void release_graphs() { graph_mutex().unlock(); }
void renew_graphs() { new (&graph_mutex()) GraphMutex; }

GraphLock lock_graph() {
    GraphLock lock(graph_mutex(), std::try_to_lock);
    // The holder may be running Python code, and for long.
    if (!lock) wait_unlocked([](void* waiting) { static_cast<GraphLock*>(waiting)->lock(); }, &lock);
    return lock;
}

namespace {

void settle_quietly() noexcept {
    thread_local bool is_settling = false;  // which may be short of memory, too
    if (own_graph().nodes.empty() || std::exchange(is_settling, true)) return;
    try {
        settle_all();
    } catch (...) {
        // What could not run waits on: who reads it meets the error.
    }
    is_settling = false;
}

}  // namespace

/// `prepare` handlers run in reverse order of registration. A run holds our lock and waits for locks that the cpu
/// backend's handlers take, so the backend must register its handlers first.
void prepare_deferral() {
    [[maybe_unused]] static const bool is_ready = [] {
        backend(Device{});
        pthread_atfork(hold_graphs, release_graphs, renew_graphs);
        set_settler(settle_quietly);
        return true;
    }();
}

PendingNode::PendingNode() = default;
PendingNode::~PendingNode() = default;

namespace {

/// Memory of nodes that are gone, a list: more nodes wait, as a rule, than malloc keeps at hand. Some 500 KiB at most.
struct GoneNode {
    GoneNode* next;
};
constinit GoneNode* gone_nodes = nullptr;
constinit int gone_count = 0;
constexpr int kMostGone = 1024;

}  // namespace

void* PendingNode::operator new(std::size_t bytes) {
    GoneNode* const last = gone_nodes;
    if (!last) return ::operator new(bytes);
    gone_nodes = last->next;
    --gone_count;
    return last;
}

void PendingNode::operator delete(void* node) noexcept {
    if (gone_count == kMostGone) return ::operator delete(node);
    gone_nodes = new (node) GoneNode{gone_nodes};
    ++gone_count;
}

void PendingNode::release_last() {
    const GraphLock lock = lock_graph();
    if (references_.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
    leave_graph(*this);
    leave_sources(*this);
    delete this;
}

// Adding nodes.

namespace {

// Bytes that are alive for pending nodes alone, on GPUs outside of scopes: as many as the newest result, within limits.
constexpr int64_t kMostKeptBytes = int64_t(32) << 20, kFewKeptBytes = int64_t(4) << 20;

/// A run plans all nodes that wait and takes as many as its limits allow: what several runs would share is planned
/// several times. So a graph runs before it reads much more than one run, or before many of its values have names.
constexpr size_t kMostInputs = 4 * kHostLimits.inputs, kWatched = 64, kMostNamed = 4 * kHostLimits.outputs;
constexpr int kShortestRepeated = 8;  // a launch takes as long as to record so many operations

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

/// Whether an operation begins another pass of a program's loop: it is as the first one of the graph, whose first nodes
/// are repeated. A kernel is compiled for each chain, so that they should begin at the same place of the program.
bool begins_again(const PendingGraph& g, const DeferredOperation& operation) {
    const auto is_alike = [](const auto& a, const auto& b) {
        return a.op == b.op && a.loop == b.loop && a.dtype == b.dtype && a.shape == b.shape;
    };
    if (g.nodes.size() < 2 * kShortestRepeated || !is_alike(*g.nodes[0], operation)) return false;
    const auto first = g.nodes.begin();
    const auto are_alike = [&](const PendingNode* a, const PendingNode* b) { return is_alike(*a, *b); };
    for (auto pass = first + kShortestRepeated; pass - first <= g.nodes.end() - pass; ++pass)
        if (std::equal(first, pass, pass, are_alike)) return true;
    return false;
}

/// Whether to run what waits before a node is added.
bool is_full(PendingGraph& g, const DeferredOperation& operation) {
    const Device device = operation.device;
    const size_t waiting = g.nodes.size();
    if (waiting >= run_limits(device).nodes) return true;
    const bool is_of_scope = is_deferring(), is_on_host = device == Device{};
    if (!is_on_host && !is_of_scope && begins_again(g, operation)) return true;
    const int64_t result_bytes = count(operation.shape) * item_size(operation.dtype);
    const int64_t most = is_on_host ? std::clamp(result_bytes, kFewKeptBytes, kMostKeptBytes) : kMostKeptBytes;
    if ((is_on_host || !is_of_scope) && g.operand_bytes > g.judged_from) {
        const int64_t kept = kept_bytes(g);
        if (kept > most) return true;
        // Operands may bring it there; those that were counted, too, if their other owners let go of them.
        g.judged_from = g.operand_bytes + std::max(most - kept, most / 4);
    }
    if (waiting < kWatched) return false;
    if (g.inputs > kMostInputs) return true;
    const auto is_named = [](const PendingNode* node) { return node->handles > 0; };
    return waiting % kWatched == 0 && std::count_if(g.nodes.end() - kWatched, g.nodes.end(), is_named) > kMostNamed;
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

/// Runs what waits while other threads of the host program may run, too.
void settle_unlocked() {
    std::exception_ptr error;
    run_unlocked([&] {
        try {
            settle_all();
        } catch (...) { error = std::current_exception(); }
    });
    if (error) std::rethrow_exception(error);
}

}  // namespace

Array defer(const DeferredOperation& operation) {
    const auto& [op, loop, dtype, arrays, scalars, shape, strides, device] = operation;
    const GraphLock lock = lock_graph();
    PendingGraph& g = own_graph();
    if (op != ExprNode::Op::Second && is_full(g, operation)) settle_unlocked();
    for (const Array* a : arrays)
        if (a && a->is_pending() && a->pending()->graph != &g) a->settle();
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
            g.inputs += !is_read_so(source);
            source.storage->pending_readers.push_back(node.get());
            g.operand_bytes += source.storage->bytes;
            if (source.storage->is_exported())
                g.latest_export = std::max(g.latest_export, source.storage->last_export());
        }
    }
    if (are_lines_wanted()) node->lines = std::make_unique<const SourceLines>(find_lines());
    node->graph = &g;
    g.nodes.push_back(node.get());
    ++waiting_nodes;
    return Array(node.get());
}

// Before memory is written.

void before_write(Storage& storage) {
    if (waiting_nodes == 0) return;
    const GraphLock lock = lock_graph();
    // Several storages may refer to memory that has been exported.
    if (storage.last_export() && own_graph().latest_export) settle_all();
    while (!storage.pending_readers.empty()) settle(*storage.pending_readers.back());
}

Export export_storage(StorageRef storage, bool is_writable) {
    Storage& memory = *storage;
    Export lent(std::move(storage), is_writable);
    // Counted first: a thread that asks can_defer() under the lock sees the export, or its node is seen here.
    if (!is_writable || (deferring_threads == 0 && waiting_nodes == 0)) return lent;
    const GraphLock lock = lock_graph();
    before_write(memory);
    return lent;
}

}  // namespace cuarray
