// block_cache.cpp -- free lists per stream and size class, last in, first out: the block freed last is likely to be
// in the L2 cache.
#include "cuda/block_cache.h"

namespace cuarray::cuda {

void BlockCache::put(const FreeBlock& block) {
    StreamBlocks* stream_blocks = nullptr;
    for (const auto& known : streams_)
        if (known->stream == block.stream) stream_blocks = known.get();
    if (!stream_blocks) stream_blocks = streams_.emplace_back(std::make_unique<StreamBlocks>(block.stream)).get();
    stream_blocks->blocks[block.size_class].push_back(block);
    stream_blocks->bytes += class_bytes(block.size_class);
    bytes_ += class_bytes(block.size_class);
}

FreeBlock BlockCache::pop(StreamBlocks& stream_blocks, int size_class, size_t position) {
    std::vector<FreeBlock>& blocks = stream_blocks.blocks[size_class];
    const FreeBlock block = blocks[position];
    blocks.erase(blocks.begin() + std::ptrdiff_t(position));
    stream_blocks.bytes -= class_bytes(size_class);
    bytes_ -= class_bytes(size_class);
    return block;
}

FreeBlock BlockCache::take(GpuStream& stream, int size_class) {
    for (const auto& stream_blocks : streams_)
        if (stream_blocks->stream == &stream && !stream_blocks->blocks[size_class].empty())
            return pop(*stream_blocks, size_class, stream_blocks->blocks[size_class].size() - 1);
    return {};
}

FreeBlock BlockCache::take_any(int size_class, bool idle) {
    for (const auto& stream_blocks : streams_)
        for (size_t i = 0; i < stream_blocks->blocks[size_class].size(); ++i)
            if (!idle || stream_blocks->blocks[size_class][i].is_idle()) return pop(*stream_blocks, size_class, i);
    return {};
}

std::vector<FreeBlock> BlockCache::take_all(bool idle) {
    std::vector<FreeBlock> all;
    for (const auto& stream_blocks : streams_)
        for (int size_class = 0; size_class < kSizeClasses; ++size_class)
            for (size_t i = stream_blocks->blocks[size_class].size(); i-- > 0;)
                if (!idle || stream_blocks->blocks[size_class][i].is_idle())
                    all.push_back(pop(*stream_blocks, size_class, i));
    return all;
}

int64_t BlockCache::bytes(const GpuStream& stream) const {
    for (const auto& stream_blocks : streams_)
        if (stream_blocks->stream == &stream) return stream_blocks->bytes;
    return 0;
}

}  // namespace cuarray::cuda
