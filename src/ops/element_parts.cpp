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

Array reinterpreted(const Array& array, DType dtype) {
    const int64_t from = item_size(array.dtype()), to = item_size(dtype);
    Layout layout = array.layout();
    if (from != to) {
        const int last = array.ndim() - 1;
        if (last < 0 || (layout.strides[last] != from && layout.shape[last] > 1 && !array.is_empty()))
            raise(ErrorKind::Value, "view: a dtype of another size needs a contiguous last axis");
        const int64_t bytes = layout.shape[last] * from;
        if (bytes % to)
            raise(ErrorKind::Value, "view: a last axis of ", bytes, " bytes is no multiple of the ", to, " bytes of ",
                  info(dtype).name);
        layout.shape[last] = bytes / to;
        layout.strides[last] = to;
    }
    return array.view(std::move(layout), 0, dtype);
}

void swap_bytes(const Array& from, const Array& to) {
    const DType part = real_part(from.dtype());
    for (int64_t offset = 0; offset < item_size(from.dtype()); offset += item_size(part))
        assign(bytes_of_numbers(field(to, part, offset), false), bytes_of_numbers(field(from, part, offset), true),
               "byteswap");
}

}  // namespace cuarray
