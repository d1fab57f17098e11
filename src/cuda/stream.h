// stream.h -- the queue of one GPU, numbered: a ticket tells what has been queued and what is known to be
// finished.
#pragma once
#include <atomic>
#include <cstdint>
#include <mutex>
#include <span>
#include <string>
#include <unordered_map>
#include "cuarray/kernel/index.h"
#include "cuarray/runtime/uses.h"
#include "cuda/context.h"

namespace cuarray::cuda {

/// The default stream of a GPU. It is a blocking one (flags 0): CUDA orders it with the legacy stream, on
/// which other frameworks work, in both directions and without events.
class GpuStream {
 public:
    explicit GpuStream(const Context& context);

    CUstream handle() const { return handle_; }

    /// Numbers an operation that has just been queued. Numbering afterwards means that whoever waits knows
    /// that all numbers given out before are done.
    StreamPoint issue(const char* name);
    uint64_t issued() const { return issued_.load(std::memory_order_relaxed); }
    bool has_finished(uint64_t ticket) const { return ticket <= finished_.load(std::memory_order_acquire); }
    /// Notes that everything up to `ticket` is done.
    void finish(uint64_t ticket);
    /// Waits for everything queued before the call.
    void wait();

    /// Makes what is queued here from now on wait for what `other` holds now, and the reverse. `other` is a
    /// stream of the same GPU; one of another GPU is held by its own Stream.
    void wait_for(CUstream other);
    /// Makes what is queued here from now on wait for work on other streams of ours, where it does not yet.
    void wait_for(std::span<const StreamPoint>) {}
    void hold(CUstream other);
    /// Makes what is queued here from now on wait for all that the GPU's context holds now, on any stream.
    void wait_for_context();

 private:
    const Context& context_;
    CUstream handle_ = nullptr;
    CUevent event_ = nullptr;  ///< a wait binds to the record at the call, so one event serves all waits
    std::mutex event_mutex_;
    std::atomic<uint64_t> issued_{0}, finished_{0};
};

/// The first fault that a kernel has seen in its values since the last look, such as a negative integer
/// power.
class FaultWatch {
 public:
    explicit FaultWatch(const Context& context, const GpuStream& stream);

    /// Device word and pinned record that kernels write, as kernel/index.h has them.
    CUdeviceptr claim() const { return claim_; }
    CUdeviceptr record() const { return record_on_device_; }
    /// The number by which a kernel names this operation in the record.
    uint64_t number(const char* name);
    /// After a wait: raises what was recorded, once. Reads one host word, makes no driver call where there is
    /// nothing.
    void check(const GpuStream& stream);
    /// The text of an unreported fault, or "". Makes no driver call.
    std::string unreported() const;
    /// Whether that fault is an index outside.
    bool is_index() const { return record_->axis > 0; }

 private:
    const Context& context_;
    CUdeviceptr claim_ = 0, record_on_device_ = 0;
    volatile kernel::FaultRecord* record_ = nullptr;
    mutable std::mutex mutex_;
    std::unordered_map<std::string, uint64_t> numbers_;
};

}  // namespace cuarray::cuda
