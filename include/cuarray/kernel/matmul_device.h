// matmul_device.h -- the device kernels of matrix products: register tiles of the result, shared slices of the factors;
// one thread per element of small results.
#pragma once
#include "cuarray/kernel/elementwise.h"
#include "cuarray/kernel/matmul.h"

namespace cuarray::kernel {

/// Each thread computes kOwn x kOwn elements of the block's tile, from kSlice left columns and right rows at a time.
constexpr int kSlice = 16, kOwn = 4;

/// The element, or zero outside the matrix.
template <class T>
CUARRAY_FN void take_inside(const MatrixOperand& from, u64 i, u64 j, bool inside,
                            typename Products<T>::number (&to)[Products<T>::parts]) {
    for (int part = 0; part < Products<T>::parts; ++part) to[part] = 0;
    if (inside)
        Products<T>::take(*reinterpret_cast<const stored_t<T>*>(from.data + i64(i) * from.row + i64(j) * from.column),
                          to);
}

template <class T>
CUARRAY_FN void matmul(const MatmulParameters& p) {
    using P = Products<T>;
    using number = typename P::number;
    __shared__ number lefts[kSlice][P::parts][kMatrixTile + 1];
    __shared__ number rights[kSlice][P::parts][kMatrixTile + 1];
    MatrixOperand left = p.left, right = p.right, result = p.result;
    u64 rest = blockIdx.x;
    const u64 across = rest % p.tiles_across;
    rest /= p.tiles_across;
    const u64 first_row = rest % p.tiles_down * kMatrixTile, first_column = across * kMatrixTile;
    rest /= p.tiles_down;
#pragma unroll 1
    for (int d = int(p.axes) - 1; d >= 0; --d) {
        const i64 at = i64(rest % u64(p.extents[d]));
        rest /= u64(p.extents[d]);
        left.data += at * p.left.batch[d];
        right.data += at * p.right.batch[d];
        result.data += at * p.result.batch[d];
    }
    const int thread = int(threadIdx.x), down = thread / (kMatrixTile / kOwn), aside = thread % (kMatrixTile / kOwn);
    number sums[kOwn][kOwn][P::parts] = {}, panel[kOwn][kOwn][P::parts] = {};
#pragma unroll 1
    for (u64 k = 0; k < p.depth; k += kSlice) {
        __syncthreads();
#pragma unroll 1
        for (int i = thread; i < kMatrixTile * kSlice; i += int(kThreads)) {
            number x[P::parts];
            const u64 row = first_row + i / kSlice, column = first_column + i % kMatrixTile;
            const int left_depth = i % kSlice, right_depth = i / kMatrixTile;
            take_inside<T>(left, row, k + left_depth, row < p.rows && k + left_depth < p.depth, x);
            for (int part = 0; part < P::parts; ++part) lefts[left_depth][part][i / kSlice] = x[part];
            take_inside<T>(right, k + right_depth, column, column < p.columns && k + right_depth < p.depth, x);
            for (int part = 0; part < P::parts; ++part) rights[right_depth][part][i % kMatrixTile] = x[part];
        }
        __syncthreads();
#pragma unroll 1
        for (int depth = 0; depth < kSlice; ++depth) {
            number x[kOwn][P::parts], y[kOwn][P::parts];
#pragma unroll
            for (int u = 0; u < kOwn; ++u)
#pragma unroll
                for (int part = 0; part < P::parts; ++part) {
                    x[u][part] = lefts[depth][part][down + u * (kMatrixTile / kOwn)];
                    y[u][part] = rights[depth][part][aside + u * (kMatrixTile / kOwn)];
                }
#pragma unroll
            for (int u = 0; u < kOwn; ++u)
#pragma unroll
                for (int v = 0; v < kOwn; ++v) P::accumulate(panel[u][v], x[u], y[v]);
        }
        if ((k + kSlice) % kPanel != 0 && k + kSlice < p.depth) continue;
#pragma unroll
        for (int u = 0; u < kOwn; ++u)
#pragma unroll
            for (int v = 0; v < kOwn; ++v) {
                P::add(sums[u][v], panel[u][v]);
                for (int part = 0; part < P::parts; ++part) panel[u][v][part] = 0;
            }
    }
#pragma unroll
    for (int u = 0; u < kOwn; ++u)
#pragma unroll
        for (int v = 0; v < kOwn; ++v) {
            const u64 row = first_row + down + u * (kMatrixTile / kOwn),
                      column = first_column + aside + v * (kMatrixTile / kOwn);
            if (row < p.rows && column < p.columns)
                *reinterpret_cast<stored_t<T>*>(result.data + i64(row) * result.row + i64(column) * result.column) =
                    P::give(sums[u][v]);
        }
}

/// Small products: a thread computes R elements of a column, a block `matrices` results of the `stack`. The factors
/// come from memory, which the caches hold; R elements share each right one.
template <class T, int R>
CUARRAY_FN void small_matmul(const SmallMatmulParameters& p) {
    using P = Products<T>;
    const u32 matrix = p.threads.quotient(threadIdx.x), element = threadIdx.x - matrix * p.threads.size;
    const u32 i = p.columns.quotient(element), j = element - i * p.columns.size;
    u64 rest = u64(blockIdx.x) * p.matrices + matrix;
    if (matrix >= p.matrices || rest >= p.stack) return;
    const char* left = p.left.data + i64(i) * p.left.row;
    const char* right = p.right.data + i64(j) * p.right.column;
    char* result = p.result.data + i64(i) * p.result.row + i64(j) * p.result.column;
#pragma unroll 1
    for (int d = int(p.axes) - 1; d >= 0; --d) {
        const u64 outer = d ? rest / u64(p.extents[d]) : 0;
        const i64 at = i64(rest - outer * u64(p.extents[d]));
        rest = outer;
        left += at * p.left.batch[d];
        right += at * p.right.batch[d];
        result += at * p.result.batch[d];
    }
    const char* lefts[R];  // of a row that does not exist, the first one
#pragma unroll
    for (int r = 0; r < R; ++r) lefts[r] = left + (i + r * p.apart < p.rows ? i64(r * p.apart) * p.left.row : 0);
    typename P::number sums[R][P::parts] = {};
#pragma unroll 1
    for (u64 k = 0; k < p.depth; k += kPanel) {
        const int length = p.depth - k < u64(kPanel) ? int(p.depth - k) : kPanel;
        typename P::number panels[R][P::parts] = {};
#pragma unroll 4
        for (int n = 0; n < length; ++n) {
            typename P::number x[P::parts], y[P::parts];
            P::take(*reinterpret_cast<const stored_t<T>*>(right), y);
            right += p.right.row;
#pragma unroll
            for (int r = 0; r < R; ++r) {
                P::take(*reinterpret_cast<const stored_t<T>*>(lefts[r]), x);
                lefts[r] += p.left.column;
                P::accumulate(panels[r], x, y);
            }
        }
#pragma unroll
        for (int r = 0; r < R; ++r) P::add(sums[r], panels[r]);
    }
#pragma unroll
    for (int r = 0; r < R; ++r)
        if (i + r * p.apart < p.rows)
            *reinterpret_cast<stored_t<T>*>(result + i64(r * p.apart) * p.result.row) = P::give(sums[r]);
}

}  // namespace cuarray::kernel
