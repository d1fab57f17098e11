// stream.h -- a queue of one GPU: numbered work, waits that are events only where they must be, and order
// with streams of other libraries.
#pragma once
#include <cstdint>
#include <deque>
#include <mutex>
#include <span>
#include <unordered_map>
#include <utility>
#include "cuarray/runtime/runtime.h"
#include "cuda/context.h"

namespace cuarray::cuda {

class GpuRuntime;
class GpuGraph;

/// The streams that protocols name without a handle. Nothing is launched on them, but they are waited for,
/// and wait.
constexpr int64_t kNoStream = -1, kLegacyStream = 1, kPerThreadStream = 2;

/// A stream of ours, or one of another library. A device's default stream is a blocking one (flags 0): CUDA
/// orders it with the legacy stream, on which other frameworks work, in both directions and without events.
class GpuStream final : public Stream {
 public:
    /// Capturing streams are never used for anything else, so that no memory is freed in their order.
    enum class Kind : uint8_t { Blocking, NonBlocking, Capturing, Foreign };
    GpuStream(GpuRuntime& runtime, Kind kind, CUstream queue, int priority);

    CUstream queue() const { return queue_; }
    Kind kind() const { return kind_; }
    int64_t handle() const override { return reinterpret_cast<int64_t>(queue_); }
    int priority() const override { return priority_; }
    bool is_foreign() const override { return kind_ == Kind::Foreign; }
    /// Gives a foreign stream that nobody holds to another handle.
    void reuse(CUstream queue) { queue_ = queue; }

    void synchronize() override;
    /// The same, but leaves faults to whoever synchronizes.
    void wait();
    void wait_until(uint64_t ticket) override;
    bool is_done() override;
    void wait_for(Stream& other) override;
    void wait_for(Event& event) override;
    void finish(uint64_t ticket) override;

    /// Makes what is queued here from now on wait for other streams' work, where it does not yet.
    void wait_for(StreamPoint point);
    void wait_for(std::span<const StreamPoint> points) {
        for (const StreamPoint point : points) wait_for(point);
    }
    /// The same for all that this process has queued there, numbered or not.
    void wait_for_queued(GpuStream& other) { join(other, !other.is_foreign()); }
    /// The same for what a stream of another library, of the same GPU, holds now; and the reverse, for one of a GPU whose
    /// context is given.
    using Stream::issue;
    void wait_for(CUstream other);
    void hold(CUstream other, const Context& context);
    /// Makes what is queued here from now on wait for all that the GPU's context holds now, on any stream.
    void wait_for_context();
    /// Whether what this process queued has run. Never touches a foreign handle, which may be stale.
    bool poll();
    /// Whether operation number `ticket` has run; asks the driver where that is not known.
    bool has_run(uint64_t ticket) { return has_finished(ticket) || (poll() && has_finished(ticket)); }

    /// Before an operation that reads or writes the memory: waits for those of its users that are on other
    /// streams. A capture notes the memory instead.
    void will_read(Storage& storage);
    void will_write(Storage& storage);
    /// Numbers the operation that has just been queued, for waits and for messages.
    StreamPoint issue(const char* name);
    /// After a call that queued something: on a foreign stream it records the event that others will wait
    /// for.
    void queued();
    /// Notes the memory's new users. Inside a capture nothing runs, so that a read is none.
    void has_read(Storage& storage, StreamPoint point) {
        if (!capture_) storage.uses.read_at(point);
    }
    void has_written(Storage& storage, StreamPoint point) { storage.uses.written_at(point); }
    /// After a call that failed: waits for what was queued before it, whose users nobody has noted. Never throws.
    void settle() noexcept;
    /// Keeps an event at this point, so that the host can wait for it without waiting for what follows.
    void mark(StreamPoint point);

    GpuGraph* capture() const { return capture_; }
    void set_capture(GpuGraph* capture) { capture_ = capture; }
    /// RuntimeError naming the call where the stream is being captured.
    void refuse_in_capture(const char* call) const;
    /// RuntimeError where this thread captures another stream: it would take the work here for recorded.
    void refuse_beside_capture() const;

 private:
    void retire() override;
    void has_waited();
    void note_seen(uint16_t stream, uint64_t ticket);
    bool has_seen(StreamPoint point) const;
    void join(GpuStream& other, bool is_new_record);
    /// The last of the spare events, which stays one of them; the current context is this one.
    CUevent spare_event();
    template <class Record>
    void wait_for_record(Record record);

    GpuRuntime& runtime_;
    const Context& context_;
    const Kind kind_;
    CUstream queue_;
    const int priority_;
    CUevent event_ = nullptr;  ///< a wait binds to the record at the call, so one event serves all waits
    GpuGraph* capture_ = nullptr;
    mutable std::mutex mutex_;  ///< of the event, of what was seen, and of the marks
    std::unordered_map<uint16_t, uint64_t>
        seen_;  ///< tickets of other streams that work here comes after anyway
    std::deque<std::pair<uint64_t, CUevent>> marks_;
    std::vector<CUevent> spare_events_;
};

/// The GPU's stream with this number. Only streams of GPUs use memory later than the call.
inline GpuStream& gpu_stream(StreamPoint point) {
    return static_cast<GpuStream&>(stream_numbered(point.stream()));
}

}  // namespace cuarray::cuda
