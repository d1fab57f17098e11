// pinned.h -- page-locked chunks between ordinary host memory and a GPU, because an asynchronous copy must
// never see memory that its owner may change, free or page out.
#pragma once
#include <cstdint>
#include <mutex>
#include "cuda/stream.h"

namespace cuarray::cuda {

/// Chunks used in turn, each guarded by an event. Uploads fill a chunk piece by piece and leave it when it is
/// full, so that many small uploads never wait; downloads go through two chunks of their own.
class PinnedChunks {
 public:
    PinnedChunks(const Context& context, GpuStream& stream) : context_(context), stream_(stream) {}

    /// Copies host bytes to the device, queued; the host memory is free for reuse on return.
    void upload(CUdeviceptr to, const void* from, int64_t bytes);
    /// Copies device bytes to the host and returns when they are there.
    void download(void* to, CUdeviceptr from, int64_t bytes);

 private:
    static constexpr int64_t kBytes =
        1 << 20;  ///< large enough for full transfer speed, small enough to overlap
    static constexpr int kUploads = 8, kDownloads = 2;

    struct Chunk {
        char* memory = nullptr;
        CUevent event = nullptr;
        int64_t used = 0;
        bool in_flight = false;
    };
    void prepare(Chunk& chunk);
    void drain(Chunk& chunk);
    Chunk& chunk_with_room(int64_t bytes);
    void record(Chunk& chunk);

    const Context& context_;
    GpuStream& stream_;
    std::mutex upload_mutex_, download_mutex_;
    Chunk uploads_[kUploads], downloads_[kDownloads];
    int filling_ = 0;
};

}  // namespace cuarray::cuda
