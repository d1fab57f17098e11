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
/// The launch that sorts short rows by key bits shift ... shift + bits - 1.
CUARRAY_API NamedLaunch plan_short_sort(const SortRows& rows, uint64_t from, uint64_t to, int shift, int bits);

/// Bytes of workspace that a sort of long rows by so many digits needs. It is zero before the digits are counted.
CUARRAY_API int64_t sort_workspace(const SortRows& rows, int passes);
/// Addresses of a sort of long rows, whose result is in `to`; `spare` is written to as well. `from` may be `to` if
/// the number of passes is even, and `spare` if it is odd.
struct SortBuffers {
    SortRows rows;
    uint64_t from, to, spare, workspace;
};

/// The launch that counts the digits of all passes, of which the first is of the key's bits from `shift` on.
CUARRAY_API NamedLaunch plan_digit_counts(const SortBuffers& buffers, int shift, int passes);
/// The launch of a pass.
CUARRAY_API NamedLaunch plan_sort_pass(const SortBuffers& buffers, int shift, int pass, int passes);

/// Makes pairs of values and indices.
CUARRAY_API NamedLaunch plan_pairs(DType values, const kernel::SortPairing& pairing);
/// Extracts the indices from pairs.
CUARRAY_API NamedLaunch plan_indices(const kernel::SortPairing& pairing);
CUARRAY_API NamedLaunch plan_search_sorted(DType values, const kernel::SearchSortedParameters& search);

}  // namespace cuarray
