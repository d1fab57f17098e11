// lapack_composites.h -- factorisations on a GPU, made of LAPACK's routines over copies of matrices by columns.
//
// Arrays have elements. `dtype` is the type of the computation: float32, float64 or complex. Errors are raised for
// `name`, without the shape.
#pragma once
#include <vector>
#include "cuarray/ops/lapack_routine.h"
#include "cuarray/ops/linalg.h"

namespace cuarray::linalg {

/// What a function computes of arrays in a GPU's memory.
class Composites {
 public:
    Composites(DType dtype, const char* name) : dtype_(dtype), name_(name) {}

    SlogdetResult slogdet(const Array& a) const;
    Array inv(const Array& a) const;
    Array solve(const Array& a, const Array& b) const;
    Array cholesky(const Array& a, bool upper) const;
    EigResult eig(const Array& a, bool with_vectors) const;
    EighResult eigh(const Array& a, bool lower, bool with_vectors) const;
    QRResult qr(const Array& a, QRMode mode) const;
    SVDResult svd(const Array& a, bool full_matrices, bool with_vectors) const;

 private:
    std::vector<Array> lapack(LapackRoutine::Kind kind, const LapackInputs& inputs) const;
    std::vector<Array> factors(const Array& a) const;
    Array product_of_reflectors(const Array& reflectors, const Array& numbers, int64_t count) const;
    Array identity(int64_t rows, int64_t columns, Device device) const;
    [[noreturn]] void fail(const char* what) const;
    /// The one thing that the host waits for.
    void require_success(const Array& failures, const char* what) const;

    DType dtype_;
    const char* name_;
};

}  // namespace cuarray::linalg
