// runtime.h -- streams, events and graphs of the cpu device, where work is complete when its call returns.
#pragma once
#include <atomic>
#include <chrono>
#include <functional>
#include <mutex>
#include <vector>
#include "cuarray/runtime/backend.h"
#include "cuarray/runtime/runtime.h"

namespace cuarray::host {

/// Recorded operations that can be run again. While a thread captures, its operations are recorded here and not run.
class HostGraph final : public Graph {
 public:
    void add(std::function<void()> operation) { operations_.push_back(std::move(operation)); }
    void launch(Stream& stream) override;
    int64_t operations() const override { return int64_t(operations_.size()); }

 private:
    std::vector<std::function<void()>> operations_;
};

/// The number of threads that record a graph: while it is zero, no thread looks up its own.
extern std::atomic<int> open_captures;
HostGraph* capture_of_thread();
/// The graph that this thread is recording, or null.
inline HostGraph* capture() { return open_captures.load(std::memory_order_relaxed) ? capture_of_thread() : nullptr; }
[[noreturn]] void raise_in_capture(const char* call);
/// RuntimeError naming the call where this thread records a graph.
inline void refuse_in_capture(const char* call) {
    if (capture()) raise_in_capture(call);
}

class HostRuntime final : public Runtime {
 public:
    explicit HostRuntime(Backend& backend);

    Stream& default_stream() override { return *default_; }
    StreamRef make_stream(int priority, bool is_blocking) override;
    StreamRef foreign_stream(int64_t handle) override;
    std::unique_ptr<Event> make_event(bool has_timing) override;

    StreamRef begin_capture() override;
    std::unique_ptr<Graph> end_capture(Stream& stream) override;
    void drop_capture(Stream& stream) noexcept override;
    bool is_capturing() override { return capture() != nullptr; }

    StorageRef allocate(int64_t bytes, MemoryKind kind) override;
    void open_to_host(Storage& storage) override;

    bool can_access_peer(Device) override { return false; }
    void enable_peer_access(Device other) override;

    std::string name() const override;
    std::vector<Property> properties() const override;
    std::pair<int64_t, int64_t> memory_info() const override;

 private:
    class HostStream;
    class HostEvent;
    void take_back(HostStream& stream);

    Backend& backend_;
    std::mutex mutex_;
    std::vector<HostStream*> idle_;
    StreamRef default_;
};

}  // namespace cuarray::host
