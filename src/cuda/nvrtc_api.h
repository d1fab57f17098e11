// nvrtc_api.h -- the part of NVRTC's interface that cuarray uses, declared by hand: building needs no CUDA.
//
// tests/cuda compares every line with the real nvrtc.h.
#pragma once
#include <cstddef>

namespace cuarray::cuda {

using nvrtcProgram = struct nvrtcProgramOpaque*;

/// NVRTC's functions: FUNCTION(name, parameters...). Each returns nvrtcResult, 0 for success.
#define CUARRAY_NVRTC_FUNCTIONS(FUNCTION)                                                                              \
    FUNCTION(nvrtcVersion, int*, int*)                                                                                 \
    FUNCTION(nvrtcGetNumSupportedArchs, int*)                                                                          \
    FUNCTION(nvrtcGetSupportedArchs, int*)                                                                             \
    FUNCTION(nvrtcCreateProgram, nvrtcProgram*, const char*, const char*, int, const char* const*, const char* const*) \
    FUNCTION(nvrtcDestroyProgram, nvrtcProgram*)                                                                       \
    FUNCTION(nvrtcCompileProgram, nvrtcProgram, int, const char* const*)                                               \
    FUNCTION(nvrtcGetProgramLogSize, nvrtcProgram, size_t*)                                                            \
    FUNCTION(nvrtcGetProgramLog, nvrtcProgram, char*)                                                                  \
    FUNCTION(nvrtcGetCUBINSize, nvrtcProgram, size_t*)                                                                 \
    FUNCTION(nvrtcGetCUBIN, nvrtcProgram, char*)                                                                       \
    FUNCTION(nvrtcGetPTXSize, nvrtcProgram, size_t*)                                                                   \
    FUNCTION(nvrtcGetPTX, nvrtcProgram, char*)

}  // namespace cuarray::cuda
