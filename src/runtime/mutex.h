// mutex.h -- the lock of everything that is held while a device works.
#pragma once
#include <mutex>
#include "runtime/hooks.h"

namespace cuarray {

/// A mutex whose waiters let go of what its holder may need (Python: the GIL). A holder that waits for a device, or
/// asks the host program for something, gets the GIL back only if nobody waits for the mutex with it.
class Mutex {
 public:
    void lock() {
        if (!mutex_.try_lock()) run_unlocked([this] { mutex_.lock(); });
    }
    bool try_lock() { return mutex_.try_lock(); }
    void unlock() { mutex_.unlock(); }

 private:
    std::mutex mutex_;
};

}  // namespace cuarray
