// sort.h -- arrays sorted along an axis, the places of their elements, and searches in sorted arrays.
#pragma once
#include <span>
#include "cuarray/array/array.h"

namespace cuarray {

/// A sorted copy; NaN stands last, and equal elements keep their order.
CUARRAY_API Array sort(const Array& array, int axis, bool descending, const char* name = "sort");
CUARRAY_API void sort_in_place(const Array& array, int axis, bool descending);

/// The places, int64, from which the elements of the sorted array come.
CUARRAY_API Array argsort(const Array& array, int axis, bool descending, const char* name = "argsort");
/// The same for elements compared by the last key first, where equal by the one before, and so on.
CUARRAY_API Array lexsort(std::span<const Array> keys, int axis);

/// A copy in which those elements stand at `ranks`, ascending places of the axis, that do so in the sorted array, smaller ones
/// before and larger ones behind; and the places from which its elements come.
CUARRAY_API Array partition(const Array& array, int axis, std::span<const int64_t> ranks, bool descending, const char* name);
CUARRAY_API Array argpartition(const Array& array, int axis, std::span<const int64_t> ranks, bool descending,
                               const char* name);

/// The elements at some places of the sorted axis, which becomes the last one; `ranks` ascend and lie inside.
CUARRAY_API Array order_statistics(const Array& array, int axis, std::span<const int64_t> ranks, const char* name);

/// Where each value belongs in a sorted array of one axis and the same dtype, int64.
CUARRAY_API Array search_sorted(const Array& sorted, const Array& values, bool right);

/// How many values fall into each of `bins` bins, int64, or the sums of their weights, float64. Values are the bins
/// (int64), or fall between `bins` + 1 ascending edges of the same dtype.
CUARRAY_API Array histogram(const Array& values, const Array* edges, bool equal_bins, const Array* weights, int64_t bins,
                        const char* name);

}  // namespace cuarray
