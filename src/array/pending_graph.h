// pending_graph.h -- the nodes that each thread has deferred, for the files of this folder. The lock of lock_graph()
// guards all of them.
#pragma once
#include <atomic>
#include <cstdint>
#include <exception>
#include <span>
#include <vector>
#include "cuarray/array/pending.h"
#include "cuarray/kernel/index.h"

namespace cuarray {

using Nodes = std::vector<Ref<PendingNode>>;
using NodeSpan = std::span<const Ref<PendingNode>>;

class Rehearsal;

/// The nodes that one thread has deferred, in program order.
struct PendingGraph {
    int depth = 0;
    int eager = 0;              ///< scopes in which nothing is deferred automatically
    int64_t judged_from = 0;    ///< bytes of operands, from which the memory that pending nodes keep alive is judged
    int64_t operand_bytes = 0;  ///< of all pending nodes, repetitions included
    size_t inputs = 0;          ///< memory that nodes were the first to read so, since the graph was empty
    int functions = 0;          ///< of `depth`, calls of the user's functions
    int library_calls = 0;      ///< of `depth`, calls of the library's own
    int64_t called_at = 0;      ///< on the export clock: the outermost of `functions`
    int64_t latest_export = 0;  ///< of exported memory that pending nodes read; 0 for none

    /// Memory that was exported up to this moment is not written before this call ends.
    int64_t tolerated() const { return library_calls ? INT64_MAX : functions ? called_at : 0; }
    std::vector<PendingNode*> nodes;
    bool ends_scope = false;         ///< while the outermost scope computes what it has deferred
    Rehearsal* rehearsal = nullptr;  ///< of a copy, whose runs are only noted (explain)
};
/// That of this thread.
PendingGraph& own_graph();

/// Pending nodes in all graphs; while it is 0, before_write() returns at once.
extern std::atomic<int> waiting_nodes;

/// What one run takes. A graph of so many nodes runs before one is added. Inputs and outputs are at most
/// Space::kMaxOperands together.
struct RunLimits {
    size_t nodes, inputs, outputs, scalars;

    enum class Kind : uint8_t { None, Nodes, Inputs, Outputs, Scalars };
    /// The first limit that is exceeded.
    Kind exceeded(size_t count, size_t in, size_t out, size_t numbers) const {
        return count > nodes       ? Kind::Nodes
               : in > inputs       ? Kind::Inputs
               : out > outputs     ? Kind::Outputs
               : numbers > scalars ? Kind::Scalars
                                   : Kind::None;
    }
    bool allow(size_t count, size_t in, size_t out, size_t numbers) const {
        return exceeded(count, in, out, numbers) == Kind::None;
    }
};
constexpr RunLimits kHostLimits{4096, 14, 8, SIZE_MAX};
/// Kernels are compiled, and their parameters bounded: 8 scalars are left to the consumer that absorbs a plan.
constexpr RunLimits kKernelLimits{64, 14, 8, kernel::kMaxScalars - 8};

inline const RunLimits& run_limits(Device device) { return device == Device{} ? kHostLimits : kKernelLimits; }

/// Within a library call, operations on so few elements of the host take less time than to defer them.
constexpr int64_t kFewElements = 1024;

/// Why an operation runs at its call; No: it waits.
enum class AtCall : uint8_t { No, FloatingErrors, Off, Few, Eager, Devices, Threads, AtOnce, Shared };
/// For can_defer(). With `registers` the thread counts as one that computes.
AtCall why_at_call(std::span<const Array* const> arrays, int64_t elements, bool registers);

/// Unregisters the node as a reader of its sources.
void leave_sources(PendingNode& node);
/// Call after `leave_sources`. Dropping a reference may run a Python finalizer that re-enters this graph, so all other
/// nodes must be consistent.
void drop_sources(PendingNode& node);
/// Removes nodes that could not be run from the graph: the error is raised only where one of their values is read.
void abandon(PendingGraph& g, std::exception_ptr error);

/// Once: a child of fork() finds every graph consistent and unlocked, and what waits runs on the stream on which it was
/// asked for.
void prepare_deferral();

}  // namespace cuarray
