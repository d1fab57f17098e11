// pool.h -- memory pools of a device, and allocations.
#pragma once
#include <optional>

#include "host_memory.h"
#include "memory.h"

namespace cudasim {

/// A memory pool of one device, with the figures that cuMemPoolGetAttribute reports.
struct Pool {
    int device = 0;
    /// Set if it is a pool of host memory, of which nothing is kept.
    std::optional<HostRange::Kind> host = {};
    uint64_t threshold = 0;
    /// Taken from the device, in whole chunks, and the part of it in blocks, used or cached.
    uint64_t reserved = 0, reserved_high = 0, carved = 0;
    uint64_t used = 0, used_high = 0;
    int reuse[3] = {1, 1, 1};
    std::vector<bool> accessible = {};
    std::vector<Allocation*> cached = {};
};

/// Releases unused pool memory above the threshold, as CUDA does at synchronisations.
void shrink_pools(int device);

/// Memory of a graph: a permanent address, with memory at every launch, from the allocation to the free.
CUresult reserve_graph_memory(Allocation** out, size_t bytes, Context& context);
/// Memory for a running kernel, from the heap of its context; null if the heap has no room.
Allocation* allocate_on_heap(size_t bytes, Context& context);
/// Nobody may use the memory any more; its address stays unused until `give_back`. Returns an error, or nothing.
std::string free_on_heap(Allocation& block);
/// Frees what cuMemAlloc and kernels have allocated in the context.
void free_memory_of(const Context& context);
Operation start_of_graph_memory(Allocation& block, size_t bytes);
Operation free_of_graph_memory(Allocation& block, Context& context);
/// The graph is destroyed; memory allocated by a launch stays until it is freed.
void release_graph_memory(Allocation& block);

}  // namespace cudasim
