// event.h -- a CUDA event: a point in a stream of a GPU.
#pragma once
#include "cuda/stream.h"
#include "runtime/mutex.h"

namespace cuarray::cuda {

class GpuEvent final : public Event {
 public:
    GpuEvent(GpuRuntime& runtime, bool has_timing);
    ~GpuEvent() override;

    Device device() const override;
    bool has_timing() const override { return has_timing_; }
    void record(Stream& stream) override;
    bool is_done() override;
    void synchronize() override;
    double elapsed_ms(Event& start) override;

    CUevent handle() const { return handle_; }
    /// The point recorded last; empty before the first record().
    StreamPoint recorded() const;

 private:
    GpuRuntime& runtime_;
    const Context& context_;
    const bool has_timing_;
    CUevent handle_ = nullptr;
    mutable Mutex mutex_;
    StreamPoint point_;
};

}  // namespace cuarray::cuda
