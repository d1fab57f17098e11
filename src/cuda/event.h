// event.h -- a moment in a stream of a GPU, kept by the driver.
#pragma once
#include <mutex>
#include "cuda/stream.h"

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
    /// Where it was recorded last; nothing before the first time.
    StreamPoint recorded() const;

 private:
    GpuRuntime& runtime_;
    const Context& context_;
    const bool has_timing_;
    CUevent handle_ = nullptr;
    mutable std::mutex mutex_;
    StreamPoint point_;
};

}  // namespace cuarray::cuda
