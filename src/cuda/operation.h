// operation.h -- an operation's place among those of other streams, also where one of its calls fails.
#pragma once
#include <span>
#include "cuarray/runtime/backend.h"
#include "cuda/stream.h"

namespace cuarray::cuda {

/// Makes the stream wait for other streams' work on the operands; `end` notes that it uses them. Where a call fails before
/// that, nobody would know of what is queued already: it is waited for.
class Operation {
 public:
    Operation(GpuStream& stream, std::span<const View> outputs, std::span<const View> inputs, const char* name)
        : stream_(stream), outputs_(outputs), inputs_(inputs), name_(name) {
        for (const View& view : inputs) stream.will_read(*view.storage);
        for (const View& view : outputs) stream.will_write(*view.storage);
    }
    ~Operation() {
        if (!has_ended_) stream_.settle();
    }
    Operation(const Operation&) = delete;
    Operation& operator=(const Operation&) = delete;

    GpuStream& stream() const { return stream_; }
    StreamPoint end() {
        const StreamPoint point = stream_.issue(name_);
        for (const View& view : inputs_) stream_.has_read(*view.storage, point);
        for (const View& view : outputs_) stream_.has_written(*view.storage, point);
        has_ended_ = true;
        return point;
    }

 private:
    GpuStream& stream_;
    const std::span<const View> outputs_, inputs_;
    const char* const name_;
    bool has_ended_ = false;
};

}  // namespace cuarray::cuda
