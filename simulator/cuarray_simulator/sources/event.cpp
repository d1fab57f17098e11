// event.cpp -- events: a record names a point in a stream, and a wait binds to the record made last.
#include <chrono>
#include <unordered_map>

#include "capture.h"
#include "work.h"

namespace cudasim {
namespace {

struct Event {
    Context* context = nullptr;
    unsigned flags = 0;
    /// The last record: the end of one stream, or of all streams of a context.
    std::vector<Point> recorded;
    /// If it was recorded in a capture: the capture, and the preceding nodes.
    std::shared_ptr<Capture> capture;
    std::vector<size_t> nodes;
    uint64_t records = 0;
    /// When the latest record ran, in nanoseconds.
    int64_t time = 0;

    bool timed() const { return (flags & CU_EVENT_DISABLE_TIMING) == 0; }
};

std::unordered_map<CUevent, std::shared_ptr<Event>>& events() {
    static auto* table = new std::unordered_map<CUevent, std::shared_ptr<Event>>;
    return *table;
}

std::shared_ptr<Event> event_of(CUevent handle) {
    auto found = events().find(handle);
    if (found != events().end()) return found->second;
    say(format("event %p does not exist (destroyed, or never created)", static_cast<void*>(handle)));
    return nullptr;
}

int64_t clock_time() { return std::chrono::steady_clock::now().time_since_epoch().count(); }

bool query(const Event& event) {
    bool complete = true;
    for (const Point& point : event.recorded) complete = cudasim::query(point) && complete;
    return complete;
}

Operation record_operation(const std::shared_ptr<Event>& event) {
    uint64_t generation = ++event->records;
    Operation operation{"event record", [=] {
                            if (event->records == generation) event->time = clock_time();
                            return CUDA_SUCCESS;
                        }};
    operation.bookkeeping = true;
    return operation;
}

CUresult record(CUevent handle, CUstream stream_handle, bool external = false) {
    auto event = event_of(handle);
    CUresult error;
    auto stream = stream_of(stream_handle, error);
    if (!event || !stream || stream->context != event->context) return CUDA_ERROR_INVALID_HANDLE;
    CUDASIM_REFUSE(refuse_implicit(*stream, "event record"));
    if (stream->capture && stream->capture->invalid) return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
    if (stream->capture && external) return add_event_record(handle, *stream);
    event->capture = stream->capture;
    event->nodes = stream->tail;
    event->recorded.clear();
    if (event->capture) return CUDA_SUCCESS;
    event->recorded = {enqueue(*stream, record_operation(event))};
    return CUDA_SUCCESS;
}

/// The error of asking about an event that was recorded in a capture, which never happens; or about any,
/// where a capture forbids what it does not see.
CUresult refuse_captured(const Event& event, const char* entry) {
    if (!event.capture) return refuse_unsafe(entry);
    if (event.capture->ended) return CUDA_ERROR_CAPTURED_EVENT;
    return invalidate(*event.capture, CUDA_ERROR_CAPTURED_EVENT, format("%s of a captured event", entry));
}

}  // namespace

CUresult add_event_record(CUevent handle, Stream& stream) {
    auto event = event_of(handle);
    if (!event || event->context != stream.context) return CUDA_ERROR_INVALID_HANDLE;
    auto queued = [=](const Point& point) {
        event->capture = nullptr;
        event->recorded = {point};
    };
    return submit(stream, CU_GRAPH_NODE_TYPE_EVENT_RECORD, [=] { return record_operation(event); }, nullptr, queued);
}

CUresult add_event_wait(CUevent handle, Stream& stream) {
    auto event = event_of(handle);
    if (!event) return CUDA_ERROR_INVALID_HANDLE;
    return submit(stream, CU_GRAPH_NODE_TYPE_WAIT_EVENT, [=] { return Operation{"event wait", {}, event->recorded}; });
}

}  // namespace cudasim

using namespace cudasim;

CUDASIM_API cuEventCreate(CUevent* out, unsigned flags) {
    CUDASIM_ENTER(Context);
    CUDASIM_REFUSE_UNSAFE();
    bool shared_and_timed = (flags & CU_EVENT_INTERPROCESS) != 0 && (flags & CU_EVENT_DISABLE_TIMING) == 0;
    if (!out || flags > 7 || shared_and_timed) return CUDA_ERROR_INVALID_VALUE;
    auto event = std::make_shared<Event>();
    event->context = current_context();
    event->flags = flags;
    *out = reinterpret_cast<CUevent>(event.get());
    events()[*out] = event;
    return CUDA_SUCCESS;
}

CUDASIM_API cuEventRecord(CUevent event, CUstream stream) {
    CUDASIM_ENTER(Context);
    return record(event, stream);
}

CUDASIM_API cuEventRecordWithFlags(CUevent event, CUstream stream, unsigned flags) {
    CUDASIM_ENTER(Context);
    if (flags > 1) return CUDA_ERROR_INVALID_VALUE;
    return record(event, stream, flags != 0);
}

CUDASIM_API cuCtxRecordEvent(CUcontext context_handle, CUevent handle) {
    CUDASIM_ENTER(Context);
    Context* context = as_context(context_handle);
    auto event = event_of(handle);
    if (!context || !event || event->context != context) return CUDA_ERROR_INVALID_HANDLE;
    CUDASIM_REFUSE(refuse_captured(*context, __func__));
    event->capture = nullptr;
    ++event->records;
    event->time = clock_time();
    event->recorded.clear();
    for (auto& stream : context->streams) event->recorded.push_back(stream->end());
    return CUDA_SUCCESS;
}

CUDASIM_API cuStreamWaitEvent(CUstream handle, CUevent event_handle, unsigned flags) {
    CUDASIM_ENTER(Context);
    if (flags > 1) return CUDA_ERROR_INVALID_VALUE;
    auto event = event_of(event_handle);
    CUresult error;
    auto stream = stream_of(handle, error);
    if (!event || !stream) return CUDA_ERROR_INVALID_HANDLE;
    if (stream->capture && flags) return add_event_wait(event_handle, *stream);
    if (event->capture) {
        if (event->capture->ended) return CUDA_ERROR_CAPTURED_EVENT;
        return join_capture(*stream, event->capture, event->nodes);
    }
    if (stream->capture)
        return invalidate(*stream->capture, CUDA_ERROR_STREAM_CAPTURE_ISOLATION,
                          "it waits for an event that was recorded outside");
    CUDASIM_REFUSE(refuse_implicit(*stream, "event wait"));
    enqueue(*stream, Operation{"event wait", {}, event->recorded});
    return CUDA_SUCCESS;
}

CUDASIM_API cuEventQuery(CUevent handle) {
    CUDASIM_ENTER(Context);
    auto event = event_of(handle);
    if (!event) return CUDA_ERROR_INVALID_HANDLE;
    CUDASIM_REFUSE(refuse_captured(*event, __func__));
    return query(*event) ? event->context->sticky : CUDA_ERROR_NOT_READY;
}

CUDASIM_API cuEventSynchronize(CUevent handle) {
    CUDASIM_ENTER(Context);
    auto event = event_of(handle);
    if (!event) return CUDA_ERROR_INVALID_HANDLE;
    CUDASIM_REFUSE(refuse_captured(*event, __func__));
    // Copied: another thread may re-record the event while this one waits.
    std::vector<Point> points = event->recorded;
    for (const Point& point : points) wait_for(*event->context, point);
    return event->context->sticky;
}

CUDASIM_API cuEventDestroy_v2(CUevent handle) {
    CUDASIM_ENTER(Context);
    return events().erase(handle) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

CUDASIM_API cuEventElapsedTime(float* milliseconds, CUevent start_handle, CUevent end_handle) {
    CUDASIM_ENTER(Context);
    auto start = event_of(start_handle), end = event_of(end_handle);
    if (!milliseconds) return CUDA_ERROR_INVALID_VALUE;
    if (!start || !end || !start->timed() || !end->timed() || !start->records || !end->records)
        return CUDA_ERROR_INVALID_HANDLE;
    CUDASIM_REFUSE(refuse_captured(*start, __func__));
    CUDASIM_REFUSE(refuse_captured(*end, __func__));
    bool started = query(*start), ended = query(*end);
    if (!started || !ended) return CUDA_ERROR_NOT_READY;
    *milliseconds = static_cast<float>(end->time - start->time) * 1e-6f;
    return CUDA_SUCCESS;
}

CUDASIM_API cuEventElapsedTime_v2(float* milliseconds, CUevent start, CUevent end) {
    return cuEventElapsedTime(milliseconds, start, end);
}
