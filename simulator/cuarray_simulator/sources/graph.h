// graph.h -- graphs, captured or built node by node: work that is queued again at every launch.
#pragma once
#include <deque>

#include "memory.h"
#include "stream.h"

namespace cudasim {

struct Graph;

/// One piece of work, or the nodes of another graph, and the nodes that it depends on.
struct GraphNode {
    CUgraphNodeType type;
    MakeOperation make;
    std::vector<size_t> after;
    /// Hears of the operation's point at each launch.
    std::function<void(const Point&)> queued = {};
    std::shared_ptr<Graph> child = {};
    /// As they were given, if the node was not captured.
    std::shared_ptr<const CUgraphNodeParams> params = {};
    /// The graph that it belongs to, and its place there.
    Graph* graph = nullptr;
    size_t number = 0;
    bool destroyed = false;
};

/// A program's object that graphs keep until they end.
struct UserObject;

/// A graph, kept alive by its handle and its instantiations.
struct Graph {
    Context* context = nullptr;
    /// In any order. Handles are addresses of nodes, which stay where they are.
    std::deque<GraphNode> nodes;
    /// The memory of allocation nodes; the same addresses at every launch.
    std::vector<Allocation*> memory;
    std::vector<std::shared_ptr<UserObject>> objects;
    bool instantiated = false;

    Graph() = default;
    Graph(const Graph&) = delete;
    ~Graph();
};

/// Gives a graph a handle.
CUgraph publish(const std::shared_ptr<Graph>& graph);
/// The graph of a handle, or null with a message.
std::shared_ptr<Graph> graph_of(CUgraph handle);
/// Adds a node after the given ones; returns its number.
size_t add_node(Graph& graph, GraphNode node);
/// A graph with the same nodes, of the same numbers.
std::shared_ptr<Graph> clone(const Graph& graph);
/// True if every one of `nodes` is in `last` or precedes it.
bool all_precede(const Graph& graph, const std::vector<size_t>& nodes, const std::vector<size_t>& last);

inline CUgraphNode handle_of(GraphNode& node) { return reinterpret_cast<CUgraphNode>(&node); }
inline GraphNode& node_of(CUgraphNode handle) { return *reinterpret_cast<GraphNode*>(handle); }
/// The numbers of nodes; false if one is of another graph.
bool numbers_of(const Graph& graph, const CUgraphNode* nodes, size_t count, std::vector<size_t>& numbers);

/// Allocation and free in a capture; they happen at every launch.
CUresult capture_allocation(CUdeviceptr* out, size_t bytes, Stream& stream);
CUresult capture_free(CUdeviceptr address, Stream& stream);

}  // namespace cudasim
