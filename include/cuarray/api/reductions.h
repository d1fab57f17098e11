// reductions.h -- every public row of reductions.def as a function.
#pragma once
#include "cuarray/ops/arguments.h"
#include "cuarray/ops/reduction.h"

namespace cuarray {

namespace api {

inline ReduceOptions reduce_options(const OptionalDims& axis, bool keepdims, DType dtype, const char* name) {
    ReduceOptions options;
    options.all_axes = !axis;
    if (axis) options.axes = *axis;
    options.keepdims = keepdims;
    options.dtype = dtype;
    options.name = name;
    return options;
}

}  // namespace api

// sum(x), sum(x, 0), sum(x, {0, 1}, true): as NumPy's, over all axes unless some are named; `keepdims` leaves them with
// length 1. `dtype` is that of the accumulator and the result. reduce(reduction::sum, x, options) takes the other
// keywords: where, initial, out.
#define CUARRAY_Private(name)
#define CUARRAY_Public(parameters, example) CUARRAY_REDUCTION
#define CUARRAY_Method(parameters, example) CUARRAY_REDUCTION
#define CUARRAY_REDUCTION(row_name)                                                                   \
    inline Array row_name(const Array& x, const OptionalDims& axis = {}, bool keepdims = false,       \
                          DType dtype = DType::none) {                                                \
        return reduce(reduction::row_name, x, api::reduce_options(axis, keepdims, dtype, #row_name)); \
    }
#define REDUCTION(name, ufunc, domain, flags, python, ...) CUARRAY_##python(name)
#include "cuarray/reductions.def"
#undef CUARRAY_Private
#undef CUARRAY_Public
#undef CUARRAY_Method
#undef CUARRAY_REDUCTION

/// The difference of the largest and the smallest element.
inline Array ptp(const Array& x, const OptionalDims& axis = {}, bool keepdims = false) {
    return reduce(reduction::ptp, x, api::reduce_options(axis, keepdims, DType::none, "ptp"));
}

/// The mean of the squared distances from the mean, with divisor n - correction; its square root, which is NumPy's std.
inline Array var(const Array& x, const OptionalDims& axis = {}, double correction = 0, bool keepdims = false) {
    return variance(x, api::reduce_options(axis, keepdims, DType::none, "var"), correction, false);
}
inline Array stddev(const Array& x, const OptionalDims& axis = {}, double correction = 0, bool keepdims = false) {
    return variance(x, api::reduce_options(axis, keepdims, DType::none, "std"), correction, true);
}

namespace api {

/// `fold(options)`, where the mask of the options leaves NaN out.
template <class Fold>
Array fold_numbers(const Array& x, ReduceOptions options, Fold fold) {
    if (info(x.dtype()).kind < Kind::Floating) return fold(options);
    const Array numbers = apply_row(row::equal, x, x);
    options.where = &numbers;
    return fold(options);
}

}  // namespace api

// The same of the elements that are not NaN. Of none the extremes are NaN, the sum is 0 and the product 1.
inline Array nansum(const Array& x, const OptionalDims& axis = {}, bool keepdims = false, DType dtype = DType::none) {
    return api::fold_numbers(x, api::reduce_options(axis, keepdims, dtype, "nansum"),
                             [&](const ReduceOptions& options) { return reduce(reduction::sum, x, options); });
}
inline Array nanprod(const Array& x, const OptionalDims& axis = {}, bool keepdims = false, DType dtype = DType::none) {
    return api::fold_numbers(x, api::reduce_options(axis, keepdims, dtype, "nanprod"),
                             [&](const ReduceOptions& options) { return reduce(reduction::prod, x, options); });
}
inline Array nanmean(const Array& x, const OptionalDims& axis = {}, bool keepdims = false, DType dtype = DType::none) {
    return api::fold_numbers(x, api::reduce_options(axis, keepdims, dtype, "nanmean"),
                             [&](const ReduceOptions& options) { return reduce(reduction::mean, x, options); });
}
inline Array nanmax(const Array& x, const OptionalDims& axis = {}, bool keepdims = false) {
    return reduce(reduction::fmax, x, api::reduce_options(axis, keepdims, DType::none, "nanmax"));
}
inline Array nanmin(const Array& x, const OptionalDims& axis = {}, bool keepdims = false) {
    return reduce(reduction::fmin, x, api::reduce_options(axis, keepdims, DType::none, "nanmin"));
}
inline Array nanvar(const Array& x, const OptionalDims& axis = {}, double correction = 0, bool keepdims = false) {
    return api::fold_numbers(x, api::reduce_options(axis, keepdims, DType::none, "nanvar"),
                             [&](const ReduceOptions& options) { return variance(x, options, correction, false); });
}
inline Array nanstd(const Array& x, const OptionalDims& axis = {}, double correction = 0, bool keepdims = false) {
    return api::fold_numbers(x, api::reduce_options(axis, keepdims, DType::none, "nanstd"),
                             [&](const ReduceOptions& options) { return variance(x, options, correction, true); });
}

}  // namespace cuarray
