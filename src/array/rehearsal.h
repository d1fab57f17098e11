// rehearsal.h -- takes the place of the devices while a copy of a graph is settled: notes its runs, computes nothing.
#pragma once
#include <span>
#include "array/pending_plan.h"
#include "cuarray/array/explain.h"

namespace cuarray {

class Rehearsal {
 public:
    explicit Rehearsal(bool with_code) : with_code_(with_code) {}

    /// An address range without memory.
    StorageRef allocate(Device device, int64_t bytes);
    /// Notes a run; `limit` is what ended it.
    void run(const MergedExpr& program, NodeSpan plan, std::span<const Array> outputs, RunLimits::Kind limit);

    std::vector<ExplainedRun> runs;

 private:
    const bool with_code_;
    uint64_t next_address_ = uint64_t(1) << 62;  // no memory is there
};

}  // namespace cuarray
