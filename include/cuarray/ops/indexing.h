// indexing.h -- x[key]: integers, slices, Ellipsis and newaxis choose a view; arrays of integers and masks choose
// elements, which are copied.
#pragma once
#include <span>
#include <vector>
#include "cuarray/array/array.h"

namespace cuarray {

using kernel::Outside;

/// One entry of an index expression.
struct Index {
    enum class Kind : uint8_t { Integer, Slice, Ellipsis, NewAxis, Bool, Array };
    static constexpr int64_t kAbsent = INT64_MIN;
    Kind kind = Kind::Integer;
    int64_t value = 0;                                        ///< Integer; Bool: 0 or 1
    int64_t start = kAbsent, stop = kAbsent, step = kAbsent;  ///< Slice; kAbsent: not given
    const cuarray::Array* array = nullptr;                    ///< Array: of integers, or a mask
};

/// Whether an entry is a bool or an array: the result is then a copy.
CUARRAY_API bool is_advanced(std::span<const Index> index);

/// The view that the index chooses. IndexError `index 7 is out of bounds for axis 0 with size 3`.
/// `all_integers` tells that every axis was indexed with an integer: the caller then copies (DESIGN: a value).
CUARRAY_API Array basic_index(const Array& array, std::span<const Index> index, bool* all_integers = nullptr);

/// The elements that an advanced index chooses, in an array of their own, with NumPy's placement of axes.
CUARRAY_API Array elements_at(const Array& array, std::span<const Index> index);
/// array[index] = values, cast and broadcast; of several values for one place the last stays.
CUARRAY_API void assign_at(const Array& array, std::span<const Index> index, const Array& values);
CUARRAY_API void assign_at(const Array& array, std::span<const Index> index, const Scalar& value);

/// Elements along an axis at positions; the axes of `indices` stand in its place. Into `out` where given.
CUARRAY_API Array take(const Array& array, const Array& indices, int axis, Outside outside, const Array* out = nullptr);
/// result[..., i, ...] = array[..., indices[..., i, ...], ...]; the other axes broadcast.
CUARRAY_API Array take_along_axis(const Array& array, const Array& indices, int axis);
/// The inverse: array[..., indices[..., i, ...], ...] = values[..., i, ...].
CUARRAY_API void put_along_axis(const Array& array, const Array& indices, const Array& values, int axis);

/// The coordinates of the elements that are not zero, in C order, as one int64 array of shape (ndim, count).
CUARRAY_API Array nonzero(const Array& array);

}  // namespace cuarray
