// context.h -- one GPU as this process uses it: its primary context, made current only if it is not.
#pragma once
#include <functional>
#include <memory>
#include <string>
#include "cuda/driver.h"

namespace cuarray::cuda {

/// A GPU, its properties, and its primary context, which is never reset: other libraries of the process share it. It is
/// released only where the start of the GPU fails; what has started lives as long as the process.
class Context {
 public:
    explicit Context(int index);
    ~Context();
    Context(const Context&) = delete;
    Context& operator=(const Context&) = delete;

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

/// A handle or an address of the driver's that is given back with its owner, which is where the start of a GPU fails.
using Owned = std::unique_ptr<void, std::function<void(void*)>>;
template <class GiveBack>
Owned owned(const Context& context, void* handle, GiveBack give_back) {
    return Owned(handle, [&context, give_back](void* given) {
        try {
            const Current current(context);
            give_back(context.driver, given);
        } catch (const std::exception&) {
            // The error of the start itself is on its way.
        }
    });
}

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
