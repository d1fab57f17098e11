// graph.cpp -- graphs, their memory, and their launches: every node becomes an operation of a hidden stream.
#include "graph.h"

#include <algorithm>
#include <unordered_map>

#include "capture.h"
#include "pool.h"

namespace cudasim {
namespace {

/// An instantiated graph. Its hidden streams, one per chain of nodes, serialize its launches.
struct Executable {
    std::shared_ptr<Graph> graph;
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

/// Spreads the nodes over as many streams as the graph has branches.
void make_lanes(Executable& made) {
    std::vector<size_t> end_of_lane;
    for (size_t node = 0; node < made.graph->nodes.size(); ++node) {
        size_t lane = end_of_lane.size();
        for (size_t before : made.graph->nodes[node].after)
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
    if (flags & CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH) return CUDA_ERROR_NOT_SUPPORTED;
    if (!graph->memory.empty() && graph->instantiated) {
        say("graph: one with memory of its own can be instantiated once");
        return CUDA_ERROR_NOT_SUPPORTED;
    }
    graph->instantiated = true;
    auto made = std::make_shared<Executable>();
    made->graph = graph;
    made->frees_at_launch = (flags & CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH) != 0;
    make_lanes(*made);
    *out = reinterpret_cast<CUgraphExec>(made.get());
    executables()[*out] = made;
    return CUDA_SUCCESS;
}

/// In a capture, a launch adds the nodes of the launched graph.
CUresult capture_launch(const Graph& launched, Stream& stream) {
    Capture& capture = *stream.capture;
    if (capture.invalid) return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
    if (!launched.memory.empty())
        return invalidate(capture, CUDA_ERROR_NOT_SUPPORTED, "a graph with memory of its own was launched");
    std::vector<size_t> added, last = stream.tail;
    for (const GraphNode& node : launched.nodes) {
        GraphNode copy{node.type, node.make, node.after.empty() ? stream.tail : std::vector<size_t>()};
        for (size_t before : node.after) {
            copy.after.push_back(added[before]);
            last.erase(std::remove(last.begin(), last.end(), added[before]), last.end());
        }
        added.push_back(add_node(*capture.graph, std::move(copy)));
        last.push_back(added.back());
    }
    stream.tail = last;
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
    for (size_t i = 0; i < graph->nodes.size(); ++i) {
        Operation operation = graph->nodes[i].make();
        operation.waits.push_back(begin);
        for (size_t before : graph->nodes[i].after) operation.waits.push_back(ends[before]);
        ends.push_back(enqueue(*launched.lanes[launched.lane_of[i]], std::move(operation)));
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

size_t add_node(Graph& graph, GraphNode node) {
    graph.nodes.push_back(std::move(node));
    return graph.nodes.size() - 1;
}

bool all_precede(const Graph& graph, const std::vector<size_t>& nodes, const std::vector<size_t>& last) {
    std::vector<bool> precedes(graph.nodes.size(), false);
    for (size_t node : last) precedes[node] = true;
    // Nodes come after earlier ones only.
    for (size_t node = precedes.size(); node-- > 0;)
        if (precedes[node])
            for (size_t before : graph.nodes[node].after) precedes[before] = true;
    return std::all_of(nodes.begin(), nodes.end(), [&](size_t node) { return precedes[node]; });
}

CUresult capture_allocation(CUdeviceptr* out, size_t bytes, Stream& stream) {
    Capture& capture = *stream.capture;
    if (capture.invalid) return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
    Allocation* block = nullptr;
    CUresult result = reserve_graph_memory(&block, bytes, stream.context->device);
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

CUDASIM_API cuGraphGetNodes(CUgraph handle, CUgraphNode* nodes, size_t* count) {
    CUDASIM_ENTER(Init);
    auto graph = find(graphs(), handle, "graph");
    if (!graph || !count) return CUDA_ERROR_INVALID_VALUE;
    size_t held = graph->nodes.size();
    for (size_t i = 0; nodes && i < *count; ++i)
        nodes[i] = i < held ? reinterpret_cast<CUgraphNode>(&graph->nodes[i]) : nullptr;
    *count = nodes ? std::min(*count, held) : held;
    return CUDA_SUCCESS;
}

CUDASIM_API cuGraphNodeGetType(CUgraphNode node, CUgraphNodeType* type) {
    CUDASIM_ENTER(Init);
    if (!node || !type) return CUDA_ERROR_INVALID_VALUE;
    *type = reinterpret_cast<const GraphNode*>(node)->type;
    return CUDA_SUCCESS;
}

CUDASIM_API cuDeviceGraphMemTrim(CUdevice device) {
    CUDASIM_ENTER(Init);
    return device >= 0 && device < settings().devices ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
}
