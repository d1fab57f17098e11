// scan.cpp -- running results along an axis of an Expr's value: plan, workspace, kernel, launch.
#include "cuda/backend.h"

namespace cuarray::cuda {

void GpuBackend::scan(const Scan& task) {
    if (count(task.shape) == 0) return;
    Operation operation(runtime_.current(), {&task.output, 1}, task.inputs, task.name);
    Staging staging(*this);
    Scan aligned = task;
    aligned.inputs = staging.inputs(task.inputs, task.shape);
    aligned.output = staging.outputs({&task.output, 1}, task.shape, false).front();
    if (!try_scan(aligned)) scan_in_memory(aligned);
    staging.finish();
    operation.end();
}

// More axes than a kernel takes: the producer's values in memory merge into three.
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
    simple.output = values;
    if (!try_scan(simple)) raise(ErrorKind::Runtime, task.name, ": a contiguous scan could not be planned");
    copy_elements(task.output, values, task.shape);
}

bool GpuBackend::try_scan(const Scan& task) {
    std::vector<Place> inputs;
    for (const View& view : task.inputs) inputs.push_back({address_of(view), &view.strides});
    const Program program{task.expr, kNone, task.loop, true};
    Launch launch;
    if (!plan_scan(program, task.shape, task.axis, {address_of(task.output), &task.output.strides}, inputs, launch))
        return false;
    launch_in_workspace(program, launch, task.name);
    return true;
}

}  // namespace cuarray::cuda
