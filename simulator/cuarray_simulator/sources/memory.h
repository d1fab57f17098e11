// memory.h -- device memory: addresses and lifetimes of allocations.
#pragma once
#include "driver.h"
#include "findings.h"
#include "stream.h"

namespace cudasim {

/// What memory that was never written holds: in all its bytes, of large allocations in those at both ends.
constexpr unsigned char kFresh = 0xCD;
constexpr size_t kPoisonEdge = 64 << 10;

/// A range of device address space that has been allocated at least once.
struct Allocation {
    CUdeviceptr base = 0;
    size_t capacity = 0;
    int device = 0;
    struct Pool* pool = nullptr;
    /// The context whose memory it is; of pools' memory, the device's primary one.
    Context* context = nullptr;
    uint64_t id = 0;
    /// State on the host, at the time of the call.
    bool allocated = false;
    size_t size = 0;
    /// State for queued work.
    bool live = false;
    size_t live_size = 0;
    Point freed;
    /// Memory of a graph: allocated at a launch and not freed since; the graph itself is destroyed.
    bool of_graph = false, outstanding = false, orphaned = false;
    /// Memory that a kernel has allocated.
    bool of_heap = false;
};

/// Reserves the device addresses (always inaccessible) and maps their memory at addresses that only the
/// simulator uses.
void map_device_memory();
bool is_device_address(CUdeviceptr address);
/// The address of the same byte in the accessible mapping; other addresses are returned unchanged.
char* view(CUdeviceptr address);
/// The offset of a device address in the mapping.
size_t offset_of(CUdeviceptr address);
/// The distance from a device address to its accessible mapping.
extern const int64_t kViewOffset;

/// The reserved size for a number of bytes.
size_t capacity_for(size_t bytes);
/// Address space that is new, or no longer in use; null if there is none.
Allocation* carve(int device, size_t capacity);
/// Makes address space available to `carve` again.
void give_back(Allocation& allocation);
/// The allocation becomes usable for queued work: its bytes are garbage, the bytes around it are guards.
void begin_life(Allocation& allocation, size_t size);
/// Queued work must not use the allocation any more. Returns an error, or nothing.
std::string end_life(Allocation& allocation);

/// All allocations, freed ones too.
std::map<CUdeviceptr, Allocation>& allocations();
/// The allocation around an address, or null.
Allocation* allocation_at(CUdeviceptr address);
/// Why work in `context` may not access these bytes at this point of the stream; empty if it may.
Fault why_unusable(const Context& context, CUdeviceptr address, size_t bytes);
/// True if checks keep a shadow of the allocation; the largest ones are only checked for bounds and lifetime.
bool shadowed(const Allocation* allocation);
/// True if the guard bytes around a live allocation are unchanged.
bool guards_intact(const Allocation& allocation);
/// Describes an address for messages.
std::string describe(CUdeviceptr address);

}  // namespace cudasim
