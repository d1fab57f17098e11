// random_fill.cpp -- random numbers on a GPU: one launch.
#include "codegen/random_launch.h"
#include "cuda/backend.h"

namespace cuarray::cuda {

void GpuBackend::execute(const RandomFill& task) {
    kernel::RandomParameters p = task.numbers;
    p.result = reinterpret_cast<void*>(address_of(task.result));
    for (int k = 0; k < 3; ++k)
        if (const View& of = task.parameters[k]; of.storage) p.of[k] = reinterpret_cast<const double*>(address_of(of));
    NamedLaunch named = plan_random_fill(task.draw, p, task.blocks());
    launch(named, task.name);
}

}  // namespace cuarray::cuda
