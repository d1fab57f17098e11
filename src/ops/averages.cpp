// averages.cpp -- means and variances from sums: accumulation dtype, element counts, squared distances from a mean.
#include "ops/averages.h"

#include <algorithm>

#include "cuarray/array/pending.h"
#include "cuarray/ops/reduction.h"
#include "runtime/hooks.h"

namespace cuarray {
namespace {

/// The exact number of elements per result: int64 `counts` of the mask if there is one, else `all`.
Argument element_counts(const Array& array, const ReduceOptions& o, const Scalar& all, Array& counts) {
    if (!o.where) return all;
    ReduceOptions counting;
    counting.all_axes = o.all_axes, counting.axes = o.axes, counting.keepdims = o.keepdims;
    // A mask of the full shape may be pending, and is fused into the reduction if nothing else refers to it.
    const bool whole = o.where->shape() == array.shape();
    const Array spread = whole ? Array() : o.where->broadcast_to(array.shape());
    counts = reduce(reduction::count_nonzero, whole ? *o.where : spread, counting);
    return counts;
}

/// The dtype to compute averages in: 16-bit floats are summed in float32.
DType averaging_dtype(DType dtype) {
    return info(dtype).kind == Kind::Floating && item_size(dtype) == 2 ? DType::float32 : dtype;
}

/// |array - centre| squared, computed in centre's dtype. Built anew for each use: a value with a second reference is
/// written to memory instead of being fused into the reduction.
Array squared_distance(const Array& array, const Array& centre) {
    const Array away = apply_row(row::subtract, astype(array, centre.dtype(), 'K', false), centre);
    if (info(away.dtype()).kind != Kind::Complex) return apply_row(row::square, away);
    return apply_row(row::add, apply_row(row::square, apply_row(row::real, away)),
                     apply_row(row::square, apply_row(row::imag, away)));
}

Array distance(const Array& array, DType wide, const Array& from) {
    return apply_row(row::subtract, astype(array, wide, 'K', false), from);
}

/// The sums of squared distances from the mean in one pass, in a dtype in which differences of elements are as good as
/// exact: values are shifted by one of the elements, which is not far from the mean.
Array squares_of_one_pass(const Array& array, const ReducedAxes& axes, DType wide, const ReduceOptions& sums) {
    Dims strides = array.strides();
    for (const int64_t axis : axes.folded) strides[int(axis)] = 0;
    const Array first = astype(array.view({axes.kept_shape, strides}), wide, 'K', false);
    const Deferral fused;
    return reduce(reduction::dispersion, distance(array, wide, first), sums);
}

/// The same of real or complex numbers, of which both parts contribute.
Array squares_of_parts(const Array& array, const ReducedAxes& axes, DType wide, const ReduceOptions& sums) {
    const DType part = real_part(array.dtype());
    if (part == array.dtype()) return squares_of_one_pass(array, axes, wide, sums);
    const auto squares_of = [&](int64_t offset) {
        return squares_of_one_pass(array.view(array.layout(), offset, part), axes, wide, sums);
    };
    return apply_row(row::add, squares_of(0), squares_of(item_size(part)));
}

/// The sums of squared distances from a mean, in its dtype.
Array squares_about(const Array& array, const Array& mean, ReduceOptions sums) {
    sums.dtype = DType::none;
    const Deferral fused;
    return reduce(reduction::sum, squared_distance(array, mean), sums);
}

/// The dtype in which the mean of elements of `work` is as good as exact in comparison with them.
DType mean_dtype(DType work) {
    if (work == DType::float32) return DType::float64;
    return work == DType::complex64 ? DType::complex128 : work;
}

}  // namespace

Array mean_of_counted(const Array& array, const ReduceOptions& o, DType T, const ReducedAxes& axes, const char* name) {
    check_where(array, o, name);
    check_out(array, o, axes, T, name);
    ReduceOptions sums = o;
    sums.out = nullptr;
    sums.dtype = averaging_dtype(T);
    const bool asks = array.dtype() == DType::bool_ && T == DType::float64;
    if (asks) sums.dtype = DType::none;
    const Array total = reduce(asks ? reduction::count_nonzero : reduction::sum, array, sums);
    Array counts;
    const Scalar all = Scalar::of(DType::int64, axes.folds);
    const Argument n = element_counts(array, o, all, counts);
    return write_output(astype(apply_row(row::divide, total, n), T, 'K', false), o, name);
}

Array variance(const Array& array, const ReduceOptions& options, double correction, bool root,
               const Array* given_mean) {
    const char* name = root ? "std" : "var";
    DType work = options.dtype != DType::none ? options.dtype : reduction_dtype(reduction::mean, array.dtype());
    if (info(work).kind < Kind::Floating) raise(ErrorKind::Type, name, ": not supported for ", info(work).name);
    // As in NumPy: real, unless dtype= is complex.
    const DType result_dtype = options.dtype != DType::none && !options.out ? options.dtype : real_part(work);
    warn_of_lost_imaginary_part(array.dtype(), options.dtype != DType::none ? options.dtype : array.dtype());
    work = averaging_dtype(work);
    // The squares are real, but the mean is complex.
    if (info(array.dtype()).kind == Kind::Complex) work = promote(work, DType::complex64);
    const ReducedAxes axes = plan_axes(array, options, name);
    check_where(array, options, name);
    check_out(array, options, axes, result_dtype, name);

    const DType wide = mean_dtype(work);
    ReduceOptions sums;
    sums.all_axes = options.all_axes, sums.axes = options.axes, sums.where = options.where, sums.keepdims = true;
    Array counts;
    const Scalar all = Scalar::of(DType::int64, axes.folds);
    const Argument n = element_counts(array, sums, all, counts);
    Array squares;
    if (!given_mean && !options.where && wide != work && axes.folds) {
        squares = squares_of_parts(array, axes, real_part(wide), sums);
    } else {
        Array mean;
        if (given_mean) {
            broadcast_strides(given_mean->layout(), array.shape(), name);
            mean = astype(*given_mean, work, 'K', false);
        } else {
            sums.dtype = wide;
            mean = apply_row(row::divide, reduce(reduction::sum, array, sums), n);
        }
        squares = squares_about(array, mean, sums);
    }
    const Scalar zero = Scalar::of(DType::float64, 0.0);
    const Scalar lost = Scalar::of(DType::float64, correction);
    const double alone = std::max(double(axes.folds) - correction, 0.0);
    Array result = options.where ? apply_row(row::divide, squares,
                                             apply_row(row::maximum, apply_row(row::subtract, counts, lost), zero))
                                 : apply_row(row::divide, squares, Scalar::of(DType::float64, alone));
    if (root) result = apply_row(row::sqrt, result);
    result = result.reshape(axes.result_shape);
    if (!options.out) return astype(result, result_dtype, 'K', false);
    assign(*options.out, result, name);
    return *options.out;
}

}  // namespace cuarray
