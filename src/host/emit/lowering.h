// lowering.h -- the instructions of a chain.
#pragma once
#include <cstdint>
#include <vector>
#include "host/emit/chain.h"

namespace cuarray::host::emit {

/// The elements that a vector of the chain holds: 4 if one of its types has eight bytes, else 8.
int lanes_of(const Chain& chain);

/// A BlockLoop that computes whole vectors, and ends by a jump to finish(in, out, n, self) if elements are left.
std::vector<uint8_t> lower(const Chain& chain, const void* self, void (*finish)());

}  // namespace cuarray::host::emit
