// threads.h -- the worker threads of the host backend, and parallel_for.
#pragma once
#include <cstdint>
#include <memory>
#if defined(__SSE__)
#include <xmmintrin.h>
#endif

namespace cuarray::host {

/// Elements of work that justify the cost of waking another thread.
constexpr int64_t kTaskElements = 64 * 1024;

/// A reference to a callable that outlives the call.
class LoopBody {
 public:
    template <class F>
    LoopBody(const F& function)
        : object_(std::addressof(function)),
          call_([](const void* object, int64_t i) { (*static_cast<const F*>(object))(i); }) {}
    void operator()(int64_t i) const { call_(object_, i); }

 private:
    const void* object_;
    void (*call_)(const void*, int64_t);
};

/// Calls body(0) ... body(count - 1), each once, on the workers and on this thread, under the default rounding and
/// subnormal modes; rethrows the first exception. If called from a task, or while another thread is using the workers,
/// runs everything on this thread.
void parallel_for(int64_t count, LoopBody body);

/// The number of threads: CUARRAY_NUM_THREADS, or the number of cores that this process may use.
int thread_count();

/// Waits for the task in progress, ends the workers, and starts none until `allow_threads`: a fork does not copy
/// workers to the child, and Python warns if any other thread exists during a fork.
void stop_threads();
void allow_threads();

/// Default SSE control bits for a scope: a framework that flushes subnormals must not change results.
class DefaultFloatMode {
 public:
    DefaultFloatMode() {
#if defined(__SSE__)
        constexpr unsigned kDefault = 0x1f80, kFlags = 0x3f;  // sticky exception flags change no result
        saved_ = _mm_getcsr();
        is_changed_ = (saved_ & ~kFlags) != kDefault;
        if (is_changed_) _mm_setcsr(kDefault);
#endif
    }
    ~DefaultFloatMode() {
#if defined(__SSE__)
        if (is_changed_) _mm_setcsr(saved_);
#endif
    }
    DefaultFloatMode(const DefaultFloatMode&) = delete;
    DefaultFloatMode& operator=(const DefaultFloatMode&) = delete;

 private:
    unsigned saved_ = 0;
    bool is_changed_ = false;
};

}  // namespace cuarray::host
