// threads.cpp -- a pool of threads that sleep between tasks and are stopped during a fork.
#include "host/threads.h"

#include <sched.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdlib>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#include "cuarray/core/error.h"
#include "cuarray/runtime/threads.h"
#include "host/blas.h"

namespace cuarray::host {
namespace {

thread_local bool inside_task = false;

/// One call of parallel_for, on the stack of its caller.
struct Job {
    const LoopBody* body;
    int64_t count;
    std::atomic<int64_t> next{0};
    std::atomic<bool> failed{false};
    std::exception_ptr error;

    /// Takes indices until none is left. Results do not depend on which thread takes an index.
    void work() {
        const DefaultFloatMode mode;
        inside_task = true;
        for (int64_t i; (i = next.fetch_add(1, std::memory_order_relaxed)) < count;) {
            try {
                (*body)(i);
            } catch (...) {
                if (!failed.exchange(true)) error = std::current_exception();
                next.store(count, std::memory_order_relaxed);
            }
        }
        inside_task = false;
    }
};

class ThreadPool {
 public:
    explicit ThreadPool(int threads) : wanted_(threads - 1) {}

    /// False if another thread is using the workers.
    bool run(Job& job) {
        std::unique_lock owner(owner_, std::try_to_lock);
        if (!owner) return false;
        start();
        {
            const std::lock_guard lock(mutex_);
            job_ = &job;
            ++generation_;
        }
        wake_.notify_all();
        job.work();
        std::unique_lock lock(mutex_);
        job_ = nullptr;  // a worker that wakes only now finds no job and is not waited for
        done_.wait(lock, [this] { return busy_ == 0; });
        return true;
    }

    int threads() const { return wanted_ + 1; }

    void stop() {
        owner_.lock();
        {
            const std::lock_guard lock(mutex_);
            stopping_ = true;
        }
        wake_.notify_all();
        for (std::thread& worker : workers_) worker.join();
        workers_.clear();
        stopping_ = false;
    }
    void allow() { owner_.unlock(); }

    void resize(int threads) {
        stop();
        wanted_ = threads - 1;
        allow();
    }

 private:
    void start() {
        try {
            while (int(workers_.size()) < wanted_) workers_.emplace_back([this, seen = generation_] { serve(seen); });
        } catch (const std::system_error&) {
            wanted_ = int(workers_.size());  // the system gives no more threads
        }
    }

    void serve(uint64_t seen) {
        std::unique_lock lock(mutex_);
        for (;;) {
            wake_.wait(lock, [&] { return stopping_ || generation_ != seen; });
            if (stopping_) return;
            seen = generation_;
            Job* const job = job_;
            if (!job) continue;
            ++busy_;
            lock.unlock();
            job->work();
            lock.lock();
            if (--busy_ == 0) done_.notify_one();
        }
    }

    std::atomic<int> wanted_;
    std::mutex owner_;  // held while a job runs
    std::mutex mutex_;  // guards everything below
    std::condition_variable wake_, done_;
    std::vector<std::thread> workers_;
    Job* job_ = nullptr;
    uint64_t generation_ = 0;
    int busy_ = 0;  // workers inside the job
    bool stopping_ = false;
};

constexpr int kMostThreads = 4096;

int wanted_threads() {
    if (const char* text = std::getenv("CUARRAY_NUM_THREADS"); text && *text) {
        char* end = nullptr;
        const long n = std::strtol(text, &end, 10);
        if (*end || n < 1 || n > kMostThreads)
            raise(ErrorKind::Value, "CUARRAY_NUM_THREADS: a number of threads from 1 to ", kMostThreads,
                  " expected, got '", text, "'");
        return int(n);
    }
    cpu_set_t cores;
    if (sched_getaffinity(0, sizeof cores, &cores) == 0) return std::max(1, CPU_COUNT(&cores));
    return std::max(1, int(std::thread::hardware_concurrency()));
}

// Never destroyed: other static destructors may still compute.
ThreadPool& thread_pool() {
    static ThreadPool* const the_pool = new ThreadPool(wanted_threads());
    return *the_pool;
}

}  // namespace

void parallel_for(int64_t count, LoopBody body) {
    Job job{&body, count, {}, {}, {}};
    if (count > 1 && !inside_task && thread_pool().threads() > 1 && thread_pool().run(job)) {
        if (job.error) std::rethrow_exception(job.error);
        return;
    }
    const DefaultFloatMode mode;
    for (int64_t i = 0; i < count; ++i) body(i);
}

int thread_count() { return thread_pool().threads(); }

void stop_threads() { thread_pool().stop(); }
void allow_threads() { thread_pool().allow(); }

}  // namespace cuarray::host

namespace cuarray {

int num_threads() { return host::thread_pool().threads(); }

void set_num_threads(int count) {
    if (count < 1 || count > host::kMostThreads)
        raise(ErrorKind::Value, "set_num_threads: a number from 1 to ", host::kMostThreads, " expected, got ", count);
    host::thread_pool().resize(count);
    host::Blas::set_threads(count);
}

}  // namespace cuarray
