// cross.cpp -- cross: products of components; of two float64 vectors by the caller.
#include "cuarray/ops/cross.h"
#include <cstring>
#include "cuarray/array/elements.h"
#include "cuarray/array/pending.h"
#include "cuarray/ops/shaping.h"
#include "cuarray/ops/ufunc.h"

namespace cuarray {
namespace {

bool read_vector(const Array& array, double (&to)[3]) {
    if (array.dtype() != DType::float64 || array.ndim() != 1 || array.size() != 3) return false;
    const char* const from = direct_data(array);
    for (int i = 0; from && i < 3; ++i) std::memcpy(to + i, from + i * array.strides()[0], sizeof *to);
    return from != nullptr;
}

bool is_only_axis(int64_t axis) { return axis == 0 || axis == -1; }

/// The result for two vectors that the host may read now; else an empty handle.
Array cross_of_two(const Array& a, const Array& b) {
    double x[3], y[3];
    if (is_deferring() || a.is_pending() || b.is_pending() || !read_vector(a, x) || !read_vector(b, y)) return {};
    Array result = empty({3}, DType::float64, a.device());
    auto* const to = reinterpret_cast<double*>(direct_data(result));
    for (int i = 0; to && i < 3; ++i) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        to[i] = x[j] * y[k] - x[k] * y[j];
    }
    return to ? result : Array();
}

/// The components of vectors along the last axis, of which the third may be missing: it is zero.
struct Components {
    std::optional<Array> of[3];

    explicit Components(const Array& vectors) {
        Layout layout = vectors.layout();
        const int64_t count = layout.shape.back(), stride = layout.strides.back();
        layout.shape.erase(vectors.ndim() - 1);
        layout.strides.erase(vectors.ndim() - 1);
        for (int64_t i = 0; i < count; ++i) of[i] = vectors.view(layout, vectors.is_empty() ? 0 : i * stride);
    }
};

/// p[i] q[j] - p[j] q[i].
Array minor_of(const Components& p, const Components& q, int i, int j) {
    const Deferral fused;
    std::optional<Array> first, second;
    if (p.of[i] && q.of[j]) first = apply_row(row::multiply, *p.of[i], *q.of[j]);
    if (p.of[j] && q.of[i]) second = apply_row(row::multiply, *p.of[j], *q.of[i]);
    if (!first) return apply_row(row::negative, *second);
    return second ? apply_row(row::subtract, *first, *second) : *first;
}

Array with_vectors_last(const Array& array, int64_t axis) {
    return moveaxis(array, {normalise_axis(axis, array.ndim(), "cross")}, {-1});
}

}  // namespace

Array cross(const Array& a, const Array& b, int64_t axisa, int64_t axisb, int64_t axisc,
            const std::optional<int64_t>& axis) {
    if (axis) axisa = axisb = axisc = *axis;
    if (is_only_axis(axisa) && is_only_axis(axisb) && is_only_axis(axisc))
        if (Array few = cross_of_two(a, b); few.defined()) return few;
    if (a.ndim() < 1 || b.ndim() < 1) raise(ErrorKind::Value, "cross: at least one array has zero dimension");
    const Array x = with_vectors_last(a, axisa), y = with_vectors_last(b, axisb);
    const int64_t m = x.shape().back(), n = y.shape().back();
    if (m < 2 || m > 3 || n < 2 || n > 3)
        raise(ErrorKind::Value, "cross: vectors must have 2 or 3 components, not ", m, " and ", n);
    const Components p(x), q(y);
    if (m == 2 && n == 2) return minor_of(p, q, 0, 1);
    const Dims shapes[] = {p.of[0]->shape(), q.of[0]->shape()};
    Dims shape = broadcast_shapes(shapes);
    shape.push_back(3);
    const int last = shape.size() - 1, place = normalise_axis(axisc, shape.size(), "cross");
    const Array result = empty(shape, promote(a.dtype(), b.dtype()), a.device());
    const Components parts(result);
    for (int i = 0; i < 3; ++i) assign(*parts.of[i], minor_of(p, q, (i + 1) % 3, (i + 2) % 3), "cross");
    return moveaxis(result, {last}, {place});
}

}  // namespace cuarray
