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
    /// Queued copies from and to the range that have not run.
    int reading = 0, writing = 0;
};

/// The known range around an address, or null.
HostRange* host_range_at(uintptr_t address);
void add_host_range(const HostRange& range);
/// Unmaps a range allocated by the driver, if it starts there and is of this kind.
CUresult release_host_range(uintptr_t base, HostRange::Kind kind);

}  // namespace cudasim
