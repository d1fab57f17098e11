// indexing.h -- basic indexing: integers, slices, Ellipsis and newaxis choose a view.
#pragma once
#include <span>
#include "cuarray/array/array.h"

namespace cuarray {

/// One entry of an index expression.
struct Index {
    enum class Kind : uint8_t { Integer, Slice, Ellipsis, NewAxis };
    static constexpr int64_t kAbsent = INT64_MIN;
    Kind kind = Kind::Integer;
    int64_t value = 0;                                        ///< Integer
    int64_t start = kAbsent, stop = kAbsent, step = kAbsent;  ///< Slice; kAbsent: not given
};

/// The view that the index chooses. IndexError `index 7 is out of bounds for axis 0 with size 3`.
/// `all_integers` tells that every axis was indexed with an integer: the caller then copies (DESIGN: a value).
CUARRAY_API Array basic_index(const Array& array, std::span<const Index> index, bool* all_integers = nullptr);

}  // namespace cuarray
