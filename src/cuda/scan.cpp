// scan.cpp -- scans on a GPU: plan, workspace, kernel, launch.
#include "cuda/backend.h"
#include "runtime/programs.h"

namespace cuarray::cuda {

void GpuBackend::execute(const Scan& task) {
    Staging staging(*this);
    Scan aligned = task;
    aligned.inputs = staging.inputs(task.inputs, task.shape);
    aligned.outputs = staging.outputs(task.outputs, task.shape, false);
    if (!try_scan(aligned)) scan_in_memory(aligned);
    staging.finish();
}

// More axes than a kernel takes: store the producer's values in C order, where they merge into three axes.
void GpuBackend::scan_in_memory(const Scan& task) {
    const DType dtype = task.expr->nodes[task.expr->outputs[0]].dtype;
    const StorageRef memory = allocate(count(task.shape) * item_size(dtype));
    const View values{memory.get(), 0, dtype, c_strides(task.shape, item_size(dtype))};
    run_elementwise(*task.expr, task.shape, {&values, 1}, task.inputs, task.name);
    Expr plain;
    plain.outputs = {plain.input(dtype)};
    Scan simple = task;
    simple.expr = &plain;
    simple.inputs = {&values, 1};
    simple.outputs = {&values, 1};
    if (!try_scan(simple)) raise(ErrorKind::Runtime, task.name, ": a contiguous scan could not be planned");
    copy_elements(task.outputs[0], values, task.shape);
}

bool GpuBackend::try_scan(const Scan& task) {
    DeviceOperand inputs[kernel::kMaxOperands];
    const Program program = program_of(task);
    Launch launch;
    if (!plan_scan(program, task.shape, task.axis, {address_of(task.outputs[0]), &task.outputs[0].strides},
                   device_operands(task.inputs, inputs), launch))
        return false;
    launch_in_workspace(program, launch, task.name);
    return true;
}

}  // namespace cuarray::cuda
