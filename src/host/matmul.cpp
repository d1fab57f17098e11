// matmul.cpp -- stacks of matrix products: blocks of each result, from packed panels of the factors.
#include <algorithm>
#include <bit>
#include <cstring>

#include "cuarray/kernel/matmul.h"
#include "host/blas.h"
#include "host/outer_walk.h"
#include "host/scratch.h"
#include "host/tasks.h"
#include "host/threads.h"

namespace cuarray::host {
namespace {

constexpr int kLeft = 0, kRight = 1, kResult = 2;  // operands of the space of batches
// A block's sums, and the panels from which it is computed, stay in L2.
constexpr int64_t kBlockRows = 128, kBlockColumns = 256;
constexpr int64_t kPanel = kernel::kPanel;
constexpr int64_t kNarrowDepth = 64;

int64_t part_count(int64_t n, int64_t part) { return (n + part - 1) / part; }

/// The last two strides of a view: from row to row, from column to column.
struct MatrixStrides {
    int64_t row, column;
    explicit MatrixStrides(const View& view)
        : row(view.strides[view.strides.size() - 2]), column(view.strides[view.strides.size() - 1]) {}
};

/// The space of a task's matrices.
Space batches(const Matmul& task) {
    const Dims* const strides[] = {&task.left.strides, &task.right.strides, &task.result.strides};
    Dims outer[3];
    for (int k = 0; k < 3; ++k)
        for (int d = 0; d < task.batch.size(); ++d) outer[k].push_back((*strides[k])[d]);
    const Dims* const batch_strides[] = {&outer[kLeft], &outer[kRight], &outer[kResult]};
    Space space;
    collapse(space, task.batch, batch_strides);
    return space;
}

class MatmulRun {
 public:
    MatmulRun(const LoopLibrary& library, const Matmul& task)
        : task_(task),
          loops_(library.matmul[int(task.result.dtype)]),
          left_(task.left),
          right_(task.right),
          result_(task.result),
          blocks_down_(part_count(task.rows, kBlockRows)),
          blocks_across_(part_count(task.columns, kBlockColumns)),
          space_(batches(task)) {}

    void operator()() const {
        const int64_t units = space_.size * blocks_down_ * blocks_across_;
        const int64_t rows = std::min(task_.rows, kBlockRows), columns = std::min(task_.columns, kBlockColumns);
        // A multiply-add costs about an eighth of an element of kTaskElements, which is loaded and stored.
        const int64_t unit_work = std::max<int64_t>(1, rows * columns * (task_.depth / 8 + 1));
        const int64_t per_task = std::max<int64_t>(1, kTaskElements / unit_work);
        const int64_t tasks = units * unit_work < 2 * kTaskElements ? 1 : part_count(units, per_task);
        parallel_for(tasks, [&](int64_t i) {
            const int64_t end = tasks == 1 ? units : std::min(units, (i + 1) * per_task);
            for (int64_t unit = i * per_task; unit < end; ++unit) run_unit(unit);
        });
    }

 private:
    /// One block of one result.
    void run_unit(int64_t unit) const {
        const OuterWalk batch(space_, space_.ndim, unit / (blocks_down_ * blocks_across_));
        const int64_t first_row = unit / blocks_across_ % blocks_down_ * kBlockRows;
        const int64_t first_column = unit % blocks_across_ * kBlockColumns;
        const int64_t rows = std::min(kBlockRows, task_.rows - first_row);
        const int64_t columns = std::min(kBlockColumns, task_.columns - first_column);
        const int64_t down = part_count(rows, loops_.rows), across = part_count(columns, loops_.columns);
        const int64_t panel = std::min(kPanel, task_.depth) * loops_.item,
                      tile = loops_.rows * loops_.columns * loops_.item;
        Scratch scratch;
        char* const lefts = scratch.take(down * loops_.rows * panel);
        char* const rights = scratch.take(across * loops_.columns * panel);
        char* const sums = scratch.take(down * across * tile);
        std::memset(sums, 0, size_t(down * across * tile));

        const char* left = task_.left.data() + batch.offset(kLeft) + first_row * left_.row;
        const char* right = task_.right.data() + batch.offset(kRight) + first_column * right_.column;
        for (int64_t k = 0; k < task_.depth; k += kPanel) {
            const int64_t depth = std::min(kPanel, task_.depth - k);
            for (int64_t i = 0; i < down; ++i)
                loops_.pack(lefts + i * loops_.rows * panel, loops_.rows, left + i * loops_.rows * left_.row, left_.row,
                            left_.column, std::min(loops_.rows, rows - i * loops_.rows), depth);
            for (int64_t j = 0; j < across; ++j)
                loops_.pack(rights + j * loops_.columns * panel, loops_.columns,
                            right + j * loops_.columns * right_.column, right_.column, right_.row,
                            std::min(loops_.columns, columns - j * loops_.columns), depth);
            for (int64_t j = 0; j < across; ++j)
                for (int64_t i = 0; i < down; ++i)
                    loops_.multiply(lefts + i * loops_.rows * panel, rights + j * loops_.columns * panel,
                                    sums + (j * down + i) * tile, depth);
            left += depth * left_.column;
            right += depth * right_.row;
        }

        char* const result = task_.result.data() + batch.offset(kResult);
        for (int64_t j = 0; j < across; ++j)
            for (int64_t i = 0; i < down; ++i) {
                const int64_t row = i * loops_.rows, column = j * loops_.columns;
                loops_.store(sums + (j * down + i) * tile,
                             result + (first_row + row) * result_.row + (first_column + column) * result_.column,
                             result_.row, result_.column, std::min(loops_.rows, rows - row),
                             std::min(loops_.columns, columns - column));
            }
    }

    const Matmul& task_;
    const MatmulLoops& loops_;
    const MatrixStrides left_, right_, result_;
    const int64_t blocks_down_, blocks_across_;
    const Space space_;
};

/// The matrices of a task, whose factors and results are at equal distances along the last axis of the stack.
class ProductStack {
 public:
    explicit ProductStack(const Matmul& task)
        : task_(task), space_(batches(task)), axis_(std::max(space_.ndim - 1, 0)) {
        for (int k = 0; space_.ndim && k < 3; ++k) step_[k] = space_.strides[k][axis_];
    }

    int64_t size() const { return space_.size; }

    /// Bytes between two matrices along the last axis, by the number of the operand.
    int64_t step(int operand) const { return step_[operand]; }

    /// Calls visit(left, right, result, count) for the lines of the last axis between matrices `begin` and `end`, or
    /// the last one.
    template <class Visit>
    void each_line(int64_t begin, int64_t end, const Visit& visit) const {
        const int64_t length = space_.ndim ? space_.shape[axis_] : 1;
        end = std::min(end, space_.size);
        for (int64_t count; begin < end; begin += count) {
            const OuterWalk outer(space_, axis_, begin / length);
            const int64_t first = begin % length;
            count = std::min(end - begin, length - first);
            visit(task_.left.data() + outer.offset(kLeft) + first * step_[kLeft],
                  task_.right.data() + outer.offset(kRight) + first * step_[kRight],
                  task_.result.data() + outer.offset(kResult) + first * step_[kResult], count);
        }
    }

    /// Calls visit(left, right, result) for matrices `begin` to `end`, or to the last one.
    template <class Visit>
    void each(int64_t begin, int64_t end, const Visit& visit) const {
        each_line(begin, end, [&](const char* left, const char* right, char* result, int64_t count) {
            for (int64_t k = 0; k < count; ++k) {
                visit(left, right, result);
                left += step_[kLeft], right += step_[kRight], result += step_[kResult];
            }
        });
    }

 private:
    const Matmul& task_;
    const Space space_;
    const int axis_;
    int64_t step_[3] = {};
};

/// The loop for products with so few columns and so little depth that a library's call, or packing, costs more than
/// they do. Null for others.
MatmulLoops::NarrowProduct narrow_loop(const LoopLibrary& library, DType dtype, int64_t depth, int64_t columns) {
    const bool is_narrow = columns <= MatmulLoops::kFewColumns && depth <= kNarrowDepth;
    return is_narrow ? library.matmul[int(dtype)].narrow[columns] : nullptr;
}

/// The right factors of narrow products, as their loop takes them.
class NarrowFactor {
 public:
    NarrowFactor(const LoopLibrary& library, DType dtype, int64_t depth, int64_t columns)
        : copy_(library.copy[__builtin_ctzll(uint64_t(item_size(dtype)))]),
          item_(item_size(dtype)),
          depth_(depth),
          columns_(columns),
          width_(int64_t(std::bit_ceil(uint64_t(columns)))) {}

    /// In place, or copied to rows of the loop's width.
    const char* operator()(const char* from, int64_t row, int64_t column) {
        const bool fits = width_ == columns_ && column == item_ && (row == columns_ * item_ || depth_ == 1) &&
                          reinterpret_cast<uintptr_t>(from) % uint64_t(item_) == 0;
        if (fits) return from;
        if (from != copied_) copy_(packed_, width_ * item_, item_, from, row, column, depth_, columns_);
        copied_ = from;
        return packed_;
    }

 private:
    const CopyLoop copy_;
    const int64_t item_, depth_, columns_, width_;
    const char* copied_ = nullptr;
    alignas(64) char packed_[kNarrowDepth * MatmulLoops::kFewColumns * 8] = {};
};

/// False, with nothing done, unless all products are narrow.
bool run_narrow(const LoopLibrary& library, const Matmul& task) {
    const DType dtype = task.result.dtype;
    const MatmulLoops::NarrowProduct multiply = narrow_loop(library, dtype, task.depth, task.columns);
    const MatrixStrides left(task.left), right(task.right), result(task.result);
    const int64_t item = item_size(dtype), columns = task.columns;
    if (!multiply || result.column != item || result.row != columns * item) return false;
    const ProductStack stack(task);
    const int64_t per_task = std::max<int64_t>(1, kTaskElements / (task.rows * columns * (task.depth / 8 + 1)));
    parallel_for(part_count(stack.size(), per_task), [&](int64_t i) {
        NarrowFactor factor(library, dtype, task.depth, columns);
        stack.each(i * per_task, (i + 1) * per_task, [&](const char* from, const char* other, char* to) {
            multiply(from, left.row, left.column, factor(other, right.row, right.column), to, task.rows, task.depth);
        });
    });
    return true;
}

/// The longest vectors whose products take no longer than a library's.
constexpr int64_t kShortDepth = 4096;

/// The loop for sums of products of pairs of short vectors of neighbours; null for other matrices.
template <class Of>
auto dots_loop(const LoopLibrary& library, DType dtype, const Of& of, int64_t left_step, int64_t right_step) {
    const int64_t item = item_size(dtype);
    const bool are_vectors = of.rows == 1 && of.columns == 1 && of.depth <= kShortDepth;
    const bool are_neighbours = of.depth <= 1 || (left_step == item && right_step == item);
    return are_vectors && are_neighbours ? library.matmul[int(dtype)].dots : nullptr;
}

/// False, with nothing done, unless the matrices are a stack of such pairs, and their order of additions is free, or of
/// no consequence.
bool run_dots(const LoopLibrary& library, const Matmul& task) {
    const DType dtype = task.result.dtype;
    const MatrixStrides left(task.left), right(task.right);
    const auto dots = dots_loop(library, dtype, task, left.column, right.row);
    const bool is_free = task.by_library || info(dtype).kind < Kind::Floating;
    if (!dots || !is_free) return false;
    const ProductStack stack(task);
    const int64_t per_task = std::max<int64_t>(1, 4 * kTaskElements / (task.depth + 1));
    parallel_for(part_count(stack.size(), per_task), [&](int64_t i) {
        stack.each_line(
            i * per_task, (i + 1) * per_task, [&](const char* from, const char* other, char* to, int64_t count) {
                dots(from, stack.step(kLeft), other, stack.step(kRight), to, stack.step(kResult), count, task.depth);
            });
    });
    return true;
}

/// Products of at most so many multiply-adds are computed by one thread of a BLAS.
constexpr int64_t kOneThread = 64 * 64 * 64, kOneThreadVector = 8192;

/// False, with nothing done, if there is no library or it does not take the matrices.
bool run_by_library(const LoopLibrary& library, const Matmul& task) {
    const Blas* const blas = Blas::has(task.result.dtype) ? Blas::find() : nullptr;
    const MatrixStrides left(task.left), right(task.right), result(task.result);
    const int64_t item = item_size(task.result.dtype);
    if (!blas || task.depth == 0 || result.column != item || result.row != task.columns * item) return false;
    const ProductStack stack(task);
    const auto multiply = [&](const char* from, const char* other, char* to) {
        return blas->multiply(library, {task.result.dtype,
                                        task.rows,
                                        task.depth,
                                        task.columns,
                                        {from, left.row, left.column},
                                        {other, right.row, right.column},
                                        to});
    };
    bool is_taken = true;
    stack.each(0, 1, [&](const char* from, const char* other, char* to) { is_taken = multiply(from, other, to); });
    if (!is_taken) return false;
    const int64_t work = task.rows * task.depth * task.columns, rest = stack.size() - 1;
    const int64_t most = task.rows == 1 || task.columns == 1 ? kOneThreadVector : kOneThread;
    const int64_t per_task = work > most ? stack.size() : std::max<int64_t>(1, kOneThread / work);
    parallel_for(part_count(rest, per_task),
                 [&](int64_t i) { stack.each(1 + i * per_task, 1 + (i + 1) * per_task, multiply); });
    return true;
}

}  // namespace

bool multiply(const LoopLibrary& library, const MatrixProduct& product) {
    const DefaultFloatMode mode;
    const int64_t depth = product.depth, columns = product.columns;
    if (const MatmulLoops::NarrowProduct loop = narrow_loop(library, product.dtype, depth, columns)) {
        NarrowFactor factor(library, product.dtype, depth, columns);
        if (product.conjugates_left) return false;
        loop(product.left.data, product.left.row, product.left.column,
             factor(product.right.data, product.right.row, product.right.column), product.result, product.rows, depth);
        return true;
    }
    if (const auto dots = dots_loop(library, product.dtype, product, product.left.column, product.right.row)) {
        if (product.conjugates_left) return false;
        dots(product.left.data, 0, product.right.data, 0, product.result, 0, 1, depth);
        return true;
    }
    const Blas* const blas = Blas::has(product.dtype) ? Blas::find() : nullptr;
    return blas && blas->multiply(library, product);
}

void run(const LoopLibrary& library, const Matmul& task) {
    if (task.rows == 0 || task.columns == 0 || count(task.batch) == 0) return;
    if (run_narrow(library, task) || run_dots(library, task)) return;
    if (!task.by_library || !run_by_library(library, task)) MatmulRun(library, task)();
}

}  // namespace cuarray::host
