// capture.cpp -- beginning, joining and ending captures, and the calls that they forbid.
#include "capture.h"

#include <algorithm>

namespace cudasim {
namespace {

std::vector<std::shared_ptr<Capture>>& ongoing() {
    static auto* all = new std::vector<std::shared_ptr<Capture>>;
    return *all;
}

thread_local CUstreamCaptureMode thread_mode = CU_STREAM_CAPTURE_MODE_GLOBAL;

/// Whether this capture forbids the calling thread to make calls that a capture cannot record.
bool forbids_unsafe(const Capture& capture) {
    if (thread_mode == CU_STREAM_CAPTURE_MODE_RELAXED) return false;
    if (capture.thread == std::this_thread::get_id()) return capture.mode != CU_STREAM_CAPTURE_MODE_RELAXED;
    return thread_mode == CU_STREAM_CAPTURE_MODE_GLOBAL && capture.mode == CU_STREAM_CAPTURE_MODE_GLOBAL;
}

/// Whether the stream is the legacy one, and waits for streams that are captured.
bool blocks(const Capture& capture, const Stream& stream) {
    if (&stream != stream.context->legacy.get()) return false;
    return std::any_of(capture.streams.begin(), capture.streams.end(),
                       [&](auto& captured) { return captured->context == stream.context && captured->blocking(); });
}

template <class Conflicts>
CUresult refuse_where(Conflicts conflicts, CUresult code, const std::string& why) {
    CUresult result = CUDA_SUCCESS;
    for (auto& capture : ongoing())
        if (conflicts(*capture)) result = invalidate(*capture, code, why);
    return result;
}

void merge(std::vector<size_t>& tail, const std::vector<size_t>& nodes) {
    for (size_t node : nodes)
        if (std::find(tail.begin(), tail.end(), node) == tail.end()) tail.push_back(node);
}

void end(Capture& capture) {
    capture.ended = true;
    for (auto& stream : capture.streams) {
        stream->capture = nullptr;
        stream->tail.clear();
    }
    capture.streams.clear();
    auto& all = ongoing();
    all.erase(std::find_if(all.begin(), all.end(), [&](auto& c) { return c.get() == &capture; }));
}

Capture& begin(const std::shared_ptr<Stream>& stream, CUstreamCaptureMode mode, std::thread::id thread,
               std::shared_ptr<Graph> graph = nullptr) {
    static uint64_t next_id = 1;
    auto capture = std::make_shared<Capture>();
    if (graph) capture->graph = std::move(graph);
    capture->id = next_id++;
    capture->mode = mode;
    capture->thread = thread;
    capture->streams = {stream};
    capture->graph->context = stream->context;
    stream->capture = capture;
    ongoing().push_back(capture);
    return *capture;
}

CUresult end_in(Stream& stream, CUgraph* out) {
    std::shared_ptr<Capture> capture = stream.capture;
    if (!capture) return CUDA_ERROR_ILLEGAL_STATE;
    if (capture->streams.front().get() != &stream) return CUDA_ERROR_STREAM_CAPTURE_UNMATCHED;
    if (capture->mode != CU_STREAM_CAPTURE_MODE_RELAXED && capture->thread != std::this_thread::get_id())
        return CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD;
    const auto& streams = capture->streams;
    bool joined = std::all_of(streams.begin(), streams.end(),
                              [&](auto& other) { return all_precede(*capture->graph, other->tail, stream.tail); });
    end(*capture);
    if (capture->invalid) return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
    if (!joined) {
        say("capture: a stream that took part has work that the first stream does not wait for");
        return CUDA_ERROR_STREAM_CAPTURE_UNJOINED;
    }
    *out = publish(capture->graph);
    return CUDA_SUCCESS;
}

}  // namespace

CUresult invalidate(Capture& capture, CUresult code, const std::string& why) {
    const std::string whose = capture.held ? "of another thread" : std::to_string(capture.id);
    say(format("capture %s is spoilt: %s", whose.c_str(), why.c_str()));
    capture.invalid = !capture.held;
    driver().spoilt += capture.held;
    return code;
}

void hold_capture(Context& context) {
    if (settings().capture < 0) return;
    static auto* streams = new std::vector<std::shared_ptr<Stream>>;
    streams->push_back(make_stream(context, CU_STREAM_NON_BLOCKING, 0, true));
    begin(streams->back(), static_cast<CUstreamCaptureMode>(settings().capture), {}).held = true;
}

CUresult submit(Stream& stream, CUgraphNodeType type, MakeOperation make, Point* end,
                std::function<void(const Point&)> queued) {
    if (Capture* capture = stream.capture.get()) {
        if (capture->invalid) return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
        stream.tail = {add_node(*capture->graph, {type, std::move(make), stream.tail, std::move(queued)})};
        return CUDA_SUCCESS;
    }
    CUDASIM_REFUSE(refuse_implicit(stream, "work"));
    Point point = enqueue(stream, make());
    if (end) *end = point;
    return CUDA_SUCCESS;
}

CUresult join_capture(Stream& stream, const std::shared_ptr<Capture>& capture, const std::vector<size_t>& nodes) {
    if (stream.capture && stream.capture != capture) {
        invalidate(*stream.capture, CUDA_ERROR_STREAM_CAPTURE_MERGE, "it waits for another capture");
        return invalidate(*capture, CUDA_ERROR_STREAM_CAPTURE_MERGE, "another capture waits for it");
    }
    if (capture->invalid) return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
    if (&stream == stream.context->legacy.get())
        return invalidate(*capture, CUDA_ERROR_STREAM_CAPTURE_IMPLICIT, "the legacy stream waits for it");
    if (!stream.capture) {
        stream.capture = capture;
        stream.tail.clear();
        capture->streams.push_back(stream.shared_from_this());
    }
    merge(stream.tail, nodes);
    return CUDA_SUCCESS;
}

CUresult refuse_unsafe(const char* entry) {
    if (ongoing().empty()) return CUDA_SUCCESS;
    return refuse_where(forbids_unsafe, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED,
                        format("%s was called, which a capture does not see", entry));
}

CUresult refuse_captured(const Stream& stream, const char* entry) {
    if (!stream.capture) return refuse_implicit(stream, entry);
    return invalidate(*stream.capture, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, format("%s of a captured stream", entry));
}

CUresult refuse_captured(const Context& context, const char* entry) {
    auto conflicts = [&](const Capture& capture) {
        return std::any_of(capture.streams.begin(), capture.streams.end(),
                           [&](auto& stream) { return stream->context == &context; });
    };
    return refuse_where(conflicts, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED,
                        format("%s while a stream of the context is captured", entry));
}

CUresult refuse_implicit(const Stream& stream, const char* what) {
    if (ongoing().empty() || &stream != stream.context->legacy.get()) return CUDA_SUCCESS;
    return refuse_where([&](const Capture& capture) { return blocks(capture, stream); },
                        CUDA_ERROR_STREAM_CAPTURE_IMPLICIT,
                        format("%s in the legacy stream, which waits for the captured stream", what));
}

}  // namespace cudasim

using namespace cudasim;

namespace {

CUresult begin_in(CUstream handle, CUstreamCaptureMode mode, const std::shared_ptr<Graph>& graph,
                  const std::vector<size_t>& tail) {
    CUDASIM_STREAM(stream, handle);
    if (mode < CU_STREAM_CAPTURE_MODE_GLOBAL || mode > CU_STREAM_CAPTURE_MODE_RELAXED) return CUDA_ERROR_INVALID_VALUE;
    if (stream == stream->context->legacy) return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
    if (stream->capture) return CUDA_ERROR_ILLEGAL_STATE;
    begin(stream, mode, std::this_thread::get_id(), graph);
    stream->tail = tail;
    return CUDA_SUCCESS;
}

CUresult status_of(const Stream& stream, CUstreamCaptureStatus* status) {
    if (!status) return CUDA_ERROR_INVALID_VALUE;
    // To ask about the legacy stream is an error, but harms no capture.
    const auto& all = ongoing();
    if (std::any_of(all.begin(), all.end(), [&](auto& capture) { return blocks(*capture, stream); }))
        return CUDA_ERROR_STREAM_CAPTURE_IMPLICIT;
    *status = !stream.capture           ? CU_STREAM_CAPTURE_STATUS_NONE
              : stream.capture->invalid ? CU_STREAM_CAPTURE_STATUS_INVALIDATED
                                        : CU_STREAM_CAPTURE_STATUS_ACTIVE;
    return CUDA_SUCCESS;
}

/// The nodes that the stream's next one comes after, valid until the thread asks again.
CUresult info_of(CUstream handle, CUstreamCaptureStatus* status, uint64_t* id, CUgraph* graph,
                 const CUgraphNode** nodes, const CUgraphEdgeData** edges, size_t* count) {
    thread_local std::vector<CUgraphNode> tail;
    thread_local std::vector<CUgraphEdgeData> tail_edges;
    CUDASIM_STREAM(stream, handle);
    CUDASIM_REFUSE(status_of(*stream, status));
    const auto& capture = stream->capture;
    if (!capture || capture->invalid) return CUDA_SUCCESS;
    if (id) *id = capture->id;
    if (graph) *graph = publish(capture->graph);
    tail.clear();
    for (size_t node : stream->tail) tail.push_back(handle_of(capture->graph->nodes[node]));
    tail_edges.assign(tail.size(), {});
    if (nodes) *nodes = tail.data();
    if (edges) *edges = tail_edges.data();
    if (count) *count = tail.size();
    return CUDA_SUCCESS;
}

CUresult update_tail(CUstream handle, const CUgraphNode* nodes, size_t count, unsigned flags) {
    CUDASIM_STREAM(stream, handle);
    if (flags > CU_STREAM_SET_CAPTURE_DEPENDENCIES || (count && !nodes)) return CUDA_ERROR_INVALID_VALUE;
    if (!stream->capture) return CUDA_ERROR_ILLEGAL_STATE;
    if (stream->capture->invalid) return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
    std::vector<size_t> numbers;
    if (!numbers_of(*stream->capture->graph, nodes, count, numbers)) return CUDA_ERROR_INVALID_VALUE;
    if (flags == CU_STREAM_SET_CAPTURE_DEPENDENCIES) stream->tail.clear();
    merge(stream->tail, numbers);
    return CUDA_SUCCESS;
}

}  // namespace

CUDASIM_API cuStreamBeginCapture_v2(CUstream handle, CUstreamCaptureMode mode) {
    CUDASIM_ENTER(Context);
    return begin_in(handle, mode, nullptr, {});
}

CUDASIM_API cuStreamBeginCaptureToGraph(CUstream handle, CUgraph graph_handle, const CUgraphNode* nodes,
                                        const CUgraphEdgeData*, size_t count, CUstreamCaptureMode mode) {
    CUDASIM_ENTER(Context);
    auto graph = graph_of(graph_handle);
    std::vector<size_t> tail;
    if (!graph || (count && !nodes) || !numbers_of(*graph, nodes, count, tail)) return CUDA_ERROR_INVALID_VALUE;
    return begin_in(handle, mode, graph, tail);
}

CUDASIM_API cuStreamEndCapture(CUstream handle, CUgraph* out) {
    CUDASIM_ENTER(Context);
    CUDASIM_STREAM(stream, handle);
    if (!out) return CUDA_ERROR_INVALID_VALUE;
    *out = nullptr;
    return end_in(*stream, out);
}

CUDASIM_API cuStreamIsCapturing(CUstream handle, CUstreamCaptureStatus* status) {
    CUDASIM_ENTER(Context);
    CUDASIM_STREAM(stream, handle);
    return status_of(*stream, status);
}

CUDASIM_API cuStreamGetCaptureInfo_v2(CUstream handle, CUstreamCaptureStatus* status, uint64_t* id, CUgraph* graph,
                                      const CUgraphNode** nodes, size_t* count) {
    CUDASIM_ENTER(Context);
    return info_of(handle, status, id, graph, nodes, nullptr, count);
}

CUDASIM_API cuStreamGetCaptureInfo_v3(CUstream handle, CUstreamCaptureStatus* status, uint64_t* id, CUgraph* graph,
                                      const CUgraphNode** nodes, const CUgraphEdgeData** edges, size_t* count) {
    CUDASIM_ENTER(Context);
    return info_of(handle, status, id, graph, nodes, edges, count);
}

CUDASIM_API cuStreamGetCaptureInfo(CUstream handle, CUstreamCaptureStatus* status, uint64_t* id) {
    CUDASIM_ENTER(Context);
    return info_of(handle, status, id, nullptr, nullptr, nullptr, nullptr);
}

CUDASIM_API cuStreamUpdateCaptureDependencies(CUstream handle, CUgraphNode* nodes, size_t count, unsigned flags) {
    CUDASIM_ENTER(Context);
    return update_tail(handle, nodes, count, flags);
}

CUDASIM_API cuStreamUpdateCaptureDependencies_v2(CUstream handle, CUgraphNode* nodes, const CUgraphEdgeData*,
                                                 size_t count, unsigned flags) {
    CUDASIM_ENTER(Context);
    return update_tail(handle, nodes, count, flags);
}

CUDASIM_API cuThreadExchangeStreamCaptureMode(CUstreamCaptureMode* mode) {
    CUDASIM_ENTER(Init);
    if (!mode || *mode < CU_STREAM_CAPTURE_MODE_GLOBAL || *mode > CU_STREAM_CAPTURE_MODE_RELAXED)
        return CUDA_ERROR_INVALID_VALUE;
    std::swap(thread_mode, *mode);
    return CUDA_SUCCESS;
}
