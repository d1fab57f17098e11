// editing.h -- elements removed from an axis, and inserted into one.
#pragma once
#include <initializer_list>
#include <optional>
#include <variant>
#include "cuarray/ops/arguments.h"
#include "cuarray/ops/indexing.h"

namespace cuarray {

/// Places along an axis: one, those of an array or a slice, or where a mask is true. The call waits for an array.
struct Places : std::variant<int64_t, Index, IndexArray> {
    Places() : variant(int64_t(0)) {}
    template <IntegerType T>
    Places(T one) : variant(to_int64(one)) {}
    Places(const Slice& slice) : variant(Index(slice)) {}
    Places(const Index& slice) : variant(slice) {}
    Places(const Array& array) : variant(IndexArray(array)) {}
    Places(IndexArray array) : variant(std::move(array)) {}
    Places(std::initializer_list<int64_t> all) : variant(IndexArray(all)) {}
    template <IntegerRange R>
    Places(const R& all) : variant(IndexArray(all)) {}
};

/// Values that take the dtype of the array that they are inserted into.
struct InsertedValues : Argument {
    using Argument::Argument;
    InsertedValues(const Argument& argument) : Argument(argument) {}
};

/// A copy without the elements of an axis, or of the flattened array, at these places; Python's delete.
CUARRAY_API Array delete_(const Array& arr, const Places& obj, std::optional<int64_t> axis = {});

/// A copy with values before the elements of an axis, or of the flattened array, that are at these places; the end is
/// one, too. Of several values for one place the first comes first.
CUARRAY_API Array insert(const Array& arr, const Places& obj, const InsertedValues& values,
                         std::optional<int64_t> axis = {});

}  // namespace cuarray
