// graph.h -- work of a GPU recorded once by the driver and queued again as a whole.
#pragma once
#include <unordered_map>
#include "cuda/stream.h"

namespace cuarray::cuda {

/// What is captured on a stream of its own, and then an executable graph. It holds all memory that it
/// touched, so that no address in it goes to somebody else, and so that later work and its launches wait for
/// each other.
class GpuGraph final : public Graph {
 public:
    /// Begins to capture what is queued on `stream`, in this thread's mode: other threads go on undisturbed.
    GpuGraph(GpuRuntime& runtime, GpuStream& stream);
    ~GpuGraph() override;

    /// Notes memory that the operation being captured reads or writes.
    void hold(Storage& storage, bool is_written);
    /// Ends the capture and makes the graph executable.
    void finish();
    /// Ends the capture and drops what it recorded; never throws.
    void abandon() noexcept;

    void launch(Stream& stream) override;
    int64_t operations() const override { return int64_t(operations_); }
    GpuStream& stream() const { return stream_; }

 private:
    void catch_up();

    struct Held {
        StorageRef storage;
        bool is_written;
    };

    GpuRuntime& runtime_;
    GpuStream& stream_;
    CUgraphExec executable_ = nullptr;
    std::unordered_map<Storage*, Held> held_;
    std::vector<StreamPoint> before_;  ///< what used the memory before the capture noted itself as its user
    size_t operations_ = 0;  ///< kernels, copies and fills, as the driver counts them
};

}  // namespace cuarray::cuda
