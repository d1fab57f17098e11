// matmul.h -- products of matrices and of vectors, and of stacks of them.
#pragma once
#include <optional>
#include <vector>
#include "cuarray/ops/arguments.h"

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

/// The axes of the vectors or matrices in both arguments and in the result, one list for each. The result of vecdot
/// needs none.
struct CoreAxes : std::vector<Dims> {
    using std::vector<Dims>::vector;
};

namespace functions {

using namespace cuarray;

/// Products of matrices, of a matrix and a vector, of a vector and a matrix, and of vectors: a vector on the left is
/// conjugated, but for matmul. The axes before those of the vectors and matrices, the last ones unless `axes` are
/// given, broadcast. The computation is in `dtype`, or in the one type of `signature`, by default the promoted type of
/// both, to which `casting` allows casts; it holds for `out`, too. `order` is the layout of a new result.
///
/// ValueError for extents that differ or too few axes, TypeError for a cast that is not allowed, AxisError for other
/// numbers of axes.
CUARRAY_API Array matmul(const Array& x1, const Array& x2, const UfuncOutput& out, Casting casting = Casting::SameKind,
                         const std::optional<char>& order = {}, DType dtype = DType::none,
                         const std::optional<LoopSignature>& signature = {}, const std::optional<CoreAxes>& axes = {});
CUARRAY_API Array matvec(const Array& x1, const Array& x2, const UfuncOutput& out = {},
                         Casting casting = Casting::SameKind, const std::optional<char>& order = {},
                         DType dtype = DType::none, const std::optional<LoopSignature>& signature = {},
                         const std::optional<CoreAxes>& axes = {});
CUARRAY_API Array vecmat(const Array& x1, const Array& x2, const UfuncOutput& out = {},
                         Casting casting = Casting::SameKind, const std::optional<char>& order = {},
                         DType dtype = DType::none, const std::optional<LoopSignature>& signature = {},
                         const std::optional<CoreAxes>& axes = {});
/// `axis` is that of the vectors in both arguments and, with `keepdims`, of one element in the result.
CUARRAY_API Array vecdot(const Array& x1, const Array& x2, const UfuncOutput& out = {},
                         Casting casting = Casting::SameKind, const std::optional<char>& order = {},
                         DType dtype = DType::none, const std::optional<LoopSignature>& signature = {},
                         const std::optional<CoreAxes>& axes = {}, const SingleAxis& axis = {},
                         const StrictBool& keepdims = false);

}  // namespace functions

using functions::matmul, functions::matvec, functions::vecmat, functions::vecdot;

}  // namespace cuarray
