// pinned.h -- page-locked chunks between ordinary host memory and a GPU, because an asynchronous copy must
// never see memory that its owner may change, free or page out.
#pragma once
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>
#include "cuda/stream.h"

namespace cuarray::cuda {

/// Chunks used in turn, each guarded by an event. Uploads fill a chunk piece by piece and leave it when it is
/// full, or when another stream uploads, so that many small uploads never wait; a download goes through two
/// chunks of its own.
class PinnedChunks {
 public:
    explicit PinnedChunks(const Context& context) : context_(context) {}

    /// Copies host bytes to the device, queued; the host memory is free for reuse on return.
    void upload(GpuStream& stream, CUdeviceptr to, const void* from, int64_t bytes);
    /// Copies device bytes to the host and returns when they are there.
    void download(GpuStream& stream, void* to, CUdeviceptr from, int64_t bytes);

 private:
    static constexpr int64_t kBytes =
        1 << 20;  ///< large enough for full transfer speed, small enough to overlap
    static constexpr int kUploads = 8;

    struct Chunk {
        char* memory = nullptr;
        CUevent event = nullptr;
        GpuStream* stream = nullptr;  ///< who fills it
        int64_t used = 0;
        bool in_flight = false;
    };
    struct ChunkPair {
        Chunk chunks[2];
    };
    void prepare(Chunk& chunk);
    void drain(Chunk& chunk);
    Chunk& chunk_with_room(GpuStream& stream, int64_t bytes);
    void leave(Chunk& chunk);
    void record(Chunk& chunk, GpuStream& stream);
    std::unique_ptr<ChunkPair> take_pair();

    const Context& context_;
    std::mutex upload_mutex_, download_mutex_;
    Chunk uploads_[kUploads];
    int filling_ = 0;
    std::vector<std::unique_ptr<ChunkPair>> downloads_;  ///< not in use now
};

}  // namespace cuarray::cuda
