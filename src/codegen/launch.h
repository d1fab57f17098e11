// launch.h -- plans the launches of a task: kernel, grid and parameters. Pure arithmetic, no device calls.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include "codegen/source.h"
#include "cuarray/core/layout.h"
#include "cuarray/kernel/index.h"

namespace cuarray {

/// An operand in device memory: the address of its element at index 0, and strides in bytes over the task's
/// shape.
struct DeviceOperand {
    uint64_t address;
    const Dims* strides;
};

/// One kernel launch. `parameters` holds the walk's struct of kernel/index.h; zero the struct before filling it: the
/// kernel must get no uninitialised bytes.
struct Launch {
    Launch() { scalars.values[0] = {}; }  // Scalars<0> has one slot, too

    Walk walk = Walk::Contiguous;
    uint32_t grid = 0;     ///< blocks along x; 0: nothing to launch
    uint32_t block = 0;    ///< threads along x
    int64_t partials = 0;  ///< bytes of workspace that the launch needs, contents undefined
    int64_t counters = 0;  ///< bytes of workspace that must be zeroed in the stream before the launch
    kernel::FaultSink fault = {nullptr, nullptr, 0};
    kernel::Scalars<kernel::kMaxScalars> scalars;
    alignas(16) std::byte parameters[3648];

    /// NotImplementedError, which names the kernel, for more blocks than a grid has.
    CUARRAY_API void set_grid(std::string_view kernel, int64_t blocks, int64_t threads);
    /// Gives a reduction or a scan its workspace; both addresses are multiples of 256.
    CUARRAY_API void set_workspace(uint64_t partials_address, uint64_t counters_address);
    /// The three pointers that cuLaunchKernel takes; valid until the Launch is moved or destroyed.
    void arguments(void* (&pointers)[3]) { pointers[0] = parameters, pointers[1] = &scalars, pointers[2] = &fault; }
};

/// A launch of a NamedKernel.
struct NamedLaunch {
    NamedKernel kernel;
    Launch launch;
};

/// Element sizes of a program's operands, in bytes; operands are the outputs, the inputs and, last, the index.
struct ElementSizes {
    int operands = 0, outputs = 0, memory_operands = 0;
    int size[kernel::kMaxOperands];
    int smallest = 16, largest = 1, total = 0, read = 0;
    bool has_index = false;
};

/// The tile of a thread block, and how much of it a thread computes.
struct TileShape {
    int edge, lanes, rows;  ///< elements along each edge; elements of each of a thread's rows; rows of a thread
    int threads() const { return edge * edge / (lanes * rows); }
};

/// Plans an elementwise task: `slices` launches of the same kernel, in order.
class CUARRAY_API ElementwisePlan {
 public:
    /// Operands: outputs, then inputs. Every address and stride is a multiple of the item's alignment.
    ElementwisePlan(const Expr& expr, const Dims& shape, std::span<const DeviceOperand> outputs,
                    std::span<const DeviceOperand> inputs);

    Launch launch;
    /// More than 1 only for more than 8 axes after merging, or for more than 2^30 elements or bytes that are not
    /// contiguous.
    int64_t slices() const { return slices_; }
    void select(int64_t slice);  ///< fills the launch for a slice; slice 0 is selected already

 private:
    void cut();

    ElementSizes sizes_;
    int rows_[2] = {1, 1};  ///< rows per thread of Walk::Rows and of Walk::StridedRows
    TileShape tiles_[2];    ///< of Walk::Tiles and of Walk::StridedTiles
    Space space_;
    int64_t pieces_[kMaxDims];  ///< coordinates of each axis that one slice covers
    int64_t slices_ = 1;
};

/// The operands of a Reduce or a LeftFold (runtime/task.h) in device memory; strides over `shape`, zero on the reduced
/// axes of the output.
struct FoldOperands {
    Dims shape, axes;
    DeviceOperand output;
    std::span<const DeviceOperand> inputs;
    const Scalar* initial = nullptr;
};

/// Plans a reduction or a left fold. False if more than 8 kept or 8 reduced axes remain after merging: the caller
/// then copies the inputs to contiguous memory, kept axes first, and uses a contiguous output.
CUARRAY_API bool plan_fold(const Program& program, const FoldOperands& operands, Launch& launch);

/// Plans a scan along one axis; the output has strides over the whole shape. False if more than 8 other axes remain
/// after merging.
CUARRAY_API bool plan_scan(const Program& program, const Dims& shape, int axis, const DeviceOperand& output,
                           std::span<const DeviceOperand> inputs, Launch& launch);

}  // namespace cuarray
