// element_parts.cpp -- byteswap and getfield.
#include "ops/element_parts.h"
#include <utility>

namespace cuarray {
namespace {

/// The bytes of each number along a new last axis, which is reversed if `backwards`.
Array bytes_of_numbers(const Array& numbers, bool backwards) {
    const int64_t size = item_size(numbers.dtype());
    Layout layout = numbers.layout();
    layout.shape.push_back(size);
    layout.strides.push_back(backwards ? -1 : 1);
    return numbers.view(std::move(layout), backwards ? size - 1 : 0, DType::uint8);
}

}  // namespace

Array field(const Array& array, DType dtype, int64_t offset) { return array.view(array.layout(), offset, dtype); }

void swap_bytes(const Array& from, const Array& to) {
    const DType part = real_part(from.dtype());
    for (int64_t offset = 0; offset < item_size(from.dtype()); offset += item_size(part))
        assign(bytes_of_numbers(field(to, part, offset), false), bytes_of_numbers(field(from, part, offset), true),
               "byteswap");
}

}  // namespace cuarray
