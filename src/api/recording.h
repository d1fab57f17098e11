// recording.h -- a listener that keeps every record until somebody asks for them.
#pragma once
#include <atomic>
#include <mutex>
#include <vector>
#include "cuarray/api/profile.h"
#include "runtime/recorder.h"

namespace cuarray {

class CUARRAY_API Recording final : public Listener {
 public:
    ~Recording() override { stop(); }

    /// False if it is on already. Computes first what this thread has deferred.
    bool start();
    /// Nothing if it is off.
    void stop();
    bool is_on() const { return is_on_; }
    bool wants_device_times() const override { return true; }
    void take(const Record& record) noexcept override;
    /// The devices whose work has to be waited for before its times are known.
    std::vector<Device> devices();
    /// The records so far, in the order of their ends; they are forgotten here.
    std::vector<ProfiledOperation> taken();
    /// Records that there was no memory for.
    int64_t lost() const { return lost_; }

 private:
    std::mutex mutex_;
    std::vector<Record> records_;
    std::atomic<int64_t> lost_ = 0;
    bool is_on_ = false;
};

}  // namespace cuarray
