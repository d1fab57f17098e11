// runtime.cpp -- streams and events of the cpu device: no work is ever pending, and an event is the time of its record.
#include "host/runtime.h"
#include <unistd.h>
#include <fstream>
#include "cuarray/runtime/registry.h"
#include "host/levels.h"
#include "host/system_memory.h"
#include "host/threads.h"

namespace cuarray::host {
namespace {

using Clock = std::chrono::steady_clock;

thread_local HostGraph* the_capture = nullptr;

std::string processor_name() {
    std::ifstream file("/proc/cpuinfo");
    for (std::string line; std::getline(file, line);)
        if (line.rfind("model name", 0) == 0 && line.find(": ") != std::string::npos)
            return line.substr(line.find(": ") + 2);
    return "cpu";
}

}  // namespace

std::atomic<int> open_captures = 0;
HostGraph* capture_of_thread() { return the_capture; }

void raise_in_capture(const char* call) {
    raise(ErrorKind::Runtime, call, ": not while a graph is being captured, because nothing has run yet; ",
          "do it before the capture, or after the graph was launched");
}

/// Work is complete when its call returns; only waits for other devices block.
class HostRuntime::HostStream final : public Stream {
 public:
    HostStream(HostRuntime& runtime, int priority) : Stream(Device{}), runtime_(runtime), priority_(priority) {}

    int priority() const override { return priority_; }
    void set_priority(int priority) { priority_ = priority; }
    void synchronize() override { refuse_if_captured("synchronize"); }
    void wait_until(uint64_t) override {}
    bool is_done() override {
        refuse_if_captured("query");
        return true;
    }
    void wait_for(Stream& other) override {
        refuse_in_capture("wait");
        if (other.device() != device()) other.synchronize();
    }
    void wait_for(Event& event) override {
        refuse_in_capture("wait");
        event.synchronize();
    }

 private:
    void retire() override { runtime_.take_back(*this); }
    /// Refuses only on the current stream: the work of other streams is complete, even during a capture.
    void refuse_if_captured(const char* call) {
        if (this == &current_stream(device())) refuse_in_capture(call);
    }

    HostRuntime& runtime_;
    int priority_;
};

class HostRuntime::HostEvent final : public Event {
 public:
    explicit HostEvent(bool has_timing) : has_timing_(has_timing) {}

    Device device() const override { return {}; }
    bool has_timing() const override { return has_timing_; }
    void record(Stream& stream) override {
        if (stream.device() != device())
            raise(ErrorKind::Value, "record: an event of cpu cannot be recorded on a stream of ",
                  to_string(stream.device()));
        refuse_in_capture("record");
        time_ = Clock::now();
        is_recorded_ = true;
    }
    bool is_done() override { return true; }
    void synchronize() override {}
    double elapsed_ms(Event& start) override {
        auto* const first = dynamic_cast<HostEvent*>(&start);
        if (!first) raise(ErrorKind::Value, "elapsed_ms: the events are of ", to_string(start.device()), " and cpu");
        if (!has_timing_ || !first->has_timing_)
            raise(ErrorKind::Value, "elapsed_ms: both events must be made with timing=True");
        if (!is_recorded_ || !first->is_recorded_)
            raise(ErrorKind::Value, "elapsed_ms: both events must have been recorded");
        return std::chrono::duration<double, std::milli>(time_ - first->time_).count();
    }

 private:
    const bool has_timing_;
    bool is_recorded_ = false;
    Clock::time_point time_;
};

HostRuntime::HostRuntime(Backend& backend) : backend_(backend), default_(new HostStream(*this, 0)) {}

void HostRuntime::take_back(HostStream& stream) {
    const std::lock_guard lock(mutex_);
    idle_.push_back(&stream);
}

StreamRef HostRuntime::make_stream(int priority, bool) {
    {
        const std::lock_guard lock(mutex_);
        if (!idle_.empty()) {
            HostStream* const stream = idle_.back();
            idle_.pop_back();
            stream->set_priority(priority);
            return StreamRef(stream);
        }
    }
    return StreamRef(new HostStream(*this, priority));
}

StreamRef HostRuntime::foreign_stream(int64_t handle) {
    raise(ErrorKind::Value, "Stream: cpu has no streams of other libraries; ", handle, " was given");
}

std::unique_ptr<Event> HostRuntime::make_event(bool has_timing) { return std::make_unique<HostEvent>(has_timing); }

StreamRef HostRuntime::begin_capture() {
    refuse_in_capture("Graph.capture");
    StreamRef stream = make_stream(0, false);
    the_capture = new HostGraph;
    ++open_captures;
    return stream;
}

std::unique_ptr<Graph> HostRuntime::end_capture(Stream&) {
    --open_captures;
    return std::unique_ptr<Graph>(std::exchange(the_capture, nullptr));
}

void HostRuntime::drop_capture(Stream& stream) noexcept { end_capture(stream); }

// Only a GPU's driver can pin pages, and only a GPU needs pinned pages.
StorageRef HostRuntime::allocate(int64_t bytes, MemoryKind kind) {
    if (kind == MemoryKind::Pinned)
        if (const Device device = default_device(); device != backend_.device())
            return cuarray::runtime(device).allocate(bytes, kind);
    return backend_.allocate(bytes);
}

void HostRuntime::open_to_host(Storage& storage) {
    refuse_in_capture("a view of the memory");
    wait_on_host(storage, true);
}

void HostRuntime::enable_peer_access(Device other) {
    raise(ErrorKind::Value, "enable_peer_access: cpu has no kernels that could reach the memory of ", to_string(other));
}

std::string HostRuntime::name() const { return processor_name(); }

std::vector<Property> HostRuntime::properties() const {
    return {{"level", 0, loop_library().level},
            {"threads", thread_count()},
            {"vector_functions", loop_library().vector_functions},
            {"total_memory", memory_info().second},
            {"page_size", sysconf(_SC_PAGESIZE)}};
}

std::pair<int64_t, int64_t> HostRuntime::memory_info() const {
    return {available_memory(), int64_t(sysconf(_SC_PHYS_PAGES)) * sysconf(_SC_PAGESIZE)};
}

}  // namespace cuarray::host
