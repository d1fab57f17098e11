// padding.h -- arrays with margins: constants, or elements of the array itself.
#pragma once
#include <concepts>
#include <initializer_list>
#include <ranges>
#include <span>
#include <utility>
#include <vector>
#include "cuarray/array/array.h"
#include "cuarray/core/integers.h"

namespace cuarray {

/// What the margins hold: one number for each side, the nearest element, the elements mirrored at the edge element or
/// at the border, those of the other end; nothing in particular.
enum class PadMode : uint8_t { Constant, Edge, Reflect, Symmetric, Wrap, Empty };

/// The widths of the margins of an axis.
struct PadWidth {
    int64_t before = 0, after = 0;
};

/// The widths of the margins of all axes: pad(x, 1), pad(x, {1, 2}) for 1 before and 2 behind each axis,
/// pad(x, {{1, 2}, {0, 3}}) for each axis its own.
struct PadWidths : std::vector<PadWidth> {
    template <IntegerType T>
    PadWidths(T width) : PadWidths(width, width) {}
    template <IntegerType B, IntegerType A>
    PadWidths(B before, A after) : vector({PadWidth{to_int64(before), to_int64(after)}}) {}
    PadWidths(std::initializer_list<PadWidth> each) : vector(each) {}
    PadWidths(std::vector<PadWidth>&& each) : vector(std::move(each)) {}
    template <std::ranges::contiguous_range R>
        requires std::same_as<std::ranges::range_value_t<R>, PadWidth>
    PadWidths(const R& each) : vector(std::ranges::begin(each), std::ranges::end(each)) {}
};

/// A copy of `array` within margins: `widths` has one entry, or one for each axis. `constants`, two for each axis or
/// none for zeros, are read in the mode Constant; where margins meet, the later axis decides. ValueError for negative
/// widths and for elements of an empty axis.
CUARRAY_API Array pad(const Array& array, const PadWidths& widths, PadMode mode = PadMode::Constant,
                      std::span<const Scalar> constants = {});
/// The same with the constants of an array, which broadcasts to (axes, 2) and is cast to the dtype of `array`.
CUARRAY_API Array pad(const Array& array, const PadWidths& widths, const Array& constants);

}  // namespace cuarray
