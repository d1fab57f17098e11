// cufft_api.h -- the part of cuFFT's interface that cuarray uses, declared by hand: building needs no CUDA.
//
// tests/cuda compares every line with the real cufft.h and cufftXt.h.
#pragma once
#include <cstddef>
#include "cuda/driver_api.h"

namespace cuarray::cuda {

using cufftPlan = int;

/// cuFFT's functions: FUNCTION(name, parameters...). Each returns cufftResult, 0 for success.
#define CUARRAY_CUFFT_FUNCTIONS(FUNCTION)                                                                        \
    FUNCTION(cufftGetProperty, int, int*)                                                                        \
    FUNCTION(cufftCreate, cufftPlan*)                                                                            \
    FUNCTION(cufftDestroy, cufftPlan)                                                                            \
    FUNCTION(cufftSetAutoAllocation, cufftPlan, int)                                                             \
    FUNCTION(cufftXtMakePlanMany, cufftPlan, int, long long*, long long*, long long, long long, int, long long*, \
             long long, long long, int, long long, size_t*, int)                                                 \
    FUNCTION(cufftSetStream, cufftPlan, CUstream)                                                                \
    FUNCTION(cufftSetWorkArea, cufftPlan, void*)                                                                 \
    FUNCTION(cufftXtExec, cufftPlan, void*, void*, int)

/// Constants: CONSTANT(name, value). The types of data are those of cublas_api.h.
#define CUARRAY_CUFFT_STATUSES(CONSTANT) \
    CONSTANT(CUFFT_INVALID_PLAN, 1)      \
    CONSTANT(CUFFT_ALLOC_FAILED, 2)      \
    CONSTANT(CUFFT_INVALID_TYPE, 3)      \
    CONSTANT(CUFFT_INVALID_VALUE, 4)     \
    CONSTANT(CUFFT_INTERNAL_ERROR, 5)    \
    CONSTANT(CUFFT_EXEC_FAILED, 6)       \
    CONSTANT(CUFFT_SETUP_FAILED, 7)      \
    CONSTANT(CUFFT_INVALID_SIZE, 8)      \
    CONSTANT(CUFFT_UNALIGNED_DATA, 9)    \
    CONSTANT(CUFFT_INVALID_DEVICE, 11)   \
    CONSTANT(CUFFT_NO_WORKSPACE, 13)     \
    CONSTANT(CUFFT_NOT_IMPLEMENTED, 14)  \
    CONSTANT(CUFFT_NOT_SUPPORTED, 16)
#define CUARRAY_CUFFT_DIRECTIONS(CONSTANT) \
    CONSTANT(CUFFT_FORWARD, -1)            \
    CONSTANT(CUFFT_INVERSE, 1)

#define CUARRAY_CONSTANT(name, value) constexpr int name = value;
CUARRAY_CUFFT_STATUSES(CUARRAY_CONSTANT)
CUARRAY_CUFFT_DIRECTIONS(CUARRAY_CONSTANT)
#undef CUARRAY_CONSTANT

}  // namespace cuarray::cuda
