// capture.h -- streams that are being captured into a graph, and the calls that the capture rules forbid.
#pragma once
#include <thread>

#include "graph.h"
#include "stream.h"

namespace cudasim {

/// One capture, from cuStreamBeginCapture to cuStreamEndCapture.
struct Capture {
    uint64_t id = 0;
    CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_GLOBAL;
    std::thread::id thread;
    /// The stream in which it began, and all streams that have joined.
    std::vector<std::shared_ptr<Stream>> streams;
    std::shared_ptr<Graph> graph = std::make_shared<Graph>();
    bool invalid = false;
    /// Held by the simulator in the name of another thread, as long as the process runs.
    bool held = false;
    bool ended = false;
    /// None of the program's captures: it adds nodes to a graph that is built node by node.
    bool adds_nodes = false;
};

/// Queues work or, if the stream is being captured, adds it to the graph.
/// `queued` hears of the point at each launch of the graph.
CUresult submit(Stream& stream, CUgraphNodeType type, MakeOperation make, Point* end = nullptr,
                std::function<void(const Point&)> queued = {});
/// Adds nodes' order to a stream's: the stream joins the capture, unless it takes part already.
CUresult join_capture(Stream& stream, const std::shared_ptr<Capture>& capture, const std::vector<size_t>& nodes);
/// Begins the capture of CUDASIM_CAPTURE on a stream of the context that the program does not know.
void hold_capture(Context& context);
/// Invalidates a capture and prints the reason; a held one begins anew. Returns `code`.
CUresult invalidate(Capture& capture, CUresult code, const std::string& why);

/// The result of a call that a capture cannot record, such as cuMemAlloc: an error if the thread's mode and
/// the captures of the process forbid it, which are then invalidated. CUDA names few of these calls: here they are all
/// that wait for the device, or may allocate or free memory or objects.
CUresult refuse_unsafe(const char* entry);
/// The error of waiting for or querying a stream while it is captured.
CUresult refuse_captured(const Stream& stream, const char* entry);
/// The error of waiting for a whole context while one of its streams is captured.
CUresult refuse_captured(const Context& context, const char* entry);
/// The error of using the legacy stream while a blocking stream of its context is captured.
CUresult refuse_implicit(const Stream& stream, const char* what);

}  // namespace cudasim

#define CUDASIM_REFUSE(error) \
    if (CUresult refusal_ = (error); refusal_ != CUDA_SUCCESS) return refusal_
#define CUDASIM_REFUSE_UNSAFE() CUDASIM_REFUSE(cudasim::refuse_unsafe(__func__))
