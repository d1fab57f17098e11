// matmul.cpp -- matrix products on a GPU: aligned factors, one launch.
#include "cuarray/codegen/matmul_launch.h"
#include "cuda/backend.h"

namespace cuarray::cuda {

void GpuBackend::matmul(const Matmul& task) {
    if (count(task.batch) == 0 || task.rows == 0 || task.columns == 0) return;
    const View read[] = {task.left, task.right};
    const auto shape = [&](int64_t rows, int64_t columns) {
        Dims dims = task.batch;
        dims.push_back(rows);
        dims.push_back(columns);
        return dims;
    };
    Operation operation(runtime_.current(), {&task.result, 1}, read, task.name);
    Staging staging(*this);
    const View left = staging.inputs({&task.left, 1}, shape(task.rows, task.depth)).front();
    const View right = staging.inputs({&task.right, 1}, shape(task.depth, task.columns)).front();
    const View result = staging.outputs({&task.result, 1}, shape(task.rows, task.columns), false).front();
    NamedLaunch named = plan_matmul({task.batch, task.rows, task.depth, task.columns, task.result.dtype,
                                     {address_of(left), &left.strides}, {address_of(right), &right.strides},
                                     {address_of(result), &result.strides}});
    launch(named, task.name);
    staging.finish();
    operation.end();
}

}  // namespace cuarray::cuda
