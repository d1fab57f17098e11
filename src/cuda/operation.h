// operation.h -- orders an operation with the work of other streams, also if one of its calls fails.
#pragma once
#include "cuarray/runtime/backend.h"
#include "cuda/stream.h"

namespace cuarray::cuda {

/// A byte copy between two storages, either of which may be null. It has operands, like a task.
struct Transfer {
    Storage* to;
    Storage* from;
    const char* name;
};
template <class Visit> void operands(const Transfer& task, Visit&& visit) {
    if (task.to) visit(Operand{View{task.to, 0, DType::uint8, {}}, Dims{}, Access::Write});
    if (task.from) visit(Operand{View{task.from, 0, DType::uint8, {}}, Dims{}});
}

/// Makes the stream wait for other streams' work on a task's operands; `end` records the operation as their user. If a
/// call fails before `end`, the queued work is not recorded: the destructor waits for it. The task must outlive the
/// operation.
template <class T>
class Operation {
 public:
    Operation(GpuStream& stream, const T& task) : stream_(stream), task_(task) {
        operands(task, [&](const Operand& operand) {
            if (operand.is_written())
                stream.will_write(*operand.view.storage);
            else
                stream.will_read(*operand.view.storage);
        });
    }
    Operation(GpuStream&, T&&) = delete;
    ~Operation() {
        if (!has_ended_) stream_.settle();
    }
    Operation(const Operation&) = delete;
    Operation& operator=(const Operation&) = delete;

    GpuStream& stream() const { return stream_; }
    StreamPoint end() {
        const StreamPoint point = stream_.issue(task_.name);
        operands(task_, [&](const Operand& operand) {
            if (!operand.is_written()) stream_.has_read(*operand.view.storage, point);
        });
        operands(task_, [&](const Operand& operand) {
            if (operand.is_written()) stream_.has_written(*operand.view.storage, point);
        });
        has_ended_ = true;
        return point;
    }

 private:
    GpuStream& stream_;
    const T& task_;
    bool has_ended_ = false;
};

}  // namespace cuarray::cuda
