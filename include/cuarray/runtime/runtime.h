// runtime.h -- the services of a device besides computing: streams, events, graphs, kinds of memory, peers, properties.
// Two implementations, host and cuda, as of Backend: no other code depends on CUDA.
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

/// A queue of work on one device, run in order. Streams live as long as the process: a stream without holders is reused
/// once it is idle, and its tickets continue, so that a StreamPoint stays valid.
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

    /// Waits on the host for everything queued before the call; raises errors and faults.
    virtual void synchronize() = 0;
    /// Waits on the host for operation number `ticket`, and perhaps for later ones.
    virtual void wait_until(uint64_t ticket) = 0;
    /// Whether everything queued has run. Does not wait.
    virtual bool is_done() = 0;
    /// Makes work queued here from now on wait for the work queued on `other` now, or for the last record of `event`.
    virtual void wait_for(Stream& other) = 0;
    virtual void wait_for(Event& event) = 0;

    /// Operations queued so far, and whether number `ticket` is known to have run.
    uint64_t issued() const { return issued_.load(std::memory_order_relaxed); }
    bool has_finished(uint64_t ticket) const { return ticket <= finished_.load(std::memory_order_acquire); }
    /// Numbers the operation that has just been queued. Called after queuing, so that a wait covers every ticket that
    /// was issued before it.
    StreamPoint issue() { return {id_, issued_.fetch_add(1, std::memory_order_relaxed) + 1}; }
    StreamPoint now() const { return {id_, issued()}; }
    /// Records that everything up to `ticket` has run.
    virtual void finish(uint64_t ticket);

    /// Holders: Python's Stream objects and `with` blocks, not storages.
    void retain() { holders_.fetch_add(1, std::memory_order_relaxed); }
    void release() {
        if (holders_.fetch_sub(1, std::memory_order_acq_rel) == 1) retire();
    }

 protected:
    explicit Stream(Device device);  ///< numbers the stream; RuntimeError beyond 65535

 private:
    virtual void retire() {}  ///< called when the last holder has released it

    const Device device_;
    const uint16_t id_;
    std::atomic<uint64_t> issued_{0}, finished_{0};
    std::atomic<int32_t> holders_{0};
};

using StreamRef = Ref<Stream>;

/// The stream with this number (StreamPoint::stream).
CUARRAY_API Stream& stream_numbered(uint16_t id);

/// A point in a stream, recorded by the device: other streams wait for it, and two events measure a time.
class CUARRAY_API Event {
 public:
    virtual ~Event() = default;
    virtual Device device() const = 0;
    virtual bool has_timing() const = 0;
    /// Records the work queued on `stream`, of the same device; replaces an earlier record.
    virtual void record(Stream& stream) = 0;
    /// Whether the recorded work has run; true if nothing was recorded.
    virtual bool is_done() = 0;
    virtual void synchronize() = 0;
    /// Milliseconds from `start` to this, both recorded with timing; waits for neither.
    virtual double elapsed_ms(Event& start) = 0;
};

/// Operations captured once, to be launched as a whole. Holds all memory that they use.
class CUARRAY_API Graph {
 public:
    virtual ~Graph() = default;
    virtual void launch(Stream& stream) = 0;
    virtual int64_t operations() const = 0;
};

/// The kind of memory to allocate.
enum class MemoryKind : uint8_t {
    Device,   ///< the device's pool
    Direct,   ///< not from a pool, as MPI and IPC need it
    Pinned,   ///< page-locked host memory: a cpu array that a GPU reads and writes directly
    Managed,  ///< pages that move between the host and a GPU
};

/// One property of a device: "warp_size", 32. Text is stored as it is printed.
struct Property {
    std::string name;
    int64_t value = 0;
    std::string text = {};  ///< if the value is not a number
};

/// The services of a device, returned by its Backend. Methods may be called from any thread.
class CUARRAY_API Runtime {
 public:
    virtual ~Runtime() = default;

    /// The stream for work outside of every `with stream:`.
    virtual Stream& default_stream() = 0;
    /// A stream of our own. A smaller number is a higher priority; numbers are clamped to the device's range.
    virtual StreamRef make_stream(int priority, bool is_blocking) = 0;
    /// Another library's stream, which must exist as long as the reference.
    virtual StreamRef foreign_stream(int64_t handle) = 0;
    virtual std::unique_ptr<Event> make_event(bool has_timing) = 0;

    /// A stream on which work is captured instead of run, until end_capture or drop_capture.
    virtual StreamRef begin_capture() = 0;
    virtual std::unique_ptr<Graph> end_capture(Stream& stream) = 0;
    virtual void drop_capture(Stream& stream) noexcept = 0;
    /// Whether this thread's work is being captured: it does not run, so results cannot be read or waited for.
    virtual bool is_capturing() = 0;

    /// Memory of a kind, for work on the current stream; contents undefined. A device without the kind gives its
    /// usual one.
    virtual StorageRef allocate(int64_t bytes, MemoryKind kind) = 0;
    /// The pinned memory that contains the address, or null.
    virtual StorageRef pinned_memory_at(const void*) { return {}; }
    /// Called before the memory of an array of this device is exposed to foreign code that runs on the host.
    virtual void open_to_host(Storage&) {}

    virtual bool can_access_peer(Device other) = 0;
    /// Lets kernels of this device read and write memory of the other; ValueError if the hardware cannot.
    virtual void enable_peer_access(Device other) = 0;

    virtual std::string name() const = 0;
    virtual std::vector<Property> properties() const = 0;
    /// Free and total bytes.
    virtual std::pair<int64_t, int64_t> memory_info() const = 0;

    /// Makes a stream of another library (a protocol's number) wait for the work queued here that uses the memory.
    virtual void publish(Storage&, int64_t) {}
    /// The same for an unknown consumer: it may work on the legacy stream, or wait for the returned stream; 0 where all
    /// work on the memory has run.
    virtual int64_t show(Storage&) { return 0; }
    /// Makes later users of imported memory wait for the work queued now on its library's stream.
    virtual void adopt(Storage&, int64_t) {}
    /// Called before imported memory returns to its owner: makes the owner's work wait for the work queued here.
    virtual void return_to_owner(Storage&) noexcept {}
    /// The device of this kind that the address belongs to.
    virtual Device device_of(const void*) { return {}; }
};

CUARRAY_API void wait_for_users(const Storage& storage, bool for_write);
/// Blocks until the host may read, or also write, memory that streams of another device use (pinned memory).
inline void wait_on_host(const Storage& storage, bool for_write) {
    if (!storage.uses.is_empty()) wait_for_users(storage, for_write);
}

/// This thread's stream for a device: that of the innermost StreamScope, else the device's default.
CUARRAY_API Stream& current_stream(Device device);
/// The same; null if that is the default.
CUARRAY_API Stream* chosen_stream(Device device);

/// Makes a stream current for its device, in this thread, for the life of the object.
class CUARRAY_API StreamScope {
 public:
    explicit StreamScope(StreamRef stream);
    ~StreamScope();
    StreamScope(const StreamScope&) = delete;
    StreamScope& operator=(const StreamScope&) = delete;
};

/// The plans of a library's Fourier transforms, which are kept for the next transform of the same size. The one that
/// was not used for the longest time goes first.
class CUARRAY_API PlanCache {
 public:
    /// The number of plans kept at most, and those that there are.
    virtual int64_t limit() = 0;
    virtual void set_limit(int64_t limit) = 0;
    virtual int64_t count() = 0;

 protected:
    ~PlanCache() = default;
};

}  // namespace cuarray
