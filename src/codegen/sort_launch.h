// sort_launch.h -- which kernels sort rows and search in sorted arrays, their grids and parameters.
#pragma once
#include <vector>
#include "codegen/launch.h"
#include "cuarray/core/dtype.h"
#include "cuarray/kernel/sort.h"

namespace cuarray {

/// Rows of items, side by side, on a device.
struct SortRows {
    int64_t rows, n;
    DType dtype;  ///< of the items; none: pairs
    bool descending = false;
};

/// Whether one launch sorts the rows, which may then stay in their memory.
CUARRAY_API bool is_one_launch(const SortRows& rows);
/// Bytes that a pass over long rows needs besides the items.
CUARRAY_API int64_t sort_workspace(const SortRows& rows);
/// The launches that sort by `bits` bits of the keys from `shift` up: all of them, of long rows at most 8.
CUARRAY_API std::vector<NamedLaunch> plan_sort(const SortRows& rows, uint64_t from, uint64_t to, uint64_t workspace,
                                               int shift, int bits);

/// Makes pairs of values and indices.
CUARRAY_API NamedLaunch plan_pairs(DType values, const kernel::SortPairing& pairing);
/// Makes indices of pairs.
CUARRAY_API NamedLaunch plan_indices(const kernel::SortPairing& pairing);
CUARRAY_API NamedLaunch plan_search_sorted(DType values, const kernel::SearchSortedParameters& search);

}  // namespace cuarray
