// padding.h -- arrays with margins: constants, or elements of the array itself.
#pragma once
#include <span>
#include "cuarray/array/array.h"

namespace cuarray {

/// What the margins hold: one number for each side, the nearest element, the elements mirrored at the edge element or
/// at the border, those of the other end; nothing in particular.
enum class PadMode : uint8_t { Constant, Edge, Reflect, Symmetric, Wrap, Empty };

/// The widths of the margins of an axis.
struct PadWidth {
    int64_t before = 0, after = 0;
};

/// A copy of `array` within margins: `widths` has one entry for each axis. `constants`, two for each axis or none for
/// zeros, are read in the mode Constant; where margins meet, the later axis decides. ValueError for negative widths and
/// for elements of an empty axis.
CUARRAY_API Array pad(const Array& array, std::span<const PadWidth> widths, PadMode mode = PadMode::Constant,
                      std::span<const Scalar> constants = {});

}  // namespace cuarray
