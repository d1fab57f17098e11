// sort.h -- sorts and partitions along an axis, their indices, order statistics, searches in sorted arrays, histograms.
#pragma once
#include <span>
#include "cuarray/array/array.h"

namespace cuarray {

/// A sorted copy; NaN comes last, and the sort is stable.
CUARRAY_API Array sort(const Array& array, int axis, bool descending, const char* name = "sort");
CUARRAY_API void sort_in_place(const Array& array, int axis, bool descending);

/// The indices, int64, that sort the array.
CUARRAY_API Array argsort(const Array& array, int axis, bool descending, const char* name = "argsort");
/// The indices that sort by several keys: the last key is the primary one, the one before it breaks ties, and so on.
CUARRAY_API Array lexsort(std::span<const Array> keys, int axis);

/// A copy in which the elements at positions `ranks` (ascending) are those of the sorted array, with smaller ones
/// before and larger ones after each; argpartition gives the indices of its elements.
CUARRAY_API Array partition(const Array& array, int axis, std::span<const int64_t> ranks, bool descending,
                            const char* name);
CUARRAY_API Array argpartition(const Array& array, int axis, std::span<const int64_t> ranks, bool descending,
                               const char* name);

/// The elements at positions `ranks` of the sorted axis, which becomes the last one; ranks ascend and are in bounds.
CUARRAY_API Array order_statistics(const Array& array, int axis, std::span<const int64_t> ranks, const char* name);

/// The index, int64, at which each value would be inserted in a sorted 1-d array of the same dtype.
CUARRAY_API Array search_sorted(const Array& sorted, const Array& values, bool right);

/// The number of values per bin, int64, or the sums of their weights, float64. Values are bin numbers (int64), or fall
/// between `bins` + 1 ascending edges of the same dtype.
CUARRAY_API Array histogram(const Array& values, const Array* edges, bool equal_bins, const Array* weights,
                            int64_t bins, const char* name);

}  // namespace cuarray
