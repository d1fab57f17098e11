// host_memory.h -- host memory known to the driver.
#pragma once
#include "driver.h"

namespace cudasim {

/// A range of host memory: pinned, registered, managed, or a module's global variables.
struct HostRange {
    enum class Kind { Pinned, Registered, Managed, Global };
    uintptr_t base = 0;
    size_t size = 0;
    Kind kind = Kind::Pinned;
    unsigned flags = 0;
    Context* context = nullptr;
    uint64_t id = 0;
    /// Queued work that reads and writes the range and has not run: copies, and kernels, which may do both.
    int reading = 0, writing = 0;

    /// Whether only the host and queued work change it. Managed memory moves, and globals are the device's own.
    bool of_host() const { return kind == Kind::Pinned || kind == Kind::Registered; }
};

/// The known range around an address, or null.
HostRange* host_range_at(uintptr_t address);
void add_host_range(const HostRange& range);
/// Forgets the globals of an image that is closed: its addresses are used again.
void forget_globals(uintptr_t begin, uintptr_t end);
/// Maps a range of one kind.
CUresult make_host_range(void** out, size_t bytes, HostRange::Kind kind, unsigned flags);
/// Unmaps a range allocated by the driver, if it starts there and is of this kind.
CUresult release_host_range(uintptr_t base, HostRange::Kind kind);

/// A host range whose registration must be unchanged when the work runs.
struct HostUse {
    CUdeviceptr address = 0;
    uint64_t id = 0;

    explicit HostUse(CUdeviceptr at) : address(at) {
        if (const HostRange* range = host_range_at(at)) id = range->id;
    }
    HostRange* range() const {
        HostRange* found = id ? host_range_at(address) : nullptr;
        return found && found->id == id ? found : nullptr;
    }
    bool still_there() const { return id == 0 || range(); }
};

}  // namespace cudasim
