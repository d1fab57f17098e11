// embedded.h -- the tables and kernel headers as text in libcuarray: NVRTC reads no files.

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

/// Number of files in `embedded_files`.
extern CUARRAY_API const int embedded_file_count;

}  // namespace cuarray
