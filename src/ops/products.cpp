// products.cpp -- dot, inner, outer, kron, vdot and chains of matrices: as products of matrices, or of elements.
#include "cuarray/ops/products.h"
#include <algorithm>
#include <utility>
#include <vector>
#include "cuarray/ops/linalg.h"
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

/// The axes of an array that are not among `some`.
Dims axes_but(const Array& a, const Dims& some) {
    Dims axes;
    for (int d = 0; d < a.ndim(); ++d)
        if (std::find(some.begin(), some.end(), d) == some.end()) axes.push_back(d);
    return axes;
}

/// The axes in their order, each counted from the first one.
Dims distinct_axes_of(const Dims& axes, const Array& a, const char* name) {
    normalise_axes(axes, a.ndim(), name);  // refuses one that is there twice
    Dims result;
    for (const int64_t d : axes) result.push_back(normalise_axis(d, a.ndim(), name));
    return result;
}

/// The sums of products along axes of `a` and of `b`, which have the same lengths.
Array contract(const Array& a, const Dims& own, const Array& b, const Dims& other) {
    const bool is_product = a.ndim() <= 2 && b.ndim() <= 2 && own.size() == 1;
    if (is_product)
        return matmul(own[0] == a.ndim() - 1 ? a : a.transpose({1, 0}), other[0] == 0 ? b : b.transpose({1, 0}));
    Dims rows = axes_but(a, own), columns = other, shape;
    int64_t height = 1, depth = 1, width = 1;
    for (const int64_t d : rows) shape.push_back(a.shape()[d]), height *= a.shape()[d];
    for (const int64_t d : own) rows.push_back(d), depth *= a.shape()[d];
    for (const int64_t d : axes_but(b, other))
        columns.push_back(d), shape.push_back(b.shape()[d]), width *= b.shape()[d];
    return matmul(a.transpose(rows).reshape({height, depth}), b.transpose(columns).reshape({depth, width}))
        .reshape(shape);
}

Array elementwise_product(const Array& a, const Array& b, const UfuncOptions& options = {}) {
    const Argument args[] = {a, b};
    const Array made = call(row::multiply, args, options).array[0];
    return options.out[0] ? *options.out[0] : made;
}

/// Whether a library multiplies elements of the type, in NumPy.
bool is_wide(DType dtype) { return info(dtype).kind >= Kind::Floating && item_size(real_part(dtype)) >= 4; }

/// A chain of matrices, of which number k has lengths[k] rows and lengths[k + 1] columns.
class MatrixChain {
 public:
    MatrixChain(const ArrayList& matrices, const Few<int64_t, 8>& lengths)
        : matrices_(matrices), count_(lengths.size() - 1), splits_(count_ * count_) {
        std::vector<Cost> costs(count_ * count_);
        for (size_t span = 1; span < count_; ++span)
            for (size_t i = 0, j = span; j < count_; ++i, ++j)
                for (size_t k = i; k < j; ++k) {
                    const Cost cost = costs[i * count_ + k] + costs[(k + 1) * count_ + j] +
                                      Cost(lengths[i]) * Cost(lengths[k + 1]) * Cost(lengths[j + 1]);
                    if (k > i && cost >= costs[i * count_ + j]) continue;
                    costs[i * count_ + j] = cost;
                    splits_[i * count_ + j] = k;
                }
    }

    /// The product of the matrices first..last, in the order of the fewest multiplications.
    Array product(size_t first, size_t last) const {
        if (first == last) return *matrices_[first];
        const size_t split = splits_[first * count_ + last];
        return matmul(product(first, split), product(split + 1, last));
    }

 private:
    using Cost = unsigned __int128;
    const ArrayList& matrices_;
    size_t count_;
    std::vector<size_t> splits_;  ///< the last matrix of the left factor of the product of the matrices i..j
};

void check_chain(const ArrayList& chain) {
    const size_t count = chain.size();
    for (size_t k = 0; k < count && count > 2; ++k) {
        const int ndim = chain[k]->ndim();
        if (ndim == 2 || (ndim == 1 && (k == 0 || k == count - 1))) continue;
        raise(ErrorKind::LinAlg, "multi_dot: array ", k, " must be a matrix, and it has ", ndim, " axes");
    }
    for (size_t k = 0; k + 1 < count; ++k) {
        const Dims &left = chain[k]->shape(), &right = chain[k + 1]->shape();
        if (left.back() != right[0])
            raise(ErrorKind::Value, "multi_dot: arrays ", k, " and ", k + 1, " of shapes ", to_string(left), " and ",
                  to_string(right), " do not go together: ", left.back(), " and ", right[0], " elements to multiply");
    }
}

}  // namespace

Array dot(const Array& a, const Array& b, Array* out) {
    if (a.ndim() == 0 || b.ndim() == 0) {
        if (!out || is_wide(promote(a.dtype(), b.dtype()))) return stored(elementwise_product(a, b), out, "dot");
        UfuncOptions options;
        options.out[0] = out;
        return elementwise_product(a, b, options);
    }
    const int axis = std::max(b.ndim() - 2, 0);
    if (a.shape().back() != b.shape()[axis])
        raise(ErrorKind::Value, "dot: shapes ", to_string(a.shape()), " and ", to_string(b.shape()),
              " not aligned: ", a.shape().back(), " (dim ", a.ndim() - 1, ") != ", b.shape()[axis], " (dim ", axis,
              ")");
    Array product = contract(a, {a.ndim() - 1}, b, {axis});
    return out ? stored(std::move(product), out, "dot") : product;
}

Array inner(const Array& a, const Array& b) {
    if (a.ndim() == 0 || b.ndim() == 0) return elementwise_product(a, b);
    if (a.shape().back() != b.shape().back())
        raise(ErrorKind::Value, "inner: the last axes of shapes ", to_string(a.shape()), " and ", to_string(b.shape()),
              " do not go together: ", a.shape().back(), " and ", b.shape().back(), " elements");
    return contract(a, {a.ndim() - 1}, b, {b.ndim() - 1});
}

Array tensordot(const Array& a, const Array& b, const ContractedAxes& axes) {
    constexpr const char* name = "tensordot";
    Dims own, other;
    if (const auto* const count = std::get_if<int64_t>(&axes)) {
        if (*count > std::min(a.ndim(), b.ndim()))
            raise(ErrorKind::Axis, name, ": ", *count, " axes to contract of arrays that have ", a.ndim(), " and ",
                  b.ndim());
        for (int64_t k = 0; k < *count; ++k) own.push_back(a.ndim() - *count + k), other.push_back(k);
    } else {
        const auto& [first, second] = std::get<1>(axes);
        own = distinct_axes_of(first, a, name), other = distinct_axes_of(second, b, name);
    }
    Dims meeting, facing;
    for (const int64_t d : own) meeting.push_back(a.shape()[d]);
    for (const int64_t d : other) facing.push_back(b.shape()[d]);
    if (meeting != facing)
        raise(ErrorKind::Value, name, ": axes ", to_string(own), " of shape ", to_string(a.shape()), " and ",
              to_string(other), " of ", to_string(b.shape()), " do not go together: their lengths are ",
              to_string(meeting), " and ", to_string(facing));
    return contract(a, own, b, other);
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

Array kron(const Array& a, const Array& b) {
    if (a.ndim() == 0 || b.ndim() == 0) return elementwise_product(a, b);
    const int rank = std::max(a.ndim(), b.ndim());
    Dims of_a, of_b, shape;
    for (int d = 0; d < rank; ++d) {
        const int at_a = d - (rank - a.ndim()), at_b = d - (rank - b.ndim());
        const int64_t m = at_a < 0 ? 1 : a.shape()[at_a], n = at_b < 0 ? 1 : b.shape()[at_b];
        of_a.push_back(m), of_a.push_back(1);
        of_b.push_back(1), of_b.push_back(n);
        shape.push_back(m * n);
    }
    return elementwise_product(a.reshape(of_a), b.reshape(of_b)).reshape(shape);
}

Array vdot(const Array& a, const Array& b) {
    if (a.size() != b.size())
        raise(ErrorKind::Value, "vdot: shapes ", to_string(a.shape()), " and ", to_string(b.shape()),
              " do not go together: ", a.size(), " and ", b.size(), " elements to multiply");
    return a.ndim() == 1 && b.ndim() == 1 ? conjugated_dot(a, b) : conjugated_dot(ravel(a), ravel(b));
}

Array linalg::multi_dot(const ArrayList& arrays, Array* out) {
    const size_t count = arrays.size();
    if (count < 2) raise(ErrorKind::Value, "multi_dot: two arrays at least are needed, not ", count);
    const Array &first = *arrays[0], &last = *arrays[count - 1];
    const auto is_matrix = [](const Array& a) { return a.ndim() == 1 || a.ndim() == 2; };
    if (count == 2 && !(is_matrix(first) && is_matrix(last))) return dot(first, last, out);
    check_chain(arrays);
    if (count == 2) return stored(matmul(first, last), out, "multi_dot");
    Few<int64_t, 8> lengths{first.ndim() == 1 ? 1 : first.shape()[0]};
    for (size_t k = 1; k < count; ++k) lengths.push_back(arrays[k]->shape()[0]);
    lengths.push_back(last.ndim() == 1 ? 1 : last.shape()[1]);
    return stored(MatrixChain(arrays, lengths).product(0, count - 1), out, "multi_dot");
}

}  // namespace cuarray
