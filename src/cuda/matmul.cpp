// matmul.cpp -- matrix products on a GPU: by cuBLAS, or by our own kernel, from aligned factors.
#include "codegen/matmul_launch.h"
#include "cuda/backend.h"

namespace cuarray::cuda {

bool GpuBackend::multiplies_by_library(DType dtype) { return products_.takes(dtype); }

void GpuBackend::execute(const Matmul& task) {
    const Dims lefts = task.stack_of(task.rows, task.depth), rights = task.stack_of(task.depth, task.columns),
               results = task.stack_of(task.rows, task.columns);
    Staging staging(*this);
    View left = staging.inputs({&task.left, 1}, lefts).front();
    View right = staging.inputs({&task.right, 1}, rights).front();
    const View result = staging.outputs({&task.result, 1}, results, false).front();
    if (task.by_library && task.depth > 0 && products_.takes(result.dtype) &&
        CublasProducts::stores_to(result, results)) {
        if (!CublasProducts::takes(left, lefts)) left = staging.matrices(left, lefts);
        if (!CublasProducts::takes(right, rights)) right = staging.matrices(right, rights);
        const StorageRef workspace = library_workspace(products_.workspace_bytes(task));
        products_.multiply(runtime_.current(), task, {left, right, result}, workspace->data);
        has_called("cublasGemmStridedBatchedEx");
    } else {
        NamedLaunch named = plan_matmul({task.batch,
                                         task.rows,
                                         task.depth,
                                         task.columns,
                                         result.dtype,
                                         {address_of(left), &left.strides},
                                         {address_of(right), &right.strides},
                                         {address_of(result), &result.strides}});
        launch(named, task.name);
    }
    staging.finish();
}

}  // namespace cuarray::cuda
