// caches.h -- the size from which results bypass the caches.
#pragma once
#include <cstdint>

namespace cuarray::host {

/// Results of at least this many bytes use non-temporal stores, because the caches could not keep them: the size of a
/// core's last-level cache, or CUARRAY_STREAM_FROM (bytes).
int64_t nontemporal_from();

}  // namespace cuarray::host
