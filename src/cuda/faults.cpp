// faults.cpp -- the record that kernels write and waiting threads read.
#include "cuda/faults.h"
#include "cuarray/runtime/backend.h"

namespace cuarray::cuda {

FaultWatch::FaultWatch(const Context& context, CUstream queue) : context_(context), queue_(queue) {
    const Current current(context);
    const RelaxedCapture relaxed(context.driver);
    const Driver& driver = context.driver;
    void* memory = nullptr;
    driver.cuMemHostAlloc(&memory, sizeof(kernel::FaultRecord), CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP);
    own_record_ = owned(context, memory, [](const Driver& d, void* record) { d.cuMemFreeHost(record); });
    driver.cuMemHostGetDevicePointer(&record_on_device_, memory, 0);
    record_ = static_cast<volatile kernel::FaultRecord*>(memory);
    record_->ticket = 0;
    driver.cuMemAlloc(&claim_, 256);
    own_claim_ = owned(context, reinterpret_cast<void*>(claim_), [queue](const Driver& d, void* claim) {
        d.cuStreamSynchronize.status(queue);  // it may be about to be cleared
        d.cuMemFree(reinterpret_cast<CUdeviceptr>(claim));
    });
    clear();
}

uint64_t FaultWatch::number(const char* name) {
    const std::lock_guard lock(mutex_);
    return numbers_.try_emplace(name, numbers_.size() + 1).first->second;
}

std::string FaultWatch::unreported() const {
    const std::lock_guard lock(mutex_);
    const uint64_t number = record_->ticket;
    if (number == 0) return "";
    std::string name = "an operation";
    for (const auto& [key, value] : numbers_)
        if (value == number) name = key;
    // Kernels number axes from 1; faults other than indices have axis 0.
    const std::string what = record_->axis > 0
                                 ? "index " + std::to_string(record_->index) + " is out of bounds for axis " +
                                       std::to_string(record_->axis - 1) + " with size " + std::to_string(record_->size)
                                 : std::string(kNegativePower);
    return name + ": " + what +
           " (found when the GPU was waited for, the first of those since the wait before: where there are others, their "
           "results hold zeros; CUARRAY_SYNC=1 raises each at its call)";
}

void FaultWatch::clear() {
    const Current current(context_);
    context_.driver.cuMemsetD8Async(claim_, 0, 256, queue_);
    context_.driver.cuStreamSynchronize(queue_);
}

void FaultWatch::raise() {
    const std::string text = unreported();
    const ErrorKind kind = is_index() ? ErrorKind::Index : ErrorKind::Value;
    clear();  // before the record: if this throws, the claim keeps kernels from reporting another fault, and this
              // one is raised later
    {
        const std::lock_guard lock(mutex_);
        record_->ticket = 0;
    }
    if (!text.empty()) throw Error(kind, text);
}

}  // namespace cuarray::cuda
