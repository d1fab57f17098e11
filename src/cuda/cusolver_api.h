// cusolver_api.h -- the part of cuSOLVER's interface that cuarray uses, declared by hand: building needs no CUDA.
//
// tests/cuda compares every line with the real cusolverDn.h.
#pragma once
#include <complex>
#include <cstddef>
#include <cstdint>
#include "cuda/driver_api.h"

namespace cuarray::cuda {

using cusolverHandle = struct cusolverHandleOpaque*;
using cusolverParams = struct cusolverParamsOpaque*;
using gesvdjInfo = struct gesvdjInfoOpaque*;

/// The functions that form the columns of Q: one for each dtype, with 32-bit extents.
#define CUARRAY_CUSOLVER_COLUMNS(FUNCTION, name, T)                                           \
    FUNCTION(name##_bufferSize, cusolverHandle, int, int, int, const T*, int, const T*, int*) \
    FUNCTION(name, cusolverHandle, int, int, int, T*, int, const T*, T*, int, int*)

/// Cholesky factors, and singular values by Jacobi's method, of stacks of matrices in one call, for one dtype.
#define CUARRAY_CUSOLVER_STACKS(FUNCTION, letter, T, Real)                                                            \
    FUNCTION(cusolverDn##letter##potrfBatched, cusolverHandle, int, int, T**, int, int*, int)                         \
    FUNCTION(cusolverDn##letter##gesvdjBatched_bufferSize, cusolverHandle, int, int, int, const T*, int, const Real*, \
             const T*, int, const T*, int, int*, gesvdjInfo, int)                                                     \
    FUNCTION(cusolverDn##letter##gesvdjBatched, cusolverHandle, int, int, int, T*, int, Real*, T*, int, T*, int, T*,  \
             int, int*, gesvdjInfo, int)

/// Functions of every cuSOLVER since CUDA 12.0: FUNCTION(name, parameters...). Each returns cusolverStatus_t, 0 for
/// success.
#define CUARRAY_CUSOLVER_FUNCTIONS(FUNCTION)                                                                           \
    FUNCTION(cusolverGetProperty, int, int*)                                                                           \
    FUNCTION(cusolverDnCreate, cusolverHandle*)                                                                        \
    FUNCTION(cusolverDnCreateParams, cusolverParams*)                                                                  \
    FUNCTION(cusolverDnSetStream, cusolverHandle, CUstream)                                                            \
    FUNCTION(cusolverDnXpotrf_bufferSize, cusolverHandle, cusolverParams, int, int64_t, int, const void*, int64_t,     \
             int, size_t*, size_t*)                                                                                    \
    FUNCTION(cusolverDnXpotrf, cusolverHandle, cusolverParams, int, int64_t, int, void*, int64_t, int, void*, size_t,  \
             void*, size_t, int*)                                                                                      \
    FUNCTION(cusolverDnXgetrf_bufferSize, cusolverHandle, cusolverParams, int64_t, int64_t, int, const void*, int64_t, \
             int, size_t*, size_t*)                                                                                    \
    FUNCTION(cusolverDnXgetrf, cusolverHandle, cusolverParams, int64_t, int64_t, int, void*, int64_t, int64_t*, int,   \
             void*, size_t, void*, size_t, int*)                                                                       \
    FUNCTION(cusolverDnXgetrs, cusolverHandle, cusolverParams, int, int64_t, int64_t, int, const void*, int64_t,       \
             const int64_t*, int, void*, int64_t, int*)                                                                \
    FUNCTION(cusolverDnXgeqrf_bufferSize, cusolverHandle, cusolverParams, int64_t, int64_t, int, const void*, int64_t, \
             int, const void*, int, size_t*, size_t*)                                                                  \
    FUNCTION(cusolverDnXgeqrf, cusolverHandle, cusolverParams, int64_t, int64_t, int, void*, int64_t, int, void*, int, \
             void*, size_t, void*, size_t, int*)                                                                       \
    CUARRAY_CUSOLVER_COLUMNS(FUNCTION, cusolverDnSorgqr, float)                                                        \
    CUARRAY_CUSOLVER_COLUMNS(FUNCTION, cusolverDnDorgqr, double)                                                       \
    CUARRAY_CUSOLVER_COLUMNS(FUNCTION, cusolverDnCungqr, std::complex<float>)                                          \
    CUARRAY_CUSOLVER_COLUMNS(FUNCTION, cusolverDnZungqr, std::complex<double>)                                         \
    FUNCTION(cusolverDnXsyevd_bufferSize, cusolverHandle, cusolverParams, int, int, int64_t, int, const void*,         \
             int64_t, int, const void*, int, size_t*, size_t*)                                                         \
    FUNCTION(cusolverDnXsyevd, cusolverHandle, cusolverParams, int, int, int64_t, int, void*, int64_t, int, void*,     \
             int, void*, size_t, void*, size_t, int*)                                                                  \
    FUNCTION(cusolverDnXgesvd_bufferSize, cusolverHandle, cusolverParams, signed char, signed char, int64_t, int64_t,  \
             int, const void*, int64_t, int, const void*, int, const void*, int64_t, int, const void*, int64_t, int,   \
             size_t*, size_t*)                                                                                         \
    FUNCTION(cusolverDnXgesvd, cusolverHandle, cusolverParams, signed char, signed char, int64_t, int64_t, int, void*, \
             int64_t, int, void*, int, void*, int64_t, int, void*, int64_t, int, void*, size_t, void*, size_t, int*)   \
    FUNCTION(cusolverDnCreateGesvdjInfo, gesvdjInfo*)                                                                  \
    CUARRAY_CUSOLVER_STACKS(FUNCTION, S, float, float)                                                                 \
    CUARRAY_CUSOLVER_STACKS(FUNCTION, D, double, double)                                                               \
    CUARRAY_CUSOLVER_STACKS(FUNCTION, C, std::complex<float>, float)                                                   \
    CUARRAY_CUSOLVER_STACKS(FUNCTION, Z, std::complex<double>, double)

/// Functions that came later, with CUDA 12.6 Update 2.
#define CUARRAY_CUSOLVER_LATER_FUNCTIONS(FUNCTION)                                                                     \
    FUNCTION(cusolverDnXgeev_bufferSize, cusolverHandle, cusolverParams, int, int, int64_t, int, const void*, int64_t, \
             int, const void*, int, const void*, int64_t, int, const void*, int64_t, int, size_t*, size_t*)            \
    FUNCTION(cusolverDnXgeev, cusolverHandle, cusolverParams, int, int, int64_t, int, void*, int64_t, int, void*, int, \
             void*, int64_t, int, void*, int64_t, int, void*, size_t, void*, size_t, int*)                             \
    FUNCTION(cusolverDnXsyevBatched_bufferSize, cusolverHandle, cusolverParams, int, int, int64_t, int, const void*,   \
             int64_t, int, const void*, int, size_t*, size_t*, int64_t)                                                \
    FUNCTION(cusolverDnXsyevBatched, cusolverHandle, cusolverParams, int, int, int64_t, int, void*, int64_t, int,      \
             void*, int, void*, size_t, void*, size_t, int*, int64_t)

/// Constants: CONSTANT(name, value). The types of data are those of cublas_api.h.
#define CUARRAY_CUSOLVER_STATUSES(CONSTANT)                \
    CONSTANT(CUSOLVER_STATUS_NOT_INITIALIZED, 1)           \
    CONSTANT(CUSOLVER_STATUS_ALLOC_FAILED, 2)              \
    CONSTANT(CUSOLVER_STATUS_INVALID_VALUE, 3)             \
    CONSTANT(CUSOLVER_STATUS_ARCH_MISMATCH, 4)             \
    CONSTANT(CUSOLVER_STATUS_MAPPING_ERROR, 5)             \
    CONSTANT(CUSOLVER_STATUS_EXECUTION_FAILED, 6)          \
    CONSTANT(CUSOLVER_STATUS_INTERNAL_ERROR, 7)            \
    CONSTANT(CUSOLVER_STATUS_MATRIX_TYPE_NOT_SUPPORTED, 8) \
    CONSTANT(CUSOLVER_STATUS_NOT_SUPPORTED, 9)             \
    CONSTANT(CUSOLVER_STATUS_ZERO_PIVOT, 10)               \
    CONSTANT(CUSOLVER_STATUS_INVALID_LICENSE, 11)
#define CUARRAY_CUSOLVER_CONSTANTS(CONSTANT) \
    CONSTANT(CUSOLVER_EIG_MODE_NOVECTOR, 0)  \
    CONSTANT(CUSOLVER_EIG_MODE_VECTOR, 1)    \
    CONSTANT(CUBLAS_FILL_MODE_LOWER, 0)      \
    CONSTANT(CUBLAS_FILL_MODE_UPPER, 1)

#define CUARRAY_CONSTANT(name, value) constexpr int name = value;
CUARRAY_CUSOLVER_STATUSES(CUARRAY_CONSTANT)
CUARRAY_CUSOLVER_CONSTANTS(CUARRAY_CONSTANT)
#undef CUARRAY_CONSTANT

}  // namespace cuarray::cuda
