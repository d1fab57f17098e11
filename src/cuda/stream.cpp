// stream.cpp -- numbering, waiting, and ordering one stream with another by an event.
#include "cuda/stream.h"
#include "cuda/journal.h"

namespace cuarray::cuda {

GpuStream::GpuStream(const Context& context) : context_(context) {
    const Current current(context);
    const RelaxedCapture relaxed(context.driver);
    context.driver.cuStreamCreate(&handle_, CU_STREAM_DEFAULT);
    context.driver.cuEventCreate(&event_, CU_EVENT_DISABLE_TIMING);
}

StreamPoint GpuStream::issue(const char* name) {
    const uint64_t ticket = issued_.fetch_add(1, std::memory_order_relaxed) + 1;
    journal().note(context_.index, ticket, name);
    return {1, ticket};
}

void GpuStream::finish(uint64_t ticket) {
    uint64_t known = finished_.load(std::memory_order_relaxed);
    while (known < ticket && !finished_.compare_exchange_weak(known, ticket, std::memory_order_release)) {
    }
    journal().finished(context_.index, ticket);
}

void GpuStream::wait() {
    const uint64_t ticket = issued();
    const Current current(context_);
    context_.driver.cuStreamSynchronize(handle_);
    finish(ticket);
}

void GpuStream::wait_for(CUstream other) {
    const std::lock_guard lock(event_mutex_);
    context_.driver.cuEventRecord(event_, other);
    context_.driver.cuStreamWaitEvent(handle_, event_, 0);
}

void GpuStream::hold(CUstream other) {
    const std::lock_guard lock(event_mutex_);
    CUresult result = context_.driver.cuEventRecord.status(event_, handle_);
    const bool recorded = result == CUDA_SUCCESS;
    if (recorded) result = context_.driver.cuStreamWaitEvent.status(other, event_, 0);
    if (result == CUDA_SUCCESS) return;
    // What is queued here stays queued: without the order it must be over before anybody goes on.
    context_.driver.cuStreamSynchronize.status(handle_);
    fail(result, recorded ? "cuStreamWaitEvent" : "cuEventRecord");
}

void GpuStream::wait_for_context() {
    const std::lock_guard lock(event_mutex_);
    context_.driver.cuCtxRecordEvent(context_.handle, event_);
    context_.driver.cuStreamWaitEvent(handle_, event_, 0);
}

FaultWatch::FaultWatch(const Context& context, const GpuStream& stream) : context_(context) {
    const Current current(context);
    const RelaxedCapture relaxed(context.driver);
    const Driver& driver = context.driver;
    void* memory = nullptr;
    driver.cuMemHostAlloc(&memory, sizeof(kernel::FaultRecord),
                          CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP);
    driver.cuMemHostGetDevicePointer(&record_on_device_, memory, 0);
    record_ = static_cast<volatile kernel::FaultRecord*>(memory);
    record_->ticket = 0;
    driver.cuMemAlloc(&claim_, 256);
    driver.cuMemsetD8Async(claim_, 0, 256, stream.handle());
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
    // Kernels count axes from 1, so that other faults have none.
    const std::string what = record_->axis > 0
                                 ? "index " + std::to_string(record_->index) + " is out of bounds for axis " +
                                       std::to_string(record_->axis - 1) + " with size " + std::to_string(record_->size)
                                 : std::string("integers to negative integer powers are not allowed");
    return name + ": " + what + " (found when the GPU was waited for)";
}

void FaultWatch::check(const GpuStream& stream) {
    if (record_->ticket == 0) return;
    const std::string text = unreported();
    const ErrorKind kind = is_index() ? ErrorKind::Index : ErrorKind::Value;
    {
        const std::lock_guard lock(mutex_);
        record_->ticket = 0;
    }
    const Current current(context_);
    context_.driver.cuMemsetD8Async(claim_, 0, 4, stream.handle());
    if (!text.empty()) throw Error(kind, text);
}

}  // namespace cuarray::cuda
