// memory.h -- host memory by size class, cached between uses so that pages are faulted in once.
#pragma once
#include <cstdint>
#include "cuarray/runtime/backend.h"

namespace cuarray::host {

/// A new storage of `backend`, 256-byte aligned (null for zero bytes); MemoryError where the machine has not that much,
/// with the figures.
///
/// Freed blocks are kept, up to a quarter of the machine's memory (or of its control group's); a block that would go
/// beyond gives everything back first. Blocks of 32 KB and less are also kept per thread, which costs no lock.
StorageRef allocate(Backend* backend, int64_t bytes);

/// Bytes in use, their highest sum so far, bytes held from the system, the cap of the cache, and live blocks.
MemoryStats memory_stats();

/// Returns cached blocks to the system, except what other threads keep for themselves.
void trim_memory();

/// Bytes that the machine (or this process's control group) could still give.
int64_t available_memory();

/// Whether the kernel makes huge pages on request.
bool has_huge_pages();

/// Keeps other threads out of the pool while the process forks, so that the child finds it whole.
void lock_memory();
void unlock_memory();

}  // namespace cuarray::host
