// sort_launch.h -- plans sorts of rows and searches in sorted arrays: kernels, grids and parameters.
#pragma once
#include <vector>
#include "codegen/launch.h"
#include "cuarray/core/dtype.h"
#include "cuarray/kernel/sort.h"

namespace cuarray {

/// Contiguous rows of items in device memory.
struct SortRows {
    int64_t rows, n;
    DType dtype;  ///< of the items; none: pairs
    bool descending = false;
};

/// Whether one launch sorts the rows; it may work in place.
CUARRAY_API bool is_one_launch(const SortRows& rows);
/// Bytes of workspace that a pass over long rows needs.
CUARRAY_API int64_t sort_workspace(const SortRows& rows);
/// The launches of a pass, and the k-th of them. A pass sorts by key bits shift ... shift + bits - 1: all bits of short
/// rows, at most 8 of long rows.
CUARRAY_API int sort_launches(const SortRows& rows);
CUARRAY_API NamedLaunch plan_sort(const SortRows& rows, uint64_t from, uint64_t to, uint64_t workspace, int shift,
                                  int bits, int k);

/// Makes pairs of values and indices.
CUARRAY_API NamedLaunch plan_pairs(DType values, const kernel::SortPairing& pairing);
/// Extracts the indices from pairs.
CUARRAY_API NamedLaunch plan_indices(const kernel::SortPairing& pairing);
CUARRAY_API NamedLaunch plan_search_sorted(DType values, const kernel::SearchSortedParameters& search);

}  // namespace cuarray
