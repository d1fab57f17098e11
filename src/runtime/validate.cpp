// validate.cpp -- CUARRAY_VALIDATE=1: a decorator that repeats every computation on the host and compares.
//
// An Expr runs step by step (steps.h), and as a whole must then give the same bits; a task without an Expr is
// repeated on the host, over copies of the memory as it was before.
#include <algorithm>
#include <type_traits>
#include <utility>
#include <vector>

#include "cuarray/runtime/registry.h"
#include "runtime/decorator.h"
#include "runtime/decorators.h"
#include "runtime/owned_task.h"
#include "runtime/steps.h"

namespace cuarray {
namespace {

Backend& host() { return host_factory().open(0); }

/// Copies of storages as they were before a task ran, for the host to work on.
class StorageCopies {
 public:
    explicit StorageCopies(Backend& device) : device_(device) {}

    Storage* operator()(Storage* storage) { return &copy_of(*storage); }

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

/// An operand that outlives the visit.
struct SavedOperand {
    View view;
    Dims shape;
    bool chosen;  ///< whether indices or a mask choose its elements
};

template <class T>
std::vector<SavedOperand> written_by(const T& task) {
    std::vector<SavedOperand> all;
    operands(task, [&](const Operand& operand) {
        if (operand.is_written()) all.push_back({operand.view, operand.shape, operand.chosen != Operand::kAll});
    });
    return all;
}

bool is_exact(LoopId loop) { return loop == kNone || !rows()[loops()[loop].row].has(VectorMath); }

/// Whether the host must compute the same bits.
template <class T>
bool is_exact(const T& task) {
    if constexpr (requires { task.loop; }) return is_exact(task.loop);
    return true;
}

class ValidatingDecorator final : public Decorator {
 public:
    using Decorator::Decorator;

    bool runs_at_call() override { return true; }
    Fault run(const Task& any) override {
        return any.visit([&](const auto& task) { return validate(task); });
    }

    /// A library's bits depend on more than the operands: every product is computed in the written order.
    bool multiplies_by_library(DType) override { return false; }

    MaskCounts count_mask(const View& mask, int64_t size) override {
        StorageCopies mirrors(inner_);
        View copy = mask;
        copy.storage = mirrors(mask.storage);
        const int64_t wanted = host().count_mask(copy, size).total;
        const MaskCounts counts = inner_.count_mask(mask, size);
        if (counts.total != wanted)
            raise(ErrorKind::Runtime, "CUARRAY_VALIDATE: ", counts.total, " of ", size, " elements of a mask on ",
                  to_string(device()), " are true, and ", wanted, " on the host");
        return counts;
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
    Values stored(const View& view, const Dims& shape) { return {{}, fetched(inner_, view, shape), view.dtype}; }

    Fault validate(const Elementwise& task) {
        if (count(task.shape) == 0) return inner_.run(task);
        Steps steps(inner_, *task.expr, task.shape, task.inputs, task.name);
        const Fault fault = inner_.run(task);
        const Values* const mask = task.expr->mask == kNoValue ? nullptr : &steps.value(task.expr->mask);
        for (size_t k = 0; k < task.outputs.size(); ++k) {
            const Values got = stored(task.outputs[k], task.shape);
            steps.compare({got, steps.value(task.expr->outputs[k]), task.shape, true, mask}, "the whole expression");
        }
        return fault;
    }

    Fault validate(const Reduce& task) {
        return validate_over_producer(task, without(task.shape, task.axes), task.axes);
    }
    Fault validate(const LeftFold& task) {
        return validate_over_producer(task, without(task.shape, task.axes), task.axes);
    }
    Fault validate(const Scan& task) { return validate_over_producer(task, task.shape, {}); }

    /// The host repeats the task on the producer's values as computed by the device.
    template <class T>
    Fault validate_over_producer(const T& task, const Dims& results, const Dims& axes) {
        if (count(results) == 0) return inner_.run(task);
        Steps steps(inner_, *task.expr, task.shape, task.inputs, task.name);
        const Fault fault = inner_.run(task);
        for (size_t k = 0; k < task.outputs.size(); ++k) {
            const View& given = task.outputs[k];
            const Values producer = steps.value(task.expr->outputs[k]);
            Expr plain;
            plain.outputs = {plain.input(producer.dtype)};
            const View input = producer.on(producer.mirror, task.shape);
            const Values wanted{{}, host().allocate(count(results) * item_size(given.dtype)), given.dtype};
            View output = wanted.on(wanted.mirror, results);
            for (const int64_t axis : axes) output.strides[int(axis)] = 0;
            T repeated = task;
            repeated.expr = &plain;
            repeated.inputs = {&input, 1};
            repeated.outputs = {&output, 1};
            host().run(repeated);
            steps.compare({stored(given, results), wanted, results, is_exact(task)}, task.name);
        }
        return fault;
    }

    /// Sums of weights are not compared: their order depends on the device.
    Fault validate(const Histogram& task) { return task.weights.storage ? inner_.run(task) : repeat(task); }

    Fault validate(const Sort& task) {
        if (task.kth.empty()) return repeat(task);
        // Only the elements at kth are determined.
        StorageCopies mirrors(inner_);
        OwnedTask<Sort> repeated(task);
        repeated.replace_memory(mirrors);
        repeated.task.kth = {};
        const Fault fault = inner_.run(task);
        host().run(repeated.task);
        for (const int64_t k : task.kth) {
            View got = task.result, wanted = repeated.task.result;
            got.offset += k * got.strides[1], wanted.offset += k * wanted.strides[1];
            check(got, wanted, {task.rows, 1}, task.name);
        }
        return fault;
    }

    /// The host has no transforms and factorisations of its own.
    Fault validate(const FourierTransform& task) { return inner_.run(task); }
    Fault validate(const LapackRoutine& task) { return inner_.run(task); }
    Fault validate(const LapackDriver& task) { return inner_.run(task); }

    /// Where numbers take several units, acceptances and tails depend on a device's exp and log1p.
    Fault validate(const SequenceFill& task) { return task.end.storage ? inner_.run(task) : repeat(task); }

    template <class T> Fault validate(const T& task) { return repeat(task); }

    /// Runs a task on the device, and on the host over copies of its memory as it was before.
    template <class T>
    Fault repeat(const T& task) {
        StorageCopies mirrors(inner_);
        OwnedTask<T> repeated(task);
        repeated.replace_memory(mirrors);
        if constexpr (std::is_same_v<T, Compaction>)
            repeated.counts = host().count_mask(repeated.task.mask, count(task.shape));
        const Fault fault = inner_.run(task);
        try {
            host().run(repeated.task);
        } catch (const Error& error) {
            // An index out of bounds raises on the host at once, and on a device later.
            if (error.kind() != ErrorKind::Index) throw;
            return fault;
        }
        const std::vector<SavedOperand> got = written_by(task), wanted = written_by(repeated.task);
        for (size_t k = 0; k < got.size(); ++k) {
            if (got[k].chosen)
                check_all(got[k].view, wanted[k].view, task.name, is_exact(task));
            else
                check(got[k].view, wanted[k].view, got[k].shape, task.name, is_exact(task));
        }
        return fault;
    }

    /// RuntimeError unless the device's elements agree with those that the host has computed.
    void check(const View& result, const View& wanted, const Dims& shape, const char* name, bool exact = true) {
        if (count(shape) == 0) return;
        const Values computed{{}, fetched(host(), wanted, shape), wanted.dtype};
        compare({stored(result, shape), computed, shape, exact}, {device(), name, name});
    }

    /// The same for the whole storage, in memory order: elements that are not written must be unchanged.
    void check_all(const View& result, const View& wanted, const char* name, bool exact = true) {
        const int64_t size = item_size(result.dtype), first = result.offset % size;
        const Dims shape{(result.storage->bytes - first) / size}, strides{size};
        check({result.storage, first, result.dtype, strides}, {wanted.storage, first, wanted.dtype, strides}, shape,
              name, exact);
    }

    void check_bytes(const void* wanted, Storage& storage, int64_t offset, int64_t bytes, const char* what) {
        if (bytes == 0) return;
        const StorageRef found = host().allocate(bytes);
        storage.backend->read(found->data, storage, offset, bytes);
        const auto* a = static_cast<const unsigned char*>(wanted);
        const auto* b = static_cast<const unsigned char*>(found->data);
        const auto [first, other] = std::mismatch(a, a + bytes, b);
        if (first != a + bytes)
            raise(ErrorKind::Runtime, "CUARRAY_VALIDATE: ", what, " on ", to_string(device()), ": byte ", first - a,
                  " of ", bytes, " is ", int(*other), ", not ", int(*first));
    }
};

}  // namespace

Backend& make_validating(Backend& inner) { return *new ValidatingDecorator(inner); }

}  // namespace cuarray
