// sequence_fill.cpp -- the numbers of NumPy's Generator on a GPU, in one launch.
#include "codegen/sequence_launch.h"
#include "cuarray/kernel/sequence.h"
#include "cuda/backend.h"

namespace cuarray::cuda {

void GpuBackend::execute(const SequenceFill& task) {
    kernel::SequenceParameters p = task.parameters;
    p.numbers.result = reinterpret_cast<void*>(address_of(task.result));
    StorageRef tile_words;
    if (task.end.storage) {
        p.end = reinterpret_cast<kernel::SequenceEnd*>(address_of(task.end));
        const uint64_t entry = uint64_t(p.begin.unit) % kernel::kTileUnits;
        p.tiles = (entry + p.likely + kernel::kTileUnits - 1) / kernel::kTileUnits;
        const int64_t bytes = int64_t((1 + p.tiles) * sizeof *p.tile_words);
        tile_words = allocate(bytes);
        clear(address_of(*tile_words, 0), bytes);
        p.tile_words = reinterpret_cast<u64*>(address_of(*tile_words, 0));
    }
    NamedLaunch named = plan_sequence_fill(task.draw, p);
    launch(named, task.name);
}

}  // namespace cuarray::cuda
