// faults.h -- faults that kernels detect in their data, raised at the next synchronisation.
#pragma once
#include <cstdint>
#include <string>
#include <unordered_map>
#include "cuarray/kernel/index.h"
#include "cuda/context.h"
#include "runtime/mutex.h"

namespace cuarray::cuda {

/// The first fault that a kernel has detected in its data since the last check, such as a negative integer
/// power.
class FaultWatch {
 public:
    /// `queue` is the stream that clears the device word.
    FaultWatch(const Context& context, CUstream queue);

    /// The device word and the pinned record that kernels write: FaultSink in kernel/index.h.
    CUdeviceptr claim() const { return claim_; }
    CUdeviceptr record() const { return record_on_device_; }
    /// The number that identifies this operation in the record.
    uint64_t number(const char* name);
    /// Whether a fault was recorded. Reads one host word.
    bool has_fault() const { return record_->ticket != 0; }
    /// Raises the recorded fault, once. No kernel may be running on the GPU.
    void raise();
    /// The text of an unreported fault, or "". Makes no driver call.
    std::string unreported() const;
    /// Whether that fault is an index out of bounds.
    bool is_index() const { return record_->axis > 0; }

 private:
    void clear();

    const Context& context_;
    const CUstream queue_;
    Owned own_claim_, own_record_;
    CUdeviceptr claim_ = 0, record_on_device_ = 0;
    volatile kernel::FaultRecord* record_ = nullptr;
    mutable Mutex mutex_;
    std::unordered_map<std::string, uint64_t> numbers_;
};

}  // namespace cuarray::cuda
