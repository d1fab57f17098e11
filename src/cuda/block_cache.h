// block_cache.h -- freed blocks of device memory, by the stream that used them last and by size class.
#pragma once
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>
#include "cuda/stream.h"
#include "runtime/size_classes.h"

namespace cuarray::cuda {

/// A cached block. Work queued on its stream up to `ticket` may still use it.
struct FreeBlock {
    CUdeviceptr address = 0;
    GpuStream* stream = nullptr;
    uint64_t ticket = 0;
    int size_class = 0;

    explicit operator bool() const { return address != 0; }
    bool is_idle() const { return stream->has_run(ticket); }
};

/// Free blocks by stream and size class. Not thread-safe: the owner locks.
class BlockCache {
 public:
    void put(const FreeBlock& block);
    /// A block last used on `stream`, or nothing.
    FreeBlock take(GpuStream& stream, int size_class);
    /// A block last used on any stream: an idle one, or, if `idle` is false, one for whose stream the next user
    /// must wait.
    FreeBlock take_any(int size_class, bool idle);
    /// All blocks, or only the idle ones.
    std::vector<FreeBlock> take_all(bool idle);

    int64_t bytes() const { return bytes_; }
    int64_t bytes(const GpuStream& stream) const;

 private:
    struct StreamBlocks {
        GpuStream* stream;
        int64_t bytes = 0;
        std::vector<FreeBlock> blocks[kSizeClasses] = {};
    };
    FreeBlock pop(StreamBlocks& stream_blocks, int size_class, size_t position);

    std::vector<std::unique_ptr<StreamBlocks>> streams_;  // one per stream that has freed something; few
    int64_t bytes_ = 0;
};

}  // namespace cuarray::cuda
