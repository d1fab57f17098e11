// runtime.cpp -- creates, finds and synchronises a GPU's streams; its peers and properties.
#include "cuda/runtime.h"
#include <algorithm>
#include <cstdio>
#include "cuarray/runtime/registry.h"
#include "cuda/event.h"
#include "cuda/graph.h"
#include "runtime/hooks.h"
#include "runtime/mutex.h"

namespace cuarray::cuda {
namespace {

CUstream make_queue(const Context& context, unsigned flags, int priority) {
    const Current current(context);
    const RelaxedCapture relaxed(context.driver);
    CUstream queue = nullptr;
    context.driver.cuStreamCreateWithPriority(&queue, flags, priority);
    return queue;
}

/// The priority clamped to the driver's range: 0 is the lowest, -5 often the highest.
int clamped(const Context& context, int priority) {
    const Current current(context);
    int least = 0, greatest = 0;
    context.driver.cuCtxGetStreamPriorityRange(&least, &greatest);
    return std::clamp(priority, greatest, least);
}

/// The GPUs in use, never removed. The count is increased after the entry is stored.
GpuRuntime* the_gpus[UINT8_MAX + 1];
std::atomic<int> the_count{0};

thread_local int the_captures = 0;

}  // namespace

GpuRuntime::GpuRuntime(Backend& backend, int index)
    : context(index),
      backend_(backend),
      usual_(*this, GpuStream::Kind::Blocking, make_queue(context, CU_STREAM_DEFAULT, 0), 0),
      faults(context, usual_.queue()),
      pool(device(), context, usual_),
      chunks(context) {
    usual_.retain();  // never recycled
}

void GpuRuntime::enlist() {
    static Mutex one_by_one;
    const std::lock_guard lock(one_by_one);
    the_gpus[the_count] = this;
    ++the_count;
}

void GpuRuntime::warn_of_faults() {
    for (int i = 0; i < the_count; ++i)
        if (const std::string text = the_gpus[i]->faults.unreported(); !text.empty()) warn("never reported: " + text);
}

StorageRef GpuRuntime::pinned_memory_at(const void* address) {
    for (int i = 0; i < the_count; ++i)
        if (StorageRef block = the_gpus[i]->own_pinned_memory_at(address)) return block;
    return {};
}

void GpuRuntime::raise_faults() {
    for (int i = 0; i < the_count; ++i)
        if (GpuRuntime& gpu = *the_gpus[i]; gpu.faults.has_fault()) gpu.wait_and_raise();
}

Mutex& GpuRuntime::capture_gate() {
    static auto& gate = *new Mutex;
    return gate;
}

/// This thread may work again at once, other threads use the whole context only once the driver has ended the capture.
struct GpuRuntime::EndOfCapture {
    EndOfCapture() { --the_captures; }
    ~EndOfCapture() { --open_captures_; }
};

int GpuRuntime::captures_of_thread() { return the_captures; }

std::vector<GpuStream*> GpuRuntime::all_streams() {
    const std::lock_guard lock(mutex_);
    std::vector<GpuStream*> all = {&usual_};
    for (GpuStream& stream : streams_) all.push_back(&stream);
    return all;
}

void GpuRuntime::take_back(GpuStream& stream) {
    const std::lock_guard lock(mutex_);
    returned_.push_back(&stream);
}

// Only idle streams are reused: a busy one would make its new holder wait for the previous holder's work.
GpuStream* GpuRuntime::find_idle(GpuStream::Kind kind, int priority) {
    const std::lock_guard lock(mutex_);
    for (auto stream = returned_.begin(); stream != returned_.end(); ++stream) {
        GpuStream* const candidate = *stream;
        const bool fits =
            candidate->kind() == kind && (kind == GpuStream::Kind::Foreign || candidate->priority() == priority);
        if (!fits || !candidate->poll()) continue;
        returned_.erase(stream);
        return candidate;
    }
    return nullptr;
}

StreamRef GpuRuntime::make(GpuStream::Kind kind, int priority) {
    if (GpuStream* const idle = find_idle(kind, priority)) return StreamRef(idle);
    const unsigned flags = kind == GpuStream::Kind::Blocking ? CU_STREAM_DEFAULT : CU_STREAM_NON_BLOCKING;
    CUstream const queue = make_queue(context, flags, priority);
    const std::lock_guard lock(mutex_);
    return StreamRef(&streams_.emplace_back(*this, kind, queue, priority));
}

StreamRef GpuRuntime::make_stream(int priority, bool is_blocking) {
    return make(is_blocking ? GpuStream::Kind::Blocking : GpuStream::Kind::NonBlocking, clamped(context, priority));
}

// The stream that allocates and frees for capturing and foreign streams, on which nothing may be allocated, or freed
// later. A stream of its own: no other stream has to wait for unrelated work.
GpuStream& GpuRuntime::keeper() {
    StreamRef made;
    {
        const std::lock_guard lock(mutex_);
        if (keeper_) return static_cast<GpuStream&>(*keeper_);
    }
    made = make(GpuStream::Kind::NonBlocking, 0);
    const std::lock_guard lock(mutex_);
    if (!keeper_) keeper_ = made;
    return static_cast<GpuStream&>(*keeper_);
}

GpuStream* GpuRuntime::stream_with(int64_t handle) {
    if (usual_.handle() == handle) return &usual_;
    const std::lock_guard lock(mutex_);
    for (GpuStream& stream : streams_) {
        const bool is_held = std::find(returned_.begin(), returned_.end(), &stream) == returned_.end();
        if (stream.handle() == handle && is_held) return &stream;
    }
    return nullptr;
}

StreamRef GpuRuntime::foreign_stream(int64_t handle) {
    if (handle == 0 || handle == kLegacyStream) return StreamRef(&usual_);
    if (handle == kPerThreadStream)
        raise(ErrorKind::Value,
              "Stream: work cannot be queued on the per-thread default stream; give a stream's own "
              "handle");
    CUstream const queue = queue_with(handle);
    if (GpuStream* const known = stream_with(handle)) return StreamRef(known);
    const Current current(context);
    CUcontext owner = nullptr;
    context.driver.cuStreamGetCtx(queue, &owner);
    if (owner != context.handle)
        raise(ErrorKind::Value, "Stream: the stream ", handle, " does not belong to ", to_string(device()));
    if (GpuStream* const idle = find_idle(GpuStream::Kind::Foreign, 0)) {
        idle->reuse(queue);
        return StreamRef(idle);
    }
    const std::lock_guard lock(mutex_);
    return StreamRef(&streams_.emplace_back(*this, GpuStream::Kind::Foreign, queue, 0));
}

std::unique_ptr<Event> GpuRuntime::make_event(bool has_timing) { return std::make_unique<GpuEvent>(*this, has_timing); }

StreamRef GpuRuntime::begin_capture() {
    current().refuse_in_capture("Graph.capture");
    StreamRef stream = make(GpuStream::Kind::Capturing, 0);
    auto& gpu = static_cast<GpuStream&>(*stream);
    const std::lock_guard lock(capture_gate());
    new GpuGraph(*this, gpu);  // the stream keeps the pointer until end_capture or drop_capture
    ++the_captures, ++open_captures_;
    return stream;
}

std::unique_ptr<Graph> GpuRuntime::end_capture(Stream& stream) {
    std::unique_ptr<GpuGraph> graph(static_cast<GpuStream&>(stream).capture());
    const EndOfCapture end;
    graph->finish();
    return graph;
}

void GpuRuntime::drop_capture(Stream& stream) noexcept {
    const std::unique_ptr<GpuGraph> graph(static_cast<GpuStream&>(stream).capture());
    if (!graph) return;
    const EndOfCapture end;
    graph->abandon();
}

void GpuRuntime::synchronize() {
    current().refuse_in_capture("synchronize");
    for (GpuStream* const stream : all_streams()) {
        if (stream->capture() || stream->has_finished(stream->issued())) {
            if (stream != &usual_)
                continue;  // the default stream is synchronised anyway: that raises faults and errors
        }
        stream->is_foreign() ? stream->wait_until(stream->issued()) : stream->synchronize();
    }
}

void GpuRuntime::wait_for_streams() {
    for (GpuStream* const stream : all_streams())
        if (!stream->capture()) stream->wait_for_queued_work();
}

// Synchronises first: the claim word must be cleared while no kernel runs that might claim it.
void GpuRuntime::wait_and_raise() {
    const Current current(context);
    const RelaxedCapture relaxed(context.driver);
    for (GpuStream* const stream : all_streams())
        if (!stream->capture() && !stream->is_foreign()) context.driver.cuStreamSynchronize(stream->queue());
    faults.raise();
}

bool GpuRuntime::can_access_peer(Device other) {
    require(other);
    if (other.kind != device().kind || other == device()) return false;
    int can = 0;
    CUdevice peer = 0;
    context.driver.cuDeviceGet(&peer, other.index);
    context.driver.cuDeviceCanAccessPeer(&can, context.device, peer);
    return can != 0;
}

void GpuRuntime::enable_peer_access(Device other) {
    if (other == device()) raise(ErrorKind::Value, "enable_peer_access: ", to_string(other), " is this device itself");
    if (!can_access_peer(other))
        raise(ErrorKind::Value, "enable_peer_access: ", to_string(device()), " cannot reach the memory of ",
              to_string(other), "; copies between them go through the host or the driver");
    auto& peer = static_cast<GpuRuntime&>(runtime(other));
    peer.pool.open_to(context.device);
    // Pools do not need this, memory from cuMemAlloc does.
    const Current current(context);
    const RelaxedCapture relaxed(context.driver);
    const CUresult result = context.driver.cuCtxEnablePeerAccess.status(peer.context.handle, 0);
    if (result != CUDA_SUCCESS && result != CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED)
        fail(result, "cuCtxEnablePeerAccess");
}

std::vector<Property> GpuRuntime::properties() const {
    const Driver& driver = context.driver;
    std::vector<Property> all;
    const std::string capability =
        std::to_string(context.capability / 10) + "." + std::to_string(context.capability % 10);
    all.push_back({"compute_capability", context.capability, capability});
    all.push_back({"total_memory", int64_t(context.memory)});
    const auto add = [&](const char* name, int attribute) {
        int value = 0;
        driver.cuDeviceGetAttribute(&value, attribute, context.device);
        all.push_back({name, value});
    };
#define CUARRAY_ADD(ours, name, value) add(#ours, value);
    CUARRAY_DEVICE_ATTRIBUTES(CUARRAY_ADD)
#undef CUARRAY_ADD
    const Current current(context);
    const std::pair<const char*, int> limits[] = {{"stack_size", CU_LIMIT_STACK_SIZE},
                                                  {"printf_buffer_size", CU_LIMIT_PRINTF_FIFO_SIZE},
                                                  {"device_heap_size", CU_LIMIT_MALLOC_HEAP_SIZE}};
    for (const auto& [name, which] : limits) {
        size_t value = 0;
        const CUresult result = driver.cuCtxGetLimit.status(&value, which);
        if (result == CUDA_ERROR_UNSUPPORTED_LIMIT) continue;
        if (result != CUDA_SUCCESS) fail(result, "cuCtxGetLimit");
        all.push_back({name, int64_t(value)});
    }
    char bus[32] = {};
    driver.cuDeviceGetPCIBusId(bus, int(sizeof bus), context.device);
    all.push_back({"pci_bus_id", 0, bus});
    CUuuid uuid{};
    driver.cuDeviceGetUuid(&uuid, context.device);
    // As nvidia-smi and CUDA_VISIBLE_DEVICES write it. Only its name tells an instance of MIG from a GPU.
    std::string text = context.name.find(" MIG ") != std::string::npos ? "MIG-" : "GPU-";
    for (int i = 0; i < 16; ++i) {
        char digits[4];
        std::snprintf(digits, sizeof digits, "%02x", unsigned(static_cast<unsigned char>(uuid.bytes[i])));
        text += digits;
        if (i == 3 || i == 5 || i == 7 || i == 9) text += '-';
    }
    all.push_back({"uuid", 0, text});
    return all;
}

std::pair<int64_t, int64_t> GpuRuntime::memory_info() const {
    size_t free = 0, total = 0;
    const Current current(context);
    context.driver.cuMemGetInfo(&free, &total);
    return {int64_t(free), int64_t(total)};
}

}  // namespace cuarray::cuda
