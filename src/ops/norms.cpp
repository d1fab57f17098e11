// norms.cpp -- norms of vectors and matrices: reductions, fused with what they reduce, or singular values.
#include <cmath>
#include <optional>
#include <utility>
#include "cuarray/array/elements.h"
#include "cuarray/array/pending.h"
#include "cuarray/ops/linalg.h"
#include "cuarray/ops/matmul.h"
#include "cuarray/ops/reduction.h"
#include "cuarray/ops/shaping.h"
#include "ops/singular_values.h"

namespace cuarray::linalg {
namespace {

using Order = NormOrder::Kind;

/// The array, or as float64; `keep` holds what is converted.
const Array& as_inexact(const Array& x, Array& keep) {
    if (info(x.dtype()).kind >= Kind::Floating) return x;
    return keep = astype(x, DType::float64, 'K', false);
}

/// An array in the type of the computation.
const Array& in_work_type(const Array& x, Array& keep) {
    if (item_size(x.dtype()) >= 4) return x;
    return keep = astype(x, DType::float32, 'K', false);
}

/// Norms in the real type of the array.
Array as_result(Array&& result, const Array& x) {
    const DType real = real_part(x.dtype());
    return result.dtype() == real ? std::move(result) : astype(result, real, 'K', false);
}

/// One of the two numbers of complex elements.
Array complex_part(const Array& x, bool imaginary) {
    return x.view(x.layout(), imaginary ? item_size(x.dtype()) / 2 : 0, real_part(x.dtype()));
}

Weak float_number(double value) {
    Weak number;
    number.kind = Weak::Kind::Float;
    number.real = value;
    return number;
}

/// Fuses what follows for many elements; of few on the host each operation takes less time than to defer it.
class FusedIfMany {
 public:
    explicit FusedIfMany(const Array& x) {
        if (x.is_pending() || !is_host_accessible(x) || x.size() > 1024) fused_.emplace();
    }

 private:
    static bool is_host_accessible(const Array& x) { return x.storage().front().is_host_accessible(); }
    std::optional<Deferral> fused_;
};

ReduceOptions options_of(const Dims& axes, bool keepdims, const char* name) {
    ReduceOptions options;
    options.all_axes = false, options.axes = axes;
    options.keepdims = keepdims, options.name = name;
    return options;
}

/// The largest of numbers that are not negative; 0 of none.
Array largest_magnitude(const Array& x, ReduceOptions options) {
    const Scalar zero = convert(Scalar::of(DType::float64, 0.0), x.dtype());
    const Argument initial = zero;
    if (x.is_empty()) options.initial = &initial;
    return reduce(reduction::max, x, options);
}

Array smallest(const Array& x, const ReduceOptions& options) {
    bool has_none = false;
    for (const int64_t axis : options.axes) has_none |= x.shape()[int(axis)] == 0;
    if (has_none)
        raise(ErrorKind::Value, options.name, ": there is no smallest of no elements, in an array of shape ",
              to_string(x.shape()));
    return reduce(reduction::min, x, options);
}

/// The square root of the sum of the squares of all elements.
Array length_of_all(const Array& x, bool keepdims) {
    Array keep;
    const Array all = ravel(x, 'K');
    Array flat = in_work_type(all, keep);
    if (info(flat.dtype()).kind == Kind::Complex) {
        if (!flat.is_c_contiguous()) flat = copy(flat, 'C');
        const int64_t half = item_size(real_part(flat.dtype()));
        flat = flat.view({{2 * flat.size()}, {half}}, 0, real_part(flat.dtype()));
    }
    const Array length = as_result(apply_row(row::sqrt, matmul(flat, flat)), x);
    return keepdims ? length.reshape(Dims::filled(x.ndim(), 1)) : length;
}

Array sums_of_squares(const Array& x, const ReduceOptions& options) {
    if (info(x.dtype()).kind != Kind::Complex) {
        ReduceOptions typed = options;
        typed.dtype = x.dtype();
        if (!x.is_pending()) return sums_of_products(x, x, typed);
        const Deferral fused;
        return reduce(reduction::sum, apply_row(row::multiply, x, x), options);
    }
    const Deferral fused;
    const Array real = complex_part(x, false), imaginary = complex_part(x, true);
    return reduce(
        reduction::sum,
        apply_row(row::add, apply_row(row::multiply, real, real), apply_row(row::multiply, imaginary, imaginary)),
        options);
}

[[noreturn]] void refuse_order(const NormOrder& order, const char* what, const char* name) {
    if (order.kind == Order::NoNumber) raise(ErrorKind::Type, name, ": the order must be a number, not ", order.text);
    raise(ErrorKind::Value, name, ": ", what, " have no norm of order ",
          order.kind == Order::Word ? "'" + order.text + "'" : order.text);
}

/// Norms of the vectors along axes.
Array vector_norms(const Array& x, const NormOrder& order, const ReduceOptions& options) {
    if (order.kind == Order::Word) refuse_order(order, "vectors", options.name);
    if (order.kind > Order::Word)
        raise(ErrorKind::Type, options.name, ": the order must be a number, not ", order.text);
    const double p = order.kind == Order::Default ? 2 : order.number;
    Array keep;
    if (p == 0) {
        const Scalar zero = convert(Scalar::of(DType::float64, 0.0), x.dtype());
        ReduceOptions counted = options;
        counted.dtype = real_part(in_work_type(x, keep).dtype());
        return as_result(reduce(reduction::sum, apply_row(row::not_equal, x, zero), counted), x);
    }
    if (p == HUGE_VAL) return as_result(largest_magnitude(apply_row(row::abs, x), options), x);
    if (p == -HUGE_VAL) return as_result(smallest(apply_row(row::abs, x), options), x);
    if (p == 2) return as_result(apply_row(row::sqrt, sums_of_squares(in_work_type(x, keep), options)), x);
    Array total;
    {
        const FusedIfMany fused(x);
        const Array sizes = apply_row(row::abs, in_work_type(x, keep));
        const Weak exponent = float_number(p);
        total = reduce(reduction::sum, p == 1 ? sizes : apply_row(row::pow, sizes, exponent), options);
    }
    const Weak root = float_number(1 / p);
    return as_result(p == 1 ? std::move(total) : apply_row(row::pow, total, root), x);
}

/// Norms of matrices in two axes, which are different and not negative.
Array norms_of_last(const Array& x, const NormOrder& order, const char* name) {
    const int row = x.ndim() - 2, column = x.ndim() - 1;
    const ReduceOptions last = options_of({row}, false, name);  // one axis is gone by then
    Array keep;
    if (order.kind == Order::Default || (order.kind == Order::Word && (order.text == "fro" || order.text == "f")))
        return apply_row(row::sqrt, sums_of_squares(in_work_type(x, keep), options_of({row, column}, false, name)));
    const bool is_nuclear = order.kind == Order::Word && order.text == "nuc";
    const double size = std::fabs(order.number);
    if (is_nuclear || (order.kind == Order::Number && size == 2)) {
        const Array values = singular_values(x, false, name);
        return is_nuclear         ? reduce(reduction::sum, values, last)
               : order.number > 0 ? largest_magnitude(values, last)
                                  : smallest(values, last);
    }
    if (order.kind != Order::Number || (size != 1 && size != HUGE_VAL)) refuse_order(order, "matrices", name);
    Array sums;
    {
        const FusedIfMany fused(x);
        sums = reduce(reduction::sum, apply_row(row::abs, in_work_type(x, keep)),
                      options_of({size == 1 ? row : column}, false, name));
    }
    return order.number > 0 ? largest_magnitude(sums, last) : smallest(sums, last);
}

Array matrix_norms(const Array& x, const NormOrder& order, int64_t first, int64_t second, bool keepdims,
                   const char* name) {
    const int row = normalise_axis(first, x.ndim(), name), column = normalise_axis(second, x.ndim(), name);
    if (row == column) raise(ErrorKind::Value, name, ": the axis ", row, " is given twice");
    const bool are_last = row == x.ndim() - 2 && column == x.ndim() - 1;
    const Array result =
        as_result(norms_of_last(are_last ? x : moveaxis(x, Dims{row, column}, Dims{-2, -1}), order, name), x);
    return keepdims ? expand_dims(result, {row, column}) : result;
}

bool is_length(const NormOrder& order) {
    return order.kind == Order::Default || (order.kind == Order::Number && order.number == 2);
}

}  // namespace

Array norm(const Array& x, const NormOrder& ord, const OptionalAxes& axis, bool keepdims) {
    Array keep;
    const Array& numbers = as_inexact(x, keep);
    const int axes = axis ? axis->size() : x.ndim();
    const bool is_word = ord.kind == Order::Word && (ord.text == "fro" || ord.text == "f");
    if (!axis && (ord.kind == Order::Default || (axes == 2 && is_word) || (axes == 1 && is_length(ord))))
        return length_of_all(numbers, keepdims);
    if (axes == 1)
        return vector_norms(numbers, ord,
                            options_of({normalise_axis(axis ? (*axis)[0] : 0, x.ndim(), "norm")}, keepdims, "norm"));
    if (axes != 2) raise(ErrorKind::Value, "norm: a vector has one axis and a matrix two, not ", axes);
    return matrix_norms(numbers, ord, axis ? (*axis)[0] : 0, axis ? (*axis)[1] : 1, keepdims, "norm");
}

Array vector_norm(const Array& x, const OptionalAxes& axis, bool keepdims, const NormOrder& ord) {
    Array keep;
    const Array& numbers = as_inexact(x, keep);
    if (!axis && is_length(ord)) return length_of_all(numbers, keepdims);
    Dims axes;
    for (int d = 0; !axis && d < x.ndim(); ++d) axes.push_back(d);
    if (axis) axes = normalise_axes(*axis, x.ndim(), "vector_norm");
    return vector_norms(numbers, ord, options_of(axes, keepdims, "vector_norm"));
}

Array matrix_norm(const Array& x, bool keepdims, const NormOrder& ord) {
    Array keep;
    return matrix_norms(as_inexact(x, keep), ord, -2, -1, keepdims, "matrix_norm");
}

}  // namespace cuarray::linalg
