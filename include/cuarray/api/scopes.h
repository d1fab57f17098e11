// scopes.h -- how the operations within a scope are computed.
#pragma once
#include <exception>
#include "cuarray/array/deferral.h"

namespace cuarray {

/// Within its scope, elementwise operations of this thread wait and are computed together, as one pass over memory: at
/// its end, or when a value is read. Results are those of single operations, bit for bit. Scopes nest.
class FuseScope {
 public:
    FuseScope() { begin_deferral(); }
    /// Raises what computing raises, unless another exception is on its way: that one is the cause.
    ~FuseScope() noexcept(false) {
        try {
            end_deferral();
        } catch (...) {
            if (std::uncaught_exceptions() == exceptions_) throw;
        }
    }
    FuseScope(const FuseScope&) = delete;
    FuseScope& operator=(const FuseScope&) = delete;

 private:
    const int exceptions_ = std::uncaught_exceptions();
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
