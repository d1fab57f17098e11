// sequence_fill.cpp -- the numbers of NumPy's Generator on a GPU: one launch for each step.
#include "codegen/sequence_launch.h"
#include "cuda/backend.h"

namespace cuarray::cuda {

void GpuBackend::execute(const SequenceFill& task) {
    kernel::SequenceParameters p = task.parameters;
    void* const result = reinterpret_cast<void*>(address_of(task.result));
    if (task.step == SequenceStep::Map)
        p.exits = static_cast<kernel::TileExit*>(result);
    else
        p.numbers.result = result;
    if (task.places.storage) p.places = reinterpret_cast<const kernel::TilePlace*>(address_of(task.places));
    if (task.end.storage) p.end = reinterpret_cast<i64*>(address_of(task.end));
    NamedLaunch named = plan_sequence_fill(task.draw, int(task.step), p);
    launch(named, task.name);
}

}  // namespace cuarray::cuda
