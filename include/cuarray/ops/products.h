// products.h -- products of vectors and of arrays along one axis of each; of matrices see matmul.h.
#pragma once
#include "cuarray/array/array.h"
#include "cuarray/ops/arguments.h"

namespace cuarray {

/// The last axis of `a` contracted with the last but one of `b`, or its only one: the other axes of `a`, then those of
/// `b`. A number multiplies the other argument. `out` has the type of the result.
CUARRAY_API Array dot(const Array& a, const Array& b, Array* out = nullptr);
/// The last axes of both contracted; a number multiplies the other argument.
CUARRAY_API Array inner(const Array& a, const Array& b);
/// The sums of products over axes of both, which must have the same lengths: the other axes of `a`, then those of `b`.
CUARRAY_API Array tensordot(const Array& a, const Array& b, const ContractedAxes& axes = 2);
/// Each element of one array times each of another, of shape (a.size(), b.size()).
CUARRAY_API Array outer(const Array& a, const Array& b, Array* out = nullptr);
/// The Kronecker product: each element of one array times all of another, as blocks; the array with fewer axes gets
/// leading ones.
CUARRAY_API Array kron(const Array& a, const Array& b);
/// The sum of products of all elements in C order, those of `a` conjugated.
CUARRAY_API Array vdot(const Array& a, const Array& b);

}  // namespace cuarray
