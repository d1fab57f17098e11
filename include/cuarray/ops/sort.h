// sort.h -- sorts and partitions along an axis, their indices, order statistics, searches in sorted arrays, histograms.
#pragma once
#include <optional>
#include <span>
#include "cuarray/array/array.h"
#include "cuarray/core/integers.h"
#include "cuarray/ops/arguments.h"

namespace cuarray {

/// The algorithm that a caller asks for: all give the same, since every sort is stable.
enum class SortKind : uint8_t { Quicksort, Heapsort, Mergesort, Stable };
enum class SelectionKind : uint8_t { Introselect };
/// The fields to compare, of which no array has any.
struct NoFields {};
/// Positions in a sorted order; negative ones count from the end.
struct Ranks : Dims {
    using Dims::Dims;
    Ranks(const Dims& dims) : Dims(dims) {}
};

/// A sorted copy: along an axis, or of the flattened array. NaN comes last in either direction, and the sort is stable.
/// `kind` and `stable`, of which one may be given, change nothing.
CUARRAY_API Array sort(const Array& a, const std::optional<int64_t>& axis = -1,
                       const std::optional<SortKind>& kind = {}, NoFields order = {},
                       const std::optional<bool>& stable = {}, bool descending = false);
/// Sorts the elements along an axis of the array itself.
CUARRAY_API void sort_in_place(const Array& a, int64_t axis = -1, const std::optional<SortKind>& kind = {},
                               NoFields order = {}, const std::optional<bool>& stable = {}, bool descending = false);
/// The indices, int64, that sort the array; an array without axes is one element.
CUARRAY_API Array argsort(const Array& a, const std::optional<int64_t>& axis = -1,
                          const std::optional<SortKind>& kind = {}, NoFields order = {},
                          const std::optional<bool>& stable = {}, bool descending = false);
/// The indices that sort by several keys: the last key is the primary one, the one before it breaks ties, and so on.
CUARRAY_API Array lexsort(const ArrayList& keys, int64_t axis = -1);

/// A copy in which the elements at positions `kth` are those of the sorted array, with smaller ones before and larger
/// ones after each; argpartition gives the indices of its elements, and partition_in_place writes to the array itself.
CUARRAY_API Array partition(const Array& a, const Ranks& kth, const std::optional<int64_t>& axis = -1,
                            SelectionKind kind = SelectionKind::Introselect, NoFields order = {},
                            bool descending = false);
CUARRAY_API void partition_in_place(const Array& a, const Ranks& kth, int64_t axis = -1,
                                    SelectionKind kind = SelectionKind::Introselect, NoFields order = {},
                                    bool descending = false);
CUARRAY_API Array argpartition(const Array& a, const Ranks& kth, const std::optional<int64_t>& axis = -1,
                               SelectionKind kind = SelectionKind::Introselect, NoFields order = {},
                               bool descending = false);

/// The elements at positions `ranks` of the sorted axis, which becomes the last one. Ranks ascend; IndexError
/// for those out of bounds.
CUARRAY_API Array order_statistics(const Array& array, int axis, std::span<const int64_t> ranks, const char* name);

/// The middle one of the sorted elements along axes, by default all, or the mean of the middle two; NaN if an element
/// is NaN or there are none. `overwrite_input` changes nothing.
CUARRAY_API Array median(const Array& a, const OptionalDims& axis = {}, Array* out = nullptr,
                         bool overwrite_input = false, bool keepdims = false);

/// Whether a value is inserted before equal elements or after them.
enum class Side : uint8_t { Left, Right };
/// The positions, int64, at which to insert values into a sorted array of one axis to keep its order; `sorter` has the
/// positions that sort it. A number where the caller may compute it.
CUARRAY_API ArrayOrNumber searchsorted(const Array& a, const Argument& v, Side side = Side::Left,
                                       const std::optional<Array>& sorter = {});
/// The number of the bin of each value, int64: how many edges are at most the value (below it if `right`), or of edges
/// that descend, above it. The call waits for the edges: ValueError if they neither ascend nor descend.
CUARRAY_API ArrayOrNumber digitize(const Argument& x, const Array& bins, bool right = false);
/// The index, int64, at which each value would be inserted in a sorted 1-d array of the same dtype; TypeError for
/// others.
CUARRAY_API Array search_sorted(const Array& sorted, const Array& values, bool right);

/// The number of values per bin, int64, or the sums of their weights, float64. Values are bin numbers (int64), or fall
/// between `bins` + 1 ascending edges of the same dtype; weights are as many float64. ValueError and TypeError for
/// others.
CUARRAY_API Array histogram(const Array& values, const Array* edges, bool equal_bins, const Array* weights,
                            int64_t bins, const char* name);

}  // namespace cuarray
