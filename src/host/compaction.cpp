// compaction.cpp -- compaction by a mask: true elements are counted per block of the mask, then moved block by block.
#include <algorithm>
#include <bit>

#include "host/outer_walk.h"
#include "host/tasks.h"
#include "host/threads.h"

namespace cuarray::host {
namespace {

constexpr int64_t kMaskBlock = 16 * 1024;  // elements of a block of the mask
constexpr int64_t kBlocksTogether = kTaskElements / kMaskBlock;

/// Calls visit(i) for every block of the mask, several per task.
template <class Visit> void each_block(int64_t size, Visit visit) {
    const int64_t blocks = (size + kMaskBlock - 1) / kMaskBlock;
    parallel_for((blocks + kBlocksTogether - 1) / kBlocksTogether, [&](int64_t task) {
        for (int64_t i = task * kBlocksTogether; i < std::min(blocks, (task + 1) * kBlocksTogether); ++i) visit(i);
    });
}

int64_t* block_counts(const MaskCounts& counts) { return static_cast<int64_t*>(counts.before->data); }

/// A block of the mask and its range of packed elements.
struct MaskBlock {
    int64_t first, n;    ///< elements of the mask
    int64_t rank, room;  ///< of the packed elements
    const uint8_t* mask;
};

template <class Visit> void each_nonempty_block(const Compaction& task, Visit visit) {
    const int64_t size = count(task.shape);
    const int64_t* const before = block_counts(*task.counts);
    const auto* const mask = reinterpret_cast<const uint8_t*>(task.mask.data());
    each_block(size, [&](int64_t i) {
        const int64_t first = i * kMaskBlock;
        const MaskBlock block{first, std::min(kMaskBlock, size - first), before[i], before[i + 1] - before[i],
                              mask + first};
        if (block.room) visit(block);
    });
}

/// Calls loop(address, stride, mask, n, rank, room), which returns the number of elements moved, for each row of the
/// array.
template <class Loop> void each_row(const Compaction& task, Loop loop) {
    const Dims* const strides[] = {&task.array.strides};
    Space space;
    collapse(space, task.shape, strides, true);
    const int last = std::max(space.ndim - 1, 0);
    const int64_t row = space.ndim ? space.shape[last] : 1, stride = space.ndim ? space.strides[0][last] : 0;
    each_nonempty_block(task, [&](MaskBlock block) {
        OuterWalk walk(space, last, block.first / row);
        int64_t column = block.first % row;
        while (block.n > 0 && block.room > 0) {
            const int64_t n = std::min(block.n, row - column);
            char* const place = task.array.data() + walk.offset(0) + column * stride;
            const int64_t moved = loop(place, stride, block.mask, n, block.rank, block.room);
            block.rank += moved, block.room -= moved;
            block.mask += n, block.n -= n;
            column = 0;
            walk.next();
        }
    });
}

int log_size(const View& view) { return std::countr_zero(unsigned(item_size(view.dtype))); }

/// Converts linear indices in C order to one coordinate per axis; the last axis in place.
void unravel(const Dims& shape, char* line, int64_t axis_stride, int64_t n) {
    const int last = shape.size() - 1;
    const int64_t row = shape[last];
    int64_t* const columns = reinterpret_cast<int64_t*>(line + last * axis_stride);
    int64_t begin = 0, end = 0;  // of the previous element's row
    for (int64_t i = 0; i < n; ++i) {
        const int64_t number = columns[i];
        if (number < end && i > 0) {
            for (int d = 0; d < last; ++d) {
                int64_t* const to = reinterpret_cast<int64_t*>(line + d * axis_stride);
                to[i] = to[i - 1];
            }
        } else {
            int64_t rest = number / row;
            begin = rest * row;
            end = begin + row;
            for (int d = last - 1; d >= 0; --d) {
                reinterpret_cast<int64_t*>(line + d * axis_stride)[i] = rest % shape[d];
                rest /= shape[d];
            }
        }
        columns[i] = number - begin;
    }
}

void compress(const LoopLibrary& library, const Compaction& task) {
    const auto loop = library.indexing.compress[log_size(task.array)];
    const int64_t step = task.packed.strides[0];
    each_row(task, [&](char* array, int64_t stride, const uint8_t* mask, int64_t n, int64_t rank, int64_t room) {
        return loop(task.packed.data() + rank * step, step, array, stride, mask, n, room);
    });
}

void expand(const LoopLibrary& library, const Compaction& task) {
    const auto loop = library.indexing.expand[log_size(task.array)];
    const int64_t step = task.packed.strides[0];
    each_row(task, [&](char* array, int64_t stride, const uint8_t* mask, int64_t n, int64_t rank, int64_t room) {
        return loop(array, stride, task.packed.data() + rank * step, step, mask, n, room);
    });
}

void find_nonzero(const LoopLibrary& library, const Compaction& task) {
    const int last = task.shape.size() - 1;
    const int64_t axis_stride = task.packed.strides[0];
    each_nonempty_block(task, [&](const MaskBlock& block) {
        char* const line = task.packed.data() + block.rank * int64_t(sizeof(int64_t));
        library.indexing.find_true(reinterpret_cast<int64_t*>(line + last * axis_stride), block.first, block.mask,
                                   block.n, block.room);
        if (last > 0) unravel(task.shape, line, axis_stride, block.room);
    });
}

}  // namespace

MaskCounts count_mask(const LoopLibrary& library, Backend& backend, const View& mask, int64_t size) {
    const int64_t blocks = (size + kMaskBlock - 1) / kMaskBlock;
    MaskCounts counts{0, backend.allocate((blocks + 1) * int64_t(sizeof(int64_t)))};
    int64_t* const before = block_counts(counts);
    const auto* const bytes = reinterpret_cast<const uint8_t*>(mask.data());
    each_block(size, [&](int64_t i) {
        before[i] = library.indexing.count_true(bytes + i * kMaskBlock, std::min(kMaskBlock, size - i * kMaskBlock));
    });
    for (int64_t i = 0; i < blocks; ++i) counts.total += std::exchange(before[i], counts.total);
    before[blocks] = counts.total;
    return counts;
}

void run(const LoopLibrary& library, const Compaction& task) {
    switch (task.kind) {
        case Compaction::Kind::Compress: return compress(library, task);
        case Compaction::Kind::Expand: return expand(library, task);
        case Compaction::Kind::Nonzero: return find_nonzero(library, task);
    }
}

}  // namespace cuarray::host
