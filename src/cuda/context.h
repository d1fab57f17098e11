// context.h -- one GPU as this process uses it: its primary context, made current only if it is not.
#pragma once
#include <string>
#include "cuda/driver.h"

namespace cuarray::cuda {

/// A GPU, its properties, and its primary context, which is never released and never reset: other libraries of
/// the process share it.
class Context {
 public:
    explicit Context(int index);

    const Driver& driver;
    const int index;
    CUdevice device = 0;
    CUcontext handle = nullptr;
    std::string name;
    int capability = 0;  ///< 90 for 9.0
    int processors = 0;
    bool has_pools = false;
    size_t memory = 0;  ///< bytes

 private:
    int attribute(int which) const;
};

/// The compute capability of a GPU, 90 for 9.0; creates no context.
int capability_of(const Driver& driver, int index);

/// Whether a GPU is older than compute capability 7.5, for which CUDA 13 does not compile.
bool has_gpus_before_turing(const Driver& driver);

/// Makes a context current in this thread for the life of the object. Queries the driver each time, because other
/// libraries change the current context. A thread without a context gets and keeps the first GPU's, as with the CUDA
/// runtime.
class Current {
 public:
    explicit Current(const Context& context);
    ~Current();
    Current(const Current&) = delete;
    Current& operator=(const Current&) = delete;

 private:
    const Driver& driver_;
    bool pushed_ = false;
};

/// Makes a context current for a whole operation: nested Current objects of this thread skip the query.
class ContextCache {
 public:
    explicit ContextCache(const Context& context);
    ~ContextCache();
    ContextCache(const ContextCache&) = delete;
    ContextCache& operator=(const ContextCache&) = delete;
    /// Must be called before foreign code runs within an operation: it may make another context current.
    static void invalidate();

 private:
    const Current current_;
    const Context* const outer_;
};

/// Lets this thread load modules and allocate while any stream capture is open, without invalidating the capture.
class RelaxedCapture {
 public:
    explicit RelaxedCapture(const Driver& driver);
    ~RelaxedCapture();
    RelaxedCapture(const RelaxedCapture&) = delete;
    RelaxedCapture& operator=(const RelaxedCapture&) = delete;

 private:
    const Driver& driver_;
    int mode_ = CU_STREAM_CAPTURE_MODE_RELAXED;
};

}  // namespace cuarray::cuda
