// memory.h -- host memory by size class, cached between uses so that pages are faulted in once.
#pragma once
#include <cstdint>
#include "cuarray/runtime/memory.h"

namespace cuarray::host {

class Block;

/// The memory of the cpu device. Freed blocks are kept, up to a quarter of the machine's memory (or of its control
/// group's); a block that would exceed this first returns all of them to the system. Blocks of 32 KB and less are also
/// kept per thread, which needs no lock.
class HostMemory final : public Memory {
 public:
    HostMemory() : Memory(Device{}) {}

    /// A new storage of `backend`, 256-byte aligned (null for zero bytes); MemoryError, with the figures, if the
    /// machine does not have enough.
    StorageRef allocate(Backend* backend, int64_t bytes);

    /// The same of zeros, most of which the system makes at the first use; null for small blocks.
    StorageRef allocate_zeros(Backend* backend, int64_t bytes);

    MemoryStats stats() const override;
    /// Returns cached blocks to the system, except what other threads keep for themselves.
    void drop_cached() override;
    void trim() override { drop_cached(); }
    std::string why_unusable(void* address, int64_t bytes) const override;

 private:
    friend class Block;
    friend class AllocatorBlock;
    Block* make(Backend* backend, int64_t bytes, int size_class);
    StorageRef adopt(Block* block, int64_t bytes);
    StorageRef borrow(Backend* backend, int64_t bytes, Ref<Allocator> allocator);
};

/// The process-wide instance; never destroyed, because arrays may outlive static destructors.
HostMemory& memory();

/// Locks the pool while the process forks, so that it is consistent in the child.
void lock_memory();
void unlock_memory();

}  // namespace cuarray::host
