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
    if (chunk.in_flight) {
        const RelaxedCapture relaxed(context_.driver);
        context_.driver.cuEventSynchronize(chunk.event);
    }
    chunk.in_flight = false;
    chunk.used = 0;
}

void PinnedChunks::record(Chunk& chunk, GpuStream& stream) {
    context_.driver.cuEventRecord(chunk.event, stream.queue());
    chunk.in_flight = true;
}

void PinnedChunks::leave(Chunk& chunk) {
    filling_ = (filling_ + 1) % kUploads;
    if (chunk.used == 0) return;
    try {
        record(chunk, *chunk.stream);
    } catch (...) {
        chunk.stream->settle();  // the stream may be destroyed before the chunk is used again
        chunk.used = 0;
        throw;
    }
}

PinnedChunks::Chunk& PinnedChunks::chunk_with_room(GpuStream& stream, int64_t bytes) {
    Chunk* chunk = &uploads_[filling_];
    const bool is_taken = !chunk->in_flight && chunk->used > 0;
    if (is_taken && (chunk->stream != &stream || kBytes - chunk->used < bytes)) {
        leave(*chunk);
        chunk = &uploads_[filling_];
    }
    if (chunk->in_flight) drain(*chunk);
    prepare(*chunk);
    chunk->stream = &stream;
    return *chunk;
}

void PinnedChunks::upload(GpuStream& stream, CUdeviceptr to, const void* from, int64_t bytes) {
    const std::lock_guard lock(upload_mutex_);
    const Current current(context_);
    const char* source = static_cast<const char*>(from);
    while (bytes > 0) {
        const int64_t piece = std::min(bytes, kBytes);
        Chunk& chunk = chunk_with_room(stream, piece);
        char* const pinned = chunk.memory + chunk.used;
        std::memcpy(pinned, source, size_t(piece));
        context_.driver.cuMemcpyHtoDAsync(to, pinned, size_t(piece), stream.queue());
        chunk.used = std::min(kBytes, (chunk.used + piece + 255) / 256 * 256);
        to += uint64_t(piece), source += piece, bytes -= piece;
    }
    // A foreign stream may be destroyed before the next upload: record its event now.
    if (stream.is_foreign()) leave(uploads_[filling_]);
}

std::unique_ptr<PinnedChunks::ChunkPair> PinnedChunks::take_pair() {
    const std::lock_guard lock(download_mutex_);
    if (downloads_.empty()) return std::make_unique<ChunkPair>();
    std::unique_ptr<ChunkPair> pair = std::move(downloads_.back());
    downloads_.pop_back();
    return pair;
}

uint64_t PinnedChunks::download(GpuStream& stream, void* to, CUdeviceptr from, int64_t bytes) {
    std::unique_ptr<ChunkPair> pair = take_pair();
    const Current current(context_);
    char* target = static_cast<char*>(to);
    const int64_t pieces = (bytes + kBytes - 1) / kBytes;
    const bool is_single = pieces == 1 && !stream.is_foreign();  // the stream is waited for, without an event
    const auto size = [&](int64_t i) { return std::min(kBytes, bytes - i * kBytes); };
    uint64_t reached = 0;
    for (int64_t i = 0; i <= pieces; ++i) {
        if (i < pieces) {
            Chunk& chunk = pair->chunks[i % 2];
            prepare(chunk);
            reached = stream.issued();
            context_.driver.cuMemcpyDtoHAsync(chunk.memory, from + uint64_t(i * kBytes), size_t(size(i)),
                                              stream.queue());
            if (!is_single) record(chunk, stream);
        }
        if (i == 0) continue;
        Chunk& arrived = pair->chunks[(i - 1) % 2];
        is_single ? stream.wait_for_queued_work() : drain(arrived);
        std::memcpy(target + (i - 1) * kBytes, arrived.memory, size_t(size(i - 1)));
    }
    const std::lock_guard lock(download_mutex_);
    downloads_.push_back(std::move(pair));
    return reached;
}

}  // namespace cuarray::cuda
