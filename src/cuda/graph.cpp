// graph.cpp -- capture, instantiation and launch of CUDA graphs.
#include "cuda/graph.h"
#include "cuda/runtime.h"
#include "runtime/hooks.h"

namespace cuarray::cuda {

GpuGraph::GpuGraph(GpuRuntime& runtime, GpuStream& stream) : runtime_(runtime), stream_(stream) {
    const Current current(runtime.context);
    runtime.context.driver.cuStreamBeginCapture(stream.queue(), CU_STREAM_CAPTURE_MODE_THREAD_LOCAL);
    stream.set_capture(this);
}

GpuGraph::~GpuGraph() {
    if (!executable_ || !is_alive()) return;
    try {
        const Current current(runtime_.context);
        const RelaxedCapture relaxed(runtime_.context.driver);
        runtime_.context.driver.cuGraphExecDestroy(executable_);
    } catch (const Error& error) { warn(std::string("a graph could not be destroyed: ") + error.what()); }
}

void GpuGraph::hold(Storage& storage, bool is_written) {
    if (storage.bytes == 0) return;
    const auto [held, is_new] = held_.try_emplace(&storage, Held{StorageRef(&storage), is_written});
    if (!is_new) held->second.is_written |= is_written;
    for (const StreamPoint point : storage.uses.points(is_written))
        if (point.stream() != stream_.id()) before_.push_back(point);
}

StorageRef GpuGraph::workspace(size_t bytes) {
    if (!workspace_ || workspace_->bytes < int64_t(bytes))
        workspace_ = runtime_.allocate(int64_t(bytes), MemoryKind::Device);
    return workspace_;
}

// The capture has replaced earlier users in the records of its memory. Make its stream wait for them: a wait for the
// stream then covers them.
void GpuGraph::catch_up() {
    stream_.set_capture(nullptr);
    stream_.wait_for(before_);
    before_.clear();
}

void GpuGraph::finish() {
    const Driver& driver = runtime_.context.driver;
    const Current current(runtime_.context);
    CUgraph graph = nullptr;
    const CUresult ended = driver.cuStreamEndCapture.status(stream_.queue(), &graph);
    try {
        catch_up();
    } catch (const Error&) {
        if (ended == CUDA_SUCCESS) throw;  // else the failed cuStreamEndCapture is the cause
    }
    if (ended != CUDA_SUCCESS) fail(ended, "cuStreamEndCapture");
    const RelaxedCapture relaxed(driver);
    const CUresult counted = driver.cuGraphGetNodes.status(graph, nullptr, &operations_);
    const CUresult result = driver.cuGraphInstantiateWithFlags.status(&executable_, graph, 0);
    if (const CUresult destroyed = driver.cuGraphDestroy.status(graph))
        warn("a graph could not be destroyed: " + error_text(destroyed));
    if (result != CUDA_SUCCESS) {
        executable_ = nullptr;
        fail(result, "cuGraphInstantiateWithFlags");
    }
    if (counted != CUDA_SUCCESS) fail(counted, "cuGraphGetNodes");
}

void GpuGraph::abandon() noexcept {
    if (!is_alive()) return;
    const Driver& driver = runtime_.context.driver;
    CUgraph graph = nullptr;
    try {
        const Current current(runtime_.context);
        const RelaxedCapture relaxed(driver);
        driver.cuStreamEndCapture.status(stream_.queue(), &graph);
        catch_up();
        if (graph) driver.cuGraphDestroy.status(graph);
    } catch (const Error& error) { warn(std::string("a capture could not be ended: ") + error.what()); }
}

void GpuGraph::launch(Stream& stream) {
    auto* const gpu = dynamic_cast<GpuStream*>(&stream);
    if (!gpu || gpu->device() != runtime_.device())
        raise(ErrorKind::Value, "launch: a graph of ", to_string(runtime_.device()), " cannot run on a stream of ",
              to_string(stream.device()));
    gpu->refuse_in_capture("launch");
    for (auto& [storage, held] : held_) held.is_written ? gpu->will_write(*storage) : gpu->will_read(*storage);
    {
        const Current current(runtime_.context);
        runtime_.context.driver.cuGraphLaunch(executable_, gpu->queue());
    }
    const StreamPoint point = gpu->issue("graph");
    for (auto& [storage, held] : held_)
        held.is_written ? gpu->has_written(*storage, point) : gpu->has_read(*storage, point);
}

}  // namespace cuarray::cuda
