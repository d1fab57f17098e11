// memory.h -- device memory: where an allocation lies, and when it is alive.
#pragma once
#include "driver.h"
#include "stream.h"

namespace cudasim {

/// A piece of device address space that has been handed out at least once.
struct Allocation {
    CUdeviceptr base = 0;
    size_t capacity = 0;
    int device = 0;
    struct Pool* pool = nullptr;
    uint64_t id = 0;
    /// As the host sees it, at the time of the call.
    bool allocated = false;
    size_t size = 0;
    /// As queued work sees it.
    bool live = false;
    size_t live_size = 0;
    Point freed;
    /// Memory of a graph: given out at a launch and not freed since; the graph itself is gone.
    bool of_graph = false, outstanding = false, orphaned = false;
};

/// Reserves the device addresses (for ever inaccessible) and maps the memory behind them where only the
/// simulator looks.
void map_device_memory();
bool is_device_address(CUdeviceptr address);
/// The address of the same byte in the accessible mapping; other addresses are returned unchanged.
char* view(CUdeviceptr address);
/// Where a device address lies in the mapping, as an offset.
size_t offset_of(CUdeviceptr address);
/// The distance from a device address to its accessible twin.
extern const int64_t kViewOffset;

/// The size that is set aside for so many bytes.
size_t capacity_for(size_t bytes);
/// Address space that is new, or not in use any more; null when there is none.
Allocation* carve(int device, size_t capacity);
/// Makes address space available to `carve` again.
void give_back(Allocation& allocation);
/// The allocation becomes usable for queued work: its bytes are garbage, the bytes around it are guards.
void begin_life(Allocation& allocation, size_t size);
/// Queued work must not use the allocation any more. Says what is wrong with that, or nothing.
std::string end_life(Allocation& allocation);

/// The allocation around an address, or null.
Allocation* allocation_at(CUdeviceptr address);
/// Why work in `context` may not touch these bytes now, in stream time; empty if it may.
std::string why_unusable(const Context& context, CUdeviceptr address, size_t bytes);
/// True when checks keep a shadow of the allocation; of the largest ones they only know bounds and life.
bool shadowed(const Allocation* allocation);
/// True when the guard bytes around a living allocation are as they were made.
bool guards_intact(const Allocation& allocation);
/// Describes an address for messages.
std::string describe(CUdeviceptr address);

}  // namespace cudasim
