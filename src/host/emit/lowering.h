// lowering.h -- the instructions of a chain.
#pragma once
#include <cstdint>
#include <string>
#include <vector>
#include "host/emit/chain.h"

namespace cuarray::host::emit {

struct Code {
    std::vector<uint8_t> bytes;
    int lanes;  ///< the elements that a pass of the loop computes: some vectors of the chain's widest type
};

/// A BlockLoop. With AVX2 it computes whole passes, and ends by a jump to finish(in, out, n, self) if elements are
/// left.
/// `listing` receives the instructions as text, if it is not null.
Code lower(const Chain& chain, const void* self, void (*finish)(), std::string* listing = nullptr);

}  // namespace cuarray::host::emit
