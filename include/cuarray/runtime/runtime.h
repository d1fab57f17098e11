// runtime.h -- what a device offers beside computing: streams, events, graphs, kinds of memory, peers, properties.
// Two implementations, host and cuda, as of Backend: nothing else needs to know of CUDA.
#pragma once
#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>
#include "cuarray/core/device.h"
#include "cuarray/runtime/storage.h"

namespace cuarray {

class Event;

/// A queue of work on one device, run in order. Streams live as long as the process: one that nobody holds any more is
/// handed out anew once it is idle, and its tickets go on, so that a StreamPoint stays true.
class CUARRAY_API Stream {
 public:
    virtual ~Stream() = default;
    Stream(const Stream&) = delete;
    Stream& operator=(const Stream&) = delete;

    Device device() const { return device_; }
    uint16_t id() const { return id_; }
    /// The number by which protocols name the stream (CUstream as an integer); 0 on cpu.
    virtual int64_t handle() const { return 0; }
    virtual int priority() const { return 0; }
    /// Whether another library made it and may destroy it.
    virtual bool is_foreign() const { return false; }

    /// Waits on the host for everything queued before the call; raises what went wrong.
    virtual void synchronize() = 0;
    /// Waits on the host for operation number `ticket`, and perhaps for later ones.
    virtual void wait_until(uint64_t ticket) = 0;
    /// Whether everything queued has run. Waits for nothing.
    virtual bool is_done() = 0;
    /// Makes what is queued here from now on wait for what `other` holds now, or for what `event` recorded last.
    virtual void wait_for(Stream& other) = 0;
    virtual void wait_for(Event& event) = 0;

    /// Operations queued so far, and whether number `ticket` is known to have run.
    uint64_t issued() const { return issued_.load(std::memory_order_relaxed); }
    bool has_finished(uint64_t ticket) const { return ticket <= finished_.load(std::memory_order_acquire); }
    /// Numbers what has just been queued. Afterwards, so that whoever waits knows that all earlier numbers are done.
    StreamPoint issue() { return {id_, issued_.fetch_add(1, std::memory_order_relaxed) + 1}; }
    StreamPoint now() const { return {id_, issued()}; }
    /// Notes that everything up to `ticket` has run.
    virtual void finish(uint64_t ticket);

    /// Holders: Python's Stream objects and `with` blocks, not storages.
    void retain() { holders_.fetch_add(1, std::memory_order_relaxed); }
    void release() {
        if (holders_.fetch_sub(1, std::memory_order_acq_rel) == 1) retire();
    }

 protected:
    explicit Stream(Device device);  ///< numbers the stream; RuntimeError beyond 65535

 private:
    virtual void retire() {}  ///< nobody holds it any more

    const Device device_;
    const uint16_t id_;
    std::atomic<uint64_t> issued_{0}, finished_{0};
    std::atomic<int32_t> holders_{0};
};

using StreamRef = Ref<Stream>;

/// The stream with this number, which a point names.
CUARRAY_API Stream& stream_numbered(uint16_t id);

/// A moment in a stream, kept by the device: others wait for it, and two of them tell a time.
class CUARRAY_API Event {
 public:
    virtual ~Event() = default;
    virtual Device device() const = 0;
    virtual bool has_timing() const = 0;
    /// Notes what `stream`, of the same device, holds now; forgets what was recorded before.
    virtual void record(Stream& stream) = 0;
    /// Whether what was recorded has run; true where nothing was.
    virtual bool is_done() = 0;
    virtual void synchronize() = 0;
    /// Milliseconds from `start` to this, both recorded with timing; waits for neither.
    virtual double elapsed_ms(Event& start) = 0;
};

/// Operations recorded once, to be queued again as a whole. Holds all memory that they touch.
class CUARRAY_API Graph {
 public:
    virtual ~Graph() = default;
    virtual void launch(Stream& stream) = 0;
    virtual int64_t operations() const = 0;
};

/// Where memory comes from.
enum class MemoryKind : uint8_t {
    Device,   ///< the device's pool
    Direct,   ///< alone, as MPI and IPC need it
    Pinned,   ///< page-locked host memory: a cpu array that a GPU reads and writes directly
    Managed,  ///< pages that move between the host and a GPU
};

/// One entry of what is known about a device: "warp_size", 32. Text is kept as it is printed.
struct Property {
    std::string name;
    int64_t value = 0;
    std::string text = {};  ///< where the value is no number
};

/// The services of a device; its Backend gives it. Methods may be called from any thread.
class CUARRAY_API Runtime {
 public:
    virtual ~Runtime() = default;

    /// The stream for work outside of every `with stream:`.
    virtual Stream& default_stream() = 0;
    /// A stream of our own. A smaller number is a higher priority; numbers beyond the device's range mean its ends.
    virtual StreamRef make_stream(int priority, bool is_blocking) = 0;
    /// Another library's stream, which must exist as long as the reference.
    virtual StreamRef foreign_stream(int64_t handle) = 0;
    virtual std::unique_ptr<Event> make_event(bool has_timing) = 0;

    /// A stream on which work is recorded instead of done, until end_capture or drop_capture.
    virtual StreamRef begin_capture() = 0;
    virtual std::unique_ptr<Graph> end_capture(Stream& stream) = 0;
    virtual void drop_capture(Stream& stream) noexcept = 0;
    /// Whether what this thread does now is recorded: results are not there, and nothing can be waited for.
    virtual bool is_capturing() = 0;

    /// Memory of a kind, for work on the current stream; contents undefined. A device without the kind gives its own.
    virtual StorageRef allocate(int64_t bytes, MemoryKind kind) = 0;
    /// The pinned memory that the address lies in, or null.
    virtual StorageRef pinned_memory_at(const void*) { return {}; }
    /// Before the memory of an array of this device is shown to code that is not ours and runs on the host.
    virtual void open_to_host(Storage&) {}

    virtual bool can_access_peer(Device other) = 0;
    /// Lets kernels of this device read and write memory of the other; ValueError where the hardware cannot.
    virtual void enable_peer_access(Device other) = 0;

    virtual std::string name() const = 0;
    virtual std::vector<Property> properties() const = 0;
    /// Bytes that are free, and all there are.
    virtual std::pair<int64_t, int64_t> memory_info() const = 0;

    /// Makes work on a stream of another library (a protocol's number) wait for what was queued for the memory.
    virtual void publish(Storage&, int64_t) {}
    /// The same for a consumer that is not known: it may work on the legacy stream, or wait for the stream returned.
    virtual int64_t show(Storage&) { return 0; }
    /// Makes later users of imported memory wait for what its library's stream holds now.
    virtual void adopt(Storage&, int64_t) {}
    /// Before imported memory goes back to its owner: makes the owner's work wait for what was queued for it here.
    virtual void return_to_owner(Storage&) noexcept {}
    /// The device of this kind that the address belongs to.
    virtual Device device_of(const void*) { return {}; }
};

CUARRAY_API void wait_for_users(const Storage& storage, bool for_write);
/// Waits on the host until it may read, or also write, memory that streams of another device use (pinned memory).
inline void wait_on_host(const Storage& storage, bool for_write) {
    if (!storage.uses.is_empty()) wait_for_users(storage, for_write);
}

/// This thread's stream for a device: that of the innermost StreamScope, else the device's default.
CUARRAY_API Stream& current_stream(Device device);
/// The same, null where that is the default.
CUARRAY_API Stream* chosen_stream(Device device);

/// Makes a stream current for its device, in this thread, for the life of the object.
class CUARRAY_API StreamScope {
 public:
    explicit StreamScope(StreamRef stream);
    ~StreamScope();
    StreamScope(const StreamScope&) = delete;
    StreamScope& operator=(const StreamScope&) = delete;

};

}  // namespace cuarray
