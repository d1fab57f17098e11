// context.h -- one GPU as this process uses it: its primary context, made current only where it is not.
#pragma once
#include <string>
#include "cuda/driver.h"

namespace cuarray::cuda {

/// A GPU, its properties, and its primary context, which is retained for ever and never reset: other
/// libraries of the process use the same one.
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

/// The compute capability of a GPU, 90 for 9.0; makes no context.
int capability_of(const Driver& driver, int index);

/// Makes a context current in this thread for the life of the object. Asked anew for each operation, because
/// other libraries change it. A thread that has none gets and keeps the first GPU's, as CUDA's runtime would
/// do.
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

/// Makes a context current for a whole operation: inside, in this thread, nobody looks again.
class OneLook {
 public:
    explicit OneLook(const Context& context);
    ~OneLook();
    OneLook(const OneLook&) = delete;
    OneLook& operator=(const OneLook&) = delete;
    /// Before code that is not ours runs in the middle of an operation, which may leave another context current.
    static void look_again();

 private:
    const Current current_;
    const Context* const outer_;
};

/// Lets this thread load modules and allocate while somebody's stream capture is open, without breaking it.
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
