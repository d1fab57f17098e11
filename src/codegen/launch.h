// launch.h -- which kernel of a program a task needs, its grid, and its parameters: arithmetic only, nothing
// is run.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include "codegen/source.h"
#include "cuarray/core/layout.h"
#include "cuarray/kernel/index.h"

namespace cuarray {

/// Where an operand lies: the device address of its element at index 0, and strides in bytes over the task's
/// shape.
struct DeviceOperand {
    uint64_t address;
    const Dims* strides;
};

/// One launch. `parameters` has the layout that kernel/index.h gives to the walk; whoever fills it in zeroes that
/// struct first, so that no kernel gets bytes that chance has left.
struct Launch {
    Launch() { scalars.values[0] = {}; }  // a kernel without scalars takes one all the same

    Walk walk = Walk::Contiguous;
    uint32_t grid = 0;     ///< blocks along x; 0: there is nothing to do
    uint32_t block = 0;    ///< threads along x
    int64_t partials = 0;  ///< bytes of workspace that the launch needs, contents undefined
    int64_t counters = 0;  ///< bytes of workspace that must be zeroed in the stream before the launch
    kernel::FaultSink fault = {nullptr, nullptr, 0};
    kernel::Scalars<kernel::kMaxScalars> scalars;
    alignas(16) std::byte parameters[3648];

    /// Gives a reduction or a scan its workspace; both addresses are multiples of 256.
    CUARRAY_API void set_workspace(uint64_t partials_address, uint64_t counters_address);
    /// The three pointers that cuLaunchKernel takes; valid while the Launch stays where it is.
    void arguments(void* (&pointers)[3]) {
        pointers[0] = parameters, pointers[1] = &scalars, pointers[2] = &fault;
    }
};

/// A launch of a kernel that has a name of its own.
struct NamedLaunch {
    NamedKernel kernel;
    Launch launch;
};

/// What the elements of a program occupy, in bytes; operands are outputs, inputs and, behind them, the index.
struct ElementSizes {
    int operands = 0, outputs = 0, memory_operands = 0;
    int size[kernel::kMaxOperands];
    int smallest = 16, largest = 1, total = 0, read = 0;
    bool has_index = false;
};

/// An elementwise task: as many launches as `slices`, one after the other, of the same kernel.
class CUARRAY_API ElementwisePlan {
 public:
    /// IndexedElements: outputs, then inputs. Every address and stride is a multiple of the item's alignment.
    ElementwisePlan(const Expr& expr, const Dims& shape, std::span<const DeviceOperand> outputs,
                    std::span<const DeviceOperand> inputs);

    Launch launch;
    /// More than 1 only beyond 8 axes that do not merge, and beyond 2^30 elements or bytes that are not
    /// contiguous.
    int64_t slices() const { return slices_; }
    void select(int64_t slice);  ///< fills the launch for that slice; the first one is selected already

 private:
    void cut();

    ElementSizes sizes_;
    Space space_;
    int64_t pieces_[kMaxDims];  ///< coordinates of each axis that one slice covers
    int64_t slices_ = 1;
};

/// A reduction or an in-order fold. False where more than 8 kept or 8 reduced axes do not merge: the caller
/// then makes its inputs contiguous, kept axes first, and its output too.
CUARRAY_API bool plan_fold(const Program& program, const Dims& shape, const Dims& axes, const DeviceOperand& output,
                           std::span<const DeviceOperand> inputs, const Scalar* initial, Launch& launch);

/// A scan along one axis; the output walks over the whole shape. False where more than 8 other axes do not merge.
CUARRAY_API bool plan_scan(const Program& program, const Dims& shape, int axis, const DeviceOperand& output,
                           std::span<const DeviceOperand> inputs, Launch& launch);

}  // namespace cuarray
