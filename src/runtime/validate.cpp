// validate.cpp -- CUARRAY_VALIDATE=1: a decorator that repeats every computation on the host and compares.
//
// An Expr runs step by step (steps.h), and must then give the bits of its steps; what is no Expr runs once more over copies
// of the memory as it was before.
#include <algorithm>
#include <initializer_list>
#include <utility>
#include <vector>

#include "cuarray/runtime/decorator.h"
#include "cuarray/runtime/registry.h"
#include "runtime/decorators.h"
#include "runtime/steps.h"

namespace cuarray {
namespace {

Backend& host() { return host_factory().open(0); }

Dims results_of(Dims shape, const Dims& axes) {
    for (const int64_t axis : axes) shape[int(axis)] = 1;
    return shape;
}

/// Copies of storages as they were before a task ran, for the host to work on.
class Mirrors {
 public:
    explicit Mirrors(Backend& device) : device_(device) {}

    View of(const View& view) {
        if (!view.storage) return view;
        View result = view;
        result.storage = &copy_of(*view.storage);
        return result;
    }

 private:
    Storage& copy_of(Storage& storage) {
        for (const auto& [original, copy] : copies_)
            if (original == &storage) return *copy;
        const StorageRef copy = host().allocate(storage.bytes);
        if (storage.bytes > 0) device_.read(copy->data, storage, 0, storage.bytes);
        return *copies_.emplace_back(&storage, copy).second;
    }

    Backend& device_;
    std::vector<std::pair<Storage*, StorageRef>> copies_;
};

/// A task over memory of the host.
struct IndexedOnHost {
    IndexedOnHost(const Indexed& original, Mirrors& mirrors)
        : indices(original.indices.begin(), original.indices.end()), task(original) {
        for (IndexedAxis& axis : indices) axis.index = mirrors.of(axis.index);
        task.indices = indices;
        task.array = mirrors.of(task.array), task.elements = mirrors.of(task.elements);
    }

    std::vector<IndexedAxis> indices;
    Indexed task;
};

struct MaskedOnHost {
    MaskedOnHost(const Masked& original, Mirrors& mirrors) : task(original) {
        task.mask = mirrors.of(task.mask), task.array = mirrors.of(task.array), task.line = mirrors.of(task.line);
        ranks = host().rank(task.mask, count(task.shape));
        task.ranks = &ranks;
    }

    Ranks ranks;
    Masked task;
};

class Validating final : public Decorator {
 public:
    using Decorator::Decorator;

    Fault elementwise(const Elementwise& task) override {
        if (count(task.shape) == 0) return inner_.elementwise(task);
        Steps steps(inner_, *task.expr, task.shape, task.inputs, task.name);
        const Fault fault = inner_.elementwise(task);
        const Values* const mask = task.expr->mask == kNoValue ? nullptr : &steps.value(task.expr->mask);
        for (size_t k = 0; k < task.outputs.size(); ++k) {
            const Values got = stored(task.outputs[k], task.shape);
            steps.compare(got, steps.value(task.expr->outputs[k]), task.shape, true, "the whole expression", mask);
        }
        return fault;
    }

    void reduce(const Reduce& task) override {
        fold_both(task, [&](Backend& backend, const Reduce& folded) { backend.reduce(folded); }, true);
    }

    void fold(const Fold& task) override {
        fold_both(task, [&](Backend& backend, const Fold& folded) { backend.fold(folded); }, is_exact(task.loop));
    }

    void scan(const Scan& task) override {
        if (count(task.shape) == 0) return inner_.scan(task);
        Steps steps(inner_, *task.expr, task.shape, task.inputs, task.name);
        const Values producer = steps.value(task.expr->outputs[0]);
        inner_.scan(task);
        Expr plain;
        plain.outputs = {plain.input(producer.dtype)};
        const View input = producer.on(producer.mirror, task.shape);
        const Values wanted{{}, host().allocate(count(task.shape) * item_size(task.output.dtype)), task.output.dtype};
        Scan repeated = task;
        repeated.expr = &plain;
        repeated.inputs = {&input, 1};
        repeated.output = wanted.on(wanted.mirror, task.shape);
        host().scan(repeated);
        steps.compare(stored(task.output, task.shape), wanted, task.shape, is_exact(task.loop), task.name);
    }

    void matmul(const Matmul& task) override {
        Dims shape = task.batch;
        shape.push_back(task.rows);
        shape.push_back(task.columns);
        repeat(task, {&Matmul::left, &Matmul::right, &Matmul::result}, shape, &Backend::matmul);
    }

    void slide(const Slide& task) override {
        repeat(task, {&Slide::line, &Slide::row, &Slide::result}, {task.count}, &Backend::slide);
    }

    void fold_segments(const Segments& task) override {
        Dims shape = task.shape;
        shape[task.axis] = task.count;
        const bool exact = task.loop == kNone || is_exact(task.loop);
        repeat(task, {&Segments::values, &Segments::begins, &Segments::ends, &Segments::result}, shape,
               &Backend::fold_segments, exact);
    }

    void gather(const Indexed& task) override {
        Mirrors mirrors(inner_);
        const IndexedOnHost repeated(task, mirrors);
        inner_.gather(task);
        if (on_host([&] { host().gather(repeated.task); }))
            check(task.elements, repeated.task.elements, task.shape, task.name);
    }

    void scatter(const Indexed& task) override {
        Mirrors mirrors(inner_);
        const IndexedOnHost repeated(task, mirrors);
        inner_.scatter(task);
        if (on_host([&] { host().scatter(repeated.task); }))
            check_all(task.array, repeated.task.array, task.name);
    }

    void update(const Update& task) override {
        Mirrors mirrors(inner_);
        const IndexedOnHost repeated(task.at, mirrors);
        inner_.update(task);
        if (on_host([&] { host().update({repeated.task, task.loop}); }))
            check_all(task.at.array, repeated.task.array, task.at.name, is_exact(task.loop));
    }

    Ranks rank(const View& mask, int64_t size) override {
        Mirrors mirrors(inner_);
        const int64_t wanted = host().rank(mirrors.of(mask), size).count;
        const Ranks ranks = inner_.rank(mask, size);
        if (ranks.count != wanted)
            raise(ErrorKind::Runtime, "CUARRAY_VALIDATE: ", ranks.count, " of ", size, " elements of a mask on ",
                  to_string(device()), " are true, and ", wanted, " on the host");
        return ranks;
    }

    void compress(const Masked& task) override {
        Mirrors mirrors(inner_);
        const MaskedOnHost repeated(task, mirrors);
        inner_.compress(task);
        host().compress(repeated.task);
        check(task.line, repeated.task.line, {task.ranks->count}, task.name);
    }

    void expand(const Masked& task) override {
        Mirrors mirrors(inner_);
        const MaskedOnHost repeated(task, mirrors);
        inner_.expand(task);
        host().expand(repeated.task);
        check_all(task.array, repeated.task.array, task.name);
    }

    void locate(const Masked& task) override {
        Mirrors mirrors(inner_);
        const MaskedOnHost repeated(task, mirrors);
        inner_.locate(task);
        host().locate(repeated.task);
        check(task.line, repeated.task.line, {task.shape.size(), task.ranks->count}, task.name);
    }

    void sort(const Sort& task) override {
        if (task.ranks.empty()) return repeat(task, {&Sort::values, &Sort::result}, {task.rows, task.n}, &Backend::sort);
        // Only what stands at the ranks is certain.
        Mirrors mirrors(inner_);
        Sort repeated = task;
        repeated.values = mirrors.of(task.values), repeated.result = mirrors.of(task.result);
        repeated.ranks = {};
        inner_.sort(task);
        host().sort(repeated);
        for (const int64_t rank : task.ranks) {
            View got = task.result, wanted = repeated.result;
            got.offset += rank * got.strides[1], wanted.offset += rank * wanted.strides[1];
            check(got, wanted, {task.rows, 1}, task.name);
        }
    }

    void select(const Select& task) override {
        repeat(task, {&Select::values, &Select::result}, {task.rows, int64_t(task.ranks.size())}, &Backend::select);
    }

    void search(const Search& task) override {
        repeat(task, {&Search::sorted, &Search::values, &Search::places}, {task.count}, &Backend::search);
    }

    void tally(const Tally& task) override {
        // Weights are added in an order that is each device's own.
        if (task.weights.storage) return inner_.tally(task);
        repeat(task, {&Tally::values, &Tally::edges, &Tally::result}, {task.bins}, &Backend::tally);
    }

    void write(Storage& to, int64_t offset, const void* from, int64_t bytes) override {
        inner_.write(to, offset, from, bytes);
        check_bytes(from, to, offset, bytes, "write");
    }

    void copy(Storage& to, int64_t to_offset, Storage& from, int64_t from_offset, int64_t bytes) override {
        const StorageRef before = host().allocate(bytes);
        if (bytes > 0) from.backend->read(before->data, from, from_offset, bytes);
        inner_.copy(to, to_offset, from, from_offset, bytes);
        check_bytes(before->data, to, to_offset, bytes, "copy");
    }

 private:
    Values stored(const View& view, const Dims& shape) {
        return {{}, fetched(inner_, view, shape), view.dtype};
    }

    static bool is_exact(LoopId loop) { return !rows()[loops()[loop].row].has(VectorMath); }

    /// Runs a task on the device, and on the host over copies of its memory; the last of the views is the result.
    template <class Task>
    void repeat(const Task& task, std::initializer_list<View Task::*> views, const Dims& shape,
                void (Backend::*run)(const Task&), bool exact = true) {
        Mirrors mirrors(inner_);
        Task repeated = task;
        for (const auto view : views) repeated.*view = mirrors.of(task.*view);
        (inner_.*run)(task);
        (host().*run)(repeated);
        const auto result = *(views.end() - 1);
        check(task.*result, repeated.*result, shape, task.name, exact);
    }

    /// Whether the host got through; what is out of range raises IndexError there at once, and on a device later.
    template <class Run> static bool on_host(Run&& run) {
        try {
            run();
            return true;
        } catch (const Error& error) {
            if (error.kind() != ErrorKind::Index) throw;
            return false;
        }
    }

    /// Fails unless the device's elements are those that the host has computed.
    void check(const View& result, const View& wanted, const Dims& shape, const char* name, bool exact = true) {
        if (count(shape) == 0) return;
        compare(stored(result, shape), {{}, fetched(host(), wanted, shape), wanted.dtype}, shape, exact,
                {device(), name, name});
    }

    /// The same of all that the storage holds, numbered as it lies there: what nobody wrote must be as it was.
    void check_all(const View& result, const View& wanted, const char* name, bool exact = true) {
        const int64_t size = item_size(result.dtype), first = result.offset % size;
        const Dims shape{(result.storage->bytes - first) / size}, strides{size};
        check({result.storage, first, result.dtype, strides}, {wanted.storage, first, wanted.dtype, strides}, shape, name,
              exact);
    }

    /// Folds the device's own values of the producer on the host, and compares the results.
    template <class Task, class Run>
    void fold_both(const Task& task, Run&& run, bool exact) {
        const Dims results = results_of(task.shape, task.axes);
        if (count(results) == 0) return run(inner_, task);
        Steps steps(inner_, *task.expr, task.shape, task.inputs, task.name);
        run(inner_, task);

        for (size_t k = 0; k < task.expr->outputs.size(); ++k) {
            const View& given = targets_of(task)[k];
            const Values producer = steps.value(task.expr->outputs[k]);
            Expr plain;
            plain.outputs = {plain.input(producer.dtype)};
            const View input = producer.on(producer.mirror, task.shape);
            Values wanted{{}, host().allocate(count(results) * item_size(given.dtype)), given.dtype};
            View output = wanted.on(wanted.mirror, results);
            for (const int64_t axis : task.axes) output.strides[int(axis)] = 0;
            Task repeated = task;
            repeated.expr = &plain;
            repeated.inputs = {&input, 1};
            set_targets(repeated, {&output, 1});
            run(host(), repeated);
            steps.compare(stored(given, results), wanted, results, exact, task.name);
        }
    }

    void check_bytes(const void* wanted, Storage& storage, int64_t offset, int64_t bytes, const char* what) {
        if (bytes == 0) return;
        const StorageRef found = host().allocate(bytes);
        storage.backend->read(found->data, storage, offset, bytes);
        const auto* a = static_cast<const unsigned char*>(wanted);
        const auto* b = static_cast<const unsigned char*>(found->data);
        const auto [first, other] = std::mismatch(a, a + bytes, b);
        if (first != a + bytes)
            raise(ErrorKind::Runtime, "CUARRAY_VALIDATE: ", what, " on ", to_string(device()), ": byte ",
                  first - a, " of ", bytes, " is ", int(*other), ", not ", int(*first));
    }
};

}  // namespace

Backend& make_validating(Backend& inner) { return *new Validating(inner); }

}  // namespace cuarray
