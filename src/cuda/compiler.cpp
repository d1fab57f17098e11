// compiler.cpp -- the thread that compiles kernels, and the kernels that wait for it.
#include "cuda/compiler.h"
#include <unistd.h>
#include <cstdlib>
#include <deque>
#include <string_view>
#include <system_error>
#include <thread>
#include "runtime/hooks.h"
#include "runtime/mutex.h"

namespace cuarray::cuda {
namespace {

constexpr size_t kMostWaiting = 64;

/// Its thread lives while kernels wait. It makes no call of the driver and runs no code of the host program. A forked
/// child has no thread and needs none: it cannot use GPUs.
class Compiler {
 public:
    std::shared_ptr<Compilation> start(BuildOrder order) {
        auto compilation = std::make_shared<Compilation>();
        compilation->order = std::move(order);
        const std::lock_guard lock(mutex_);
        if (has_ended_ || waiting_.size() >= kMostWaiting) return nullptr;
        waiting_.push_back(compilation);
        if (is_working_ || begin_work()) return compilation;
        waiting_.pop_back();
        return nullptr;
    }

    void end() {
        if (owner_ != getpid()) return;  // a forked child, where another thread's lock may be held for ever
        {
            const std::lock_guard lock(mutex_);
            has_ended_ = true;
            waiting_.clear();
        }
        // NVRTC's own destructors must not meet it at work.
        if (thread_.joinable()) run_unlocked([this] { thread_.join(); });
    }

 private:
    /// With the lock. False if there can be no thread.
    bool begin_work() {
        if (thread_.joinable()) thread_.join();  // it has given back the lock for the last time
        try {
            thread_ = std::thread([this] {
                while (const std::shared_ptr<Compilation> next = take()) run(*next);
            });
        } catch (const std::system_error&) { return false; }
        owner_ = getpid();
        return is_working_ = true;
    }

    std::shared_ptr<Compilation> take() {
        const std::lock_guard lock(mutex_);
        if (waiting_.empty()) {
            is_working_ = false;
            return nullptr;
        }
        std::shared_ptr<Compilation> next = std::move(waiting_.front());
        waiting_.pop_front();
        return next;
    }

    static void run(Compilation& compilation) {
        const BuildOrder& order = compilation.order;
        try {
            compilation.binary = compile(order.text, order.entry, order.target);
            disk_cache().store(order.key, compilation.binary);
        } catch (...) { compilation.error = std::current_exception(); }
        compilation.is_done.store(true, std::memory_order_release);
    }

    Mutex mutex_;
    std::deque<std::shared_ptr<Compilation>> waiting_;
    std::thread thread_;
    bool is_working_ = false, has_ended_ = false;
    pid_t owner_ = getpid();
};

/// Never destroyed: its thread outlives statics where the host program calls no shutdown().
Compiler& compiler() {
    static Compiler* const one = [] {
        at_shutdown([] { compiler().end(); });
        return new Compiler;
    }();
    return *one;
}

}  // namespace

bool compiles_beside() {
    static const bool waits = [] {
        const char* const wish = std::getenv("CUARRAY_JIT");
        return wish && std::string_view(wish) == "wait";
    }();
    return !waits;
}

std::shared_ptr<Compilation> compile_beside(BuildOrder order) { return compiler().start(std::move(order)); }

}  // namespace cuarray::cuda
