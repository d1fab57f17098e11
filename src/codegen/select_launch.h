// select_launch.h -- plans the kernels that find order statistics of rows.
#pragma once
#include "codegen/launch.h"
#include "cuarray/core/dtype.h"
#include "cuarray/kernel/select.h"

namespace cuarray {

enum class SelectStep { Count, Digit, Parts, Equals };

/// Bytes of the counts, which are zero before the first pass, and of what is known of the wanted elements.
CUARRAY_API int64_t select_count_bytes(int64_t rows, int64_t n, int64_t wanted);
CUARRAY_API int64_t selection_bytes(int64_t rows);

/// Whether elements of different bits may be equal, which takes the steps Parts and Equals after the last pass.
CUARRAY_API bool has_shared_keys(DType dtype);

CUARRAY_API NamedLaunch plan_select(SelectStep step, DType dtype, const kernel::SelectParameters& task);

}  // namespace cuarray
