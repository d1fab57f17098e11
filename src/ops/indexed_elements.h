// indexed_elements.h -- the elements of an array that indices select, as the axes of a gather or scatter task.
#pragma once
#include <vector>
#include "cuarray/ops/indexing.h"
#include "cuarray/runtime/task.h"

namespace cuarray {

/// Elements of an array over `shape`; owns the index arrays that its views refer to.
struct IndexedElements {
    Array array;  ///< the indexed one, as it was given
    Array base;   ///< a view whose element 0 has position 0 on every indexed axis
    Dims shape;
    Dims strides;  ///< of base over `shape`; zero along axes where only the indices vary
    std::vector<Array> positions;
    std::vector<IndexedAxis> indices;

    /// Adds an indexed axis; `strides` are those of `position` (int64) over `shape`.
    void add(const Array& position, Dims index_strides, int64_t size, int64_t stride, int axis);
};

/// The elements, in a new array in C order, or in `out`, which shares no memory with them.
Array gather(const IndexedElements& places, Outside outside, const char* name, const Array* out = nullptr);
/// Stores values, which are cast and broadcast, and copied if they overlap the array.
void scatter(const IndexedElements& places, const Array& values, const char* name);

/// The elements that an advanced index selects; if `writes`, index arrays that overlap the array are copied.
IndexedElements places_of(const Array& array, std::span<const Index> index, bool writes);

/// IndexError if an index is out of bounds.
void check_inside(const IndexedElements& places, const char* name);
/// Whether no element is selected; an index out of bounds raises IndexError even then.
bool check_empty(const IndexedElements& places, const char* name);

/// The coordinates of the elements that are not zero, in C order, as one int64 array of shape (ndim, count).
Array nonzero_coordinates(const Array& array);

/// An index array as int64, aligned; it must be on the array's device.
Array as_positions(const Array& indices, const Array& array, const char* name);

}  // namespace cuarray
