// allocator.h -- the C interface of an external allocator of array memory: a struct of two functions.
#pragma once
#include <stdint.h>

/// The name of a PyCapsule that holds a `const cuarray_allocator_v1*`.
#define CUARRAY_ALLOCATOR_CAPSULE "cuarray_allocator_v1"

/// Another library's allocator. Both functions are called from any thread, without the GIL and without any lock of
/// cuarray's; they return 0 for success. `device` is the ordinal of a GPU, -1 for host memory; `stream` is the CUstream
/// on which the memory is used, null on the host.
typedef struct cuarray_allocator_v1 {
    void* context;  ///< the first argument of both functions
    /// Stores the address of at least `bytes` bytes in `address`, a multiple of 256; null if memory has run out.
    int (*allocate)(void* context, int64_t bytes, int32_t device, void* stream, void** address);
    /// Frees the bytes; work queued on `stream` before the call may still use them.
    int (*free)(void* context, void* address, int64_t bytes, int32_t device, void* stream);
    const char* name;  ///< for messages
} cuarray_allocator_v1;
