// runtime.h -- one GPU as a Runtime: its streams, its kinds of memory, its peers, and ordering with other
// libraries.
#pragma once
#include <atomic>
#include <deque>
#include <map>
#include "cuarray/runtime/backend.h"
#include "cuarray/runtime/runtime.h"
#include "cuda/faults.h"
#include "cuda/memory.h"
#include "cuda/pinned.h"
#include "cuda/stream.h"
#include "runtime/mutex.h"

namespace cuarray::cuda {

class GpuRuntime final : public Runtime {
 public:
    /// `backend` owns the storages that are made here.
    GpuRuntime(Backend& backend, int index);

    Device device() const { return {Device::Kind::Cuda, uint8_t(context.index)}; }
    /// This thread's stream.
    GpuStream& current() {
        Stream* const chosen = chosen_stream(device());
        return chosen ? static_cast<GpuStream&>(*chosen) : usual_;
    }

    Stream& default_stream() override { return usual_; }
    StreamRef make_stream(int priority, bool is_blocking) override;
    StreamRef foreign_stream(int64_t handle) override;
    std::unique_ptr<Event> make_event(bool has_timing) override;

    StreamRef begin_capture() override;
    std::unique_ptr<Graph> end_capture(Stream& stream) override;
    void drop_capture(Stream& stream) noexcept override;
    bool is_capturing() override { return current().capture() != nullptr; }
    /// Whether this thread is in a capture.
    static bool is_thread_capturing() { return is_any_captured() && captures_of_thread() > 0; }
    /// Whether any thread is in a capture.
    static bool is_any_captured() { return open_captures_.load(std::memory_order_relaxed) > 0; }
    /// Held while a capture begins, and during calls that no capture may see.
    static Mutex& capture_gate();

    StorageRef allocate(int64_t bytes, MemoryKind kind) override;
    /// Pinned memory of any GPU: all GPUs can access it.
    StorageRef pinned_memory_at(const void* address) override;

    bool can_access_peer(Device other) override;
    void enable_peer_access(Device other) override;

    std::string name() const override { return context.name; }
    std::vector<Property> properties() const override;
    std::pair<int64_t, int64_t> memory_info() const override;

    void publish(Storage& storage, int64_t stream) override;
    int64_t show(Storage& storage) override;
    void adopt(Storage& storage, int64_t stream) override;
    void return_to_owner(Storage& storage) noexcept override;
    Device device_of(const void* address) override;

    /// Waits for every stream of the device; raises faults and errors.
    void synchronize();
    /// Waits for what this process has queued on every stream that is not captured; raises errors only.
    void wait_for_streams();
    /// Registers the initialised GPU, so that its faults are raised.
    void enlist();
    /// Warns of faults that were never raised. Makes no driver call.
    static void warn_of_faults();
    /// Raises a fault recorded by kernels on any GPU, because copies carry wrong values from one GPU to another. Called
    /// after a wait; reads one host word per GPU in use, makes no driver call.
    static void raise_faults();
    /// Whether a storage of a GPU is managed memory.
    static bool is_managed(const Storage& storage);
    /// Takes back a stream without holders; it is reused once it is idle.
    void take_back(GpuStream& stream);

    Context context;

 private:
    static inline std::atomic<int> open_captures_{0};  ///< in all threads
    static int captures_of_thread();
    struct EndOfCapture;
    class Block;
    class PinnedBlock;

    void wait_and_raise();
    StorageRef own_pinned_memory_at(const void* address);
    bool is_ordered_with_legacy(const GpuStream& stream) const;
    StorageRef allocate_pinned(int64_t bytes);
    void release(Block& block) noexcept;
    void release(PinnedBlock& block) noexcept;
    std::vector<GpuStream*> all_streams();
    StreamRef make(GpuStream::Kind kind, int priority);
    GpuStream* find_idle(GpuStream::Kind kind, int priority);
    GpuStream* stream_with(int64_t handle);
    GpuStream& keeper();

    Backend& backend_;
    Mutex mutex_;
    std::deque<GpuStream> streams_;     ///< all but the default one; a deque keeps addresses stable
    std::vector<GpuStream*> returned_;  ///< without holders, perhaps still busy
    std::map<const char*, PinnedBlock*> pinned_blocks_;
    GpuStream usual_;
    StreamRef keeper_;  ///< made at first use

 public:
    FaultWatch faults;
    DevicePool pool;
    PinnedChunks chunks;
};

}  // namespace cuarray::cuda
