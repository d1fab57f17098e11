// pool.h -- memory pools of a device and what is taken from it.
#pragma once
#include "memory.h"

namespace cudasim {

/// A memory pool of one device, with the figures that cuMemPoolGetAttribute reports.
struct Pool {
    int device = 0;
    uint64_t threshold = 0;
    uint64_t reserved = 0, reserved_high = 0;
    uint64_t used = 0, used_high = 0;
    int reuse[3] = {1, 1, 1};
    std::vector<bool> accessible;
    std::vector<Allocation*> cached;
};

/// Gives unused pool memory above the threshold back, as CUDA does at synchronisations.
void shrink_pools(int device);

}  // namespace cudasim
