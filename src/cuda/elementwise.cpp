// elementwise.cpp -- runs an Expr over every index: plan, kernel, launches.
#include <algorithm>

#include "cuda/backend.h"
#include "cuda/explain.h"
#include "cuda/journal.h"

namespace cuarray::cuda {

std::span<const DeviceOperand> device_operands(std::span<const View> views,
                                               DeviceOperand (&operands)[kernel::kMaxOperands]) {
    const size_t n = std::min(views.size(), std::size(operands));
    for (size_t k = 0; k < n; ++k) operands[k] = {address_of(views[k]), &views[k].strides};
    return {operands, n};
}

void GpuBackend::execute(const Elementwise& task) {
    Staging staging(*this);
    const bool keeps = task.expr->mask != kNoValue;
    const std::span<const View> inputs = staging.inputs(task.inputs, task.shape);
    const std::span<const View> outputs = staging.outputs(task.outputs, task.shape, keeps);
    run_elementwise(*task.expr, task.shape, outputs, inputs, task.name);
    staging.finish();
}

bool GpuBackend::is_prepared(const Elementwise& task) {
    if (!compiles_beside() || count(task.shape) == 0) return true;
    DeviceOperand to[kernel::kMaxOperands], from[kernel::kMaxOperands];
    const ElementwisePlan plan(*task.expr, task.shape, device_operands(task.outputs, to),
                               device_operands(task.inputs, from));
    return kernels_.prepare({task.expr}, plan.launch.walk);
}

TaskExplanation GpuBackend::explain(const Elementwise& task, bool with_code) {
    if (count(task.shape) == 0) return {"nothing: there are no elements", ""};
    DeviceOperand to[kernel::kMaxOperands], from[kernel::kMaxOperands];
    const ElementwisePlan plan(*task.expr, task.shape, device_operands(task.outputs, to),
                               device_operands(task.inputs, from));
    const Program program{task.expr};
    const Walk walk = plan.launch.walk;
    TaskExplanation explanation{"CUDA kernel " + entry_point(program, walk), ""};
    if (!kernels_.has(program, walk)) explanation.how += ", which is not loaded yet";
    if (with_code) explanation.code = kernel_source(program, {&walk, 1});
    return explanation;
}

// One query of the current context for both the allocation and the launch.
StorageRef GpuBackend::single_loop(const SingleLoop& task) {
    if (task.bytes == 0) return Backend::single_loop(task);
    const ContextCache look(runtime_.context);
    return Backend::single_loop(task);
}

void GpuBackend::run_elementwise(const Expr& expr, const Dims& shape, std::span<const View> outputs,
                                 std::span<const View> inputs, const char* name) {
    DeviceOperand to[kernel::kMaxOperands], from[kernel::kMaxOperands];
    ElementwisePlan plan(expr, shape, device_operands(outputs, to), device_operands(inputs, from));
    for (int64_t slice = 0; slice < plan.slices(); ++slice) {
        if (slice > 0) plan.select(slice);
        launch({&expr}, plan.launch, name);
    }
}

void GpuBackend::launch(const Program& program, Launch& launch, const char* name) {
    if (launch.grid == 0) return;
    const Kernel& kernel = kernels_.find(program, launch.walk);
    const CUresult result = enqueue(kernel.function, launch, program.expr->fault != kNoValue, name);
    if (result != CUDA_SUCCESS) fail_launch(result, runtime_.context, kernel, launch);
    journal().launched(kernel.entry, kernel.expr.get());
}

void GpuBackend::clear(CUdeviceptr address, int64_t bytes) {
    const Current current(runtime_.context);
    GpuStream& stream = runtime_.current();
    runtime_.context.driver.cuMemsetD8Async(address, 0, size_t(bytes), stream.queue());
    stream.queued();
}

void GpuBackend::launch(NamedLaunch& named, const char* name) {
    if (named.launch.grid == 0) return;
    const auto& [entry, function] = kernels_.find(named.kernel);
    const CUresult result = enqueue(function, named.launch, named.kernel.faults, name);
    if (result != CUDA_SUCCESS) fail_launch(result, runtime_.context, function, named, name);
    journal().launched(entry, nullptr);
}

CUresult GpuBackend::enqueue(CUfunction function, Launch& launch, bool faults, const char* name) {
    FaultWatch& watch = runtime_.faults;
    if (faults)
        launch.fault = {reinterpret_cast<uint32_t*>(watch.claim()),
                        reinterpret_cast<volatile kernel::FaultRecord*>(watch.record()), watch.number(name)};
    void* pointers[3];
    launch.arguments(pointers);
    GpuStream& stream = runtime_.current();
    const Context& context = runtime_.context;
    const Current current(context);
    const CUresult result = context.driver.cuLaunchKernel.status(function, launch.grid, 1, 1, launch.block, 1, 1, 0,
                                                                 stream.queue(), pointers, nullptr);
    if (result == CUDA_SUCCESS) stream.queued();
    return result;
}

}  // namespace cuarray::cuda
