// reduce.cpp -- reductions of any layout in the fold order of kernel/reduce.h, by rows or by columns.
//
// A space has kept axes (one fold per element) and reduced axes (numbered in C order). If the smaller strides are along
// the reduced axes, each fold is a row of leaves; if they are along the kept axes, many folds are advanced together as
// columns. Work is split by folds and by chunks; the chunks' accumulators are combined at the end.
#include <algorithm>
#include <atomic>
#include <cstring>
#include <memory>

#include "cuarray/kernel/reduce.h"
#include "host/fold_space.h"
#include "host/tasks.h"
#include "host/threads.h"

namespace cuarray::host {
namespace {

/// Folds n elements, at most a chunk, the first one of index `first`, without nodes; false if there is no such loop.
bool fold_line(const ReductionLoops& loops, const void* x, int64_t n, int64_t first, char* acc) {
    if (!loops.fold_lines) return false;
    loops.fold_lines(x, n, 1, acc);
    if (loops.needs_index) {  // the last member of a kernel::ValueIndex
        int64_t index;
        char* const at = acc + loops.accumulator_size - sizeof index;
        std::memcpy(&index, at, sizeof index);
        index += first;
        std::memcpy(at, &index, sizeof index);
    }
    return true;
}

using kernel::kChunk;
using kernel::kLanes;
using kernel::kLeaf;

// Bytes of a leaf's lanes of all columns that are advanced together: as large as L2, because memory is fastest along
// whole rows.
constexpr int64_t kLaneBytes = 1024 * 1024;
constexpr int64_t kFewRowsBytes = 16 * 1024;  // of the accumulators of a few rows' columns: half of L1
constexpr int64_t kShortFold = 32;            // shorter folds are faster as columns, whatever the layout,
constexpr int64_t kShortLine = 12;            // those with loops for lines,
constexpr int64_t kShortSearch = 4;           // and those for indices, whose columns are pairs of value and index
constexpr int64_t kNarrow = 512;              // columns times lanes up to which one call folds all rows
constexpr int64_t kRowsAtOnce = 4;            // more rows often map to the same sets of L1
constexpr int64_t kPieceBytes = 2048;         // of each of these rows at a time, for the same reason
constexpr int kLevels = 6;                    // of the tree over the leaves of a chunk except the last leaf

/// The most frequent task without a plan: one contiguous array folded to one result by one thread.
bool fold_plain(const LoopLibrary& library, const Reduce& task) {
    const Expr& expr = *task.expr;
    const int64_t n = count(task.shape);
    if (expr.nodes.size() != 1 || expr.nodes[0].op != ExprNode::Op::Input || n == 0 || n >= 2 * kTaskElements ||
        task.axes.size() != task.shape.size() || task.initial || !is_dense(task.inputs[0], task.shape, n) ||
        !is_dense(task.outputs[0], Dims(), 1))
        return false;
    fold_contiguous(library, task.row, expr.nodes[0].dtype, task.inputs[0].data(), n, task.outputs[0].data());
    return true;
}

/// Folds first ... first + folds - 1, over their elements begin ... begin + count - 1.
struct FoldRange {
    int64_t first, folds;
    int64_t begin, count;
};

/// The accumulators of several outputs.
struct Accumulators {
    char* data;
    int64_t apart;  ///< bytes between two outputs

    char* of(int64_t output) const { return data + output * apart; }
};

/// Values of an output: one row per element, one column per fold.
struct ValueRows {
    const void* data;
    int64_t stride;  ///< bytes between rows
    int64_t columns;
};

class ReduceRun {
 public:
    ReduceRun(const LoopLibrary& library, const Reduce& task)
        : task_(task),
          space_(space_of_thread()),
          plan_(space_.plan),
          outputs_(int64_t(task.outputs.size())),
          loops_(library.reductions[task.row * library.dtype_count + int(value_type(task))]) {
        space_.lay_out(library, task, shortest_row());
        n_ = space_.n, folds_ = space_.folds, by_columns_ = space_.by_columns;
        chunks_ = std::max<int64_t>(1, (n_ + kChunk - 1) / kChunk);
        group_ = by_columns_ ? columns_together()
                             : std::clamp<int64_t>(kTaskElements / std::min<int64_t>(n_ + 1, kChunk), 1, 1024);
        groups_ = (folds_ + group_ - 1) / group_;
    }

    void operator()() {
        if (folds_ == 0) return;
        if (n_ == 0) return fold_nothing();
        const int64_t units = groups_ * chunks_;
        const int64_t unit_size = std::min(group_, folds_) * std::min<int64_t>(n_, kChunk);
        const int64_t per_task = std::max<int64_t>(1, kTaskElements / std::max<int64_t>(unit_size, 1));
        const int64_t tasks = folds_ * n_ < 2 * kTaskElements ? 1 : (units + per_task - 1) / per_task;
        const int64_t bytes = chunks_ > 1 ? chunks_ * outputs_ * folds_ * acc_size() : 0;
        const std::unique_ptr<char[]> partial(bytes ? new char[size_t(bytes)] : nullptr);
        std::atomic<int64_t> decided = kNoLimit;
        decided_ = &decided;
        parallel_for(tasks, [&](int64_t i) {
            const int64_t begin = tasks == 1 ? 0 : i * per_task;
            const int64_t end = tasks == 1 ? units : std::min(units, begin + per_task);
            Scratch scratch;
            Machine machine(plan_, scratch, folds_ * n_);
            for (int64_t unit = begin; unit < end; ++unit) fold_unit(machine, unit, partial.get());
        });
        if (chunks_ > 1) combine_chunks(partial.get());
    }

 private:
    /// Reused between tasks, for its allocations. No task starts another one in its own thread.
    static FoldSpace& space_of_thread() {
        thread_local FoldSpace space;
        return space;
    }
    int64_t shortest_row() const {
        if (loops_.needs_index) return kShortSearch;
        return loops_.fold_lines && outputs_ == 1 ? kShortLine : kShortFold;
    }
    static DType value_type(const Reduce& task) { return task.expr->nodes[task.expr->outputs[0]].dtype; }
    int64_t acc_size() const { return loops_.accumulator_size; }
    int64_t item() const { return item_size(value_type(task_)); }

    bool takes_few_rows() const { return n_ <= kLanes && outputs_ == 1 && loops_.fold_few_rows; }
    /// The number of columns advanced at once: as many as there is room for, but leaving enough groups for all threads.
    int64_t columns_together() const {
        const int64_t lanes = std::clamp<int64_t>(n_, 1, kLanes) * outputs_ * acc_size();
        const int64_t room = takes_few_rows() ? kFewRowsBytes / acc_size() : std::max<int64_t>(kLaneBytes / lanes, 16);
        const int64_t threads = thread_count();
        const int64_t share = chunks_ < threads ? ((folds_ + threads - 1) / threads + 63) & ~int64_t(63) : folds_;
        return std::min(room, std::max(share, int64_t(256)));
    }

    // A unit: a group of folds over one chunk. Nodes, lanes and values are stored one output after the other.

    void fold_unit(Machine& machine, int64_t unit, char* partial) {
        const int64_t chunk = unit / groups_, first = unit % groups_ * group_, begin = chunk * kChunk;
        const FoldRange range{first, std::min(group_, folds_ - first), begin, std::min<int64_t>(kChunk, n_ - begin)};
        Scratch scratch;
        const int64_t apart = (chunks_ > 1 ? folds_ : range.folds) * acc_size();
        char* const data =
            chunks_ > 1 ? partial + (chunk * outputs_ * folds_ + first) * acc_size() : scratch.take(outputs_ * apart);
        const Accumulators acc{data, apart};
        const bool can_be_decided = folds_ == 1 && outputs_ == 1 && loops_.decided >= 0;
        if (can_be_decided && chunk > decided_->load(std::memory_order_relaxed)) {
            std::memset(data, 0x7f, size_t(acc_size()));  // an index, if there is one, behind all others
            *data = char(loops_.decided);
        } else if (by_columns_)
            fold_columns(machine, range, acc);
        else if (const void* const x = contiguous_rows(machine, range))
            fold_contiguous_rows(static_cast<const char*>(x), range.folds, data);
        else if (outputs_ == 1 && chunks_ == 1 && n_ <= plan_.block / 2)
            fold_short_rows(machine, range, data);
        else
            for (int64_t k = 0; k < range.folds; ++k)
                fold_row(machine, first + k, begin, range.count, {data + k * acc_size(), apart});
        if (can_be_decided && *data == char(loops_.decided)) {
            int64_t before = decided_->load(std::memory_order_relaxed);
            while (chunk < before && !decided_->compare_exchange_weak(before, chunk, std::memory_order_relaxed)) {}
        }
        if (chunks_ == 1)
            for (int64_t k = 0; k < outputs_; ++k) write_results(k, first, range.folds, acc.of(k));
    }

    /// The address of the values of all folds of a range if they are an operand, one fold after the other; else null.
    const void* contiguous_rows(const Machine& machine, const FoldRange& range) const {
        return outputs_ == 1 && chunks_ == 1 ? machine.direct(range.first * n_, range.folds * n_) : nullptr;
    }

    /// Computes the values of as many rows as a block holds, then folds them.
    void fold_short_rows(Machine& machine, const FoldRange& range, char* acc) const {
        Scratch scratch;
        char* const values = scratch.take(plan_.block * item());
        const int64_t step = plan_.block / n_;
        for (int64_t k = 0; k < range.folds; k += step) {
            const int64_t folds = std::min(step, range.folds - k);
            machine.evaluate((range.first + k) * n_, folds * n_, values, plan_.block * item());
            fold_contiguous_rows(static_cast<const char*>(machine.values(0)), folds, acc + k * acc_size());
        }
    }

    void fold_contiguous_rows(const char* x, int64_t folds, char* acc) const {
        if (loops_.fold_lines) return loops_.fold_lines(x, n_, folds, acc);
        Scratch scratch;
        char* const nodes = scratch.take((n_ + kLeaf - 1) / kLeaf * kLanes * acc_size());
        for (int64_t k = 0; k < folds; ++k, x += n_ * item(), acc += acc_size()) {
            loops_.fold_leaves(x, n_, 0, nodes);
            loops_.fold_nodes(nodes, n_, acc);
        }
    }

    void fold_row(Machine& machine, int64_t fold, int64_t begin, int64_t count, Accumulators acc) const {
        const int64_t start = fold * n_ + begin;
        if (loops_.fold_lines && outputs_ == 1)
            if (const void* x = machine.direct(start, count); x && fold_line(loops_, x, count, begin, acc.data)) return;
        Scratch scratch;
        const int64_t bytes = (count + kLeaf - 1) / kLeaf * kLanes * acc_size();
        char* const nodes = scratch.take(outputs_ * bytes);
        if (const void* x = outputs_ == 1 ? machine.direct(start, count) : nullptr) {
            loops_.fold_leaves(x, count, begin, nodes);
        } else {
            constexpr int64_t step = kLeaf;  // the fold is one more step of the program: short blocks let steps overlap
            char* const values = scratch.take(outputs_ * step * item());
            for (int64_t i = 0; i < count; i += step) {
                const int64_t n = std::min(step, count - i);
                machine.evaluate(start + i, n, values, step * item());
                for (int64_t k = 0; k < outputs_; ++k)
                    loops_.fold_leaves(machine.values(size_t(k)), n, begin + i,
                                       nodes + k * bytes + i / kLeaf * kLanes * acc_size());
            }
        }
        for (int64_t k = 0; k < outputs_; ++k) loops_.fold_nodes(nodes + k * bytes, count, acc.of(k));
    }

    /// The address of output k's values of `folds` folds if they are an operand with rows `row_stride` bytes apart.
    const char* value_in_place(const Machine& machine, int64_t start, int64_t folds, int64_t k) const {
        return space_.rows_are_even ? static_cast<const char*>(machine.direct(start, folds, size_t(k))) : nullptr;
    }
    int64_t row_stride(int64_t k) const { return plan_.operands[plan_.program.sources[size_t(k)]].strides[0]; }

    int64_t piece_of_row() const {
        int64_t item = 1;
        for (int k = 0; k < plan_.program.inputs; ++k) item = std::max(item, plan_.operands[size_t(k)].item());
        return std::min(plan_.block, kPieceBytes / item);
    }

    /// Folds a leaf to lanes[lane][fold].
    void fold_leaf(Machine& machine, const FoldRange& leaf, Accumulators lanes, char* values) const {
        const int64_t folds = leaf.folds, count = leaf.count, start = leaf.begin * folds_ + leaf.first;
        if (const void* x = outputs_ == 1 ? value_in_place(machine, start, folds, 0) : nullptr)
            return fold_rows({x, row_stride(0), folds}, 0, count, leaf.begin, lanes.data);
        if (folds > plan_.block) return fold_wide_leaf(machine, leaf, lanes, values);
        const int64_t step = folds == folds_ ? plan_.block / folds : 1;
        for (int64_t row = 0; row < count; row += step) {
            const int64_t rows = std::min(step, count - row);
            machine.evaluate(start + row * folds_, rows * folds, values, plan_.block * item());
            for (int64_t k = 0; k < outputs_; ++k)
                fold_rows({machine.values(size_t(k)), folds * item(), folds}, row, rows, leaf.begin + row, lanes.of(k));
        }
    }

    /// Folds `values`, rows [row, row + rows) of a leaf, into lanes[lane][column]; `first` is the index of the first
    /// of them.
    void fold_rows(const ValueRows& values, int64_t row, int64_t rows, int64_t first, char* lanes) const {
        const int64_t stride = values.stride, columns = values.columns;
        const char* x = static_cast<const char*>(values.data);
        const int64_t lane_bytes = columns * acc_size();
        if (row % kLanes == 0) {
            // If rows are contiguous, the rows of all lanes are one long row, as are their accumulators.
            const bool whole = !loops_.needs_index && stride == columns * item();
            const int64_t lines = whole ? 1 : kLanes, length = whole ? kLanes * columns : columns;
            const auto add_groups = [&](int64_t at_once) {
                const int64_t group = at_once * kLanes;
                for (; rows >= group; rows -= group, row += group, first += group, x += group * stride)
                    for (int64_t lane = 0; lane < lines; ++lane)
                        loops_.fold_lane(x + lane * stride, kLanes * stride, at_once, length, first + lane, row == 0,
                                         lanes + lane * lane_bytes);
            };
            if (whole && length <= kNarrow && rows >= kRowsAtOnce * kLanes) add_groups(rows / kLanes);
            add_groups(kRowsAtOnce);
            if (whole) add_groups(1);
        }
        for (const int64_t end = row + rows; row < end; ++row, x += stride, ++first)
            loops_.fold_lane(x, 0, 1, columns, first, row < kLanes, lanes + row % kLanes * lane_bytes);
    }

    /// The same if a row of columns takes several blocks: computes a piece of a few rows of a lane, then folds them
    /// together.
    void fold_wide_leaf(Machine& machine, const FoldRange& leaf, Accumulators lanes, char* values) const {
        const int64_t folds = leaf.folds, count = leaf.count, start = leaf.begin * folds_ + leaf.first;
        Scratch scratch;
        const char** const in_place = scratch.take_array<const char*>(outputs_);  // by output; may be null
        for (int64_t k = 0; k < outputs_; ++k) in_place[k] = value_in_place(machine, start, folds, k);
        const int64_t step = piece_of_row(), bytes = step * item();
        for (int64_t group = 0; group < count; group += kRowsAtOnce * kLanes) {
            for (int64_t row = group; row < std::min(count, group + kLanes); ++row) {
                const int64_t rows = std::min(kRowsAtOnce, (count - row + kLanes - 1) / kLanes);
                const int64_t lane_offset = row % kLanes * folds * acc_size();
                for (int64_t c = 0; c < folds; c += step) {
                    const int64_t n = std::min(step, folds - c);
                    for (int64_t r = 0; r < rows; ++r) {
                        char* const to = values + r * outputs_ * bytes;
                        machine.evaluate(start + (row + r * kLanes) * folds_ + c, n, to, bytes);
                        for (int64_t k = 0; k < outputs_; ++k)
                            if (const void* x = machine.values(size_t(k)); x != to + k * bytes && !in_place[k])
                                std::memcpy(to + k * bytes, x, size_t(n * item()));
                    }
                    for (int64_t k = 0; k < outputs_; ++k) {
                        const char* const x =
                            in_place[k] ? in_place[k] + row * row_stride(k) + c * item() : values + k * bytes;
                        const int64_t stride = in_place[k] ? kLanes * row_stride(k) : outputs_ * bytes;
                        loops_.fold_lane(x, stride, rows, n, leaf.begin + row, group == 0,
                                         lanes.of(k) + lane_offset + c * acc_size());
                    }
                }
            }
        }
    }

    /// The tree over a chunk's leaves is a binary counter of completed subtrees: subtree k exists if bit k of the
    /// number of leaves so far is set.
    void fold_columns(Machine& machine, const FoldRange& range, Accumulators acc) const {
        const int64_t folds = range.folds, count = range.count;
        if (const auto fold = takes_few_rows() ? loops_.fold_few_rows : loops_.fold_rows; fold && outputs_ == 1)
            if (const void* const x = value_in_place(machine, range.begin * folds_ + range.first, folds, 0))
                return fold(x, row_stride(0), count, folds, range.begin, acc.data);
        Scratch scratch;
        char *node, *subtree[kLevels], *values = scratch.take(kRowsAtOnce * outputs_ * plan_.block * item());
        const int64_t width = std::min<int64_t>(count, kLanes) * folds, leaves = (count + kLeaf - 1) / kLeaf;
        const int64_t bytes = width * acc_size();
        node = scratch.take(outputs_ * bytes);
        for (int k = 0; k < kLevels; ++k) subtree[k] = (leaves - 1) >> k ? scratch.take(outputs_ * bytes) : nullptr;
        const auto combine = [&](char* a, const char* b, int64_t count) {
            for (int64_t k = 0; k < outputs_; ++k) loops_.combine(a + k * bytes, b + k * bytes, count);
        };
        const auto fold_to_node = [&](int64_t leaf, int64_t elements) {
            fold_leaf(machine, {range.first, folds, range.begin + leaf * kLeaf, elements}, {node, bytes}, values);
        };
        for (int64_t leaf = 0; leaf + 1 < leaves; ++leaf) {
            fold_to_node(leaf, kLeaf);
            int k = 0;
            for (; leaf >> k & 1; ++k) {
                combine(subtree[k], node, width);
                std::swap(subtree[k], node);
            }
            std::swap(subtree[k], node);
        }
        // The last leaf is combined with every pending subtree. Lanes that it lacks start with the smallest one.
        const int64_t rest = count - (leaves - 1) * kLeaf;
        fold_to_node(leaves - 1, rest);
        int64_t present = std::min<int64_t>(rest, kLanes) * folds;
        for (int k = 0; (leaves - 1) >> k; ++k) {
            if (!((leaves - 1) >> k & 1)) continue;
            combine(subtree[k], node, present);
            std::swap(subtree[k], node);
            present = width;
        }
        const int64_t lanes = std::min<int64_t>(count, kLanes);
        for (int64_t d = kLanes / 2; d > 0; d /= 2)
            if (lanes > d) combine(node, node + d * folds * acc_size(), std::min(d, lanes - d) * folds);
        for (int64_t k = 0; k < outputs_; ++k) std::memcpy(acc.of(k), node + k * bytes, size_t(folds * acc_size()));
    }

    void combine_chunks(char* partial) const {
        constexpr int64_t kFolds = 1024;
        const int64_t groups = (folds_ + kFolds - 1) / kFolds;
        parallel_for(groups * outputs_, [&](int64_t i) {
            const int64_t k = i / groups, first = i % groups * kFolds;
            const int64_t folds = std::min(kFolds, folds_ - first), bytes = folds * acc_size();
            const auto at = [&](int64_t chunk) {
                return partial + ((chunk * outputs_ + k) * folds_ + first) * acc_size();
            };
            for (int64_t count = chunks_; count > 1; count = (count + 1) / 2) {
                for (int64_t j = 0; j < count; j += 2) {
                    if (j + 1 < count) loops_.combine(at(j), at(j + 1), folds);
                    if (j > 0) std::memcpy(at(j / 2), at(j), size_t(bytes));
                }
            }
            write_results(k, first, folds, at(0));
        });
    }

    /// A fold of no elements is its identity; with an initial value it is that value, even without an identity.
    void fold_nothing() const {
        constexpr int64_t kFolds = 1024;
        Scratch scratch;
        char* const acc = scratch.take(kFolds * acc_size());
        for (int64_t first = 0; first < folds_; first += kFolds) {
            const int64_t folds = std::min(kFolds, folds_ - first);
            if (task_.initial)
                loops_.map(task_.initial->bytes, acc, folds);
            else if (loops_.identity)
                loops_.identity(acc, folds);
            else
                raise(ErrorKind::Value, task_.name, ": zero-size array to a reduction which has no identity");
            for (int64_t k = 0; k < outputs_; ++k) write_results(k, first, folds, acc, false);
        }
    }

    /// Finishes accumulators and stores the results to output k.
    void write_results(int64_t k, int64_t first, int64_t folds, const char* acc, bool with_initial = true) const {
        Scratch scratch;
        if (task_.initial && with_initial) {
            char* const mapped = scratch.take(folds * acc_size());
            loops_.map(task_.initial->bytes, mapped, folds);
            loops_.combine(mapped, acc, folds);
            acc = mapped;
        }
        char* const results = space_.place(size_t(k), first);
        if (results) return loops_.finish(acc, results, folds, n_);
        char* const buffer = scratch.take(folds * loops_.result_size);
        loops_.finish(acc, buffer, folds, n_);
        space_.store(size_t(k), first, folds, buffer);
    }

    const Reduce& task_;
    FoldSpace& space_;
    const Plan& plan_;
    const int64_t outputs_;
    const ReductionLoops& loops_;
    int64_t n_ = 0, folds_ = 0, chunks_ = 0, group_ = 0, groups_ = 0;
    bool by_columns_ = false;
    std::atomic<int64_t>* decided_ = nullptr;  ///< the first chunk known to decide the one fold
};

}  // namespace

namespace {

/// Folds n > 0 contiguous elements.
void fold_run(const ReductionLoops& loops, int64_t item, const void* data, int64_t n, void* result) {
    constexpr int kLargest = 64;  // of most accumulators
    if (n <= kLeaf && loops.accumulator_size <= kLargest) {
        alignas(64) char nodes[kLanes * kLargest], acc[kLargest];
        loops.fold_leaves(data, n, 0, nodes);
        loops.fold_nodes(nodes, n, acc);
        return loops.finish(acc, result, 1, n);
    }
    Scratch scratch;
    char* const nodes =
        scratch.take(std::min<int64_t>((n + kLeaf - 1) / kLeaf, kChunk / kLeaf) * kLanes * loops.accumulator_size);
    const int64_t acc_size = loops.accumulator_size;
    int64_t chunks = (n + kChunk - 1) / kChunk;
    char* const acc = scratch.take(chunks * acc_size);
    for (int64_t chunk = 0; chunk < chunks; ++chunk) {
        const int64_t begin = chunk * kChunk, elements = std::min<int64_t>(kChunk, n - begin);
        const char* const x = static_cast<const char*>(data) + begin * item;
        if (!fold_line(loops, x, elements, begin, acc + chunk * acc_size)) {
            loops.fold_leaves(x, elements, begin, nodes);
            loops.fold_nodes(nodes, elements, acc + chunk * acc_size);
        }
        if (loops.decided < 0 || acc[chunk * acc_size] != char(loops.decided)) continue;
        std::memcpy(acc, acc + chunk * acc_size, size_t(acc_size));
        chunks = 1;
    }
    for (int64_t left = chunks; left > 1; left = (left + 1) / 2)
        for (int64_t j = 0; j < left; j += 2) {
            if (j + 1 < left) loops.combine(acc + j * acc_size, acc + (j + 1) * acc_size, 1);
            if (j > 0) std::memcpy(acc + j / 2 * acc_size, acc + j * acc_size, size_t(acc_size));
        }
    loops.finish(acc, result, 1, n);
}

}  // namespace

void fold_contiguous(const LoopLibrary& library, ReductionId row, DType dtype, const void* data, int64_t n,
                     void* results, int64_t folds, int64_t apart) {
    const ReductionLoops& loops = library.reductions[row * library.dtype_count + int(dtype)];
    const DefaultFloatMode mode;
    const int64_t item = item_size(dtype);
    const char* x = static_cast<const char*>(data);
    char* to = static_cast<char*>(results);
    if (loops.fold_lines && n <= kChunk && apart == n * item) {
        constexpr int64_t kTogether = 64;
        alignas(64) char acc[kTogether * 16];
        for (int64_t lines; folds > 0; folds -= lines, x += lines * apart, to += lines * loops.result_size) {
            lines = std::min(folds, kTogether);
            loops.fold_lines(x, n, lines, acc);
            loops.finish(acc, to, lines, n);
        }
        return;
    }
    for (int64_t k = 0; k < folds; ++k) fold_run(loops, item, x + k * apart, n, to + k * loops.result_size);
}

void run(const LoopLibrary& library, const Reduce& task) {
    if (!fold_plain(library, task)) ReduceRun(library, task)();
}

}  // namespace cuarray::host
