// reduce.cpp -- reductions on a GPU: plan, workspace, kernel, launch.
#include <algorithm>
#include "cuda/backend.h"
#include "runtime/programs.h"

namespace cuarray::cuda {
namespace {

/// The kept axes, then the reduced ones.
Dims kept_first(const Dims& axes, int ndim) {
    Dims order;
    for (int axis = 0; axis < ndim; ++axis)
        if (std::find(axes.begin(), axes.end(), axis) == axes.end()) order.push_back(axis);
    for (const int64_t axis : axes) order.push_back(axis);
    return order;
}

Dims permuted(const Dims& values, const Dims& order) {
    Dims result;
    for (const int64_t axis : order) result.push_back(values[int(axis)]);
    return result;
}

}  // namespace

void GpuBackend::execute(const Reduce& task) {
    const auto fold_into = [&](const View& output, const Expr& expr, std::span<const View> inputs) {
        fold_aligned({{&expr, task.row, kNone}, task.shape, inputs, output, task.axes, task.initial, task.name});
    };
    if (task.outputs.size() == 1) return fold_into(task.outputs[0], *task.expr, task.inputs);
    for (size_t k = 0; k < task.outputs.size(); ++k) {
        std::vector<uint16_t> read;
        const Expr part = only_output(*task.expr, k, read);
        std::vector<View> inputs;
        for (const uint16_t i : read) inputs.push_back(task.inputs[i]);
        fold_into(task.outputs[k], part, inputs);
    }
}

void GpuBackend::execute(const LeftFold& task) {
    fold_aligned({program_of(task), task.shape, task.inputs, task.outputs[0], task.axes, task.initial, task.name});
}

void GpuBackend::fold_aligned(const SingleFold& task) {
    const Dims results = without(task.shape, task.axes);
    Staging staging(*this);
    SingleFold aligned = task;
    aligned.inputs = staging.inputs(task.inputs, task.shape);
    aligned.output = staging.outputs({&task.output, 1}, results, false).front();

    if (!try_fold(aligned)) fold_in_memory(aligned, results);
    staging.finish();
}

// More axes than a kernel takes: store the producer's values with the kept axes first, where they merge into two axes.
void GpuBackend::fold_in_memory(const SingleFold& task, const Dims& results) {
    const Expr& expr = *task.program.expr;
    const DType dtype = expr.nodes[expr.outputs[0]].dtype;
    const Dims order = kept_first(task.axes, task.shape.size());
    const StorageRef memory = allocate(count(task.shape) * item_size(dtype));
    View values{memory.get(), 0, dtype, strides_in_order(task.shape, order, item_size(dtype))};
    run_elementwise(expr, task.shape, {&values, 1}, task.inputs, task.name);

    Staging staging(*this);
    const View result = staging.contiguous(task.output, results);
    Expr plain;
    plain.outputs = {plain.input(dtype)};
    SingleFold simple = task;
    simple.program.expr = &plain;
    simple.shape = permuted(task.shape, order);
    values.strides = permuted(values.strides, order);
    simple.inputs = {&values, 1};
    simple.output = result;
    simple.output.strides = permuted(result.strides, order);
    simple.axes.resize(0);
    for (int axis = task.shape.size() - task.axes.size(); axis < task.shape.size(); ++axis) simple.axes.push_back(axis);
    if (!try_fold(simple)) raise(ErrorKind::Runtime, task.name, ": a contiguous fold could not be planned");
    copy_elements(task.output, result, results);
}

bool GpuBackend::try_fold(const SingleFold& task) {
    DeviceOperand inputs[kernel::kMaxOperands];
    Launch launch;
    const DeviceOperand output{address_of(task.output), &task.output.strides};
    if (!plan_fold(task.program, {task.shape, task.axes, output, device_operands(task.inputs, inputs), task.initial},
                   launch))
        return false;
    launch_in_workspace(task.program, launch, task.name);
    return true;
}

void GpuBackend::launch_in_workspace(const Program& program, Launch& launch, const char* name) {
    if (launch.partials + launch.counters == 0) return this->launch(program, launch, name);
    const int64_t partials = (launch.partials + kMemoryAlignment - 1) / kMemoryAlignment * kMemoryAlignment;
    const StorageRef workspace = allocate(partials + launch.counters);
    if (launch.counters > 0) clear(address_of(*workspace, partials), launch.counters);
    launch.set_workspace(address_of(*workspace, 0), address_of(*workspace, partials));
    this->launch(program, launch, name);
}

}  // namespace cuarray::cuda
