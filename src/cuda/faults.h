// faults.h -- faults that kernels see in the values they work on, brought to whoever waits next.
#pragma once
#include <cstdint>
#include <mutex>
#include <string>
#include <unordered_map>
#include "cuarray/kernel/index.h"
#include "cuda/context.h"

namespace cuarray::cuda {

/// The first fault that a kernel has seen in its values since the last look, such as a negative integer
/// power.
class FaultWatch {
 public:
    /// `queue` clears the device word.
    FaultWatch(const Context& context, CUstream queue);

    /// Device word and pinned record that kernels write, as kernel/index.h has them.
    CUdeviceptr claim() const { return claim_; }
    CUdeviceptr record() const { return record_on_device_; }
    /// The number by which a kernel names this operation in the record.
    uint64_t number(const char* name);
    /// Whether a fault was recorded. Reads one host word.
    bool has_fault() const { return record_->ticket != 0; }
    /// Raises what was recorded, once. Nothing may run on the GPU meanwhile.
    void raise();
    /// The text of an unreported fault, or "". Makes no driver call.
    std::string unreported() const;
    /// Whether that fault is an index outside.
    bool is_index() const { return record_->axis > 0; }

 private:
    void clear();

    const Context& context_;
    const CUstream queue_;
    CUdeviceptr claim_ = 0, record_on_device_ = 0;
    volatile kernel::FaultRecord* record_ = nullptr;
    mutable std::mutex mutex_;
    std::unordered_map<std::string, uint64_t> numbers_;
};

}  // namespace cuarray::cuda
