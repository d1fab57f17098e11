// gather.cpp -- gather, scatter and update at indices: lines of offsets, and a run of elements at each offset.
//
// The last axis along which an index varies is the line. Its indices are resolved to offsets, a block at a time, which
// stay in L1 for the loop that moves the items. The axes after the line are copied unchanged: a run per offset.
#include <algorithm>
#include <bit>
#include <cstring>
#include <optional>
#include <utility>

#include "core/copy_run.h"
#include "cuarray/core/table.h"
#include "host/outer_walk.h"
#include "host/scratch.h"
#include "host/tasks.h"
#include "host/threads.h"

namespace cuarray::host {
namespace {

constexpr int kElements = 0, kArray = 1, kIndices = 2;  // operands of the space
constexpr int64_t kIndexBlock = 1024;                   // indices of a line that are resolved at once
constexpr int64_t kIndexedLine = 32;                    // up to this length many rows are moved index by index
constexpr int64_t kItemBytes = 16;                      // up to this size a run is moved as one item

/// A part of the work: some rows of the outer axes, some blocks of each line, a piece of each run.
struct Portion {
    int64_t first_row, rows, first_block, blocks, piece;
};

/// Applies a binary or unary loop to elements of an array and the values that update them, one after the other.
class UpdateLoop {
 public:
    UpdateLoop(const LoopLibrary& library, const IndexedAccess& task) : item_(item_size(task.array.dtype)) {
        const Loop& loop = loops()[task.loop];
        const DType dtype = task.array.dtype;
        const auto cast = [&](DType from, DType to) {
            return from == to ? nullptr : library.casts[int(from) * library.dtype_count + int(to)];
        };
        before_ = cast(dtype, loop.in[0]);
        after_ = cast(loop.out[0], dtype);
        loop_ = library.loops[task.loop];
        if (!before_ && !after_) fast_ = library.scans[task.loop].update;
        other_item_ = rows()[loop.row].nin > 1 ? item_size(loop.in[1]) : 0;
    }

    void operator()(char* array, const int64_t* offsets, const char* elements, int64_t stride, int64_t n) const {
        if (fast_) return fast_(array, offsets, elements, stride, n);
        for (int64_t i = 0; i < n; ++i) run(array + offsets[i], elements + i * stride);
    }

 private:
    void run(char* place, const char* element) const {
        alignas(16) char value[16], first[16], second[16], result[16], stored[16];
        std::memcpy(value, place, size_t(item_));
        std::memcpy(second, element, size_t(other_item_));
        const char* x = value;
        if (before_) convert(before_, std::exchange(x, first), first);
        const void* const in[] = {x, second};
        void* const out[] = {result};
        loop_(in, out, 1);
        const char* y = result;
        if (after_) convert(after_, std::exchange(y, stored), stored);
        std::memcpy(place, y, size_t(item_));
    }
    static void convert(BlockLoop cast, const void* from, void* to) { cast(&from, &to, 1); }

    int64_t item_, other_item_ = 0;
    BlockLoop before_ = nullptr, after_ = nullptr, loop_ = nullptr;
    decltype(ScanLoops::update) fast_ = nullptr;  ///< the fused loop, if the row has one
};

class IndexedAccessRun {
 public:
    IndexedAccessRun(const LoopLibrary& library, const IndexedAccess& task)
        : loops_(library.indexing),
          copy_(library.copy),
          task_(task),
          scatters_(task.kind != IndexedAccess::Kind::Gather) {
        if (task.kind == IndexedAccess::Kind::Update) update_.emplace(library, task);
        lay_out();
        find_line();
        if (is_short_line()) exchange_line();
        merge_run();
        rows_ = 1;
        for (int d = 0; d < line_; ++d) rows_ *= space_.shape[d];
        blocks_ = (space_.shape[line_] + kIndexBlock - 1) / kIndexBlock;
        run_ = 1;
        for (int d = line_ + 1; d < space_.ndim; ++d) run_ *= space_.shape[d];
        piece_ = line_ + 1 < space_.ndim ? space_.shape[line_ + 1] : 1;
        if (run_ > kTaskElements) piece_ = std::max<int64_t>(1, piece_ * kTaskElements / run_);
        pieces_ = line_ + 1 < space_.ndim ? (space_.shape[line_ + 1] + piece_ - 1) / piece_ : 1;
    }

    void operator()() const {
        if (space_.size < 2 * kTaskElements) return run({0, rows_, 0, blocks_, -1});
        if (scatters_) return in_order();
        const int64_t block_elements = std::min(kIndexBlock, space_.shape[line_]) * (run_ / pieces_);
        const int64_t together = std::max<int64_t>(1, kTaskElements / std::max<int64_t>(block_elements, 1));
        const int64_t lines = std::max<int64_t>(1, together / blocks_);  // whole rows in a task
        if (pieces_ == 1 && lines > 1) {
            parallel_for((rows_ + lines - 1) / lines,
                         [&](int64_t i) { run({i * lines, std::min(lines, rows_ - i * lines), 0, blocks_, -1}); });
            return;
        }
        const int64_t blocks = std::min(together, blocks_), parts = (blocks_ + blocks - 1) / blocks;
        parallel_for(rows_ * parts * pieces_, [&](int64_t i) {
            const int64_t piece = i % pieces_, part = i / pieces_ % parts, first = part * blocks;
            run({i / pieces_ / parts, 1, first, std::min(blocks, blocks_ - first), piece});
        });
    }

    /// Raises IndexError for an index out of bounds, before anything is written.
    void check() const {
        if (task_.outside != Outside::Raise) return;
        Scratch scratch;
        int64_t* const offsets = scratch.take_array<int64_t>(kIndexBlock);
        OuterWalk walk(space_, line_, 0);
        for (int64_t row = 0; row < (rows_move_indices_ ? rows_ : 1); ++row, walk.next())
            for (int64_t block = 0; block < blocks_; ++block) resolve(walk, block, offsets);
    }

 private:
    void lay_out() {
        const size_t operands = task_.indices.size() + kIndices;
        if (operands > size_t(Space::kMaxOperands))
            raise(ErrorKind::NotImplemented, task_.name, ": ", task_.indices.size(), " index arrays; at most ",
                  Space::kMaxOperands - kIndices);
        const Dims* strides[Space::kMaxOperands] = {&task_.elements.strides, &task_.array.strides};
        bases_[kElements] = task_.elements.data();
        bases_[kArray] = task_.array.data();
        for (size_t k = 0; k < task_.indices.size(); ++k) {
            strides[kIndices + k] = &task_.indices[k].index.strides;
            bases_[kIndices + k] = task_.indices[k].index.data();
        }
        // Of values scattered to one element the last one is kept, so scattering keeps the order of axes.
        collapse(space_, task_.shape, {strides, operands}, scatters_);
        log_size_ = std::countr_zero(unsigned(item_size(task_.elements.dtype)));
    }

    bool moves_indices(int axis) const {
        for (int k = kIndices; k < space_.operands; ++k)
            if (space_.strides[k][axis] != 0) return true;
        return false;
    }

    void find_line() {
        line_ = space_.ndim - 1;
        while (line_ >= 0 && !moves_indices(line_)) --line_;
        for (int d = 0; d < line_; ++d) rows_move_indices_ |= moves_indices(d);
        if (line_ >= 0) return;
        // No index varies along any axis: inserts an axis of extent 1 as the line.
        std::copy_backward(space_.shape, space_.shape + space_.ndim, space_.shape + space_.ndim + 1);
        space_.shape[0] = 1;
        for (int k = 0; k < space_.operands; ++k) {
            int64_t* const strides = space_.strides[k];
            std::copy_backward(strides, strides + space_.ndim, strides + space_.ndim + 1);
            strides[0] = 0;
        }
        ++space_.ndim;
        line_ = 0;
    }

    /// Whether the same few indices serve many rows, as in x[:, [0, 2]]: a call per index is less than one per row.
    bool is_short_line() const {
        if (update_ || rows_move_indices_ || line_ == 0 || line_ != space_.ndim - 1) return false;
        const int64_t n = space_.shape[line_];
        // A stride of 0 would let several rows scatter to one element.
        return n <= kIndexedLine && n <= space_.shape[line_ - 1] && space_.strides[kArray][line_ - 1] != 0;
    }

    /// Puts the line before the last axis of the rows, which becomes the run. Elements that scatter to one place
    /// differ only along the line, and keep their order.
    void exchange_line() {
        std::swap(space_.shape[line_ - 1], space_.shape[line_]);
        for (int k = 0; k < space_.operands; ++k) std::swap(space_.strides[k][line_ - 1], space_.strides[k][line_]);
        --line_;
        is_exchanged_ = true;
    }

    /// A short contiguous run is one larger item.
    void merge_run() {
        const int last = space_.ndim - 1;
        if (line_ != last - 1 || update_) return;
        const int64_t item = int64_t(1) << log_size_, bytes = space_.shape[last] * item;
        const bool contiguous = space_.strides[kElements][last] == item && space_.strides[kArray][last] == item;
        if (!contiguous || bytes > kItemBytes || !std::has_single_bit(uint64_t(bytes))) return;
        log_size_ = std::countr_zero(uint64_t(bytes));
        --space_.ndim;
    }

    /// Scattering in parallel: rows that differ on an axis of the array itself never write the same element, nor do
    /// pieces of runs.
    void in_order() const {
        if (line_ > 0 && space_.strides[kArray][0] != 0 && space_.shape[0] > 1) {
            const int64_t inner = rows_ / space_.shape[0], elements = space_.size / space_.shape[0];
            const int64_t together = std::max<int64_t>(1, kTaskElements / elements);
            parallel_for((space_.shape[0] + together - 1) / together, [&](int64_t i) {
                const int64_t first = i * together, count = std::min(together, space_.shape[0] - first);
                run({first * inner, count * inner, 0, blocks_, -1});
            });
            return;
        }
        parallel_for(pieces_, [&](int64_t i) { run({0, rows_, 0, blocks_, i}); });
    }

    void run(const Portion& part) const {
        Scratch scratch;
        int64_t* const offsets = scratch.take_array<int64_t>(kIndexBlock);
        OuterWalk walk(space_, line_, part.first_row);
        const bool once = blocks_ == 1 && !rows_move_indices_;
        for (int64_t row = 0; row < part.rows; ++row, walk.next())
            for (int64_t block = part.first_block; block < part.first_block + part.blocks; ++block) {
                if (!once || row == 0) resolve(walk, block, offsets);
                move(walk, block, offsets, part.piece);
            }
    }

    int64_t length(int64_t block) const { return std::min(kIndexBlock, space_.shape[line_] - block * kIndexBlock); }

    /// offsets[i] = the byte offset of the block's i-th element from the array's address in this row.
    void resolve(const OuterWalk& walk, int64_t block, int64_t* offsets) const {
        const int64_t n = length(block), step = space_.strides[kArray][line_];
        bool more = step != 0 || task_.indices.empty();
        for (int64_t i = 0; more && i < n; ++i) offsets[i] = (block * kIndexBlock + i) * step;
        for (size_t k = 0; k < task_.indices.size(); ++k) {
            const IndexedAxis& axis = task_.indices[k];
            const int64_t stride = space_.strides[kIndices + k][line_];
            const char* const index =
                bases_[kIndices + k] + walk.offset(kIndices + int(k)) + block * kIndexBlock * stride;
            if (!loops_.resolve[int(task_.outside)](offsets, index, stride, n, axis.size, axis.stride, more))
                refuse(axis, index, stride, n);
            more = true;
        }
    }

    [[noreturn]] static void refuse(const IndexedAxis& axis, const char* index, int64_t stride, int64_t n) {
        for (int64_t i = 0; i < n; ++i) {
            int64_t value;
            std::memcpy(&value, index + i * stride, sizeof value);
            if (value < -axis.size || value >= axis.size)
                raise(ErrorKind::Index, "index ", value, " is out of bounds for axis ", axis.axis, " with size ",
                      axis.size);
        }
        raise(ErrorKind::Runtime, "an index changed while it was read");
    }

    void move(const OuterWalk& walk, int64_t block, const int64_t* offsets, int64_t piece) const {
        const int64_t n = length(block), step = space_.strides[kElements][line_];
        char* const elements = bases_[kElements] + walk.offset(kElements) + block * kIndexBlock * step;
        char* const array = bases_[kArray] + walk.offset(kArray);
        if (line_ == space_.ndim - 1) {
            if (update_)
                (*update_)(array, offsets, elements, step, n);
            else if (scatters_)
                loops_.scatter[log_size_](array, offsets, elements, step, n);
            else
                loops_.gather[log_size_](elements, step, array, offsets, n);
            return;
        }
        const int first = line_ + 1;
        const int64_t from = piece < 0 ? 0 : piece * piece_;
        const int64_t extent = piece < 0 ? space_.shape[first] : std::min(piece_, space_.shape[first] - from);
        // Rows of an exchanged line are cached from one index to the next.
        const int64_t together = is_exchanged_ ? std::min(extent, kIndexBlock) : extent;
        for (int64_t at = from; at < from + extent; at += together) {
            const int64_t count = std::min(together, from + extent - at);
            char* const part = elements + at * space_.strides[kElements][first];
            char* const place = array + at * space_.strides[kArray][first];
            for (int64_t i = 0; i < n; ++i) {
                if (update_)
                    update_run(place + offsets[i], part + i * step, first, count);
                else if (scatters_)
                    copy_run(place + offsets[i], kArray, part + i * step, kElements, first, count);
                else
                    copy_run(part + i * step, kElements, place + offsets[i], kArray, first, count);
            }
        }
    }

    /// Updates a run: the axes from `axis` on, of which the first has extent `extent`.
    void update_run(char* array, const char* elements, int axis, int64_t extent) const {
        const int64_t array_stride = space_.strides[kArray][axis], stride = space_.strides[kElements][axis];
        if (axis < space_.ndim - 1) {
            for (int64_t i = 0; i < extent; ++i)
                update_run(array + i * array_stride, elements + i * stride, axis + 1, space_.shape[axis + 1]);
            return;
        }
        Scratch scratch;
        int64_t* const offsets = scratch.take_array<int64_t>(std::min(extent, kIndexBlock));
        for (int64_t i = 0; i < std::min(extent, kIndexBlock); ++i) offsets[i] = i * array_stride;
        for (int64_t i = 0; i < extent; i += kIndexBlock)
            (*update_)(array + i * array_stride, offsets, elements + i * stride, stride,
                       std::min(kIndexBlock, extent - i));
    }

    /// Copies a run: the axes from `axis` on, of which the first has extent `extent`.
    void copy_run(char* to, int to_operand, const char* from, int from_operand, int axis, int64_t extent) const {
        const int64_t* const to_strides = space_.strides[to_operand];
        const int64_t* const from_strides = space_.strides[from_operand];
        const int last = space_.ndim - 1;
        const int64_t item = int64_t(1) << log_size_;
        if (axis == last && to_strides[last] == item && from_strides[last] == item) {
            cuarray::copy_run(to, from, extent * item);
        } else if (axis >= last - 1) {
            const bool is_line = axis == last;
            copy_[log_size_](to, is_line ? 0 : to_strides[axis], to_strides[last], from,
                             is_line ? 0 : from_strides[axis], from_strides[last], is_line ? 1 : extent,
                             is_line ? extent : space_.shape[last]);
        } else {
            for (int64_t i = 0; i < extent; ++i)
                copy_run(to + i * to_strides[axis], to_operand, from + i * from_strides[axis], from_operand, axis + 1,
                         space_.shape[axis + 1]);
        }
    }

    const IndexingLoops& loops_;
    const CopyLoop* const copy_;
    const IndexedAccess& task_;
    const bool scatters_;
    std::optional<UpdateLoop> update_;  ///< set for an update
    Space space_;
    char* bases_[Space::kMaxOperands];
    int log_size_ = 0;
    int line_ = 0;                    ///< the last axis along which an index varies
    bool is_exchanged_ = false;       ///< whether the run after the line is the last axis of the rows
    bool rows_move_indices_ = false;  ///< whether an index varies along the axes before it
    int64_t rows_ = 1, blocks_ = 1;
    int64_t run_ = 1;                 ///< elements of a run
    int64_t piece_ = 1, pieces_ = 1;  ///< extent and number of the parts of its first axis
};

}  // namespace

void run(const LoopLibrary& library, const IndexedAccess& task) {
    if (count(task.shape) == 0) return;
    const IndexedAccessRun access(library, task);
    if (task.kind != IndexedAccess::Kind::Gather) access.check();
    access();
}

}  // namespace cuarray::host
