// stream.h -- a stream of one GPU: numbered operations, event waits only where needed, and ordering with streams
// of other libraries.
#pragma once
#include <cstdint>
#include <deque>
#include <span>
#include <unordered_map>
#include <utility>
#include "cuarray/runtime/runtime.h"
#include "cuda/context.h"
#include "runtime/mutex.h"

namespace cuarray::cuda {

class GpuRuntime;
class GpuGraph;

/// Stream numbers with a fixed meaning in the exchange protocols. Nothing is launched on these streams, but they
/// wait for our streams, and ours for them.
constexpr int64_t kNoStream = -1, kLegacyStream = 1, kPerThreadStream = 2;
/// The stream with such a number or handle. Other numbers below a page's size are no addresses: the driver, which
/// cannot tell, would crash.
CUstream queue_with(int64_t handle);

/// A stream of ours, or one of another library. A device's default stream is a blocking one (flags 0): CUDA
/// orders it with the legacy stream, on which other frameworks work, in both directions and without events.
class GpuStream final : public Stream {
 public:
    /// Capturing streams are used for nothing else, so that no memory is freed on them.
    enum class Kind : uint8_t { Blocking, NonBlocking, Capturing, Foreign };
    GpuStream(GpuRuntime& runtime, Kind kind, CUstream queue, int priority);

    CUstream queue() const { return queue_; }
    Kind kind() const { return kind_; }
    int64_t handle() const override { return reinterpret_cast<int64_t>(queue_); }
    int priority() const override { return priority_; }
    bool is_foreign() const override { return kind_ == Kind::Foreign; }
    /// Assigns another handle to a foreign stream without holders.
    void reuse(CUstream queue) { queue_ = queue; }

    void synchronize() override;
    /// The same without raising faults.
    void wait();
    void wait_until(uint64_t ticket) override;
    bool is_done() override;
    void wait_for(Stream& other) override;
    void wait_for(Event& event) override;
    void finish(uint64_t ticket) override;

    /// Makes work queued here from now on wait for other streams' work, unless it already does.
    void wait_for(StreamPoint point);
    void wait_for(std::span<const StreamPoint> points) {
        for (const StreamPoint point : points) wait_for(point);
    }
    /// The same for all work that this process has queued on `other`, numbered or not.
    void wait_for_queued(GpuStream& other) { join(other, !other.is_foreign()); }
    /// The same for the work queued now on another library's stream of the same GPU; `hold` is the reverse, for a
    /// stream of the GPU whose context is given.
    using Stream::issue;
    void wait_for(CUstream other);
    void hold(CUstream other, const Context& context);
    /// Makes work queued here from now on wait for all work of the GPU's context, on any stream.
    void wait_for_context();
    /// Whether the work that this process queued has run. Does not use a foreign handle, which may be stale.
    bool poll();
    /// Whether operation number `ticket` has run; queries the driver if that is not known.
    bool has_run(uint64_t ticket) { return has_finished(ticket) || (poll() && has_finished(ticket)); }

    /// Call before an operation that reads or writes the memory: waits for its users on other streams. A capture
    /// holds the memory instead.
    void will_read(Storage& storage);
    void will_write(Storage& storage);
    /// Numbers the operation that has just been queued, for waits and for messages.
    StreamPoint issue(const char* name);
    /// Call after queuing work: on a foreign stream, records the event that others will wait for.
    void queued();
    /// Records the memory's new users. A read in a capture is not recorded: nothing runs.
    void has_read(Storage& storage, StreamPoint point) {
        if (!capture_) storage.uses.read_at(point);
    }
    void has_written(Storage& storage, StreamPoint point) { storage.uses.written_at(point); }
    /// Waits for the work that this process has queued; does not use a foreign handle, which may be stale.
    void wait_for_queued_work();
    /// Call after a failure: waits for the work queued before it, which is not recorded as a user. Never throws.
    void settle() noexcept;
    /// Records an event at this point, so that the host can wait for it without waiting for later work.
    void mark(StreamPoint point);

    GpuGraph* capture() const { return capture_; }
    void set_capture(GpuGraph* capture) { capture_ = capture; }
    /// RuntimeError naming the call if the stream is being captured.
    void refuse_in_capture(const char* call) const;
    /// RuntimeError if this thread captures another stream: work here would run once and not be recorded.
    void refuse_beside_capture() const;

 private:
    void retire() override;
    void has_waited();
    void note_seen(uint16_t stream, uint64_t ticket);
    bool has_seen(StreamPoint point) const;
    void join(GpuStream& other, bool is_new_record);
    /// The last of the spare events, which stays in the list; this stream's context must be current.
    CUevent spare_event();
    template <class Record>
    void wait_for_record(Record record);

    GpuRuntime& runtime_;
    const Context& context_;
    const Kind kind_;
    CUstream queue_;
    const int priority_;
    const Owned own_queue_;  ///< null of foreign streams
    Owned own_event_;
    CUevent event_ = nullptr;  ///< a wait binds to the record at the call, so one event serves all waits
    GpuGraph* capture_ = nullptr;
    mutable Mutex mutex_;  ///< guards the events, `seen_` and the marks
    std::unordered_map<uint16_t, uint64_t>
        seen_;  ///< the latest ticket of each other stream that this stream has waited for
    std::deque<std::pair<uint64_t, CUevent>> marks_;
    std::vector<CUevent> spare_events_;
};

/// The GPU's stream with this number. Only GPU streams appear in stream points: host work is done when a call returns.
inline GpuStream& gpu_stream(StreamPoint point) { return static_cast<GpuStream&>(stream_numbered(point.stream())); }

}  // namespace cuarray::cuda
