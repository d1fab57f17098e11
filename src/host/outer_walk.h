// outer_walk.h -- operand offsets while iterating over the outer axes of a space, without divisions.
#pragma once
#include "cuarray/core/layout.h"

namespace cuarray::host {

/// A position in the first `axes` axes of a space, advanced in C order.
class OuterWalk {
 public:
    OuterWalk(const Space& space, int axes, int64_t first) : space_(space), axes_(axes) {
        for (int k = 0; k < space.operands; ++k) offsets_[k] = space.offset[k];
        for (int d = axes - 1; d >= 0; --d) {
            at_[d] = first % space.shape[d];
            first /= space.shape[d];
            for (int k = 0; k < space.operands; ++k) offsets_[k] += at_[d] * space.strides[k][d];
        }
    }

    /// Bytes from the operand's address to its element at this position.
    int64_t offset(int operand) const { return offsets_[operand]; }

    void next() {
        for (int d = axes_ - 1; d >= 0; --d) {
            const bool wraps = ++at_[d] == space_.shape[d];
            const int64_t steps = wraps ? 1 - space_.shape[d] : 1;
            for (int k = 0; k < space_.operands; ++k) offsets_[k] += steps * space_.strides[k][d];
            if (!wraps) return;
            at_[d] = 0;
        }
    }

 private:
    const Space& space_;
    const int axes_;
    int64_t at_[kMaxDims];
    int64_t offsets_[Space::kMaxOperands];
};

}  // namespace cuarray::host
