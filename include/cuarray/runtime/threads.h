// threads.h -- the number of threads of the CPU backend.
#pragma once
#include "cuarray/core/error.h"

namespace cuarray {

/// The number set last; initially CUARRAY_NUM_THREADS, else the number of cores that this process may use.
CUARRAY_API int num_threads();

/// Applies from the next task on; ValueError unless 1 to 4096. Results do not depend on it.
CUARRAY_API void set_num_threads(int count);

}  // namespace cuarray
