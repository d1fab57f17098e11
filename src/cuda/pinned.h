// pinned.h -- page-locked chunks between pageable host memory and a GPU: an asynchronous copy must not use memory
// that its owner may change, free or page out.
#pragma once
#include <cstdint>
#include <memory>
#include <vector>
#include "cuda/stream.h"
#include "runtime/mutex.h"

namespace cuarray::cuda {

/// Chunks used in turn, each guarded by an event. Uploads share a chunk until it is full or another stream uploads,
/// so that many small uploads never wait; a download alternates between two chunks of its own.
class PinnedChunks {
 public:
    explicit PinnedChunks(const Context& context) : context_(context) {}

    /// Queues a copy of host bytes to the device; the host memory may be reused on return.
    void upload(GpuStream& stream, CUdeviceptr to, const void* from, int64_t bytes);
    /// Copies device bytes to the host; returns when they have arrived, and with them the work up to the returned
    /// ticket.
    uint64_t download(GpuStream& stream, void* to, CUdeviceptr from, int64_t bytes);

 private:
    static constexpr int64_t kBytes = 1 << 20;  ///< large enough for full transfer speed, small enough to overlap
    static constexpr int kUploads = 8;

    struct Chunk {
        char* memory = nullptr;
        CUevent event = nullptr;
        GpuStream* stream = nullptr;  ///< the stream whose uploads fill it
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
    Mutex upload_mutex_, download_mutex_;
    Chunk uploads_[kUploads];
    int filling_ = 0;
    std::vector<std::unique_ptr<ChunkPair>> downloads_;  ///< pairs not in use
};

}  // namespace cuarray::cuda
