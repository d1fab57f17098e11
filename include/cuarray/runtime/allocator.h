// allocator.h -- the C interfaces of allocators: another library's for arrays' memory, and cuarray's for other
// libraries.
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

#ifdef __cplusplus
extern "C" {
#endif

/// A block of cuarray's memory on the GPU with this ordinal, for work on `stream`, a CUstream; with the signature of
/// PyTorch's CUDAPluggableAllocator. Null for no bytes; throws a C++ exception if memory has run out.
__attribute__((visibility("default"))) void* cuarray_allocate(int64_t bytes, int device, void* stream);
/// Gives a block back. Work queued before the call on the stream of its allocation may still use it.
__attribute__((visibility("default"))) void cuarray_deallocate(void* address, int64_t bytes, int device, void* stream);

#ifdef __cplusplus
}
#endif
