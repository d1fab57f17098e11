// steps.h -- runs an Expr step by step, on a device and on the host.
//
// Each step runs alone over the values that the device has computed before: a difference is then due to one row, and
// the rounding of earlier steps cannot be mistaken for an error.
#pragma once
#include <vector>

#include "runtime/comparison.h"

namespace cuarray {

/// Runs an Expr node by node, on the device and on the host, and compares each value.
class Steps {
 public:
    Steps(Backend& device, const Expr& expr, const Dims& shape, std::span<const View> inputs, const char* name);

    /// The value of a node as computed by the device.
    const Values& value(ValueId id);

    /// Compares elements that this Expr computes; RuntimeError with the first one that does not agree.
    void compare(const Comparison& comparison, const char* what) const;

 private:
    void run(ValueId id, std::span<const View> inputs);
    void store(ValueId id, const std::vector<ValueId>& sources);

    Backend& device_;
    const Expr& expr_;
    const Dims& shape_;
    const char* const name_;
    std::vector<Values> values_;
};

}  // namespace cuarray
