// matmul.cpp -- plans a matrix product: as a Matmul task, or as a reduction of products where there is one row or
// column and no library.
#include "cuarray/ops/matmul.h"

#include "core/copy_run.h"
#include "cuarray/array/elements.h"
#include "cuarray/array/pending.h"
#include "cuarray/kernel/index.h"
#include "cuarray/ops/reduction.h"
#include "cuarray/runtime/registry.h"
#include "ops/packed.h"
#include "ops/sum_of_products.h"

namespace cuarray {
namespace {

constexpr const char* kMatmul = "matmul";

thread_local int deterministic_scopes = 0, tf32_scopes = 0;

/// The shape before the last two axes.
Dims batch_shape(const Array& array) {
    Dims batch;
    for (int d = 0; d + 2 < array.ndim(); ++d) batch.push_back(array.shape()[d]);
    return batch;
}

Dims broadcast_batches(const Array& left, const Array& right) {
    const Dims x = batch_shape(left), y = batch_shape(right);
    const Dims* const batches[] = {&x, &y};
    try {
        return broadcast(batches, kMatmul);
    } catch (const Error&) {
        raise(ErrorKind::Value, kMatmul, ": the stacks of shapes ", to_string(left.shape()), " and ",
              to_string(right.shape()), " cannot be broadcast together: ", to_string(x), " and ", to_string(y),
              " matrices");
    }
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

/// The products of a row with columns, or of rows with a column. The factors broadcast against each other; `axis`,
/// counted from the end, is the axis of the sum.
Array fold(const Array& left, const Array& right, DType dtype, int64_t axis) {
    return sum_of_products(left, right, dtype, {axis}, true);
}

/// The elements of one axis that lie `step` bytes apart, in place or copied to `room`.
const char* line_of(const char* from, int64_t step, int64_t n, int64_t item, char* room) {
    if (step == item) return from;
    copy_runs(room, item, from, step, n, item);
    return room;
}

/// Vectors in an array: the steps in bytes along one, and from one to the next.
struct Vectors {
    const Array& array;
    int64_t step, apart;
};

/// The sums of the products of few pairs of vectors, each in the order of a reduction, into new_result(). An empty
/// handle where that is a matter of tasks, or of conversions.
template <class NewResult>
Array fold_few(const Vectors& x, const Vectors& y, int64_t depth, NewResult new_result) {
    const DType dtype = x.array.dtype();
    const int64_t item = item_size(dtype);
    const bool is_wide = item >= 4 && reduction_dtype(reduction::sum, dtype) == dtype;
    if (!is_wide || dtype != y.array.dtype() || depth == 0 || depth * item > kFewBytes) return {};
    constexpr int64_t kFewSums = 32;  // cost as much as a task
    if (x.array.size() > std::min(kFewSums * depth, int64_t(16384)) || is_deferring()) return {};
    const char* from = direct_data(x.array);
    const char* other = from ? direct_data(y.array) : nullptr;
    if (!other || !is_aligned(x.array) || !is_aligned(y.array)) return {};
    Array result = new_result();
    char* to = direct_data(result);
    DirectLoops* const loops = x.array.storage().front().direct();
    if (!to || !loops) return {};
    alignas(64) char rooms[3][kFewBytes];
    const LoopId multiply = loop_for(row::multiply, dtype);
    void* const products[kMaxOut] = {rooms[2]};
    const void* factors[kMaxIn] = {nullptr, line_of(other, y.step, depth, item, rooms[1])};
    for (int64_t i = 0; i < result.size(); ++i, from += x.apart, other += y.apart, to += item) {
        factors[0] = line_of(from, x.step, depth, item, rooms[0]);
        if (y.apart != 0) factors[1] = line_of(other, y.step, depth, item, rooms[1]);
        loops->run(multiply, factors, products, depth);
        loops->reduce(reduction::sum, dtype, rooms[2], depth, to);
    }
    return result;
}

/// Whether a library may multiply.
bool takes_library(Device device, DType dtype) {
    return deterministic_scopes == 0 && backend(device).front().multiplies_by_library(dtype);
}

/// Whether a library sums products, or the host's loop for stacks of vectors: `sums` sums of `depth` products each.
/// This must not depend on how the factors were made, nor on who observes the call: only then are fused and unfused
/// results the same.
bool sums_by_library(Device device, DType dtype, int64_t depth, int64_t sums) {
    constexpr int64_t kShort = 5, kShortComplex = 96, kFewProducts = 192;
    const bool is_complex = info(dtype).kind == Kind::Complex;
    const bool is_much = sums > 1 ? sums * depth > kFewProducts && depth >= (is_complex ? kShortComplex : kShort)
                                  : depth * item_size(dtype) > kFewBytes;
    return is_much && backend(device).front().sums_by_library() && takes_library(device, dtype);
}

/// sum(x * y) over one axis of vectors or matrices of one shape, as fold_few.
Array sum_few(const Array& x, const Array& y, int axis) {
    if (x.ndim() > 2 || x.shape() != y.shape() || x.is_empty()) return {};
    const bool is_matrix = x.ndim() == 2;
    if (sums_by_library(x.device(), x.dtype(), x.shape()[axis], is_matrix ? x.shape()[1 - axis] : 1)) return {};
    if (is_matrix && axis == 0 && x.size() > 256) return {};
    const auto vectors = [&](const Array& of) {
        return Vectors{of, of.strides()[axis], is_matrix ? of.strides()[1 - axis] : 0};
    };
    const Dims shape = is_matrix ? Dims{x.shape()[1 - axis]} : Dims();
    return fold_few(vectors(x), vectors(y), x.shape()[axis], [&] { return empty(shape, x.dtype(), x.device()); });
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
        if (is_sum ? sums_by_library(left_.device(), left_.dtype(), depth_, 1) : deterministic_scopes == 0)
            if (Array product = by_library(); product.defined()) return product;
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

    /// The sums of the products of each line of a matrix with a vector.
    Array by_folds(const Array& matrix, int line_axis, const Array& vector) const {
        // Columns are gathered one by one: for larger matrices a task folds them side by side.
        const bool are_gathered = matrix.ndim() == 2 && line_axis == 0;
        const int64_t step = matrix.strides()[line_axis],
                      apart = matrix.ndim() == 2 ? matrix.strides()[1 - line_axis] : 0;
        if (are_gathered && matrix.size() > 256) return {};
        return fold_few({matrix, step, apart}, {vector, vector.strides()[0], 0}, depth_, [&] { return new_result(); });
    }

    const Array &left_, &right_;
    const int64_t rows_, depth_, columns_;
};

/// Multiplies matrices of one dtype, whose batches broadcast.
Array multiply(Array left, Array right, bool by_library) {
    if (left.ndim() > 2 && right.ndim() == 2 && left.is_c_contiguous() && left.size() > 0) {
        // The rows of a stack times one matrix are the rows of one product.
        Dims shape = left.shape();
        const int64_t depth = shape.back();
        shape.back() = right.shape()[1];
        return multiply(left.reshape({left.size() / depth, depth}), right, by_library).reshape(shape);
    }
    const int64_t rows = left.shape()[left.ndim() - 2], depth = left.shape()[left.ndim() - 1];
    const int64_t columns = right.shape()[right.ndim() - 1];
    const Dims batch = broadcast_batches(left, right);
    const Dims shape = with(batch, rows, columns);
    if (batch.size() > 0) {
        left = left.broadcast_to(with(batch, rows, depth), kMatmul);
        right = right.broadcast_to(with(batch, depth, columns), kMatmul);
    }
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
                                        by_library, tf32_scopes > 0, kMatmul});
    return result;
}

/// Whether our own reduction of products is faster than a library: for short sums, and for many small vectors.
bool is_better_folded(const Array& x, const Array& y, DType dtype, int64_t rows, int64_t depth, int64_t columns) {
    if (rows == 1 && columns == 1)
        return !sums_by_library(x.device(), dtype, depth, std::max(x.size(), y.size()) / std::max<int64_t>(depth, 1));
    const bool is_stack = x.ndim() > 2 || y.ndim() > 2;
    return (rows == 1 || columns == 1) && is_stack && rows * depth * columns <= 32;
}

}  // namespace

void Deterministic::begin() { ++deterministic_scopes; }
void Deterministic::end() { --deterministic_scopes; }
void Tf32Products::begin() { ++tf32_scopes; }
void Tf32Products::end() { --tf32_scopes; }

Array sum_of_products(const Array& x, const Array& y, DType dtype, const Dims& axes, bool keepdims) {
    if (axes.size() == 1 && !keepdims && dtype == x.dtype())
        if (Array few = sum_few(x, y, int(axes[0])); few.defined()) return few;
    if (axes.size() == 1 && !keepdims && axes[0] == x.ndim() - 1 && dtype == x.dtype() && x.shape() == y.shape() &&
        sums_by_library(x.device(), dtype, x.shape().back(), x.size() / std::max<int64_t>(x.shape().back(), 1))) {
        Dims row = x.shape(), column = x.shape(), sums = x.shape();
        row.insert(row.size() - 1, 1);
        column.push_back(1);
        sums.resize(sums.size() - 1);
        return multiply(x.reshape(row), y.reshape(column), true).reshape(sums);
    }
    const bool is_half = info(dtype).kind == Kind::Floating && item_size(dtype) == 2;
    const DType work = is_half ? DType::float32 : dtype;
    ReduceOptions options;
    options.all_axes = false;
    options.axes = axes;
    options.keepdims = keepdims;
    options.dtype = work;
    options.name = kMatmul;
    Array sums;
    if (!x.is_pending() && !y.is_pending()) {
        sums = sums_of_products(x, y, options);
    } else {
        const Deferral fused;
        const Array left = astype(x, work, 'K', false), right = astype(y, work, 'K', false);
        sums = reduce(dtype == DType::bool_ ? reduction::any : reduction::sum, apply_row(row::multiply, left, right),
                      options);
    }
    return astype(sums, dtype, 'K', false);
}

Array matmul(const Array& left, const Array& right, DType dtype) {
    if (left.ndim() == 0 || right.ndim() == 0)
        raise(ErrorKind::Value, kMatmul, ": argument ", left.ndim() == 0 ? 1 : 2,
              " is 0-dimensional; write x * y for products of elements");
    if (!(left.device() == right.device()))
        raise(ErrorKind::Value, kMatmul, ": arrays on ", to_string(left.device()), " and ", to_string(right.device()),
              "; move one with .to_device(...)");
    if (dtype == DType::none) dtype = promote(left.dtype(), right.dtype());
    if (dtype == left.dtype() && dtype == right.dtype() && left.ndim() <= 2 && right.ndim() <= 2)
        if (Array few = FewProducts(left, right)(); few.defined()) return few;
    const bool by_library = takes_library(left.device(), dtype);
    const bool row = left.ndim() == 1, column = right.ndim() == 1;
    if (by_library && column && left.ndim() > 2 && left.is_c_contiguous() && !left.is_empty() &&
        left.shape()[left.ndim() - 1] == right.size()) {
        // The rows of a stack times a vector are the rows of one product.
        Dims shape = left.shape();
        shape.resize(shape.size() - 1);
        return matmul(left.reshape({left.size() / right.size(), right.size()}), right, dtype).reshape(shape);
    }
    if (row && column && left.shape() == right.shape() &&
        !(by_library && sums_by_library(left.device(), dtype, left.size(), false)))
        return sum_of_products(left, right, dtype, {0}, false);
    const Array x = row ? left.reshape({1, left.shape()[0]}) : left;
    const Array y = column ? right.reshape({right.shape()[0], 1}) : right;
    const int64_t depth = x.shape()[x.ndim() - 1];
    if (y.shape()[y.ndim() - 2] != depth)
        raise(ErrorKind::Value, kMatmul, ": shapes ", to_string(left.shape()), " and ", to_string(right.shape()),
              " do not go together: ", depth, " and ", y.shape()[y.ndim() - 2], " elements to multiply");
    if (x.ndim() > 2 || y.ndim() > 2) broadcast_batches(x, y);

    const int64_t rows = x.shape()[x.ndim() - 2], columns = y.shape()[y.ndim() - 1];
    const bool is_fold = by_library ? is_better_folded(x, y, dtype, rows, depth, columns) : rows == 1 || columns == 1;
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

Array conjugated_dot(const Array& left, const Array& right) {
    const DType dtype = left.dtype();
    if (info(dtype).kind != Kind::Complex) return matmul(left, right);
    if (dtype == right.dtype() && !is_deferring() && sums_by_library(left.device(), dtype, left.size(), 1)) {
        const char* const from = direct_data(left);
        const char* const other = from ? direct_data(right) : nullptr;
        Array result = other ? empty({}, dtype, left.device()) : Array();
        char* const to = result.defined() ? direct_data(result) : nullptr;
        DirectLoops* const loops = to ? left.storage().front().direct() : nullptr;
        const int64_t x = left.strides()[0], y = right.strides()[0], item = item_size(dtype);
        if (loops && loops->multiply({dtype, 1, left.size(), 1, {from, 0, x}, {other, y, item}, to, true}))
            return result;
    }
    return matmul(apply_row(row::conj, left), right);
}

}  // namespace cuarray
