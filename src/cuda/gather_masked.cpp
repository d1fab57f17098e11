// gather_masked.cpp -- elements at which a mask is true: counted, added up, moved.
#include "cuda/backend.h"

namespace cuarray::cuda {

Ranks GpuBackend::rank(const View& mask, int64_t size) {
    const int64_t stretches = mask_stretches(size), word = sizeof(int64_t);
    Ranks ranks{0, allocate((stretches + 1) * word)};
    const View before{ranks.before.get(), 0, DType::int64, {word}};
    runtime_.current().refuse_in_capture("counting the true elements of a mask");
    Operation operation(runtime_.current(), {&before, 1}, {&mask, 1}, "mask");
    const MaskedPlaces places{{size}, address_of(mask), address_of(*ranks.before, 0), {}, {}};
    for (const MaskStep step : {MaskStep::Count, MaskStep::AddUp})
        for (NamedLaunch& named : plan_masked(step, places)) launch(named, "mask");
    operation.end();
    read(&ranks.count, *ranks.before, stretches * word, word);
    return ranks;
}

void GpuBackend::compress(const Masked& task) { move_masked(MaskStep::Compress, task); }
void GpuBackend::expand(const Masked& task) { move_masked(MaskStep::Expand, task); }

void GpuBackend::move_masked(MaskStep step, const Masked& task) {
    const bool writes_line = step == MaskStep::Compress;
    const Dims length{task.ranks->count};
    const View before{task.ranks->before.get(), 0, DType::int64, {}};
    const View read[] = {task.mask, writes_line ? task.array : task.line, before};
    const std::span<const View> written{writes_line ? &task.line : &task.array, 1};
    Operation operation(runtime_.current(), written, read, task.name);
    Staging staging(*this);
    const auto stage = [&](const View& view, const Dims& shape, bool written, bool keeps) {
        return written ? staging.outputs({&view, 1}, shape, keeps).front() : staging.inputs({&view, 1}, shape).front();
    };
    Masked aligned = task;
    aligned.line = stage(task.line, length, writes_line, false);
    aligned.array = stage(task.array, task.shape, !writes_line, true);
    if (!try_masked(step, aligned, aligned.array)) {
        // More axes than a kernel takes: a contiguous stand-in has one.
        const View flat = staging.contiguous(aligned.array, task.shape);
        copy_elements(flat, aligned.array, task.shape);
        try_masked(step, aligned, flat);
        if (!writes_line) copy_elements(aligned.array, flat, task.shape);
    }
    staging.finish();
    operation.end();
}

bool GpuBackend::try_masked(MaskStep step, const Masked& task, const View& array) {
    std::vector<NamedLaunch> launches =
        plan_masked(step, {task.shape, address_of(task.mask), address_of(*task.ranks->before, 0),
                           {address_of(array), &array.strides}, {address_of(task.line), &task.line.strides},
                           item_size(array.dtype)});
    for (NamedLaunch& named : launches) launch(named, task.name);
    return !launches.empty();
}

void GpuBackend::locate(const Masked& task) {
    const View read[] = {task.mask, {task.ranks->before.get(), 0, DType::int64, {}}};
    Operation operation(runtime_.current(), {&task.line, 1}, read, task.name);
    const MaskedPlaces places{task.shape, address_of(task.mask), address_of(*task.ranks->before, 0), {},
                              {address_of(task.line), &task.line.strides}};
    for (NamedLaunch& named : plan_masked(MaskStep::Locate, places)) launch(named, task.name);
    operation.end();
}

}  // namespace cuarray::cuda
