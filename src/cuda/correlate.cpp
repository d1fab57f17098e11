// correlate.cpp -- cross-correlations on a GPU: one launch.
#include "codegen/correlate_launch.h"
#include "cuda/backend.h"

namespace cuarray::cuda {

void GpuBackend::execute(const Correlate& task) {
    NamedLaunch named = plan_correlate(
        task.signal.dtype,
        {task.n, task.taps, task.before, task.count, reinterpret_cast<const void*>(address_of(task.signal)),
         reinterpret_cast<const void*>(address_of(task.weights)), reinterpret_cast<void*>(address_of(task.result))});
    launch(named, task.name);
}

}  // namespace cuarray::cuda
