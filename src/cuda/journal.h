// journal.h -- the operations queued since the last successful wait, for messages about asynchronous errors.
#pragma once
#include <cstdint>
#include <string>
#include <vector>
#include "cuarray/core/expr.h"
#include "cuarray/runtime/uses.h"
#include "runtime/mutex.h"

namespace cuarray::cuda {

/// The last few operations of all devices. Copies the operations' names, which need not outlive the call.
class Journal {
 public:
    /// Remembers the kernel that this thread has just launched, and its Expr if it has one, for the next note(); both
    /// live as long as the process.
    void launched(const std::string& entry, const Expr* expr);
    /// Notes an operation that has just been queued.
    void note(int device, StreamPoint point, const char* name);
    /// Forgets the operations up to `point`, which have run.
    void finished(StreamPoint point);
    /// "add, multiply, sum (cuda:0)", oldest first; "" if nothing is pending.
    std::string text() const;
    /// One line for each, with kernel, expression and, while recording is on (runtime/recorder.h), the line of
    /// the program that queued it.
    std::vector<std::string> lines() const;

 private:
    static constexpr int kKept = 32;
    struct Launched {
        const std::string* entry = nullptr;
        const Expr* expr = nullptr;
    };
    struct LaunchRecord {
        int device = -1;
        StreamPoint point;
        char name[48] = {};
        Launched kernel;
        std::string file;
        int line = 0;
    };
    template <class Visit>
    void visit(Visit&& visit) const;

    static thread_local Launched last_;
    mutable Mutex mutex_;
    LaunchRecord records_[kKept];
    int next_ = 0;
};

Journal& journal();

}  // namespace cuarray::cuda
