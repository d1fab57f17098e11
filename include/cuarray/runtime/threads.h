// threads.h -- how many threads the CPU backend computes with.
#pragma once
#include "cuarray/core/error.h"

namespace cuarray {

/// What was set last; at first CUARRAY_NUM_THREADS, else the cores that this process may use.
CUARRAY_API int num_threads();

/// From the next task on; ValueError unless 1 to 4096. Results do not depend on it.
CUARRAY_API void set_num_threads(int count);

}  // namespace cuarray
