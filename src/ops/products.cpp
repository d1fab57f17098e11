// products.cpp -- dot, inner, outer and vdot: as products of matrices, or of elements.
#include "cuarray/ops/products.h"
#include <algorithm>
#include <utility>
#include "cuarray/ops/matmul.h"
#include "cuarray/ops/shaping.h"

namespace cuarray {
namespace {

/// The product, written to `out` if given, which has its shape and type.
Array stored(Array&& product, Array* out, const char* name) {
    if (!out) return std::move(product);
    if (out->dtype() != product.dtype())
        raise(ErrorKind::Value, name, ": out= has type ", info(out->dtype()).name, ", the result ",
              info(product.dtype()).name);
    if (out->shape() != product.shape())
        raise(ErrorKind::Value, name, ": out= has shape ", to_string(out->shape()), ", the result ",
              to_string(product.shape()));
    if (!out->is_writable()) raise(ErrorKind::Value, name, ": output array is read-only");
    assign(*out, product, name);
    return *out;
}

/// The axes of an array with one of them moved to the end or to the front.
Array moved(const Array& a, int axis, bool to_front) {
    Dims axes;
    for (int d = 0; d < a.ndim(); ++d)
        if (d != axis) axes.push_back(d);
    axes.insert(to_front ? 0 : axes.size(), axis);
    return a.transpose(axes);
}

/// The sums of products along the last axis of `a` and an axis of `b`, which have one length.
Array contract_axis(const Array& a, const Array& b, int axis) {
    if (a.ndim() <= 2 && b.ndim() <= 2) return matmul(a, axis == 0 ? b : b.transpose({1, 0}));
    const int64_t depth = a.shape().back();
    const Array columns = moved(b, axis, true);
    int64_t height = 1, width = 1;
    Dims shape;
    for (int d = 0; d + 1 < a.ndim(); ++d) shape.push_back(a.shape()[d]), height *= a.shape()[d];
    for (int d = 1; d < columns.ndim(); ++d) shape.push_back(columns.shape()[d]), width *= columns.shape()[d];
    return matmul(a.reshape({height, depth}), columns.reshape({depth, width})).reshape(shape);
}

Array multiplied(const Array& a, const Array& b, const UfuncOptions& options = {}) {
    const Argument args[] = {a, b};
    const Array made = call(row::multiply, args, options).array[0];
    return options.out[0] ? *options.out[0] : made;
}

/// Whether a library multiplies elements of the type, in NumPy.
bool is_wide(DType dtype) { return info(dtype).kind >= Kind::Floating && item_size(real_part(dtype)) >= 4; }

}  // namespace

Array dot(const Array& a, const Array& b, Array* out) {
    if (a.ndim() == 0 || b.ndim() == 0) {
        if (!out || is_wide(promote(a.dtype(), b.dtype()))) return stored(multiplied(a, b), out, "dot");
        UfuncOptions options;
        options.out[0] = out;
        return multiplied(a, b, options);
    }
    const int axis = std::max(b.ndim() - 2, 0);
    if (a.shape().back() != b.shape()[axis])
        raise(ErrorKind::Value, "dot: shapes ", to_string(a.shape()), " and ", to_string(b.shape()),
              " not aligned: ", a.shape().back(), " (dim ", a.ndim() - 1, ") != ", b.shape()[axis], " (dim ", axis,
              ")");
    return out ? stored(contract_axis(a, b, axis), out, "dot") : contract_axis(a, b, axis);
}

Array inner(const Array& a, const Array& b) {
    if (a.ndim() == 0 || b.ndim() == 0) return multiplied(a, b);
    if (a.shape().back() != b.shape().back())
        raise(ErrorKind::Value, "inner: the last axes of shapes ", to_string(a.shape()), " and ", to_string(b.shape()),
              " do not go together: ", a.shape().back(), " and ", b.shape().back(), " elements");
    return contract_axis(a, b, b.ndim() - 1);
}

Array outer(const Array& a, const Array& b, Array* out) {
    UfuncOptions options;
    options.out[0] = out;
    Array flat_a, flat_b;
    const Array& x = a.ndim() == 1 ? a : flat_a = ravel(a);
    const Array& y = b.ndim() == 1 ? b : flat_b = ravel(b);
    UfuncResult made = ufunc_outer(row::multiply, x, y, options);
    return out ? *out : std::move(made.array[0]);
}

Array vdot(const Array& a, const Array& b) {
    if (a.size() != b.size())
        raise(ErrorKind::Value, "vdot: shapes ", to_string(a.shape()), " and ", to_string(b.shape()),
              " do not go together: ", a.size(), " and ", b.size(), " elements to multiply");
    return a.ndim() == 1 && b.ndim() == 1 ? conjugated_dot(a, b) : conjugated_dot(ravel(a), ravel(b));
}

}  // namespace cuarray
