// embedded.h -- the tables and kernel headers as text inside libcuarray, so that NVRTC needs no file.

#pragma once
#include "cuarray/core/error.h"

namespace cuarray {

/// One embedded file: its name relative to include/cuarray, such as "ufuncs.def" or "kernel/math.h".
struct EmbeddedFile {
    const char* name;
    const char* text;
};

/// All embedded files, sorted by name.
extern CUARRAY_API const EmbeddedFile embedded_files[];

/// How many files there are in `embedded_files`.
extern CUARRAY_API const int embedded_file_count;

}  // namespace cuarray
