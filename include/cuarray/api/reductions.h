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

/// The mean of the squared distances from the mean, with divisor n - correction; its square root, which is NumPy's std.
inline Array var(const Array& x, const OptionalDims& axis = {}, double correction = 0, bool keepdims = false) {
    return variance(x, api::reduce_options(axis, keepdims, DType::none, "var"), correction, false);
}
inline Array stddev(const Array& x, const OptionalDims& axis = {}, double correction = 0, bool keepdims = false) {
    return variance(x, api::reduce_options(axis, keepdims, DType::none, "std"), correction, true);
}

}  // namespace cuarray
