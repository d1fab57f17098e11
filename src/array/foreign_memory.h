// foreign_memory.h -- memory of other libraries as arrays, checked before anything is read from it, and ours for them.
#pragma once
#include "cuarray/array/array.h"

namespace cuarray {

/// What a producer says of its memory; `address` and `byte_offset` are as it gave them.
struct ForeignMemory {
    Device device;
    uint64_t address;
    uint64_t byte_offset;
    Layout layout;
    DType dtype;
    bool is_read_only;
};

/// The bytes that the elements lie in; null and nothing for no elements.
struct ForeignBytes {
    char* first;
    int64_t count;
    int64_t origin;  ///< where element 0 is, counted from `first`
};

/// BufferError where there are elements but no address, where they lie beyond the address space, or where a GPU would
/// fault on an address that is no multiple of the alignment.
CUARRAY_API ForeignBytes checked_bytes(const ForeignMemory& memory, const char* function);

constexpr int64_t kDataIsReady = -1;

/// An array over bytes that were checked. `free(owner)` runs when the last view is gone, or if this throws.
/// `stream`: where the producer has made the data ready, or kDataIsReady. `is_held`: as foreign_storage's.
CUARRAY_API Array adopt_memory(ForeignMemory&& memory, const ForeignBytes& bytes, void (*free)(void*), void* owner,
                               int64_t stream, bool (*is_held)(void*) = nullptr);

/// Settles the array for other code, which may write it, where it is writable, as long as the result lives.
CUARRAY_API Export export_memory(const Array& array);
/// Address of element 0 of an exported array; null for an empty one.
inline char* exported_address(const Array& array) { return array.is_empty() ? nullptr : array.data(); }

}  // namespace cuarray
