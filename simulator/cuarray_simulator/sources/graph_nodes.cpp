// graph_nodes.cpp -- graphs that are built node by node, and what programs ask about nodes.
#include <algorithm>
#include <cstring>

#include "capture.h"
#include "work.h"

namespace cudasim {
namespace {

/// A hidden stream in a capture of its own: what is queued in it becomes a node of the graph.
class NewNode {
 public:
    NewNode(CUgraph handle, const CUgraphNode* after, size_t count) : graph_(graph_of(handle)) {
        std::vector<size_t> tail;
        is_valid_ = graph_ && (!count || after) && numbers_of(*graph_, after, count, tail);
        if (!is_valid_) return;
        stream_ = make_stream(*graph_->context, CU_STREAM_NON_BLOCKING, 0, true);
        stream_->capture = std::make_shared<Capture>();
        stream_->capture->graph = graph_;
        stream_->capture->adds_nodes = true;
        stream_->tail = tail;
        nodes_before_ = graph_->nodes.size();
        handle_ = name_stream(stream_);
    }
    ~NewNode() {
        if (!stream_) return;
        forget_name(*stream_);
        stream_->capture = nullptr;
    }
    NewNode(const NewNode&) = delete;

    /// Has a function queue work in the stream, whose node is the result; the parameters are kept.
    template <class Queue>
    CUresult add(CUgraphNode* out, Queue queue, const CUgraphNodeParams& params = {}) {
        if (!is_valid_ || !out) return CUDA_ERROR_INVALID_VALUE;
        const CUresult result = queue();
        if (result != CUDA_SUCCESS) return result;
        if (graph_->nodes.size() == nodes_before_) return CUDA_ERROR_INVALID_VALUE;
        GraphNode& made = graph_->nodes.back();
        auto kept = std::make_shared<CUgraphNodeParams>(params);
        // Those of the kernel itself were read now.
        if (made.type == CU_GRAPH_NODE_TYPE_KERNEL) kept->kernel.kernelParams = kept->kernel.extra = nullptr;
        made.params = kept;
        *out = handle_of(made);
        return CUDA_SUCCESS;
    }
    CUstream handle() const { return handle_; }
    Stream& stream() const { return *stream_; }

 private:
    std::shared_ptr<Graph> graph_;
    std::shared_ptr<Stream> stream_;
    CUstream handle_ = nullptr;
    size_t nodes_before_ = 0;
    bool is_valid_ = false;
};

CUresult not_simulated(const char* what) {
    say(format("graph: %s are not simulated", what));
    return CUDA_ERROR_NOT_SUPPORTED;
}

CUresult queue_kernel(const CUDA_KERNEL_NODE_PARAMS& p, CUstream stream) {
    const CUfunction function = p.func ? p.func : reinterpret_cast<CUfunction>(p.kern);
    return queue_launch(
        {{p.gridDimX, p.gridDimY, p.gridDimZ}, {p.blockDimX, p.blockDimY, p.blockDimZ}, p.sharedMemBytes, stream},
        function, p.kernelParams, p.extra);
}

CUresult queue_copy_node(const CUDA_MEMCPY3D& p, CUstream stream) {
    auto address = [](CUmemorytype type, const void* host, CUdeviceptr device, size_t offset) {
        return (type == CU_MEMORYTYPE_HOST ? reinterpret_cast<CUdeviceptr>(host) : device) + offset;
    };
    const bool is_line = p.Height <= 1 && p.Depth <= 1 && !p.srcY && !p.srcZ && !p.dstY && !p.dstZ;
    if (!is_line || p.srcArray || p.dstArray) return not_simulated("copies of planes and of arrays");
    return queue_copy(address(p.dstMemoryType, p.dstHost, p.dstDevice, p.dstXInBytes),
                      address(p.srcMemoryType, p.srcHost, p.srcDevice, p.srcXInBytes), p.WidthInBytes, stream);
}

template <class Params>
CUresult queue_fill_node(const Params& p, CUstream stream) {
    if (p.height > 1 && p.pitch != p.width * p.elementSize) return not_simulated("fills with gaps between the rows");
    return queue_fill(p.dst, p.value, p.elementSize, p.width * std::max<size_t>(p.height, 1), stream);
}

CUresult queue_child(CUgraph handle, Stream& stream) {
    auto child = graph_of(handle);
    if (!child) return CUDA_ERROR_INVALID_VALUE;
    if (!child->memory.empty()) return not_simulated("child graphs with memory of their own");
    add_node(*stream.capture->graph, {CU_GRAPH_NODE_TYPE_GRAPH, {}, stream.tail, {}, clone(*child)});
    return CUDA_SUCCESS;
}

CUresult queue_nothing(Stream& stream) {
    return submit(stream, CU_GRAPH_NODE_TYPE_EMPTY, [] { return Operation{"empty node", {}}; });
}

CUresult queue_allocation(CUDA_MEM_ALLOC_NODE_PARAMS& p, Stream& stream) {
    if (p.poolProps.location.type != CU_MEM_LOCATION_TYPE_DEVICE) return not_simulated("allocations of host memory");
    if (p.poolProps.location.id != stream.context->device) return not_simulated("allocations of other devices");
    return capture_allocation(&p.dptr, p.bytesize, stream);
}

/// The parameters of one call among those of cuGraphAddNode, which begin alike, and back.
template <class Member, class Params>
CUgraphNodeParams any_params(Member member, const Params& params) {
    CUgraphNodeParams any{};
    std::memcpy(&(any.*member), &params, std::min(sizeof(any.*member), sizeof params));
    return any;
}

template <class Member, class Params>
CUresult give_params(CUgraphNode handle, CUgraphNodeType type, Member member, Params* out) {
    if (!handle || !out || node_of(handle).type != type) return CUDA_ERROR_INVALID_VALUE;
    const auto& kept = node_of(handle).params;
    if (!kept) return not_simulated("questions about nodes that were captured");
    std::memcpy(out, &((*kept).*member), std::min(sizeof *out, sizeof((*kept).*member)));
    return CUDA_SUCCESS;
}

CUresult queue_any(CUgraphNodeParams& p, const NewNode& node) {
    switch (p.type) {
        case CU_GRAPH_NODE_TYPE_KERNEL: {
            CUDA_KERNEL_NODE_PARAMS own;
            std::memcpy(&own, &p.kernel, sizeof own);
            return queue_kernel(own, node.handle());
        }
        case CU_GRAPH_NODE_TYPE_MEMCPY: return queue_copy_node(p.memcpy.copyParams, node.handle());
        case CU_GRAPH_NODE_TYPE_MEMSET: return queue_fill_node(p.memset, node.handle());
        case CU_GRAPH_NODE_TYPE_HOST: return queue_host_function(p.host.fn, p.host.userData, node.handle());
        case CU_GRAPH_NODE_TYPE_GRAPH: return queue_child(p.graph.graph, node.stream());
        case CU_GRAPH_NODE_TYPE_EMPTY: return queue_nothing(node.stream());
        case CU_GRAPH_NODE_TYPE_WAIT_EVENT: return add_event_wait(p.eventWait.event, node.stream());
        case CU_GRAPH_NODE_TYPE_EVENT_RECORD: return add_event_record(p.eventRecord.event, node.stream());
        case CU_GRAPH_NODE_TYPE_MEM_FREE: return capture_free(p.free.dptr, node.stream());
        case CU_GRAPH_NODE_TYPE_MEM_ALLOC: {
            CUDA_MEM_ALLOC_NODE_PARAMS own{};
            own.poolProps = p.alloc.poolProps;
            own.bytesize = p.alloc.bytesize;
            const CUresult result = queue_allocation(own, node.stream());
            p.alloc.dptr = own.dptr;
            return result;
        }
        default: return not_simulated(format("nodes of type %d", p.type).c_str());
    }
}

/// Gives handles, as many as there is room for, and their number.
CUresult give(const std::vector<GraphNode*>& found, CUgraphNode* nodes, size_t* count) {
    if (!count) return CUDA_ERROR_INVALID_VALUE;
    for (size_t i = 0; nodes && i < *count; ++i) nodes[i] = i < found.size() ? handle_of(*found[i]) : nullptr;
    *count = nodes ? std::min(*count, found.size()) : found.size();
    return CUDA_SUCCESS;
}

/// The nodes of a graph for which a test holds.
template <class Test>
std::vector<GraphNode*> nodes_where(Graph& graph, Test test) {
    std::vector<GraphNode*> found;
    for (GraphNode& node : graph.nodes)
        if (!node.destroyed && test(node)) found.push_back(&node);
    return found;
}

bool depends(const GraphNode& node, size_t other) {
    return std::find(node.after.begin(), node.after.end(), other) != node.after.end();
}

/// Adds or removes edges, each from a node to one that depends on it.
CUresult change_edges(CUgraph handle, const CUgraphNode* from, const CUgraphNode* to, size_t count, bool adds) {
    auto graph = graph_of(handle);
    std::vector<size_t> sources, targets;
    if (!graph || (count && (!from || !to)) || !numbers_of(*graph, from, count, sources) ||
        !numbers_of(*graph, to, count, targets))
        return CUDA_ERROR_INVALID_VALUE;
    for (size_t i = 0; i < count; ++i) {
        auto& after = graph->nodes[targets[i]].after;
        if (depends(graph->nodes[targets[i]], sources[i]) == adds) return CUDA_ERROR_INVALID_VALUE;
        if (adds)
            after.push_back(sources[i]);
        else
            after.erase(std::find(after.begin(), after.end(), sources[i]));
    }
    return CUDA_SUCCESS;
}

}  // namespace
}  // namespace cudasim

using namespace cudasim;

CUDASIM_API cuGraphCreate(CUgraph* out, unsigned flags) {
    CUDASIM_ENTER(Context);
    if (!out || flags) return CUDA_ERROR_INVALID_VALUE;
    auto graph = std::make_shared<Graph>();
    graph->context = current_context();
    *out = publish(graph);
    return CUDA_SUCCESS;
}

CUDASIM_API cuGraphClone(CUgraph* out, CUgraph handle) {
    CUDASIM_ENTER(Context);
    auto graph = graph_of(handle);
    if (!out || !graph) return CUDA_ERROR_INVALID_VALUE;
    if (!graph->memory.empty()) return not_simulated("clones of graphs with memory of their own");
    *out = publish(clone(*graph));
    return CUDA_SUCCESS;
}

CUDASIM_API cuGraphNodeFindInClone(CUgraphNode* out, CUgraphNode original, CUgraph handle) {
    CUDASIM_ENTER(Context);
    auto graph = graph_of(handle);
    if (!out || !original || !graph || node_of(original).number >= graph->nodes.size()) return CUDA_ERROR_INVALID_VALUE;
    *out = handle_of(graph->nodes[node_of(original).number]);
    return CUDA_SUCCESS;
}

CUDASIM_API cuGraphAddNode_v2(CUgraphNode* out, CUgraph graph, const CUgraphNode* after, const CUgraphEdgeData*,
                              size_t count, CUgraphNodeParams* params) {
    CUDASIM_ENTER(Context);
    if (!params) return CUDA_ERROR_INVALID_VALUE;
    NewNode node(graph, after, count);
    return node.add(out, [&] { return queue_any(*params, node); }, *params);
}

CUDASIM_API cuGraphAddKernelNode_v2(CUgraphNode* out, CUgraph graph, const CUgraphNode* after, size_t count,
                                    const CUDA_KERNEL_NODE_PARAMS* params) {
    CUDASIM_ENTER(Context);
    if (!params) return CUDA_ERROR_INVALID_VALUE;
    NewNode node(graph, after, count);
    return node.add(
        out, [&] { return queue_kernel(*params, node.handle()); }, any_params(&CUgraphNodeParams::kernel, *params));
}

CUDASIM_API cuGraphAddMemcpyNode(CUgraphNode* out, CUgraph graph, const CUgraphNode* after, size_t count,
                                 const CUDA_MEMCPY3D* params, CUcontext) {
    CUDASIM_ENTER(Context);
    if (!params) return CUDA_ERROR_INVALID_VALUE;
    NewNode node(graph, after, count);
    CUgraphNodeParams any{};
    any.memcpy.copyParams = *params;
    return node.add(out, [&] { return queue_copy_node(*params, node.handle()); }, any);
}

CUDASIM_API cuGraphAddMemsetNode(CUgraphNode* out, CUgraph graph, const CUgraphNode* after, size_t count,
                                 const CUDA_MEMSET_NODE_PARAMS* params, CUcontext) {
    CUDASIM_ENTER(Context);
    if (!params) return CUDA_ERROR_INVALID_VALUE;
    NewNode node(graph, after, count);
    return node.add(
        out, [&] { return queue_fill_node(*params, node.handle()); }, any_params(&CUgraphNodeParams::memset, *params));
}

CUDASIM_API cuGraphAddHostNode(CUgraphNode* out, CUgraph graph, const CUgraphNode* after, size_t count,
                               const CUDA_HOST_NODE_PARAMS* params) {
    CUDASIM_ENTER(Context);
    if (!params) return CUDA_ERROR_INVALID_VALUE;
    NewNode node(graph, after, count);
    return node.add(
        out, [&] { return queue_host_function(params->fn, params->userData, node.handle()); },
        any_params(&CUgraphNodeParams::host, *params));
}

CUDASIM_API cuGraphAddChildGraphNode(CUgraphNode* out, CUgraph graph, const CUgraphNode* after, size_t count,
                                     CUgraph child) {
    CUDASIM_ENTER(Context);
    NewNode node(graph, after, count);
    return node.add(out, [&] { return queue_child(child, node.stream()); });
}

CUDASIM_API cuGraphAddEmptyNode(CUgraphNode* out, CUgraph graph, const CUgraphNode* after, size_t count) {
    CUDASIM_ENTER(Context);
    NewNode node(graph, after, count);
    return node.add(out, [&] { return queue_nothing(node.stream()); });
}

CUDASIM_API cuGraphAddEventRecordNode(CUgraphNode* out, CUgraph graph, const CUgraphNode* after, size_t count,
                                      CUevent event) {
    CUDASIM_ENTER(Context);
    NewNode node(graph, after, count);
    return node.add(
        out, [&] { return add_event_record(event, node.stream()); },
        any_params(&CUgraphNodeParams::eventRecord, event));
}

CUDASIM_API cuGraphAddEventWaitNode(CUgraphNode* out, CUgraph graph, const CUgraphNode* after, size_t count,
                                    CUevent event) {
    CUDASIM_ENTER(Context);
    NewNode node(graph, after, count);
    return node.add(
        out, [&] { return add_event_wait(event, node.stream()); }, any_params(&CUgraphNodeParams::eventWait, event));
}

CUDASIM_API cuGraphAddMemAllocNode(CUgraphNode* out, CUgraph graph, const CUgraphNode* after, size_t count,
                                   CUDA_MEM_ALLOC_NODE_PARAMS* params) {
    CUDASIM_ENTER(Context);
    if (!params) return CUDA_ERROR_INVALID_VALUE;
    NewNode node(graph, after, count);
    return node.add(out, [&] { return queue_allocation(*params, node.stream()); });
}

CUDASIM_API cuGraphAddMemFreeNode(CUgraphNode* out, CUgraph graph, const CUgraphNode* after, size_t count,
                                  CUdeviceptr address) {
    CUDASIM_ENTER(Context);
    NewNode node(graph, after, count);
    return node.add(out, [&] { return capture_free(address, node.stream()); });
}

CUDASIM_API cuGraphChildGraphNodeGetGraph(CUgraphNode handle, CUgraph* out) {
    CUDASIM_ENTER(Context);
    if (!handle || !out || !node_of(handle).child) return CUDA_ERROR_INVALID_VALUE;
    *out = publish(node_of(handle).child);
    return CUDA_SUCCESS;
}

CUDASIM_API cuGraphKernelNodeGetParams_v2(CUgraphNode node, CUDA_KERNEL_NODE_PARAMS* out) {
    CUDASIM_ENTER(Init);
    return give_params(node, CU_GRAPH_NODE_TYPE_KERNEL, &CUgraphNodeParams::kernel, out);
}

CUDASIM_API cuGraphMemcpyNodeGetParams(CUgraphNode node, CUDA_MEMCPY3D* out) {
    CUDASIM_ENTER(Init);
    std::remove_reference_t<decltype(CUgraphNodeParams::memcpy)> found{};
    const CUresult result = give_params(node, CU_GRAPH_NODE_TYPE_MEMCPY, &CUgraphNodeParams::memcpy, &found);
    if (result == CUDA_SUCCESS && out) *out = found.copyParams;
    return out ? result : CUDA_ERROR_INVALID_VALUE;
}

CUDASIM_API cuGraphMemsetNodeGetParams(CUgraphNode node, CUDA_MEMSET_NODE_PARAMS* out) {
    CUDASIM_ENTER(Init);
    return give_params(node, CU_GRAPH_NODE_TYPE_MEMSET, &CUgraphNodeParams::memset, out);
}

CUDASIM_API cuGraphHostNodeGetParams(CUgraphNode node, CUDA_HOST_NODE_PARAMS* out) {
    CUDASIM_ENTER(Init);
    return give_params(node, CU_GRAPH_NODE_TYPE_HOST, &CUgraphNodeParams::host, out);
}

CUDASIM_API cuGraphEventRecordNodeGetEvent(CUgraphNode node, CUevent* out) {
    CUDASIM_ENTER(Init);
    return give_params(node, CU_GRAPH_NODE_TYPE_EVENT_RECORD, &CUgraphNodeParams::eventRecord, out);
}

CUDASIM_API cuGraphEventWaitNodeGetEvent(CUgraphNode node, CUevent* out) {
    CUDASIM_ENTER(Init);
    return give_params(node, CU_GRAPH_NODE_TYPE_WAIT_EVENT, &CUgraphNodeParams::eventWait, out);
}

CUDASIM_API cuGraphDestroyNode(CUgraphNode handle) {
    CUDASIM_ENTER(Context);
    if (!handle || node_of(handle).destroyed) return CUDA_ERROR_INVALID_VALUE;
    GraphNode& gone = node_of(handle);
    for (GraphNode& node : gone.graph->nodes)
        node.after.erase(std::remove(node.after.begin(), node.after.end(), gone.number), node.after.end());
    gone.after.clear();
    gone.make = {};
    gone.destroyed = true;
    return CUDA_SUCCESS;
}

CUDASIM_API cuGraphGetNodes(CUgraph handle, CUgraphNode* nodes, size_t* count) {
    CUDASIM_ENTER(Init);
    auto graph = graph_of(handle);
    if (!graph) return CUDA_ERROR_INVALID_VALUE;
    return give(nodes_where(*graph, [](auto&) { return true; }), nodes, count);
}

CUDASIM_API cuGraphGetRootNodes(CUgraph handle, CUgraphNode* nodes, size_t* count) {
    CUDASIM_ENTER(Init);
    auto graph = graph_of(handle);
    if (!graph) return CUDA_ERROR_INVALID_VALUE;
    return give(nodes_where(*graph, [](auto& node) { return node.after.empty(); }), nodes, count);
}

CUDASIM_API cuGraphGetEdges_v2(CUgraph handle, CUgraphNode* from, CUgraphNode* to, CUgraphEdgeData* data,
                               size_t* count) {
    CUDASIM_ENTER(Init);
    auto graph = graph_of(handle);
    if (!graph || !count || !from != !to) return CUDA_ERROR_INVALID_VALUE;
    std::vector<GraphNode*> sources, targets;
    for (GraphNode& node : graph->nodes)
        for (size_t before : node.after) {
            sources.push_back(&graph->nodes[before]);
            targets.push_back(&node);
        }
    if (data) std::fill(data, data + std::min(*count, sources.size()), CUgraphEdgeData{});
    size_t same = *count;
    give(sources, from, &same);
    return give(targets, to, count);
}

CUDASIM_API cuGraphNodeGetDependencies_v2(CUgraphNode handle, CUgraphNode* nodes, CUgraphEdgeData* data,
                                          size_t* count) {
    CUDASIM_ENTER(Init);
    if (!handle || !count) return CUDA_ERROR_INVALID_VALUE;
    std::vector<GraphNode*> found;
    for (size_t before : node_of(handle).after) found.push_back(&node_of(handle).graph->nodes[before]);
    if (data) std::fill(data, data + std::min(*count, found.size()), CUgraphEdgeData{});
    return give(found, nodes, count);
}

CUDASIM_API cuGraphNodeGetDependentNodes_v2(CUgraphNode handle, CUgraphNode* nodes, CUgraphEdgeData* data,
                                            size_t* count) {
    CUDASIM_ENTER(Init);
    if (!handle || !count) return CUDA_ERROR_INVALID_VALUE;
    const size_t self = node_of(handle).number;
    auto found = nodes_where(*node_of(handle).graph, [=](auto& node) { return depends(node, self); });
    if (data) std::fill(data, data + std::min(*count, found.size()), CUgraphEdgeData{});
    return give(found, nodes, count);
}

CUDASIM_API cuGraphAddDependencies_v2(CUgraph graph, const CUgraphNode* from, const CUgraphNode* to,
                                      const CUgraphEdgeData*, size_t count) {
    CUDASIM_ENTER(Init);
    return change_edges(graph, from, to, count, true);
}

CUDASIM_API cuGraphRemoveDependencies_v2(CUgraph graph, const CUgraphNode* from, const CUgraphNode* to,
                                         const CUgraphEdgeData*, size_t count) {
    CUDASIM_ENTER(Init);
    return change_edges(graph, from, to, count, false);
}

CUDASIM_API cuGraphNodeGetType(CUgraphNode node, CUgraphNodeType* type) {
    CUDASIM_ENTER(Init);
    if (!node || !type) return CUDA_ERROR_INVALID_VALUE;
    *type = node_of(node).type;
    return CUDA_SUCCESS;
}
