// nvrtc_abi.h -- the part of NVRTC's binary interface that the simulator implements.
#pragma once
#include <cstddef>

#ifdef CUDASIM_WITH_NVRTC_H
// A test compiles the simulator against NVIDIA's own header, to check that its functions have the real
// signatures.
#include <nvrtc.h>
#else

enum nvrtcResult : int {
    NVRTC_SUCCESS = 0,
    NVRTC_ERROR_OUT_OF_MEMORY = 1,
    NVRTC_ERROR_PROGRAM_CREATION_FAILURE = 2,
    NVRTC_ERROR_INVALID_INPUT = 3,
    NVRTC_ERROR_INVALID_PROGRAM = 4,
    NVRTC_ERROR_INVALID_OPTION = 5,
    NVRTC_ERROR_COMPILATION = 6,
    NVRTC_ERROR_BUILTIN_OPERATION_FAILURE = 7,
    NVRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION = 8,
    NVRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION = 9,
    NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID = 10,
    NVRTC_ERROR_INTERNAL_ERROR = 11,
};

using nvrtcProgram = struct _nvrtcProgram*;
#endif
