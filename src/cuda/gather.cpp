// gather.cpp -- elements at places that indices name: plan, table of winners, kernels, launches.
#include "cuda/backend.h"

namespace cuarray::cuda {

void GpuBackend::gather(const Indexed& task) { choose(task, false); }
void GpuBackend::scatter(const Indexed& task) { choose(task, true); }

void GpuBackend::choose(const Indexed& task, bool scatters) {
    if (count(task.shape) == 0) return;
    std::vector<IndexedPlace> indices;
    std::vector<View> read;
    for (const IndexedAxis& axis : task.indices) {
        indices.push_back({{address_of(axis.index), &axis.index.strides}, axis.size, axis.stride, axis.axis});
        read.push_back(axis.index);
    }
    const View& written = scatters ? task.array : task.elements;
    read.push_back(scatters ? task.elements : task.array);
    GpuStream& stream = begin({&written, 1}, read);
    ChoicePlan plan(task.shape, {address_of(task.elements), &task.elements.strides},
                    {address_of(task.array), &task.array.strides}, indices, item_size(task.array.dtype),
                    task.outside, scatters);
    const StorageRef table = allocate(plan.table_bytes());
    for (int64_t slice = 0; slice < plan.slices(); ++slice) {
        plan.select(slice);
        if (plan.claim) {
            const Current current(runtime_.context);
            runtime_.context.driver.cuMemsetD8Async(address_of(*table, 0), 0, size_t(plan.table_bytes()),
                                                    stream.queue());
            plan.set_table(address_of(*table, 0));
            launch(*plan.claim, task.name);
        }
        launch(plan.move, task.name);
    }
    end(stream, {&written, 1}, read, task.name);
}

}  // namespace cuarray::cuda
