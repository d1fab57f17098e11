// caches.h -- how much of what is written the processor still has at hand when it is read.
#pragma once
#include <cstdint>

namespace cuarray::host {

/// Results of at least this many bytes go past the caches, which could not keep them: the size of the last cache that a
/// core has, or CUARRAY_STREAM_FROM (bytes).
int64_t stream_from();

}  // namespace cuarray::host
