// steps.h -- an Expr, one step after the other, on a device and on the host.
//
// Each step runs alone over the values that the device itself has computed before: so a difference is that of one row, and
// roundings of earlier steps cannot be taken for errors.
#pragma once
#include <vector>

#include "runtime/agreement.h"

namespace cuarray {

/// Runs an Expr one node after the other, on the device and on the host, and compares each.
class Steps {
 public:
    Steps(Backend& device, const Expr& expr, const Dims& shape, std::span<const View> inputs, const char* name);

    /// What the device has computed for a node.
    const Values& value(ValueId id);

    /// Fails unless the device's elements are the `wanted` ones, where `mask` says so.
    void compare(const Values& got, const Values& wanted, const Dims& shape, bool exact, const char* what,
                 const Values* mask = nullptr, std::span<const Values* const> sources = {}) const;

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
