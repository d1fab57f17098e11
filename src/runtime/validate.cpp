// validate.cpp -- CUARRAY_VALIDATE=1: a decorator that repeats every computation on the host, step by step,
// and compares.
//
// Each step of an Expr runs alone, on the device and on the host, over the values that the device itself has
// computed before: so a difference is that of one row, and roundings of earlier steps cannot be taken for
// errors. The whole Expr must then give the bits of its steps.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <optional>
#include <vector>
#include "cuarray/runtime/decorator.h"
#include "cuarray/runtime/registry.h"
#include "runtime/decorators.h"

namespace cuarray {
namespace {

/// How far a function of a vector library may be from another library's, in units of the last place.
constexpr double kUlps = 64;

Backend& host() { return host_factory().open(0); }

Dims results_of(Dims shape, const Dims& axes) {
    for (const int64_t axis : axes) shape[int(axis)] = 1;
    return shape;
}

/// Elements side by side in C order: on the device, and the same bytes on the host.
struct Values {
    StorageRef device, mirror;
    DType dtype = DType::none;

    View on(const StorageRef& storage, const Dims& shape) const {
        return {storage.get(), 0, dtype, c_strides(shape, item_size(dtype))};
    }
    const unsigned char* element(int64_t i) const {
        return static_cast<const unsigned char*>(mirror->data) + i * item_size(dtype);
    }
};

/// The elements of a view of the device as the host finds them in the storage's bytes, without any kernel of
/// the device.
StorageRef fetched(Backend& device, const View& view, const Dims& shape) {
    const StorageRef bytes = host().allocate(view.storage->bytes);
    if (view.storage->bytes > 0) device.read(bytes->data, *view.storage, 0, view.storage->bytes);
    const StorageRef result = host().allocate(count(shape) * item_size(view.dtype));
    Expr identity;
    identity.outputs = {identity.input(view.dtype)};
    const View from{bytes.get(), view.offset, view.dtype, view.strides};
    const View to{result.get(), 0, view.dtype, c_strides(shape, item_size(view.dtype))};
    if (count(shape) > 0) host().elementwise({&identity, shape, {&from, 1}, {&to, 1}, "validate"});
    return result;
}

struct Complex {
    double real, imag;
};

Complex number(DType dtype, const unsigned char* bytes) {
    Scalar scalar;
    scalar.dtype = dtype;
    std::memcpy(scalar.bytes, bytes, size_t(item_size(dtype)));
    Complex value;
    std::memcpy(&value, convert(scalar, DType::complex128).bytes, sizeof value);
    return value;
}

std::string text_of(DType dtype, const unsigned char* bytes) {
    std::ostringstream text;
    text.precision(17);
    const Complex value = number(dtype, bytes);
    const Kind kind = info(dtype).kind;
    if (kind < Kind::Floating) {
        Scalar scalar;
        scalar.dtype = dtype;
        std::memcpy(scalar.bytes, bytes, size_t(item_size(dtype)));
        int64_t integer;
        std::memcpy(&integer, convert(scalar, DType::int64).bytes, sizeof integer);
        if (dtype == DType::uint64)
            text << uint64_t(integer);
        else
            text << integer;
    } else if (kind == Kind::Floating) {
        text << value.real;
    } else {
        text << "(" << value.real << ", " << value.imag << ")";
    }
    return text.str();
}

bool is_floating(DType dtype) { return info(dtype).kind >= Kind::Floating; }

bool same_part(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

/// Whether two values are the same; `reach` is the largest magnitude of what they were computed from, or
/// negative where every bit counts. NaNs are all alike.
bool agree(DType dtype, const unsigned char* a, const unsigned char* b, double reach) {
    if (std::memcmp(a, b, size_t(item_size(dtype))) == 0) return true;
    if (!is_floating(dtype)) return false;
    const Complex x = number(dtype, a), y = number(dtype, b);
    const bool equal = same_part(x.real, y.real) && same_part(x.imag, y.imag);
    if (equal) return reach >= 0 || std::isnan(x.real) || std::isnan(x.imag);
    if (reach < 0) return false;
    const double larger = std::max(std::hypot(x.real, x.imag), std::hypot(y.real, y.imag));
    const double unit = std::ldexp(1.0, 1 - info(dtype).bits);
    const double allowed = kUlps * unit * (larger + std::min(1.0, reach));
    return std::isfinite(allowed) && std::abs(x.real - y.real) <= allowed &&
           std::abs(x.imag - y.imag) <= allowed;
}

Dims coordinates(int64_t index, const Dims& shape) {
    Dims result = shape;
    for (int axis = shape.size() - 1; axis >= 0; --axis) {
        result[axis] = index % shape[axis];
        index /= shape[axis];
    }
    return result;
}

/// Runs an Expr one node after the other, on the device and on the host, and compares each.
class Steps {
 public:
    Steps(Backend& device, const Expr& expr, const Dims& shape, std::span<const View> inputs,
          const char* name)
        : device_(device), expr_(expr), shape_(shape), name_(name), values_(expr.nodes.size()) {
        for (size_t id = 0; id < expr.nodes.size(); ++id) run(ValueId(id), inputs);
    }

    const Values& value(ValueId id) {
        // A scalar that is stored, or folded, is needed as memory.
        if (!values_[id].mirror) store(id, {});
        return values_[id];
    }

    /// Fails unless `got`, elements on the host, are those of `wanted`, where `mask` says so.
    void compare(const Values& got, const Values& wanted, const Values* mask, const char* what,
                 std::span<const Values* const> sources, bool exact, const Dims& shape) const {
        const int64_t elements = count(shape);
        if (!mask &&
            std::memcmp(got.element(0), wanted.element(0), size_t(elements * item_size(got.dtype))) == 0)
            return;
        for (int64_t i = 0; i < elements; ++i) {
            if (mask && !*mask->element(i)) continue;
            double reach = exact ? -1 : 0;
            for (const Values* source : sources)
                if (!exact && is_floating(source->dtype)) {
                    const Complex operand = number(source->dtype, source->element(i));
                    reach = std::max(reach, std::hypot(operand.real, operand.imag));
                }
            if (!agree(got.dtype, got.element(i), wanted.element(i), reach))
                differ(got, wanted, i, what, sources, shape);
        }
    }

 private:
    [[noreturn]] void differ(const Values& got, const Values& wanted, int64_t i, const char* what,
                             std::span<const Values* const> sources, const Dims& shape) const {
        std::string operands;
        for (const Values* source : sources)
            operands += (operands.empty() ? " of " : ", ") + text_of(source->dtype, source->element(i));
        raise(ErrorKind::Runtime, "CUARRAY_VALIDATE: ", what, " on ", to_string(device_.device()),
              ": element ", to_string(coordinates(i, shape)), operands, " is ",
              text_of(got.dtype, got.element(i)), ", and ", text_of(wanted.dtype, wanted.element(i)),
              " on the host (", info(got.dtype).name, "; in ", name_, ": ", to_infix(expr_), ")");
    }

    void run(ValueId id, std::span<const View> inputs) {
        const ExprNode& node = expr_.nodes[id];
        if (node.op == ExprNode::Op::Scalar) return;
        if (node.op == ExprNode::Op::Input) {
            Values& read = values_[id];
            read.dtype = node.dtype;
            read.mirror = fetched(device_, inputs[node.index], shape_);
            read.device = device_.allocate(read.mirror->bytes);
            if (read.mirror->bytes > 0) device_.write(*read.device, 0, read.mirror->data, read.mirror->bytes);
            return;
        }
        std::vector<ValueId> sources;
        for (const ValueId source : node.source)
            if (source != kNoValue) sources.push_back(source);
        if (node.op == ExprNode::Op::Second) {
            sources.clear();
            for (const ValueId source : expr_.nodes[node.source[0]].source)
                if (source != kNoValue) sources.push_back(source);
        }
        store(id, sources);
    }

    /// The node alone, over its sources' values.
    void store(ValueId id, const std::vector<ValueId>& sources) {
        const ExprNode& node = expr_.nodes[id];
        Expr step;
        std::vector<View> on_device, on_host;
        std::vector<const Values*> operands;
        ValueId args[kMaxIn] = {kNoValue, kNoValue, kNoValue};
        for (size_t i = 0; i < sources.size(); ++i) {
            const Values& operand = values_[sources[i]];
            if (!operand.mirror) {
                args[i] = step.scalar(expr_.scalars[expr_.nodes[sources[i]].index]);
                continue;
            }
            args[i] = step.input(operand.dtype);
            on_device.push_back(operand.on(operand.device, shape_));
            on_host.push_back(operand.on(operand.mirror, shape_));
            operands.push_back(&operand);
        }
        bool exact = true;
        const char* what = "cast";
        ValueId result = kNoValue;
        switch (node.op) {
            case ExprNode::Op::Input:
                return;
            case ExprNode::Op::Scalar:
                result = step.scalar(expr_.scalars[node.index]), what = "scalar";
                break;
            case ExprNode::Op::Cast:
                result = step.cast(args[0], node.dtype);
                break;
            case ExprNode::Op::Index:
                result = step.push(node), what = "index";
                break;
            case ExprNode::Op::Loop:
            case ExprNode::Op::Second: {
                const bool second = node.op == ExprNode::Op::Second;
                const LoopId loop = second ? expr_.nodes[node.source[0]].index : node.index;
                const Row& row = rows()[loops()[loop].row];
                exact = !row.has(VectorMath);
                what = row.name;
                result = step.loop(loop, args[0], args[1], args[2]);
                if (second) result = step.second(result);
                break;
            }
        }
        step.outputs = {result};
        Values got, wanted;
        got.dtype = wanted.dtype = node.dtype;
        const int64_t bytes = count(shape_) * item_size(node.dtype);
        got.device = device_.allocate(bytes);
        got.mirror = host().allocate(bytes);
        wanted.mirror = host().allocate(bytes);
        const View there = got.on(got.device, shape_), here = wanted.on(wanted.mirror, shape_);
        if (bytes > 0) {
            device_.elementwise({&step, shape_, on_device, {&there, 1}, what});
            host().elementwise({&step, shape_, on_host, {&here, 1}, what});
            device_.read(got.mirror->data, *got.device, 0, bytes);
            compare(got, wanted, nullptr, what, operands, exact, shape_);
        }
        values_[id] = got;
    }

    Backend& device_;
    const Expr& expr_;
    const Dims& shape_;
    const char* const name_;
    std::vector<Values> values_;
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
            steps.compare(got, steps.value(task.expr->outputs[k]), mask, "the whole expression", {}, true,
                          task.shape);
        }
        return fault;
    }

    void reduce(const Reduce& task) override {
        fold_both(task, [&](Backend& backend, const Reduce& folded) { backend.reduce(folded); }, true);
    }

    void fold(const Fold& task) override {
        const bool exact = !rows()[loops()[task.loop].row].has(VectorMath);
        fold_both(task, [&](Backend& backend, const Fold& folded) { backend.fold(folded); }, exact);
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
        const bool exact = !rows()[loops()[task.loop].row].has(VectorMath);
        steps.compare(stored(task.output, task.shape), wanted, nullptr, task.name, {}, exact, task.shape);
    }

    void matmul(const Matmul& task) override {
        const auto shape = [&](int64_t rows, int64_t columns) {
            Dims dims = task.batch;
            dims.push_back(rows);
            dims.push_back(columns);
            return dims;
        };
        const Dims left = shape(task.rows, task.depth), right = shape(task.depth, task.columns);
        const Dims result = shape(task.rows, task.columns);
        const DType dtype = task.result.dtype;
        const Values x = stored(task.left, left), y = stored(task.right, right);
        const Values wanted{{}, host().allocate(count(result) * item_size(dtype)), dtype};
        Matmul repeated = task;
        repeated.left = x.on(x.mirror, left), repeated.right = y.on(y.mirror, right);
        repeated.result = wanted.on(wanted.mirror, result);
        inner_.matmul(task);
        if (count(result) == 0) return;
        host().matmul(repeated);
        Expr plain;
        plain.outputs = {plain.input(dtype)};
        Steps(inner_, plain, result, {&task.result, 1}, task.name)
            .compare(stored(task.result, result), wanted, nullptr, task.name, {}, true, result);
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

    /// Folds the device's own values of the producer on the host, and compares the results.
    template <class Task, class Run>
    void fold_both(const Task& task, Run&& run, bool exact) {
        const Dims results = results_of(task.shape, task.axes);
        if (count(results) == 0) return run(inner_, task);
        Steps steps(inner_, *task.expr, task.shape, task.inputs, task.name);
        const Values producer = steps.value(task.expr->outputs[0]);
        run(inner_, task);

        Expr plain;
        plain.outputs = {plain.input(producer.dtype)};
        const View input = producer.on(producer.mirror, task.shape);
        Values wanted{{}, host().allocate(count(results) * item_size(task.output.dtype)), task.output.dtype};
        Task repeated = task;
        repeated.expr = &plain;
        repeated.inputs = {&input, 1};
        repeated.output = wanted.on(wanted.mirror, results);
        for (const int64_t axis : task.axes) repeated.output.strides[int(axis)] = 0;
        run(host(), repeated);
        steps.compare(stored(task.output, results), wanted, nullptr, task.name, {}, exact, results);
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
