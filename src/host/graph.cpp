// graph.cpp -- tasks copied with everything they point at, so that they can run again when their callers are gone.
#include <string>
#include "host/runtime.h"

namespace cuarray::host {
namespace {

/// What a task refers to. Its memory is held, so that no address in it goes to somebody else.
struct Belongings {
    Expr expr;
    std::vector<View> inputs, outputs;
    Scalar initial;
    std::string name;
    std::vector<StorageRef> memory;

    Belongings(const Expr& expr, std::span<const View> inputs, std::span<const View> outputs, const Scalar* initial,
               const char* name)
        : expr(expr), inputs(inputs.begin(), inputs.end()), outputs(outputs.begin(), outputs.end()), name(name) {
        if (initial) this->initial = *initial;
        for (const View& view : inputs) memory.emplace_back(view.storage);
        for (const View& view : outputs) memory.emplace_back(view.storage);
    }
};

template <class Task>
std::function<void()> replay_fold(const Task& task, std::function<void(const Task&)> run) {
    auto owned = std::make_shared<Belongings>(*task.expr, task.inputs, targets_of(task), task.initial, task.name);
    return [owned, task, run = std::move(run)] {
        Task again = task;
        again.expr = &owned->expr;
        again.inputs = owned->inputs;
        set_targets(again, owned->outputs);
        again.initial = task.initial ? &owned->initial : nullptr;
        again.name = owned->name.c_str();
        run(again);
    };
}

}  // namespace

std::function<void()> replay(const Elementwise& task, std::function<void(const Elementwise&)> run) {
    auto owned = std::make_shared<Belongings>(*task.expr, task.inputs, task.outputs, nullptr, task.name);
    return [owned, shape = task.shape, run = std::move(run)] {
        run({&owned->expr, shape, owned->inputs, owned->outputs, owned->name.c_str()});
    };
}

std::function<void()> replay(const Reduce& task, std::function<void(const Reduce&)> run) {
    return replay_fold(task, std::move(run));
}

std::function<void()> replay(const Fold& task, std::function<void(const Fold&)> run) {
    return replay_fold(task, std::move(run));
}

std::function<void()> replay(const Scan& task, std::function<void(const Scan&)> run) {
    auto owned = std::make_shared<Belongings>(*task.expr, task.inputs, std::span(&task.output, 1), nullptr, task.name);
    return [owned, task, run = std::move(run)] {
        Scan again = task;
        again.expr = &owned->expr;
        again.inputs = owned->inputs;
        again.name = owned->name.c_str();
        run(again);
    };
}

std::function<void()> replay(const Matmul& task, std::function<void(const Matmul&)> run) {
    const std::vector<StorageRef> memory = {StorageRef(task.left.storage), StorageRef(task.right.storage),
                                            StorageRef(task.result.storage)};
    return [memory, task, name = std::string(task.name), run = std::move(run)] {
        Matmul again = task;
        again.name = name.c_str();
        run(again);
    };
}

std::function<void()> replay(const Indexed& task, std::function<void(const Indexed&)> run) {
    std::vector<StorageRef> memory = {StorageRef(task.array.storage), StorageRef(task.elements.storage)};
    for (const IndexedAxis& axis : task.indices) memory.emplace_back(axis.index.storage);
    const std::vector<IndexedAxis> indices(task.indices.begin(), task.indices.end());
    return [memory, indices, task, name = std::string(task.name), run = std::move(run)] {
        Indexed again = task;
        again.indices = indices;
        again.name = name.c_str();
        run(again);
    };
}

std::function<void()> replay(const Update& task, std::function<void(const Update&)> run) {
    return replay(task.at, [loop = task.loop, run = std::move(run)](const Indexed& again) { run({again, loop}); });
}

/// A task that refers to its memory and its name alone.
template <class Task>
static std::function<void()> replay_with(std::vector<StorageRef> memory, const Task& task,
                                         std::function<void(const Task&)> run) {
    return [memory = std::move(memory), task, name = std::string(task.name), run = std::move(run)] {
        Task again = task;
        again.name = name.c_str();
        run(again);
    };
}

std::function<void()> replay(const Segments& task, std::function<void(const Segments&)> run) {
    return replay_with({StorageRef(task.values.storage), StorageRef(task.begins.storage), StorageRef(task.ends.storage),
                        StorageRef(task.result.storage)},
                       task, std::move(run));
}

std::function<void()> replay(const Slide& task, std::function<void(const Slide&)> run) {
    return replay_with({StorageRef(task.line.storage), StorageRef(task.row.storage), StorageRef(task.result.storage)}, task,
                       std::move(run));
}

/// The same for a task that has ranks.
template <class Task>
static std::function<void()> replay_with_ranks(const Task& task, std::function<void(const Task&)> run) {
    const std::vector<int64_t> ranks(task.ranks.begin(), task.ranks.end());
    return replay_with<Task>({StorageRef(task.values.storage), StorageRef(task.result.storage)}, task,
                             [ranks, run = std::move(run)](Task again) {
                                 again.ranks = ranks;
                                 run(again);
                             });
}

std::function<void()> replay(const Sort& task, std::function<void(const Sort&)> run) {
    return replay_with_ranks(task, std::move(run));
}

std::function<void()> replay(const Select& task, std::function<void(const Select&)> run) {
    return replay_with_ranks(task, std::move(run));
}

std::function<void()> replay(const Search& task, std::function<void(const Search&)> run) {
    return replay_with({StorageRef(task.sorted.storage), StorageRef(task.values.storage),
                        StorageRef(task.places.storage)},
                       task, std::move(run));
}

std::function<void()> replay(const Tally& task, std::function<void(const Tally&)> run) {
    return replay_with({StorageRef(task.values.storage), StorageRef(task.edges.storage),
                        StorageRef(task.weights.storage), StorageRef(task.result.storage)},
                       task, std::move(run));
}

void HostGraph::launch(Stream& stream) {
    if (stream.device() != Device{})
        raise(ErrorKind::Value, "launch: a graph of cpu cannot run on a stream of ", to_string(stream.device()));
    refuse_in_capture("launch");
    for (const auto& operation : operations_) operation();
}

}  // namespace cuarray::host
