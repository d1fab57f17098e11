// singular_values.h -- the singular values of matrices, for the function of that name.
#pragma once
#include "cuarray/array/array.h"

namespace cuarray::linalg {

CUARRAY_API Array singular_values(const Array& a, bool hermitian, const char* name);

}  // namespace cuarray::linalg
