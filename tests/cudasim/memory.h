// memory.h -- device memory: where a block lies, whether it is allocated (at the call) and alive (in stream time).
#pragma once
#include "driver.h"
#include "stream.h"

namespace cudasim {

/// A memory pool of one device, with the figures that cuMemPoolGetAttribute reports.
struct Pool {
    int device = 0;
    uint64_t threshold = 0;
    uint64_t reserved = 0, reserved_high = 0;
    uint64_t used = 0, used_high = 0;
    int reuse[3] = {1, 1, 1};
    std::vector<bool> accessible;
    std::vector<struct Allocation*> cached;
};

/// A piece of device address space that has been handed out at least once.
struct Allocation {
    CUdeviceptr base = 0;
    size_t capacity = 0;
    int device = 0;
    Pool* pool = nullptr;
    uint64_t id = 0;
    /// As the host sees it, at the time of the call.
    bool allocated = false;
    size_t size = 0;
    /// As queued work sees it.
    bool live = false;
    size_t live_size = 0;
    Point freed;
};

/// Host memory that the driver knows: pinned, registered, managed, or a module's global variables.
struct HostRange {
    enum class Kind { Pinned, Registered, Managed, Global };
    uintptr_t base = 0;
    size_t size = 0;
    Kind kind = Kind::Pinned;
    unsigned flags = 0;
    Context* context = nullptr;
    uint64_t id = 0;
};

/// Reserves the device addresses (for ever inaccessible) and maps the memory behind them where only the simulator looks.
void map_device_memory();
bool is_device_address(CUdeviceptr address);
/// The address of the same byte in the accessible mapping; other addresses are returned unchanged.
char* view(CUdeviceptr address);
/// The distance from a device address to its accessible twin.
extern const int64_t kViewOffset;

/// The block around an address, or null.
Allocation* block_at(CUdeviceptr address);
/// The registered host range around an address, or null.
const HostRange* host_range_at(uintptr_t address);
void add_host_range(const HostRange& range);
void remove_host_range(uintptr_t base);

/// Why work in `context` may not touch these bytes now, in stream time; empty if it may.
std::string objection(const Context& context, CUdeviceptr address, size_t bytes);
/// True when the guard bytes around a living block are as they were made.
bool guards_intact(const Allocation& block);
/// Gives unused pool memory above the threshold back, as CUDA does at synchronisations.
void shrink_pools(int device);
/// Describes an address for messages.
std::string describe(CUdeviceptr address);

}  // namespace cudasim
