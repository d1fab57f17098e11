// gather.cpp -- elements at places that indices name: plan, table of winners, kernels, launches.
#include "cuda/backend.h"

namespace cuarray::cuda {

namespace {

/// What a choice reads besides the elements, as views and as places.
struct Indices {
    std::vector<IndexedPlace> places;
    std::vector<View> read;

    explicit Indices(const Indexed& task) {
        for (const IndexedAxis& axis : task.indices) {
            places.push_back({{address_of(axis.index), &axis.index.strides}, axis.size, axis.stride, axis.axis});
            read.push_back(axis.index);
        }
    }
};

ChoicePlan plan_of(const Indexed& task, const Indices& indices, Choosing what) {
    return {task.shape, {address_of(task.elements), &task.elements.strides}, {address_of(task.array), &task.array.strides},
            indices.places, item_size(task.array.dtype), task.outside, what};
}

}  // namespace

void GpuBackend::gather(const Indexed& task) { choose(task, Choosing::Gather); }
void GpuBackend::scatter(const Indexed& task) { choose(task, Choosing::Scatter); }

void GpuBackend::choose(const Indexed& task, Choosing what) {
    if (count(task.shape) == 0) return;
    const bool scatters = what == Choosing::Scatter;
    Indices indices(task);
    const View& written = scatters ? task.array : task.elements;
    std::vector<View>& read = indices.read;
    read.push_back(scatters ? task.elements : task.array);
    Operation operation(runtime_.current(), {&written, 1}, read, task.name);
    ChoicePlan plan = plan_of(task, indices, what);
    const StorageRef table = allocate(plan.table_bytes());
    for (int64_t slice = 0; slice < plan.slices(); ++slice) {
        plan.select(slice);
        if (plan.claim) {
            const Current current(runtime_.context);
            runtime_.context.driver.cuMemsetD8Async(address_of(*table, 0), 0, size_t(plan.table_bytes()),
                                                    operation.stream().queue());
            operation.stream().queued();
            plan.set_table(address_of(*table, 0));
            launch(*plan.claim, task.name);
        }
        launch(plan.move, task.name);
    }
    operation.end();
}

// Elements are sorted by their places; whoever holds the first one of a place takes all the steps there.
void GpuBackend::update(const Update& task) {
    const Indexed& at = task.at;
    if (count(at.shape) == 0) return;
    Indices indices(at);
    indices.read.push_back(at.elements);
    Operation operation(runtime_.current(), {&at.array, 1}, indices.read, at.name);
    ChoicePlan plan = plan_of(at, indices, Choosing::Update);
    const int64_t word = sizeof(u64), n = count(at.shape) / plan.slices();
    const StorageRef keys = allocate(n * word), order = allocate(n * word);
    for (int64_t slice = 0; slice < plan.slices(); ++slice) {
        plan.select(slice);
        plan.set_keys(address_of(*keys, 0), address_of(*order, 0));
        launch(plan.move, at.name);
        sort_places({1, n, {keys.get(), 0, DType::uint64, {word}}, {order.get(), 0, DType::int64, {word}}, true, false, false,
                     at.name},
                    plan.key_bits());
        NamedLaunch steps = plan.steps(task.loop, at.array.dtype);
        launch(steps, at.name);
    }
    operation.end();
}

}  // namespace cuarray::cuda
