// block_cache.cpp -- lists per stream and size class, the latest freed block first: it is likely to be in the
// L2 cache.
#include "cuda/block_cache.h"

namespace cuarray::cuda {

void BlockCache::put(const FreeBlock& block) {
    Lane* lane = nullptr;
    for (const auto& known : lanes_)
        if (known->stream == block.stream) lane = known.get();
    if (!lane) lane = lanes_.emplace_back(std::make_unique<Lane>(block.stream)).get();
    lane->blocks[block.size_class].push_back(block);
    lane->bytes += class_bytes(block.size_class);
    bytes_ += class_bytes(block.size_class);
}

FreeBlock BlockCache::pop(Lane& lane, int size_class, size_t position) {
    std::vector<FreeBlock>& blocks = lane.blocks[size_class];
    const FreeBlock block = blocks[position];
    blocks.erase(blocks.begin() + std::ptrdiff_t(position));
    lane.bytes -= class_bytes(size_class);
    bytes_ -= class_bytes(size_class);
    return block;
}

FreeBlock BlockCache::take(GpuStream& stream, int size_class) {
    for (const auto& lane : lanes_)
        if (lane->stream == &stream && !lane->blocks[size_class].empty())
            return pop(*lane, size_class, lane->blocks[size_class].size() - 1);
    return {};
}

FreeBlock BlockCache::take_any(int size_class, bool idle) {
    for (const auto& lane : lanes_)
        for (size_t i = 0; i < lane->blocks[size_class].size(); ++i)
            if (!idle || lane->blocks[size_class][i].is_idle()) return pop(*lane, size_class, i);
    return {};
}

std::vector<FreeBlock> BlockCache::take_all(bool idle) {
    std::vector<FreeBlock> all;
    for (const auto& lane : lanes_)
        for (int size_class = 0; size_class < kSizeClasses; ++size_class)
            for (size_t i = lane->blocks[size_class].size(); i-- > 0;)
                if (!idle || lane->blocks[size_class][i].is_idle()) all.push_back(pop(*lane, size_class, i));
    return all;
}

int64_t BlockCache::bytes(const GpuStream& stream) const {
    for (const auto& lane : lanes_)
        if (lane->stream == &stream) return lane->bytes;
    return 0;
}

}  // namespace cuarray::cuda
