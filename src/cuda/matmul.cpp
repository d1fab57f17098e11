// matmul.cpp -- matrix products on a GPU: aligned factors, one launch.
#include "codegen/matmul_launch.h"
#include "cuda/backend.h"

namespace cuarray::cuda {

void GpuBackend::execute(const Matmul& task) {
    Staging staging(*this);
    const View left = staging.inputs({&task.left, 1}, task.stack_of(task.rows, task.depth)).front();
    const View right = staging.inputs({&task.right, 1}, task.stack_of(task.depth, task.columns)).front();
    const View result = staging.outputs({&task.result, 1}, task.stack_of(task.rows, task.columns), false).front();
    NamedLaunch named = plan_matmul({task.batch,
                                     task.rows,
                                     task.depth,
                                     task.columns,
                                     task.result.dtype,
                                     {address_of(left), &left.strides},
                                     {address_of(right), &right.strides},
                                     {address_of(result), &result.strides}});
    launch(named, task.name);
    staging.finish();
}

}  // namespace cuarray::cuda
