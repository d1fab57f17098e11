// gather.cpp -- gathers, scatters and updates on a GPU: plan, table of winners, kernels, launches.
#include <algorithm>

#include "cuda/backend.h"

namespace cuarray::cuda {

namespace {

/// The index arrays, as many as fit; the plan checks their number.
std::span<const IndexedDeviceAxis> places_of(std::span<const IndexedAxis> indices,
                                             IndexedDeviceAxis (&places)[kernel::kMaxIndices + 1]) {
    const size_t n = std::min(indices.size(), std::size(places));
    for (size_t k = 0; k < n; ++k)
        places[k] = {{address_of(indices[k].index), &indices[k].index.strides},
                     indices[k].size,
                     indices[k].stride,
                     indices[k].axis};
    return {places, n};
}

IndexedAccessPlan plan_of(const IndexedAccess& task, std::span<const IndexedDeviceAxis> indices) {
    const DeviceOperand elements{address_of(task.elements), &task.elements.strides};
    const DeviceOperand array{address_of(task.array), &task.array.strides};
    return IndexedAccessPlan(
        {task.shape, elements, array, indices, item_size(task.array.dtype), task.outside, task.kind});
}

}  // namespace

void GpuBackend::execute(const IndexedAccess& task) {
    IndexedDeviceAxis places[kernel::kMaxIndices + 1];
    IndexedAccessPlan plan = plan_of(task, places_of(task.indices, places));
    if (task.kind == IndexedAccess::Kind::Update)
        update(task, plan);
    else
        move_chosen(task, plan);
}

void GpuBackend::move_chosen(const IndexedAccess& task, IndexedAccessPlan& plan) {
    const StorageRef table = plan.table_bytes() > 0 ? allocate(plan.table_bytes()) : StorageRef();
    for (int64_t slice = 0; slice < plan.slices(); ++slice) {
        plan.select(slice);
        if (plan.claim) {
            clear(address_of(*table, 0), plan.table_bytes());
            plan.set_table(address_of(*table, 0));
            launch(*plan.claim, task.name);
        }
        launch(plan.move, task.name);
    }
}

// Elements are sorted by position; the thread of a position's first element applies the loop to all elements of that
// position.
void GpuBackend::update(const IndexedAccess& task, IndexedAccessPlan& plan) {
    const int64_t word = sizeof(u64), n = count(task.shape) / plan.slices();
    const StorageRef keys = allocate(n * word), order = allocate(n * word);
    for (int64_t slice = 0; slice < plan.slices(); ++slice) {
        plan.select(slice);
        plan.set_keys(address_of(*keys, 0), address_of(*order, 0));
        launch(plan.move, task.name);
        sort_places({1,
                     n,
                     {keys.get(), 0, DType::uint64, {word}},
                     {order.get(), 0, DType::int64, {word}},
                     true,
                     false,
                     false,
                     task.name},
                    plan.key_bits());
        NamedLaunch steps = plan.steps(task.loop, task.array.dtype);
        launch(steps, task.name);
    }
}

}  // namespace cuarray::cuda
