// blas.h -- the matrix products of a BLAS library: the one that NumPy has loaded, or one of the system.
#pragma once
#include <string>

#include "cuarray/runtime/direct_loops.h"
#include "host/library.h"

namespace cuarray::host {

/// A BLAS with the C interface (CBLAS), found at the first use. Products of real and complex numbers of 4 and 8 bytes a
/// part; the order of additions is the library's own.
class Blas {
 public:
    /// Null if there is none, or CUARRAY_LIBBLAS=off disables it.
    static const Blas* find();
    /// Sets the number of threads of the library, now if it has been found, otherwise when it is.
    static void set_threads(int count);

    virtual ~Blas() = default;
    /// False, with nothing done, if the matrices are too large for the library's integers, or empty.
    virtual bool multiply(const LoopLibrary& loops, const MatrixProduct& product) const = 0;
    /// As DirectLoops::solve.
    virtual bool solve(const LoopLibrary& loops, const MatrixEquations& equations) const = 0;
    /// As DirectLoops::decompose.
    virtual bool decompose(const LoopLibrary& loops, const MatrixDecomposition& decomposition) const = 0;
    /// The file of the library.
    const std::string& file() const { return file_; }

    static bool has(DType dtype) {
        return dtype == DType::float32 || dtype == DType::float64 || dtype == DType::complex64 ||
               dtype == DType::complex128;
    }

 protected:
    explicit Blas(std::string file) : file_(std::move(file)) {}

 private:
    std::string file_;
};

}  // namespace cuarray::host
