// tracking.h -- which lines of the host program made the blocks that are alive, while somebody wants to know.
#pragma once
#include <atomic>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>
#include "cuarray/runtime/storage.h"

namespace cuarray {

/// Live blocks that one line has made.
struct MadeBy {
    std::string file;
    int line = 0;
    int64_t allocations = 0, bytes = 0;
};

/// Begins or ends one demand for tracking. While there is any, blocks remember the line that made them;
/// CUARRAY_TRACK_MEMORY=1 is a demand that never ends.
CUARRAY_API void track_memory(bool begin);
CUARRAY_API bool is_tracking_memory();

/// Lines with live blocks on a device that were made while tracking was on, those with the most bytes first.
CUARRAY_API std::vector<MadeBy> tracked_memory(Device device);

/// Remembers which line made a block; for backends, about each block that they hand out.
CUARRAY_API void note_line(Storage& storage);

CUARRAY_API extern std::atomic<int> tracking_demands;
inline StorageRef tracked(StorageRef storage) {
    if (tracking_demands.load(std::memory_order_relaxed) > 0) note_line(*storage);
    return storage;
}

}  // namespace cuarray
