// pinned.cpp -- uploads and downloads through page-locked chunks.
#include "cuda/pinned.h"
#include <algorithm>
#include <cstring>

namespace cuarray::cuda {

void PinnedChunks::prepare(Chunk& chunk) {
    const Driver& driver = context_.driver;
    const RelaxedCapture relaxed(driver);
    if (!chunk.event) driver.cuEventCreate(&chunk.event, CU_EVENT_DISABLE_TIMING);
    if (!chunk.memory) {
        void* memory = nullptr;
        driver.cuMemHostAlloc(&memory, kBytes, CU_MEMHOSTALLOC_PORTABLE);
        chunk.memory = static_cast<char*>(memory);
    }
}

void PinnedChunks::drain(Chunk& chunk) {
    if (chunk.in_flight) context_.driver.cuEventSynchronize(chunk.event);
    chunk.in_flight = false;
    chunk.used = 0;
}

void PinnedChunks::record(Chunk& chunk) {
    context_.driver.cuEventRecord(chunk.event, stream_.handle());
    chunk.in_flight = true;
}

PinnedChunks::Chunk& PinnedChunks::chunk_with_room(int64_t bytes) {
    if (kBytes - uploads_[filling_].used < bytes) {
        record(uploads_[filling_]);
        filling_ = (filling_ + 1) % kUploads;
        drain(uploads_[filling_]);
    }
    prepare(uploads_[filling_]);
    return uploads_[filling_];
}

void PinnedChunks::upload(CUdeviceptr to, const void* from, int64_t bytes) {
    const std::lock_guard lock(upload_mutex_);
    const Current current(context_);
    const char* source = static_cast<const char*>(from);
    while (bytes > 0) {
        const int64_t piece = std::min(bytes, kBytes);
        Chunk& chunk = chunk_with_room(piece);
        char* const pinned = chunk.memory + chunk.used;
        std::memcpy(pinned, source, size_t(piece));
        context_.driver.cuMemcpyHtoDAsync(to, pinned, size_t(piece), stream_.handle());
        chunk.used = std::min(kBytes, (chunk.used + piece + 255) / 256 * 256);
        to += uint64_t(piece), source += piece, bytes -= piece;
    }
}

void PinnedChunks::download(void* to, CUdeviceptr from, int64_t bytes) {
    const std::lock_guard lock(download_mutex_);
    const Current current(context_);
    char* target = static_cast<char*>(to);
    const int64_t pieces = (bytes + kBytes - 1) / kBytes;
    const auto size = [&](int64_t i) { return std::min(kBytes, bytes - i * kBytes); };
    for (int64_t i = 0; i <= pieces; ++i) {
        if (i < pieces) {
            Chunk& chunk = downloads_[i % kDownloads];
            prepare(chunk);
            context_.driver.cuMemcpyDtoHAsync(chunk.memory, from + uint64_t(i * kBytes), size_t(size(i)),
                                              stream_.handle());
            record(chunk);
        }
        if (i == 0) continue;
        Chunk& arrived = downloads_[(i - 1) % kDownloads];
        drain(arrived);
        std::memcpy(target + (i - 1) * kBytes, arrived.memory, size_t(size(i - 1)));
    }
}

}  // namespace cuarray::cuda
