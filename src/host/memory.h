// memory.h -- host memory by size class, cached between uses so that pages are faulted in once.
#pragma once
#include <cstdint>
#include "cuarray/runtime/memory.h"

namespace cuarray::host {

class Block;

/// The memory of the cpu device. Freed blocks are kept, up to a quarter of the machine's memory (or of its control
/// group's); a block that would go beyond gives everything back first. Blocks of 32 KB and less are also kept per
/// thread, which costs no lock.
class HostMemory final : public Memory {
 public:
    HostMemory() : Memory(Device{}) {}

    /// A new storage of `backend`, 256-byte aligned (null for zero bytes); MemoryError where the machine has not that
    /// much, with the figures.
    StorageRef allocate(Backend* backend, int64_t bytes);

    MemoryStats stats() const override;
    /// Returns cached blocks to the system, except what other threads keep for themselves.
    void drop_cached() override;
    void trim() override { drop_cached(); }
    std::string why_unusable(void* address, int64_t bytes) const override;

 private:
    friend class Block;
    friend class AllocatorBlock;
    Block* make(Backend* backend, int64_t bytes, int size_class);
    StorageRef borrow(Backend* backend, int64_t bytes, Ref<Allocator> allocator);
};

/// The one of the process; never destroyed, because arrays may outlive static destructors.
HostMemory& memory();

/// Keeps other threads out of the pool while the process forks, so that the child finds it whole.
void lock_memory();
void unlock_memory();

}  // namespace cuarray::host
