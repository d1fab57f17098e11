// bit_packing.h -- bits packed into bytes, and unpacked.
#pragma once
#include <optional>
#include "cuarray/array/array.h"

namespace cuarray {

/// Whether the first of eight elements is the highest bit of its byte, or the lowest.
enum class BitOrder : uint8_t { Big, Little };

/// Eight elements in each byte, along an axis or of the flattened array: the bits that are not zero.
CUARRAY_API Array packbits(const Array& a, std::optional<int64_t> axis = {}, BitOrder bitorder = BitOrder::Big);

/// The bits of uint8, as zeros and ones: so many of each line, or without so many (`count` < 0).
CUARRAY_API Array unpackbits(const Array& a, std::optional<int64_t> axis = {}, std::optional<int64_t> count = {},
                             BitOrder bitorder = BitOrder::Big);

}  // namespace cuarray
