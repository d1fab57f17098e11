// editing.h -- elements removed from an axis, and inserted into one.
#pragma once
#include <concepts>
#include <initializer_list>
#include <optional>
#include <variant>
#include "cuarray/ops/arguments.h"
#include "cuarray/ops/indexing.h"

namespace cuarray {

/// Positions along an axis: one, several in braces or a range, those of an array or a slice, or where a mask is true.
/// The call waits for an array.
struct AxisPositions : std::variant<Dims, int64_t, Index, IndexArray> {
    AxisPositions() = default;  ///< none
    template <IntegerType T>
        requires(!std::same_as<T, bool>)
    AxisPositions(T one) : variant(to_int64(one)) {}
    AxisPositions(const Slice& slice) : variant(Index(slice)) {}
    AxisPositions(const Array& array) : variant(IndexArray(array)) {}
    AxisPositions(const ArrayOrNumber& one) : variant(IndexArray(Array(one))) {}
    AxisPositions(IndexArray array) : variant(std::move(array)) {}
    AxisPositions(std::initializer_list<int64_t> all) : variant(Dims(all)) {}
    template <std::same_as<bool> B>
    AxisPositions(std::initializer_list<B> mask) : variant(IndexArray(mask)) {}
    template <IntegerRange R>
    AxisPositions(const R& all) : variant(Dims(all)) {}
};

/// Values that take the dtype of the array that they are inserted into.
struct InsertedValues : Argument {
    using Argument::Argument;
    InsertedValues(const Argument& argument) : Argument(argument) {}
    /// Of a selection, or a result that may be a number.
    template <std::convertible_to<Argument> T>
        requires(!NumberType<T> && !std::derived_from<T, Array> && !std::derived_from<T, Argument>)
    InsertedValues(const T& values) : Argument(static_cast<Argument>(values)) {}
};

/// A copy without the elements of an axis, or of the flattened array, at these positions; Python's delete.
CUARRAY_API Array delete_(const Array& arr, const AxisPositions& obj, std::optional<int64_t> axis = {});

/// A copy with values before the elements of an axis, or of the flattened array, that are at these positions, of
/// which the end is one, too. Of several values for one position the first comes first.
CUARRAY_API Array insert(const Array& arr, const AxisPositions& obj, const InsertedValues& values,
                         std::optional<int64_t> axis = {});

}  // namespace cuarray
