// deferral.h -- whether elementwise operations of a thread wait to be computed together.
#pragma once
#include <atomic>
#include <cstdint>
#include "cuarray/core/device.h"
#include "cuarray/core/error.h"

namespace cuarray {

/// Number of threads that are deferring; while it is 0, is_deferring() skips the thread-local graph.
CUARRAY_API extern std::atomic<int> deferring_threads;
CUARRAY_API bool is_deferring_here();
/// Whether elementwise operations of this thread are deferred now (inside cuarray.fuse).
inline bool is_deferring() { return deferring_threads.load(std::memory_order_relaxed) > 0 && is_deferring_here(); }

/// The number of elements from which operations on `cpu` are deferred outside of the scopes below, too, while one
/// thread alone computes. INT64_MAX with CUARRAY_FUSE=off. Those on GPUs are deferred at any size unless it is that.
CUARRAY_API extern const int64_t deferred_from;
/// Whether an operation of so many elements may be deferred; can_defer() judges its operands.
inline bool may_defer(int64_t elements, Device device) {
    return elements >= (device == Device{} || deferred_from == INT64_MAX ? deferred_from : 0) || is_deferring();
}
/// Until the end, operations of this thread outside of the scopes below run at the call.
CUARRAY_API void begin_eager();
CUARRAY_API void end_eager();
/// Until the end, operations of this thread wait, but for those that read exported memory.
CUARRAY_API void begin_deferral();
CUARRAY_API void end_deferral();

}  // namespace cuarray
