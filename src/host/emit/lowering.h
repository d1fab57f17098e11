// lowering.h -- the instructions of a chain.
#pragma once
#include <cstdint>
#include <string>
#include <vector>
#include "host/emit/chain.h"

namespace cuarray::host::emit {

/// The elements that a pass of the loop computes: one or two vectors of the chain's widest type.
int lanes_of(const Chain& chain);

/// A BlockLoop. With AVX2 it computes whole passes, and ends by a jump to finish(in, out, n, self) if elements are
/// left.
/// `listing` receives the instructions as text, if it is not null.
std::vector<uint8_t> lower(const Chain& chain, const void* self, void (*finish)(), std::string* listing = nullptr);

}  // namespace cuarray::host::emit
