// triangles.cpp -- the triangles of matrices.
#include "cuarray/ops/triangles.h"

#include <algorithm>

#include "cuarray/array/pending.h"
#include "cuarray/ops/ufunc.h"

namespace cuarray {

namespace {

Array triangle(const Array& m, int64_t k, bool upper) {
    if (m.ndim() == 0) raise(ErrorKind::Value, upper ? "triu" : "tril", ": the array has no axis");
    const Array array = m.ndim() == 1 ? m.broadcast_to({m.size(), m.size()}, upper ? "triu" : "tril") : m;
    const int64_t height = array.shape()[array.ndim() - 2], width = array.shape()[array.ndim() - 1];
    auto counted = [](int64_t value) { return Scalar::of(DType::int64, value); };
    const Device device = array.device();
    // Element (i, j) is in the lower triangle when i + k >= j; all diagonals beyond a corner are equivalent.
    k = std::clamp(k, -height - 1, width + 1);
    const Array row = arange(height, counted(k), counted(k + 1), device).reshape({height, 1});
    const Array column = arange(width, counted(0), counted(1), device);
    const Deferral fused;
    const Scalar bound = counted(1);
    const Array below = upper ? apply_row(row::subtract, row, bound) : row;
    const Array kept = apply_row(upper ? row::less : row::greater_equal, below, column);
    const Scalar zero = convert(counted(0), array.dtype());
    return apply_row(row::where, kept, array, zero);
}

}  // namespace

Array tril(const Array& m, int64_t k) { return triangle(m, k, false); }
Array triu(const Array& m, int64_t k) { return triangle(m, k, true); }

}  // namespace cuarray
