// compaction.cpp -- compactions on a GPU: counts per block of the mask, prefix sums of many, moves.
#include <numeric>
#include "cuda/backend.h"

namespace cuarray::cuda {

namespace {

/// Counting a mask, as an operation with operands.
struct MaskCount {
    const View& mask;
    View before;
    const char* name;
};
template <class Visit> void operands(const MaskCount& task, Visit&& visit) {
    visit(Operand{task.before, Dims{}, Access::Write});
    visit(Operand{task.mask, Dims{}});
}

}  // namespace

MaskCounts GpuBackend::count_mask(const View& mask, int64_t size) {
    runtime_.current().refuse_in_capture("counting the true elements of a mask");
    const int64_t blocks = mask_blocks(size), word = sizeof(int64_t);
    const bool is_few = blocks <= kernel::kFewMaskBlocks;
    MaskCounts counts{0, allocate((blocks + 1) * word)};
    const MaskCount task{mask, {counts.before.get(), 0, DType::int64, {}}, "mask"};
    Operation operation(runtime_.current(), task);
    const CompactionOperands places{{size}, address_of(mask), address_of(*counts.before, 0), {}, {}};
    for (NamedLaunch& named : plan_compaction(CompactionStep::Count, places)) launch(named, "mask");
    if (!is_few)
        for (NamedLaunch& named : plan_compaction(CompactionStep::ScanCounts, places)) launch(named, "mask");
    operation.end();
    if (!is_few) {
        read(&counts.total, *counts.before, blocks * word, word);
        return counts;
    }
    int64_t of_blocks[kernel::kFewMaskBlocks];
    read(of_blocks, *counts.before, 0, blocks * word);
    counts.total = std::accumulate(of_blocks, of_blocks + blocks, int64_t(0));
    return counts;
}

void GpuBackend::execute(const Compaction& task) {
    switch (task.kind) {
        case Compaction::Kind::Compress: return move_masked(CompactionStep::Compress, task);
        case Compaction::Kind::Expand: return move_masked(CompactionStep::Expand, task);
        case Compaction::Kind::Nonzero: return find_nonzero(task);
    }
}

void GpuBackend::move_masked(CompactionStep step, const Compaction& task) {
    const bool writes_packed = step == CompactionStep::Compress;
    const Dims length{task.counts->total};
    Staging staging(*this);
    const auto stage = [&](const View& view, const Dims& shape, bool written, bool keeps) {
        return written ? staging.outputs({&view, 1}, shape, keeps).front() : staging.inputs({&view, 1}, shape).front();
    };
    Compaction aligned = task;
    aligned.packed = stage(task.packed, length, writes_packed, false);
    aligned.array = stage(task.array, task.shape, !writes_packed, true);
    if (!try_masked(step, aligned, aligned.array)) {
        // More axes than a kernel takes: use a contiguous copy, which has one.
        const View flat = staging.contiguous(aligned.array, task.shape);
        copy_elements(flat, aligned.array, task.shape);
        try_masked(step, aligned, flat);
        if (!writes_packed) copy_elements(aligned.array, flat, task.shape);
    }
    staging.finish();
}

bool GpuBackend::try_masked(CompactionStep step, const Compaction& task, const View& array) {
    const CompactionOperands operands{
        task.shape,
        address_of(task.mask),
        address_of(*task.counts->before, 0),
        {address_of(array), &array.strides},
        {address_of(task.packed), &task.packed.strides},
        item_size(array.dtype),
    };
    std::vector<NamedLaunch> launches = plan_compaction(step, operands);
    for (NamedLaunch& named : launches) launch(named, task.name);
    return !launches.empty();
}

void GpuBackend::find_nonzero(const Compaction& task) {
    const CompactionOperands places{task.shape,
                                    address_of(task.mask),
                                    address_of(*task.counts->before, 0),
                                    {},
                                    {address_of(task.packed), &task.packed.strides}};
    for (NamedLaunch& named : plan_compaction(CompactionStep::Nonzero, places)) launch(named, task.name);
}

}  // namespace cuarray::cuda
