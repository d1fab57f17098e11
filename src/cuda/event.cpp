// event.cpp -- records, queries and times events.
#include "cuda/event.h"
#include "cuda/runtime.h"
#include "runtime/hooks.h"

namespace cuarray::cuda {

GpuEvent::GpuEvent(GpuRuntime& runtime, bool has_timing)
    : runtime_(runtime), context_(runtime.context), has_timing_(has_timing) {
    const Current current(context_);
    const RelaxedCapture relaxed(context_.driver);
    context_.driver.cuEventCreate(&handle_, has_timing ? CU_EVENT_DEFAULT : CU_EVENT_DISABLE_TIMING);
}

GpuEvent::~GpuEvent() {
    if (!is_alive()) return;
    try {
        const Current current(context_);
        context_.driver.cuEventDestroy(handle_);
    } catch (const Error& error) { warn(std::string("an event could not be destroyed: ") + error.what()); }
}

Device GpuEvent::device() const { return runtime_.device(); }

StreamPoint GpuEvent::recorded() const {
    const std::lock_guard lock(mutex_);
    return point_;
}

void GpuEvent::record(Stream& stream) {
    auto* const gpu = dynamic_cast<GpuStream*>(&stream);
    if (!gpu || gpu->device() != device())
        raise(ErrorKind::Value, "record: an event of ", to_string(device()), " cannot be recorded on a stream of ",
              to_string(stream.device()));
    gpu->refuse_in_capture("record");
    const std::lock_guard lock(mutex_);
    const StreamPoint now = gpu->now();
    const Current current(context_);
    context_.driver.cuEventRecord(handle_, gpu->queue());
    // On a stream without work of ours this is ticket 0, which counts as finished.
    point_ = now;
}

bool GpuEvent::is_done() {
    const StreamPoint point = recorded();
    if (!point) return true;
    const Current current(context_);
    const RelaxedCapture relaxed(context_.driver);
    const CUresult result = context_.driver.cuEventQuery.status(handle_);
    if (result == CUDA_ERROR_NOT_READY) return false;
    if (result != CUDA_SUCCESS) fail(result, "cuEventQuery");
    gpu_stream(point).finish(point.ticket());
    return true;
}

void GpuEvent::synchronize() {
    const StreamPoint point = recorded();
    if (!point) return;
    {
        const Current current(context_);
        const RelaxedCapture relaxed(context_.driver);
        context_.driver.cuEventSynchronize(handle_);
    }
    gpu_stream(point).finish(point.ticket());
    runtime_.raise_faults();
}

double GpuEvent::elapsed_ms(Event& start) {
    auto* const first = dynamic_cast<GpuEvent*>(&start);
    if (!first || first->device() != device())
        raise(ErrorKind::Value, "elapsed_ms: the events are of ", to_string(start.device()), " and ",
              to_string(device()));
    if (!has_timing_ || !first->has_timing_)
        raise(ErrorKind::Value, "elapsed_ms: both events must be made with timing=True");
    if (!recorded() || !first->recorded()) raise(ErrorKind::Value, "elapsed_ms: both events must have been recorded");
    float milliseconds = 0;
    const Current current(context_);
    const RelaxedCapture relaxed(context_.driver);
    const CUresult result = context_.driver.cuEventElapsedTime.status(&milliseconds, first->handle_, handle_);
    if (result == CUDA_ERROR_NOT_READY)
        raise(ErrorKind::Runtime, "elapsed_ms: the work before the events has not run yet; synchronize() first");
    if (result != CUDA_SUCCESS) fail(result, "cuEventElapsedTime");
    return double(milliseconds);
}

}  // namespace cuarray::cuda
