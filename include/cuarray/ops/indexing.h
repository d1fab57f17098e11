// indexing.h -- x[key]: basic indices (integers, slices, Ellipsis, newaxis) give a view; advanced indices (arrays of
// integers, masks) give a copy.
#pragma once
#include <optional>
#include <span>
#include <vector>
#include "cuarray/array/array.h"
#include "cuarray/core/outside.h"

namespace cuarray {

/// Positions from `start` to before `stop`; negative ones count from the end, and a step may be negative.
struct Slice {
    std::optional<int64_t> start, stop, step;
};
/// As Python's slice: of all positions, of those before `stop`, from `start` to `stop`. {} stands for None.
inline Slice slice() { return {}; }
inline Slice slice(std::optional<int64_t> stop) { return {{}, stop, {}}; }
inline Slice slice(std::optional<int64_t> start, std::optional<int64_t> stop, std::optional<int64_t> step = {}) {
    return {start, stop, step};
}

/// One entry of an index expression.
struct Index {
    enum class Kind : uint8_t { Integer, Slice, Ellipsis, NewAxis, Bool, Array };
    static constexpr int64_t kAbsent = INT64_MIN;
    Kind kind = Kind::Integer;
    int64_t value = 0;                                        ///< Integer; Bool: 0 or 1
    int64_t start = kAbsent, stop = kAbsent, step = kAbsent;  ///< Slice; kAbsent: not given
    const cuarray::Array* array = nullptr;                    ///< Array: of integers, or a mask

    Index() = default;
    CUARRAY_API explicit Index(const cuarray::Slice& slice);
};

/// The first position, the step and the number of positions of a slice, as Python's slice.indices gives them.
struct SlicePositions {
    int64_t first, step, count;
};
/// Those along an axis of so many elements; ValueError for a step of 0.
CUARRAY_API SlicePositions positions_of(const Index& slice, int64_t extent);

/// Whether an entry is a bool or an array: the result is then a copy.
CUARRAY_API bool is_advanced(std::span<const Index> index);

/// The view that a basic index selects. IndexError `index 7 is out of bounds for axis 0 with size 3`.
/// `all_integers` receives whether every axis was indexed with an integer: the caller then copies the element.
CUARRAY_API Array basic_index(const Array& array, std::span<const Index> index, bool* all_integers = nullptr);

/// The elements that an advanced index selects, in a new array, with NumPy's placement of axes.
CUARRAY_API Array elements_at(const Array& array, std::span<const Index> index);
/// array[index] = values, cast and broadcast; the last of several values for one element is stored.
CUARRAY_API void assign_at(const Array& array, std::span<const Index> index, const Array& values);
CUARRAY_API void assign_at(const Array& array, std::span<const Index> index, const Scalar& value);

}  // namespace cuarray
