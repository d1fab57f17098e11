// graph.h -- a CUDA graph: operations captured once and launched as a whole.
#pragma once
#include <memory>
#include <unordered_map>
#include <vector>
#include "cuda/stream.h"

namespace cuarray::cuda {

/// A capture on a stream of its own, then an executable graph. It holds all memory that its operations use, so that
/// the addresses stay allocated, and so that its launches and later work wait for each other.
class GpuGraph final : public Graph {
 public:
    /// Begins to capture `stream` in thread-local mode: other threads are not affected.
    GpuGraph(GpuRuntime& runtime, GpuStream& stream);
    ~GpuGraph() override;

    /// Notes memory that the operation being captured reads or writes.
    void hold(Storage& storage, bool is_written);
    /// Memory for a call of a library in the capture. Its calls run one after another and share it.
    StorageRef workspace(size_t bytes);
    /// Keeps an object as long as the graph: what a captured call of a library goes on using.
    void keep(std::shared_ptr<void> object) { kept_.push_back(std::move(object)); }
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
    StorageRef workspace_;
    std::vector<std::shared_ptr<void>> kept_;
    std::vector<StreamPoint> before_;  ///< users of the memory before the capture
    size_t operations_ = 0;            ///< kernels, copies and fills, as the driver counts them
};

}  // namespace cuarray::cuda
