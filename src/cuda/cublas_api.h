// cublas_api.h -- the part of cuBLAS's interface that cuarray uses, declared by hand: building needs no CUDA.
//
// tests/cuda compares every line with the real cublas_v2.h.
#pragma once
#include <complex>
#include <cstddef>
#include <cstdint>
#include "cuda/driver_api.h"

namespace cuarray::cuda {

using cublasHandle = struct cublasHandleOpaque*;

/// Factorisations of stacks of matrices in one call, for one dtype. The matrices are named by addresses in device
/// memory; getrs and geqrf report bad arguments in an int of the host.
#define CUARRAY_CUBLAS_BATCHED(FUNCTION, letter, T)                                                                  \
    FUNCTION(cublas##letter##getrfBatched, cublasHandle, int, T* const*, int, int*, int*, int)                       \
    FUNCTION(cublas##letter##getrsBatched, cublasHandle, int, int, int, const T* const*, int, const int*, T* const*, \
             int, int*, int)                                                                                         \
    FUNCTION(cublas##letter##geqrfBatched, cublasHandle, int, int, T* const*, int, T* const*, int*, int)

/// cuBLAS's functions: FUNCTION(name, parameters...). Each returns cublasStatus_t, 0 for success.
#define CUARRAY_CUBLAS_FUNCTIONS(FUNCTION)                                                                        \
    FUNCTION(cublasGetProperty, int, int*)                                                                        \
    FUNCTION(cublasCreate_v2, cublasHandle*)                                                                      \
    FUNCTION(cublasSetStream_v2, cublasHandle, CUstream)                                                          \
    FUNCTION(cublasSetWorkspace_v2, cublasHandle, void*, size_t)                                                  \
    FUNCTION(cublasSetMathMode, cublasHandle, int)                                                                \
    FUNCTION(cublasGemmStridedBatchedEx_64, cublasHandle, int, int, int64_t, int64_t, int64_t, const void*,       \
             const void*, int, int64_t, long long, const void*, int, int64_t, long long, const void*, void*, int, \
             int64_t, long long, int64_t, int, int)                                                               \
    CUARRAY_CUBLAS_BATCHED(FUNCTION, S, float)                                                                    \
    CUARRAY_CUBLAS_BATCHED(FUNCTION, D, double)                                                                   \
    CUARRAY_CUBLAS_BATCHED(FUNCTION, C, std::complex<float>)                                                      \
    CUARRAY_CUBLAS_BATCHED(FUNCTION, Z, std::complex<double>)

/// Constants: CONSTANT(name, value).
#define CUARRAY_CUBLAS_STATUSES(CONSTANT)        \
    CONSTANT(CUBLAS_STATUS_NOT_INITIALIZED, 1)   \
    CONSTANT(CUBLAS_STATUS_ALLOC_FAILED, 3)      \
    CONSTANT(CUBLAS_STATUS_INVALID_VALUE, 7)     \
    CONSTANT(CUBLAS_STATUS_ARCH_MISMATCH, 8)     \
    CONSTANT(CUBLAS_STATUS_MAPPING_ERROR, 11)    \
    CONSTANT(CUBLAS_STATUS_EXECUTION_FAILED, 13) \
    CONSTANT(CUBLAS_STATUS_INTERNAL_ERROR, 14)   \
    CONSTANT(CUBLAS_STATUS_NOT_SUPPORTED, 15)    \
    CONSTANT(CUBLAS_STATUS_LICENSE_ERROR, 16)
#define CUARRAY_CUBLAS_CONSTANTS(CONSTANT)                         \
    CONSTANT(CUBLAS_OP_N, 0)                                       \
    CONSTANT(CUBLAS_OP_T, 1)                                       \
    CONSTANT(CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION, 16) \
    CONSTANT(CUBLAS_COMPUTE_32F, 68)                               \
    CONSTANT(CUBLAS_COMPUTE_32F_FAST_TF32, 77)                     \
    CONSTANT(CUBLAS_COMPUTE_64F, 70)                               \
    CONSTANT(CUBLAS_GEMM_DEFAULT, -1)                              \
    CONSTANT(CUDA_R_32F, 0)                                        \
    CONSTANT(CUDA_R_64F, 1)                                        \
    CONSTANT(CUDA_R_16F, 2)                                        \
    CONSTANT(CUDA_C_32F, 4)                                        \
    CONSTANT(CUDA_C_64F, 5)                                        \
    CONSTANT(CUDA_R_16BF, 14)

#define CUARRAY_CONSTANT(name, value) constexpr int name = value;
CUARRAY_CUBLAS_STATUSES(CUARRAY_CONSTANT)
CUARRAY_CUBLAS_CONSTANTS(CUARRAY_CONSTANT)
#undef CUARRAY_CONSTANT

}  // namespace cuarray::cuda
