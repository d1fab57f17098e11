// scopes.h -- how the operations within a scope are computed.
#pragma once
#include "cuarray/array/deferral.h"

namespace cuarray {

/// Within its scope, elementwise operations of this thread wait and are computed together, as one pass over memory: at
/// its end, or when a value is read. Results are those of single operations, bit for bit. Scopes nest.
class FuseScope {
 public:
    FuseScope() { begin_deferral(); }
    ~FuseScope() noexcept(false) { end_deferral(); }
    FuseScope(const FuseScope&) = delete;
    FuseScope& operator=(const FuseScope&) = delete;
};

/// Within its scope, operations of this thread run at the call, but for those in a FuseScope.
class EagerScope {
 public:
    EagerScope() { begin_eager(); }
    ~EagerScope() { end_eager(); }
    EagerScope(const EagerScope&) = delete;
    EagerScope& operator=(const EagerScope&) = delete;
};

}  // namespace cuarray
