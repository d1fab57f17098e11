// bit_packing.cpp -- packbits and unpackbits: loops of the device where the caller may run them, else arithmetic on
// words of eight bytes.
#include "cuarray/ops/bit_packing.h"
#include <algorithm>
#include <utility>
#include "cuarray/array/elements.h"
#include "cuarray/array/pending.h"
#include "cuarray/ops/joining.h"
#include "cuarray/ops/shaping.h"
#include "cuarray/ops/ufunc.h"

namespace cuarray {
namespace {

/// Multipliers of a little-endian word that collect the lowest bits of its bytes in the highest byte: of byte i in bit
/// 7 - i (big) or i. No two terms of the products overlap.
constexpr uint64_t kGatherBig = 0x8040201008040201, kGatherLittle = 0x0102040810204080;
constexpr uint64_t kOnes = 0x0101010101010101;

using BitLoop = void (DirectLoops::*)(const void* from, void* to, int64_t n, bool highest_first);

/// The bits along the last axis of lines, which become so long, by a loop of the device; an empty handle where the
/// caller may not run it.
Array bits_by_caller(const Array& lines, int64_t width, BitOrder order, BitLoop loop) {
    if (!lines.is_c_contiguous() || !direct_data(lines)) return {};
    Dims shape = lines.shape();
    const int64_t n = std::exchange(shape.back(), width);
    checked_size(shape, 1, "unpackbits");
    Array result = empty(shape, DType::uint8, lines.device());
    char* const to = direct_data(result);
    if (!to) return {};
    const char* const from = direct_data(lines);
    DirectLoops* const loops = lines.storage().front().direct();
    for (int64_t k = 0; width && k < result.size() / width; ++k)
        (loops->*loop)(from + k * n, to + k * width, n, order == BitOrder::Big);
    return result;
}

Array zeros_behind(const Array& lines, int64_t width) {
    Dims shape = lines.shape();
    shape.back() = width;
    const Scalar zero = convert(Scalar::of(DType::bool_, false), lines.dtype());
    const ArrayOrNumber parts[] = {lines, full(shape, zero, lines.device())};
    return concat(parts, -1);
}

/// The elements of the last axis, contiguous, as elements of another size.
Array as_items(const Array& lines, DType dtype) {
    const Array line = copy(lines, 'C');
    Dims shape = line.shape();
    shape.back() = shape.back() * item_size(line.dtype()) / item_size(dtype);
    return line.view({shape, c_strides(shape, item_size(dtype))}, 0, dtype);
}

/// A calculation with words.
Array with_word(RowId row, const Array& words, uint64_t number) {
    const Scalar word = Scalar::of(DType::uint64, number);
    return apply_row(row, words, word);
}

Array packed_bits(const Array& flags, BitOrder order) {
    const int64_t width = flags.shape().back(), bytes = width / 8 + (width % 8 != 0);
    if (Array made = bits_by_caller(flags, bytes, order, &DirectLoops::pack_bits); made.defined()) return made;
    const Array words = as_items(width % 8 ? zeros_behind(flags, 8 - width % 8) : flags, DType::uint64);
    const Deferral fused;
    const Array gathered = with_word(row::multiply, words, order == BitOrder::Big ? kGatherBig : kGatherLittle);
    return astype(with_word(row::bitwise_right_shift, gathered, 56), DType::uint8);
}

Array spread_bits(const Array& bytes, BitOrder order) {
    if (Array made = bits_by_caller(bytes, bytes.shape().back() * 8, order, &DirectLoops::unpack_bits); made.defined())
        return made;
    Array spread;
    {
        const Deferral fused;
        const Array words = astype(bytes, DType::uint64);
        if (order == BitOrder::Big) {
            const Array shifted = with_word(row::bitwise_right_shift, with_word(row::multiply, words, kGatherBig), 7);
            spread = with_word(row::bitwise_and, shifted, kOnes);
        } else {
            const Array seven = with_word(row::multiply, with_word(row::bitwise_and, words, 0x7F), 0x0002040810204081);
            const Array high = with_word(row::bitwise_left_shift, with_word(row::bitwise_right_shift, words, 7), 56);
            const Array low = with_word(row::bitwise_and, seven, kOnes);
            spread = apply_row(row::bitwise_or, low, high);
        }
    }
    return as_items(spread, DType::uint8);
}

/// The axis as the last one; without an axis, all elements.
Array lines_along(const Array& a, std::optional<int64_t> axis, int& along, const char* function) {
    if (!a.ndim() || (!axis && a.ndim() > 1)) return lines_along(ravel(a), axis, along, function);
    along = axis ? normalise_axis(*axis, a.ndim(), function) : 0;
    return along == a.ndim() - 1 ? a : moveaxis(a, {along}, {-1});
}

/// The last axis back in its place.
Array with_lines_along(Array&& lines, int along) {
    if (along == lines.ndim() - 1) return std::move(lines);
    return moveaxis(lines, {-1}, {along});
}

}  // namespace

Array packbits(const Array& a, std::optional<int64_t> axis, BitOrder bitorder) {
    if (info(a.dtype()).kind > Kind::Signed)
        raise(ErrorKind::Type, "packbits: expected an array of integers or bools, not ", info(a.dtype()).name);
    int along;
    Array bits = lines_along(a, axis, along, "packbits");
    if (bits.dtype() != DType::bool_) {
        const Scalar zero = convert(Scalar::of(DType::bool_, false), bits.dtype());
        bits = apply_row(row::not_equal, bits, zero);
    }
    if (!bits.is_c_contiguous()) bits = copy(bits, 'C');
    return with_lines_along(packed_bits(bits, bitorder), along);
}

Array unpackbits(const Array& a, std::optional<int64_t> axis, std::optional<int64_t> count, BitOrder bitorder) {
    if (a.dtype() != DType::uint8)
        raise(ErrorKind::Type, "unpackbits: expected an array of uint8, not ", info(a.dtype()).name);
    int along;
    Array bytes = lines_along(a, axis, along, "unpackbits");
    const int64_t n = bytes.shape().back();
    if (n > INT64_MAX / 8) raise(ErrorKind::Value, "unpackbits: the bits are more than int64 counts");
    int64_t length = count.value_or(8 * n);
    if (length < 0) length += 8 * n;
    if (length < 0)
        raise(ErrorKind::Value, "unpackbits: count=", *count, " cuts off more than the ", 8 * n,
              " bits that are there");
    if (const int64_t used = length / 8 + (length % 8 != 0); used < n) {
        Layout layout = bytes.layout();
        layout.shape.back() = used;
        bytes = bytes.view(std::move(layout));
    }
    if (!bytes.is_c_contiguous()) bytes = copy(bytes, 'C');
    Array bits = spread_bits(bytes, bitorder);
    if (const int64_t there = bits.shape().back(); there > length) {
        Layout layout = bits.layout();
        layout.shape.back() = length;
        bits = bits.view(std::move(layout));
    } else if (there < length) {
        bits = zeros_behind(bits, length - there);
    }
    return with_lines_along(std::move(bits), along);
}

}  // namespace cuarray
