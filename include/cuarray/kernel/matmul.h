// matmul.h -- matrix products: the arithmetic and the summation order, which is the same on every device.
//
// Element (i, j) is the sum over k of left[i, k] * right[k, j]. k is cut into panels of kPanel: the products of a panel
// are summed by a left fold from zero, and so are the panels' sums. Halves are summed in f32, small integers in 32
// bits, and the result is rounded or wrapped once at the end; bool is "or" of "and". Backends may tile (i, j) freely,
// which does not change any bit.
#pragma once
#include "cuarray/kernel/index.h"
#include "cuarray/kernel/math_complex.h"

namespace cuarray::kernel {

constexpr int kPanel = 256;

/// A thread block computes kMatrixTile x kMatrixTile elements.
constexpr int kMatrixTile = 64;

/// A stack of matrices; strides in bytes.
struct MatrixOperand {
    char* data;
    i64 row, column, batch[kMaxAxes];
};

/// The parameters of the device kernel for large results.
struct MatmulParameters {
    u64 rows, depth, columns, tiles_down, tiles_across;
    u32 axes;
    i64 extents[kMaxAxes];
    MatrixOperand left, right, result;
};

/// The parameters of the device kernel for results of at most a block's elements. Threads `columns` x `apart` compute
/// one, of rows that are `apart` from each other; a block computes `matrices`.
struct SmallMatmulParameters {
    u64 stack, depth;
    Extent32 columns, threads;
    u32 rows, apart, matrices, axes;
    i64 extents[kMaxAxes];
    MatrixOperand left, right, result;
};

/// The rounded product of numbers (see math_complex.h); g++ does not contract products of vectors.
template <class X, class Y>
CUARRAY_FN auto rounded_product(X x, Y y) {
    if constexpr (is_same<X, Y>)
        return product(x, y);
    else
        return x * y;
}

/// The numbers in which elements of T are multiplied and summed: one, or the two parts of a complex number. Sums and
/// right factors may be vectors of numbers.
template <class T>
struct Products {
    static constexpr int parts = is_complex<T> ? 2 : 1;
    using exact = choose_t<is_same<T, bool>, u8, choose_t<sizeof(T) == 8, u64, u32>>;
    using number = choose_t<is_half<T>, f32, choose_t<is_float<T> || is_complex<T>, real_t<T>, exact>>;
    static CUARRAY_FN void take(stored_t<T> from, number (&to)[parts]) {
        if constexpr (is_complex<T>)
            to[0] = from.re, to[1] = from.im;
        else
            to[0] = number(widen(load<T>(from)));
    }
    template <class Left, class Right>
    static CUARRAY_FN void accumulate(Right (&sum)[parts], const Left (&x)[parts], const Right (&y)[parts]) {
        if constexpr (is_complex<T>) {
            sum[0] += rounded_product(x[0], y[0]) - rounded_product(x[1], y[1]);
            sum[1] += rounded_product(x[0], y[1]) + rounded_product(x[1], y[0]);
        } else if constexpr (is_same<T, bool>) {
            sum[0] |= x[0] & y[0];
        } else {
            sum[0] += x[0] * y[0];
        }
    }
    template <class Sum>
    static CUARRAY_FN void add(Sum (&sum)[parts], const Sum (&panel)[parts]) {
        for (int part = 0; part < parts; ++part)
            if constexpr (is_same<T, bool>)
                sum[part] |= panel[part];
            else
                sum[part] += panel[part];
    }
    static CUARRAY_FN stored_t<T> give(const number (&sum)[parts]) {
        if constexpr (is_complex<T>)
            return {sum[0], sum[1]};
        else if constexpr (is_half<T>)
            return round_to_half<T>(sum[0]);
        else
            return stored_t<T>(sum[0]);
    }
};

}  // namespace cuarray::kernel
