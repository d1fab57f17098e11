// blas.h -- the matrix products of a BLAS library: the one that NumPy has loaded, or one of the system.
#pragma once
#include <functional>
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

/// Finds a function of a library by its name without prefix and suffix; null if it has none.
using FindFunction = void* (*)(void* library, const char* name);

/// Calls take(library, find, has_wide_integers) for each library that may have a BLAS or LAPACK, and each way to spell
/// its functions, until it returns true: for the one that CUARRAY_LIBBLAS names, then for those that NumPy has loaded
/// and those of the system. For products CUARRAY_LIBBLAS decides alone: `off` is none, and another library is an error.
void search_libraries(bool for_products, const std::function<bool(void*, FindFunction, bool)>& take);

}  // namespace cuarray::host
