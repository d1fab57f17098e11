// parameters.h -- fills the structs of kernel/index.h.
#pragma once
#include "codegen/launch.h"

namespace cuarray {

void set_extent(kernel::Extent32& extent, int64_t size);
void set_extent(kernel::Extent64& extent, int64_t size);

/// The Expr's scalars, then a reduction's initial value.
void set_scalars(Launch& launch, const Expr& expr, const Scalar* initial);

/// Whether every index and every byte offset of the space is below 2^31.
bool fits_32_bits(const Space& space);

}  // namespace cuarray
