// graph.cpp -- graphs, their memory, and their launches: every node becomes an operation of a hidden stream.
#include "graph.h"

#include <algorithm>
#include <unordered_map>

#include "capture.h"
#include "pool.h"

namespace cudasim {
namespace {

/// An instantiated graph: its nodes and those of its child graphs, each after those that it depends on. Its hidden
/// streams, one per chain of nodes, serialize its launches.
struct Executable {
    std::shared_ptr<Graph> graph;
    std::vector<GraphNode> nodes;
    std::vector<std::shared_ptr<Stream>> lanes;
    std::vector<size_t> lane_of;
    Point last;
    bool frees_at_launch = false;
};

std::unordered_map<CUgraph, std::shared_ptr<Graph>>& graphs() {
    static auto* table = new std::unordered_map<CUgraph, std::shared_ptr<Graph>>;
    return *table;
}

std::unordered_map<CUgraphExec, std::shared_ptr<Executable>>& executables() {
    static auto* table = new std::unordered_map<CUgraphExec, std::shared_ptr<Executable>>;
    return *table;
}

template <class Table, class Handle>
auto find(Table& table, Handle handle, const char* what) -> typename Table::mapped_type {
    auto found = table.find(handle);
    if (found != table.end()) return found->second;
    say(format("%s %p does not exist (destroyed, or never made)", what, static_cast<void*>(handle)));
    return nullptr;
}

/// The numbers of the nodes, each after those that it depends on; fewer if they depend on each other in a circle.
std::vector<size_t> in_order(const Graph& graph) {
    std::vector<size_t> order, missing;
    std::vector<std::vector<size_t>> later(graph.nodes.size());
    for (const GraphNode& node : graph.nodes) {
        missing.push_back(node.after.size());
        for (size_t before : node.after) later[before].push_back(node.number);
        if (node.after.empty() && !node.destroyed) order.push_back(node.number);
    }
    for (size_t i = 0; i < order.size(); ++i)
        for (size_t next : later[order[i]])
            if (--missing[next] == 0) order.push_back(next);
    return order;
}

/// Appends the nodes of a graph, and of its child graphs, to a plan; its first ones come after `before`. Returns its
/// last ones.
std::vector<size_t> append(std::vector<GraphNode>& plan, const Graph& graph, const std::vector<size_t>& before) {
    std::vector<std::vector<size_t>> ends(graph.nodes.size());
    std::vector<bool> is_last(graph.nodes.size(), true);
    const std::vector<size_t> order = in_order(graph);
    for (size_t number : order) {
        const GraphNode& node = graph.nodes[number];
        std::vector<size_t> after = node.after.empty() ? before : std::vector<size_t>();
        for (size_t other : node.after) {
            after.insert(after.end(), ends[other].begin(), ends[other].end());
            is_last[other] = false;
        }
        if (node.child) {
            ends[number] = append(plan, *node.child, after);
            if (ends[number].empty()) ends[number] = after;
            continue;
        }
        plan.push_back({node.type, node.make, after, node.queued});
        ends[number] = {plan.size() - 1};
    }
    std::vector<size_t> last;
    for (size_t number : order)
        if (is_last[number]) last.insert(last.end(), ends[number].begin(), ends[number].end());
    return last;
}

/// Spreads the nodes over as many streams as the graph has branches.
void make_lanes(Executable& made) {
    std::vector<size_t> end_of_lane;
    made.lanes.clear();
    made.lane_of.clear();
    for (size_t node = 0; node < made.nodes.size(); ++node) {
        size_t lane = end_of_lane.size();
        for (size_t before : made.nodes[node].after)
            if (end_of_lane[made.lane_of[before]] == before) lane = made.lane_of[before];
        if (lane == end_of_lane.size()) {
            end_of_lane.push_back(node);
            made.lanes.push_back(make_stream(*made.graph->context, CU_STREAM_NON_BLOCKING, 0, true));
        }
        end_of_lane[lane] = node;
        made.lane_of.push_back(lane);
    }
}

CUresult instantiate(CUgraphExec* out, CUgraph handle, unsigned long long flags) {
    auto graph = find(graphs(), handle, "graph");
    if (!graph || !out || flags > 15) return CUDA_ERROR_INVALID_VALUE;
    const auto present = std::count_if(graph->nodes.begin(), graph->nodes.end(), [](auto& n) { return !n.destroyed; });
    if (in_order(*graph).size() != static_cast<size_t>(present)) {
        say("graph: its nodes depend on each other in a circle");
        return CUDA_ERROR_INVALID_VALUE;
    }
    if (flags & CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH) return CUDA_ERROR_NOT_SUPPORTED;
    if (!graph->memory.empty() && graph->instantiated) {
        say("graph: one with memory of its own can be instantiated once");
        return CUDA_ERROR_NOT_SUPPORTED;
    }
    graph->instantiated = true;
    auto made = std::make_shared<Executable>();
    made->graph = graph;
    made->frees_at_launch = (flags & CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH) != 0;
    append(made->nodes, *graph, {});
    make_lanes(*made);
    *out = reinterpret_cast<CUgraphExec>(made.get());
    executables()[*out] = made;
    return CUDA_SUCCESS;
}

/// Gives an executable graph the work of another graph of the same nodes.
CUresult update(Executable& made, CUgraph handle, CUgraphExecUpdateResultInfo* info) {
    auto graph = find(graphs(), handle, "graph");
    if (!graph || !info) return CUDA_ERROR_INVALID_VALUE;
    std::vector<GraphNode> nodes;
    append(nodes, *graph, {});
    auto same = [](const GraphNode& a, const GraphNode& b) { return a.type == b.type && a.after == b.after; };
    if (nodes.size() != made.nodes.size() || !std::equal(nodes.begin(), nodes.end(), made.nodes.begin(), same)) {
        *info = {CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED, nullptr, nullptr};
        return CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE;
    }
    if (!graph->memory.empty() || !made.graph->memory.empty()) {
        say("graph: one with memory of its own is not updated");
        return CUDA_ERROR_NOT_SUPPORTED;
    }
    made.graph = graph;
    made.nodes = std::move(nodes);
    *info = {CU_GRAPH_EXEC_UPDATE_SUCCESS, nullptr, nullptr};
    return CUDA_SUCCESS;
}

/// In a capture, a launch adds a node of the launched graph.
CUresult capture_launch(const Graph& launched, Stream& stream) {
    Capture& capture = *stream.capture;
    if (capture.invalid) return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
    if (!launched.memory.empty())
        return invalidate(capture, CUDA_ERROR_NOT_SUPPORTED, "a graph with memory of its own was launched");
    stream.tail = {add_node(*capture.graph, {CU_GRAPH_NODE_TYPE_GRAPH, {}, stream.tail, {}, clone(launched)})};
    return CUDA_SUCCESS;
}

CUresult launch(Executable& launched, Stream& stream) {
    std::shared_ptr<Graph> graph = launched.graph;
    if (stream.context != graph->context) return CUDA_ERROR_INVALID_VALUE;
    if (stream.capture) return capture_launch(*graph, stream);
    CUDASIM_REFUSE(refuse_implicit(stream, "graph launch"));
    std::vector<Point> ends;
    for (Allocation* block : graph->memory) {
        if (!block->outstanding) continue;
        if (!launched.frees_at_launch) {
            say(format("graph launch: %zu bytes that the graph allocated at an earlier launch are not freed",
                       block->size));
            return CUDA_ERROR_INVALID_VALUE;
        }
        enqueue(stream, free_of_graph_memory(*block, *stream.context));
    }
    Point begin = enqueue(stream, Operation{"graph launch", {}, {launched.last}});
    for (size_t i = 0; i < launched.nodes.size(); ++i) {
        const GraphNode& node = launched.nodes[i];
        Operation operation = node.make();
        operation.waits.push_back(begin);
        for (size_t before : node.after) operation.waits.push_back(ends[before]);
        ends.push_back(enqueue(*launched.lanes[launched.lane_of[i]], std::move(operation)));
        if (node.queued) node.queued(ends.back());
    }
    // A graph may be destroyed while it runs.
    launched.last = enqueue(stream, Operation{"graph end", [graph] { return CUDA_SUCCESS; }, ends});
    return CUDA_SUCCESS;
}

}  // namespace

Graph::~Graph() {
    for (Allocation* block : memory) release_graph_memory(*block);
}

CUgraph publish(const std::shared_ptr<Graph>& graph) {
    auto handle = reinterpret_cast<CUgraph>(graph.get());
    graphs()[handle] = graph;
    return handle;
}

std::shared_ptr<Graph> graph_of(CUgraph handle) { return find(graphs(), handle, "graph"); }

size_t add_node(Graph& graph, GraphNode node) {
    node.graph = &graph;
    node.number = graph.nodes.size();
    graph.nodes.push_back(std::move(node));
    return graph.nodes.size() - 1;
}

std::shared_ptr<Graph> clone(const Graph& graph) {
    auto made = std::make_shared<Graph>();
    made->context = graph.context;
    made->nodes = graph.nodes;
    made->objects = graph.objects;
    for (GraphNode& node : made->nodes) {
        node.graph = made.get();
        if (node.child) node.child = clone(*node.child);
    }
    return made;
}

bool numbers_of(const Graph& graph, const CUgraphNode* nodes, size_t count, std::vector<size_t>& numbers) {
    numbers.clear();
    for (size_t i = 0; i < count; ++i) {
        if (!nodes[i] || node_of(nodes[i]).graph != &graph || node_of(nodes[i]).destroyed) return false;
        numbers.push_back(node_of(nodes[i]).number);
    }
    return true;
}

bool all_precede(const Graph& graph, const std::vector<size_t>& nodes, const std::vector<size_t>& last) {
    std::vector<bool> precedes(graph.nodes.size(), false);
    for (size_t node : last) precedes[node] = true;
    const std::vector<size_t> order = in_order(graph);
    for (size_t i = order.size(); i-- > 0;)
        if (precedes[order[i]])
            for (size_t before : graph.nodes[order[i]].after) precedes[before] = true;
    return std::all_of(nodes.begin(), nodes.end(), [&](size_t node) { return precedes[node]; });
}

CUresult capture_allocation(CUdeviceptr* out, size_t bytes, Stream& stream) {
    Capture& capture = *stream.capture;
    if (capture.invalid) return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
    Allocation* block = nullptr;
    CUresult result = reserve_graph_memory(&block, bytes, *stream.context);
    if (result != CUDA_SUCCESS) return invalidate(capture, result, "no memory for an allocation");
    capture.graph->memory.push_back(block);
    *out = block->base;
    return submit(stream, CU_GRAPH_NODE_TYPE_MEM_ALLOC, [=] { return start_of_graph_memory(*block, bytes); });
}

CUresult capture_free(CUdeviceptr address, Stream& stream) {
    Capture& capture = *stream.capture;
    if (capture.invalid) return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
    auto& own = capture.graph->memory;
    auto found = std::find_if(own.begin(), own.end(), [&](Allocation* block) { return block->base == address; });
    if (found == own.end())
        return invalidate(
            capture, CUDA_ERROR_INVALID_VALUE,
            format("cuMemFreeAsync of memory that the capture has not allocated: %s", describe(address).c_str()));
    Context* context = stream.context;
    return submit(stream, CU_GRAPH_NODE_TYPE_MEM_FREE,
                  [block = *found, context] { return free_of_graph_memory(*block, *context); });
}

}  // namespace cudasim

using namespace cudasim;

CUDASIM_API cuGraphInstantiateWithFlags(CUgraphExec* out, CUgraph graph, unsigned long long flags) {
    CUDASIM_ENTER(Context);
    CUDASIM_REFUSE_UNSAFE();
    return instantiate(out, graph, flags);
}

CUDASIM_API cuGraphInstantiateWithParams(CUgraphExec* out, CUgraph graph, CUDA_GRAPH_INSTANTIATE_PARAMS* params) {
    CUDASIM_ENTER(Context);
    CUDASIM_REFUSE_UNSAFE();
    if (!params) return CUDA_ERROR_INVALID_VALUE;
    const CUresult result = instantiate(out, graph, params->flags);
    params->hErrNode_out = nullptr;
    params->result_out = result == CUDA_SUCCESS ? CUDA_GRAPH_INSTANTIATE_SUCCESS : CUDA_GRAPH_INSTANTIATE_ERROR;
    return result;
}

CUDASIM_API cuGraphExecUpdate_v2(CUgraphExec handle, CUgraph graph, CUgraphExecUpdateResultInfo* info) {
    CUDASIM_ENTER(Context);
    auto made = find(executables(), handle, "executable graph");
    return made ? update(*made, graph, info) : CUDA_ERROR_INVALID_VALUE;
}

CUDASIM_API cuGraphUpload(CUgraphExec handle, CUstream stream_handle) {
    CUDASIM_ENTER(Context);
    CUDASIM_STREAM(stream, stream_handle);
    return find(executables(), handle, "graph") ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUDASIM_API cuGraphLaunch(CUgraphExec handle, CUstream stream_handle) {
    CUDASIM_ENTER(Context);
    CUDASIM_STREAM(stream, stream_handle);
    auto launched = find(executables(), handle, "executable graph");
    return launched ? launch(*launched, *stream) : CUDA_ERROR_INVALID_VALUE;
}

// CUDA does not say that these two need a context; it does not say that they do not.
CUDASIM_API cuGraphExecDestroy(CUgraphExec handle) {
    CUDASIM_ENTER(Context);
    CUDASIM_REFUSE_UNSAFE();
    return executables().erase(handle) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUDASIM_API cuGraphDestroy(CUgraph handle) {
    CUDASIM_ENTER(Context);
    CUDASIM_REFUSE_UNSAFE();
    return graphs().erase(handle) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUDASIM_API cuDeviceGraphMemTrim(CUdevice device) {
    CUDASIM_ENTER(Init);
    return device >= 0 && device < settings().devices ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
}
