// matmul.h -- matrix products of stacks, and cross-correlation.
#pragma once
#include "cuarray/array/array.h"

namespace cuarray {

/// Within its scope, products of this thread are summed in the order of kernel/matmul.h and kernel/reduce.h, which
/// gives the same bits on every device, in every layout and for every number of threads; otherwise a vendor's library
/// may compute them, in an order of its own.
class CUARRAY_API Deterministic {
 public:
    Deterministic() { begin(); }
    ~Deterministic() { end(); }
    Deterministic(const Deterministic&) = delete;
    Deterministic& operator=(const Deterministic&) = delete;

    /// The beginning and the end of a scope; scopes nest.
    static void begin();
    static void end();
};

/// Within its scope, a vendor's library may round the float32 factors of this thread's products to TF32 (10 bits of
/// mantissa), where the device has tensor cores for it.
class CUARRAY_API Tf32Products {
 public:
    Tf32Products() { begin(); }
    ~Tf32Products() { end(); }
    Tf32Products(const Tf32Products&) = delete;
    Tf32Products& operator=(const Tf32Products&) = delete;

    static void begin();
    static void end();
};

/// As numpy.matmul: result[..., i, j] = sum over k of left[..., i, k] * right[..., k, j], in `dtype` or the promoted
/// one; a 1-d argument is a row (left) or a column (right), whose axis is removed from the result. ValueError if the
/// shapes do not match.
CUARRAY_API Array matmul(const Array& left, const Array& right, DType dtype = DType::none);

/// matmul(conj(left), right) of two vectors of one length.
CUARRAY_API Array conjugated_dot(const Array& left, const Array& right);

}  // namespace cuarray
