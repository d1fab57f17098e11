// stream.cpp -- numbers operations, waits, and orders streams with events.
#include "cuda/stream.h"
#include "cuda/event.h"
#include "cuda/graph.h"
#include "cuda/journal.h"
#include "cuda/runtime.h"

namespace cuarray::cuda {
namespace {

constexpr size_t kMarks = 32;

}  // namespace

CUstream queue_with(int64_t handle) {
    if (handle < 0 || (handle > kPerThreadStream && handle < 4096))
        raise(ErrorKind::Value, "Stream: ", handle, " is no stream handle");
    return reinterpret_cast<CUstream>(handle);
}

GpuStream::GpuStream(GpuRuntime& runtime, Kind kind, CUstream queue, int priority)
    : Stream(runtime.device()),
      runtime_(runtime),
      context_(runtime.context),
      kind_(kind),
      queue_(queue),
      priority_(priority),
      own_queue_(owned(context_, kind == Kind::Foreign ? nullptr : queue, [](const Driver& driver, void* stream) {
          driver.cuStreamDestroy(static_cast<CUstream>(stream));
      })) {
    const Current current(context_);
    const RelaxedCapture relaxed(context_.driver);
    context_.driver.cuEventCreate(&event_, CU_EVENT_DISABLE_TIMING);
    own_event_ = owned(context_, event_,
                       [](const Driver& driver, void* event) { driver.cuEventDestroy(static_cast<CUevent>(event)); });
}

void GpuStream::refuse_in_capture(const char* call) const {
    if (capture_)
        raise(ErrorKind::Runtime, call, ": not while a graph is being captured, because nothing has run yet; ",
              "do it before the capture, or after the graph was launched");
}

StreamPoint GpuStream::issue(const char* name) {
    queued();
    const StreamPoint point = Stream::issue();
    journal().note(device().index, point, name);
    return point;
}

void GpuStream::queued() {
    if (kind_ != Kind::Foreign) return;
    const std::lock_guard lock(mutex_);
    try {
        const Current current(context_);
        context_.driver.cuEventRecord(event_, queue_);
    } catch (...) {
        settle();  // without the event, nothing tells when the work has run
        throw;
    }
}

void GpuStream::settle() noexcept {
    if (capture_) return;  // a capture has run nothing, and holds its operands
    try {
        const Current current(context_);
        const RelaxedCapture relaxed(context_.driver);
        context_.driver.cuStreamSynchronize.status(queue_);
    } catch (const std::exception&) {
        // No driver call succeeds any more, so nothing is running.
    }
}

void GpuStream::finish(uint64_t ticket) {
    Stream::finish(ticket);
    journal().finished({id(), ticket});
    const std::lock_guard lock(mutex_);
    while (!marks_.empty() && marks_.front().first <= ticket) {
        spare_events_.push_back(marks_.front().second);
        marks_.pop_front();
    }
}

void GpuStream::synchronize() {
    wait();
    runtime_.raise_faults();
}

void GpuStream::wait() {
    refuse_in_capture("synchronize");
    const uint64_t ticket = issued();
    {
        const Current current(context_);
        const RelaxedCapture relaxed(context_.driver);
        context_.driver.cuStreamSynchronize(queue_);
    }
    finish(ticket);
}

void GpuStream::wait_for_queued_work() {
    const Current current(context_);
    const RelaxedCapture relaxed(context_.driver);
    if (kind_ == Kind::Foreign)
        context_.driver.cuEventSynchronize(event_);
    else
        context_.driver.cuStreamSynchronize(queue_);
}

void GpuStream::wait_until(uint64_t ticket) {
    if (has_finished(ticket)) return runtime_.raise_faults();
    refuse_in_capture("wait");
    CUevent event = nullptr;
    uint64_t reached = issued();
    {
        const std::lock_guard lock(mutex_);
        for (const auto& [number, mark] : marks_)
            if (number >= ticket) {
                reached = number, event = mark;
                break;
            }
    }
    if (!event && kind_ == Kind::Foreign) event = event_;
    {
        const Current current(context_);
        const RelaxedCapture relaxed(context_.driver);
        if (event)
            context_.driver.cuEventSynchronize(event);
        else
            context_.driver.cuStreamSynchronize(queue_);
    }
    finish(reached);
    runtime_.raise_faults();
}

CUevent GpuStream::spare_event() {
    if (spare_events_.empty()) {
        CUevent event = nullptr;
        const RelaxedCapture relaxed(context_.driver);
        context_.driver.cuEventCreate(&event, CU_EVENT_DISABLE_TIMING);
        spare_events_.push_back(event);
    }
    return spare_events_.back();
}

void GpuStream::mark(StreamPoint point) {
    if (capture_ || kind_ == Kind::Foreign) return;
    const std::lock_guard lock(mutex_);
    const Current current(context_);
    if (marks_.size() >= kMarks) {
        // Drop the oldest mark: a wait for it takes the next one, a little longer.
        spare_events_.push_back(marks_.front().second);
        marks_.pop_front();
    }
    CUevent event = spare_event();
    context_.driver.cuEventRecord(event, queue_);
    spare_events_.pop_back();
    marks_.emplace_back(point.ticket(), event);
}

bool GpuStream::is_done() {
    refuse_in_capture("query");
    const uint64_t ticket = issued();
    const Current current(context_);
    const RelaxedCapture relaxed(context_.driver);
    const CUresult result = context_.driver.cuStreamQuery.status(queue_);
    if (result == CUDA_ERROR_NOT_READY) return false;
    if (result != CUDA_SUCCESS) fail(result, "cuStreamQuery");
    finish(ticket);
    return true;
}

bool GpuStream::poll() {
    if (capture_) return false;
    if (kind_ != Kind::Foreign) return is_done();
    const uint64_t ticket = issued();
    const Current current(context_);
    const RelaxedCapture relaxed(context_.driver);
    const CUresult result = context_.driver.cuEventQuery.status(event_);
    if (result == CUDA_ERROR_NOT_READY) return false;
    if (result != CUDA_SUCCESS) fail(result, "cuEventQuery");
    finish(ticket);
    return true;
}

void GpuStream::note_seen(uint16_t stream, uint64_t ticket) {
    if (stream == id()) return;
    uint64_t& known = seen_[stream];
    if (known < ticket) known = ticket;
}

bool GpuStream::has_seen(StreamPoint point) const {
    const std::lock_guard lock(mutex_);
    const auto known = seen_.find(point.stream());
    return known != seen_.end() && known->second >= point.ticket();
}

// A wait counts as an operation: when it has run, the awaited work has run.
void GpuStream::has_waited() {
    queued();
    Stream::issue();
}

// Work that the other stream has waited for precedes its event, so this stream has waited for it, too.
void GpuStream::join(GpuStream& other, bool is_new_record) {
    refuse_in_capture("wait");
    other.refuse_in_capture("wait");
    std::unordered_map<uint16_t, uint64_t> seen;
    {
        const std::lock_guard lock(other.mutex_);
        seen = other.seen_;
        seen[other.id()] = other.issued();
        if (is_new_record) {
            const Current current(other.context_);
            other.context_.driver.cuEventRecord(other.event_, other.queue_);
        }
        const Current current(context_);
        context_.driver.cuStreamWaitEvent(queue_, other.event_, 0);
    }
    has_waited();
    const std::lock_guard lock(mutex_);
    for (const auto& [stream, ticket] : seen) note_seen(stream, ticket);
}

void GpuStream::wait_for(StreamPoint point) {
    if (point.stream() == id()) return;
    GpuStream& other = gpu_stream(point);
    if (other.has_finished(point.ticket()) || has_seen(point)) return;
    join(other, other.kind_ != Kind::Foreign);
}

void GpuStream::wait_for(Stream& other) {
    if (&other == this) return;
    if (auto* const gpu = dynamic_cast<GpuStream*>(&other)) join(*gpu, true);
}

void GpuStream::wait_for(Event& event) {
    auto* const gpu = dynamic_cast<GpuEvent*>(&event);
    if (!gpu) return;
    refuse_in_capture("wait");
    const StreamPoint point = gpu->recorded();
    if (!point || point.stream() == id()) return;
    const Current current(context_);
    context_.driver.cuStreamWaitEvent(queue_, gpu->handle(), 0);
    has_waited();
    const std::lock_guard lock(mutex_);
    note_seen(point.stream(), point.ticket());
}

// Uses a spare event: event_ is recorded on this stream only, for others to wait for.
template <class Record>
void GpuStream::wait_for_record(Record record) {
    {
        const std::lock_guard lock(mutex_);
        const Current current(context_);
        CUevent event = spare_event();
        record(event);
        context_.driver.cuStreamWaitEvent(queue_, event, 0);
    }
    has_waited();
}

void GpuStream::wait_for(CUstream other) {
    wait_for_record([&](CUevent event) { context_.driver.cuEventRecord(event, other); });
}

void GpuStream::wait_for_context() {
    wait_for_record([&](CUevent event) { context_.driver.cuCtxRecordEvent(context_.handle, event); });
}

void GpuStream::hold(CUstream other, const Context& context) {
    const std::lock_guard lock(mutex_);
    const Driver& driver = context_.driver;
    const bool records = kind_ != Kind::Foreign;
    CUresult result = CUDA_SUCCESS;
    if (records) {
        const Current current(context_);
        result = driver.cuEventRecord.status(event_, queue_);
    }
    const bool recorded = result == CUDA_SUCCESS;
    if (recorded) {
        const Current current(context);
        result = driver.cuStreamWaitEvent.status(other, event_, 0);
    }
    if (result == CUDA_SUCCESS) return;
    settle();  // the streams are not ordered: finish this one's work before the caller continues
    fail(result, recorded ? "cuStreamWaitEvent" : "cuEventRecord");
}

void GpuStream::refuse_beside_capture() const {
    if (GpuRuntime::is_thread_capturing())
        raise(ErrorKind::Runtime, "Graph.capture: work on another stream, of ", to_string(device()),
              ", would run once and not be recorded; do it before the capture, or after the graph was launched");
}

void GpuStream::will_read(Storage& storage) {
    if (capture_) return capture_->hold(storage, false);
    refuse_beside_capture();
    if (!storage.uses.is_only_on(id())) wait_for(storage.uses.points(false));
}

void GpuStream::will_write(Storage& storage) {
    if (capture_) return capture_->hold(storage, true);
    refuse_beside_capture();
    if (!storage.uses.is_only_on(id())) wait_for(storage.uses.points(true));
}

// In a forked child, a thread that no longer exists may hold the lock.
void GpuStream::retire() {
    if (is_alive()) runtime_.take_back(*this);
}

}  // namespace cuarray::cuda
