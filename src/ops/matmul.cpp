// matmul.cpp -- plans a matrix product: as a Matmul task, or as a reduction of products where there is one row or
// column and no library.
#include "cuarray/ops/matmul.h"

#include <cstring>

#include "cuarray/array/pending.h"
#include "cuarray/kernel/index.h"
#include "cuarray/ops/reduction.h"
#include "cuarray/runtime/registry.h"
#include "ops/packed.h"

namespace cuarray {
namespace {

constexpr const char* kMatmul = "matmul";

thread_local int deterministic_scopes = 0;

/// The shape before the last two axes.
Dims batch_of(const Array& array) {
    Dims batch;
    for (int d = 0; d + 2 < array.ndim(); ++d) batch.push_back(array.shape()[d]);
    return batch;
}

Dims broadcast_batches(const Array& left, const Array& right) {
    const Dims x = batch_of(left), y = batch_of(right);
    const Dims* const batches[] = {&x, &y};
    return broadcast(batches, kMatmul);
}

Dims with(Dims batch, int64_t rows, int64_t columns) {
    batch.push_back(rows);
    batch.push_back(columns);
    return batch;
}

Array turned(const Array& array) {
    Dims axes;
    for (int d = 0; d < array.ndim(); ++d) axes.push_back(d);
    std::swap(axes[axes.size() - 1], axes[axes.size() - 2]);
    return array.transpose(axes);
}

/// The products of a row with columns, or of rows with a column, fused into their sum. The factors broadcast against
/// each other; `axis`, counted from the end, is the axis of the sum.
Array fold(const Array& left, const Array& right, DType dtype, int64_t axis) {
    const bool half = info(dtype).kind == Kind::Floating && item_size(dtype) == 2;
    const DType work = half ? DType::float32 : dtype;
    ReduceOptions options;
    options.all_axes = false;
    options.axes = {axis};
    options.keepdims = true;
    options.dtype = work;
    Array sums;
    {
        const Deferral fused;
        const Array x = astype(left, work, 'K', false), y = astype(right, work, 'K', false);
        const Argument factors[] = {x, y};
        sums = reduce(dtype == DType::bool_ ? reduction::any : reduction::sum, call(row::multiply, factors).array[0],
                      options);
    }
    return astype(sums, dtype, 'K', false);
}

/// The elements of one axis that lie `step` bytes apart, in place or copied to `room`.
const char* line_of(const char* from, int64_t step, int64_t n, int64_t item, char* room) {
    if (step == item) return from;
    for (int64_t i = 0; i < n; ++i) std::memcpy(room + i * item, from + i * step, size_t(item));
    return room;
}

/// Products of so many multiply-adds are computed without a task.
constexpr int64_t kFewProducts = 64 * 64 * 64;

/// The product of vectors and matrices of one dtype, computed on the host at once.
class FewProducts {
 public:
    FewProducts(const Array& left, const Array& right)
        : left_(left),
          right_(right),
          rows_(left.ndim() == 2 ? left.shape()[0] : 1),
          depth_(left.shape()[left.ndim() - 1]),
          columns_(right.ndim() == 2 ? right.shape()[1] : 1) {}

    /// An empty handle where that is a matter of tasks, or of conversions.
    Array operator()() const {
        if (right_.shape()[0] != depth_ || left_.is_empty() || right_.is_empty() || is_deferring()) return {};
        if (rows_ * depth_ * columns_ > kFewProducts) return {};
        const bool is_sum = rows_ == 1 && columns_ == 1;
        if (deterministic_scopes == 0 && !is_sum)
            if (Array product = by_library()) return product;
        return right_.ndim() == 1  ? by_folds(left_, left_.ndim() - 1, right_)
               : left_.ndim() == 1 ? by_folds(right_, 0, left_)
                                   : Array();
    }

 private:
    Array new_result() const {
        Dims shape;
        if (left_.ndim() == 2) shape.push_back(rows_);
        if (right_.ndim() == 2) shape.push_back(columns_);
        return empty(shape, left_.dtype(), left_.device());
    }

    Array by_library() const {
        const char* const left = direct_data(left_);
        const char* const right = left ? direct_data(right_) : nullptr;
        if (!right) return {};
        Array result = new_result();
        char* const to = direct_data(result);
        DirectLoops* const loops = left_.storage().front().direct();
        const Dims &x = left_.strides(), &y = right_.strides();
        const bool is_done = to && loops &&
                             loops->multiply({left_.dtype(),
                                              rows_,
                                              depth_,
                                              columns_,
                                              {left, left_.ndim() == 2 ? x[0] : 0, x[left_.ndim() - 1]},
                                              {right, y[0], right_.ndim() == 2 ? y[1] : 0},
                                              to});
        return is_done ? result : Array();
    }

    /// The sums of the products of each line of a matrix with a vector, each in the order of `fold`.
    Array by_folds(const Array& matrix, int line_axis, const Array& vector) const {
        const DType dtype = matrix.dtype();
        const int64_t item = item_size(dtype);
        const bool is_wide = item >= 4 && reduction_dtype(reduction::sum, dtype) == dtype;
        // Columns are gathered one by one: for larger matrices a task folds them side by side.
        const bool are_gathered = matrix.ndim() == 2 && line_axis == 0;
        if (!is_wide || matrix.size() > (are_gathered ? 256 : 16384) || vector.nbytes() > kFewBytes) return {};
        const char* from = direct_data(matrix);
        const char* const other = from ? direct_data(vector) : nullptr;
        if (!other || !is_aligned(matrix) || !is_aligned(vector)) return {};
        const int64_t step = matrix.strides()[line_axis],
                      apart = matrix.ndim() == 2 ? matrix.strides()[1 - line_axis] : 0;
        Array result = new_result();
        char* to = direct_data(result);
        DirectLoops* const loops = matrix.storage().front().direct();
        if (!to || !loops) return {};
        alignas(64) char rooms[3][kFewBytes];
        const LoopId multiply = loop_for(row::multiply, dtype);
        const void* factors[kMaxIn] = {nullptr, line_of(other, vector.strides()[0], depth_, item, rooms[1])};
        void* const products[kMaxOut] = {rooms[2]};
        for (int64_t i = 0; i < result.size(); ++i, from += apart, to += item) {
            factors[0] = line_of(from, step, depth_, item, rooms[0]);
            loops->run(multiply, factors, products, depth_);
            loops->reduce(reduction::sum, dtype, rooms[2], depth_, to);
        }
        return result;
    }

    const Array &left_, &right_;
    const int64_t rows_, depth_, columns_;
};

/// Multiplies matrices of one dtype, whose batches broadcast.
Array multiply(Array left, Array right, bool by_library) {
    const int64_t rows = left.shape()[left.ndim() - 2], depth = left.shape()[left.ndim() - 1];
    const int64_t columns = right.shape()[right.ndim() - 1];
    const Dims batch = broadcast_batches(left, right);
    const Dims shape = with(batch, rows, columns);
    left = left.broadcast_to(with(batch, rows, depth), kMatmul);
    right = right.broadcast_to(with(batch, depth, columns), kMatmul);
    if (batch.size() > kernel::kMaxAxes) {
        // More batch axes than a kernel takes: flatten them into one.
        const Dims flat{count(batch)};
        return multiply(left.reshape(with(flat, rows, depth)), right.reshape(with(flat, depth, columns)), by_library)
            .reshape(shape);
    }
    const Array result = empty(shape, left.dtype(), left.device());
    if (result.is_empty()) return result;
    result.storage().front().run(Matmul{batch, rows, depth, columns, left.as_operand(left.shape(), kMatmul),
                                        right.as_operand(right.shape(), kMatmul), result.as_operand(shape, kMatmul),
                                        by_library, kMatmul});
    return result;
}

/// Whether our own reduction of products is faster than a library: for sums of products, and for many small vectors.
bool is_better_folded(const Array& x, const Array& y, int64_t rows, int64_t depth, int64_t columns) {
    if (rows == 1 && columns == 1) return true;
    const bool is_stack = x.ndim() > 2 || y.ndim() > 2;
    return (rows == 1 || columns == 1) && is_stack && rows * depth * columns <= 256;
}

}  // namespace

void Deterministic::begin() { ++deterministic_scopes; }
void Deterministic::end() { --deterministic_scopes; }

Array matmul(const Array& left, const Array& right, DType dtype) {
    if (left.ndim() == 0 || right.ndim() == 0)
        raise(ErrorKind::Value, kMatmul, ": argument ", left.ndim() == 0 ? 1 : 2,
              " is 0-dimensional; write x * y for products of elements");
    if (!(left.device() == right.device()))
        raise(ErrorKind::Value, kMatmul, ": arrays on ", to_string(left.device()), " and ", to_string(right.device()),
              "; move one with .to_device(...)");
    if (dtype == DType::none) dtype = promote(left.dtype(), right.dtype());
    if (dtype == left.dtype() && dtype == right.dtype() && left.ndim() <= 2 && right.ndim() <= 2)
        if (Array few = FewProducts(left, right)()) return few;
    const bool row = left.ndim() == 1, column = right.ndim() == 1;
    const Array x = row ? left.reshape({1, left.shape()[0]}) : left;
    const Array y = column ? right.reshape({right.shape()[0], 1}) : right;
    const int64_t depth = x.shape()[x.ndim() - 1];
    if (y.shape()[y.ndim() - 2] != depth)
        raise(ErrorKind::Value, kMatmul, ": shapes ", to_string(left.shape()), " and ", to_string(right.shape()),
              " do not go together: the rows of the first have ", depth, " elements, the columns of the second ",
              y.shape()[y.ndim() - 2]);

    broadcast_batches(x, y);

    const int64_t rows = x.shape()[x.ndim() - 2], columns = y.shape()[y.ndim() - 1];
    const bool by_library = deterministic_scopes == 0 && backend(left.device()).front().multiplies_by_library(dtype);
    const bool is_fold = by_library ? is_better_folded(x, y, rows, depth, columns) : rows == 1 || columns == 1;
    Array result;
    if (is_fold && rows == 1)
        result = fold(turned(x), y, dtype, -2);
    else if (is_fold)
        result = fold(x, turned(y), dtype, -1);
    else
        result = multiply(astype(x, dtype, 'K', false), astype(y, dtype, 'K', false), by_library);
    if (!row && !column) return result;
    Dims shape;
    for (int d = 0; d < result.ndim(); ++d) {
        const bool is_row = d == result.ndim() - 2, is_column = d == result.ndim() - 1;
        if (!(row && is_row) && !(column && is_column)) shape.push_back(result.shape()[d]);
    }
    return result.reshape(shape);
}

}  // namespace cuarray
