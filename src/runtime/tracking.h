// tracking.h -- the lines of the host program that allocated the live blocks, recorded while tracking is on.
#pragma once
#include <atomic>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>
#include "cuarray/runtime/storage.h"

namespace cuarray {

/// Live blocks that one line has allocated.
struct LineAllocations {
    std::string file;
    int line = 0;
    int64_t allocations = 0, bytes = 0;
};

/// Begins or ends one request for tracking. While there is any, new blocks record the line that allocated them;
/// CUARRAY_TRACK_MEMORY=1 is a request that never ends.
CUARRAY_API void track_memory(bool begin);
CUARRAY_API bool is_tracking_memory();

/// Lines with live blocks on a device that were allocated while tracking was on, most bytes first.
CUARRAY_API std::vector<LineAllocations> tracked_memory(Device device);

/// Records the line that allocated a block; backends call it for each new block.
CUARRAY_API void note_line(Storage& storage);

CUARRAY_API extern std::atomic<int> tracking_demands;
inline StorageRef tracked(StorageRef storage) {
    if (tracking_demands.load(std::memory_order_relaxed) > 0) note_line(*storage);
    return storage;
}

}  // namespace cuarray
