// graph.h -- captured graphs: work that is queued again at every launch.
#pragma once
#include "memory.h"
#include "stream.h"

namespace cudasim {

/// One piece of captured work and the nodes that it depends on.
struct GraphNode {
    CUgraphNodeType type;
    MakeOperation make;
    std::vector<size_t> after;
};

/// A graph, kept alive by its handle and its instantiations.
struct Graph {
    Context* context = nullptr;
    std::vector<GraphNode> nodes;
    /// The memory of allocation nodes; the same addresses at every launch.
    std::vector<Allocation*> memory;
    bool instantiated = false;

    Graph() = default;
    Graph(const Graph&) = delete;
    ~Graph();
};

/// Gives a captured graph a handle.
CUgraph publish(const std::shared_ptr<Graph>& graph);
/// Adds a node after the given ones; returns its number.
size_t add_node(Graph& graph, GraphNode node);
/// True if every one of `nodes` is in `last` or precedes it.
bool all_precede(const Graph& graph, const std::vector<size_t>& nodes, const std::vector<size_t>& last);

/// Allocation and free in a capture; they happen at every launch.
CUresult capture_allocation(CUdeviceptr* out, size_t bytes, Stream& stream);
CUresult capture_free(CUdeviceptr address, Stream& stream);

}  // namespace cudasim
