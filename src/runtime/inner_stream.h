// inner_stream.h -- a StreamScope for the library's own calls.
#pragma once
#include "cuarray/runtime/runtime.h"

namespace cuarray {

/// Makes a stream current as a StreamScope does, but leaves what the thread has deferred to wait: nothing is computed
/// during its life, and its caller may hold locks.
class InnerStreamScope {
 public:
    explicit InnerStreamScope(StreamRef stream);
    ~InnerStreamScope();
    InnerStreamScope(const InnerStreamScope&) = delete;
    InnerStreamScope& operator=(const InnerStreamScope&) = delete;
};

}  // namespace cuarray
