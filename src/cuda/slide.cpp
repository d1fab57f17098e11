// slide.cpp -- sliding sums of products on a GPU: one launch.
#include "cuarray/codegen/slide_launch.h"
#include "cuda/backend.h"

namespace cuarray::cuda {

void GpuBackend::slide(const Slide& task) {
    if (task.count == 0) return;
    const View read[] = {task.line, task.row};
    Operation operation(runtime_.current(), {&task.result, 1}, read, task.name);
    NamedLaunch named = plan_slide(task.line.dtype, {task.n, task.taps, task.before, task.count,
                                                     reinterpret_cast<const void*>(address_of(task.line)),
                                                     reinterpret_cast<const void*>(address_of(task.row)),
                                                     reinterpret_cast<void*>(address_of(task.result))});
    launch(named, task.name);
    operation.end();
}

}  // namespace cuarray::cuda
