// signalling.cpp -- a decorator that reports floating-point errors, as IEEE 754 defines them, while a program asks.
//
// Errors are decided from operands and results, not from the processor's status: vector loops and polynomials set its
// flags at will, and a GPU has none. Each step of a task is computed once more on the host.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

#include "cuarray/runtime/registry.h"
#include "cuarray/runtime/runtime.h"
#include "runtime/comparison.h"
#include "runtime/decorator.h"
#include "runtime/decorators.h"
#include "runtime/hooks.h"

namespace cuarray {
namespace {

constexpr FloatingError kNoError{};

Backend& host_itself() { return host_factory().open(0); }

bool is_inexact(DType dtype) { return info(dtype).kind >= Kind::Floating; }

/// Elements on the host, contiguous in C order.
struct HostValues {
    StorageRef memory;
    DType dtype = DType::none;

    View view(const Dims& shape) const { return {memory.get(), 0, dtype, c_strides(shape, item_size(dtype))}; }
};

/// The output of an Expr over operands on the host.
HostValues computed(Expr& step, ValueId output, const Dims& shape, std::span<const View> inputs) {
    step.outputs = {output};
    const DType dtype = step.nodes[output].dtype;
    const HostValues result{host_itself().allocate(count(shape) * item_size(dtype)), dtype};
    const View to = result.view(shape);
    host_itself().run(Elementwise{&step, shape, inputs, {&to, 1}, "errstate"});
    return result;
}

HostValues host_copy(Backend& device, const View& view, const Dims& shape) {
    if (!device.is_host_accessible()) return {fetched(device, view, shape), view.dtype};
    Expr identity;
    const ValueId input = identity.input(view.dtype);
    return computed(identity, input, shape, {&view, 1});
}

/// Elements as float64, with an imaginary part behind each if they are complex.
class Doubles {
 public:
    Doubles() = default;
    Doubles(const HostValues& values, const Dims& shape) {
        const bool is_complex = info(values.dtype).kind == Kind::Complex;
        parts_ = is_complex ? 2 : 1;
        Expr cast;
        const View from = values.view(shape);
        const ValueId input = cast.input(values.dtype);
        memory_ =
            computed(cast, cast.cast(input, is_complex ? DType::complex128 : DType::float64), shape, {&from, 1}).memory;
    }
    int parts() const { return parts_; }
    const double* operator[](int64_t i) const { return static_cast<const double*>(memory_->data) + i * parts_; }
    bool is_zero(int64_t i) const {
        return all(i, [](double x) { return x == 0; });
    }
    bool is_finite(int64_t i) const {
        return all(i, [](double x) { return std::isfinite(x); });
    }
    bool has_nan(int64_t i) const {
        return !all(i, [](double x) { return !std::isnan(x); });
    }

 private:
    template <class Test>
    bool all(int64_t i, Test test) const {
        const double* const x = (*this)[i];
        return test(x[0]) && (parts_ == 1 || test(x[1]));
    }
    StorageRef memory_;
    int parts_ = 1;
};

/// Operands and results of one step. A step without a row is a cast.
struct EvaluatedStep {
    RowId row = kNone;
    std::vector<DType> in_types, out_types;
    std::vector<Doubles> in, out;

    bool all_finite(int64_t i) const {
        for (const Doubles& x : in)
            if (!x.is_finite(i)) return false;
        return true;
    }
    bool any_nan(int64_t i) const {
        for (const Doubles& x : in)
            if (x.has_nan(i)) return true;
        return false;
    }
};

/// Whether an infinite result of finite operands is exact: a pole, not a number too large. No function of the table
/// overflows where an operand is 0, nor a function of one operand at 1 and -1.
bool is_pole(const EvaluatedStep& step, int64_t i) {
    for (const Doubles& x : step.in)
        if (x.is_zero(i)) return true;
    return step.in.size() == 1 && std::fabs(step.in[0][i][0]) == 1;
}

/// Whether some operand has that magnitude; they are real.
bool any_is(const EvaluatedStep& step, int64_t i, double magnitude) {
    for (const Doubles& x : step.in)
        if (std::fabs(x[i][0]) == magnitude) return true;
    return false;
}

/// Whether a real result r, or one part of a cast, below the normal numbers has lost digits. Those of the vector
/// library are inexact unless they equal an operand, as sin(x) may, or are the zeros that functions have at 0 and 1.
bool loses_digits(const EvaluatedStep& step, int64_t i, int part, double r) {
    using Exact = __float128;                                              // holds products of two float64
    const double x = part < step.in[0].parts() ? step.in[0][i][part] : 0,  // real numbers have no imaginary part
        y = step.in.size() > 1 ? step.in[1][i][0] : 0;
    switch (step.row) {
        case kNone: return x != r;
        case row::multiply: return Exact(x) * Exact(y) != Exact(r);
        case row::square: return Exact(x) * Exact(x) != Exact(r);
        case row::divide: return Exact(r) * Exact(y) != Exact(x);
        case row::reciprocal: return Exact(r) * Exact(x) != Exact(1);
        case row::ldexp: return std::ldexp(r, -int(std::clamp(y, -4000.0, 4000.0))) != x;
        default: break;
    }
    if (!rows()[step.row].has(VectorMath) || any_is(step, i, std::fabs(r))) return false;
    return r != 0 || !any_is(step, i, 1);
}

double smallest_normal(DType dtype) {
    switch (dtype) {
        case DType::float16: return 0x1p-14;
        case DType::bfloat16:
        case DType::float32:
        case DType::complex64: return double(std::numeric_limits<float>::min());
        default: return std::numeric_limits<double>::min();
    }
}

/// The errors of a floating-point result of element i.
unsigned errors_of_inexact(const EvaluatedStep& step, size_t result, int64_t i) {
    const Doubles& out = step.out[result];
    const DType dtype = step.out_types[result];
    unsigned errors = 0;
    for (int part = 0; part < out.parts(); ++part) {
        const double r = out[i][part];
        if (std::isnan(r)) {
            if (!step.any_nan(i) && step.row != row::spacing) errors |= kInvalid;
        } else if (std::isinf(r)) {
            const bool is_finite = step.row == row::nextafter ? step.in[0].is_finite(i) : step.all_finite(i);
            if (is_finite) errors |= is_pole(step, i) ? kDivide : kOver;
        } else if (std::fabs(r) < smallest_normal(dtype)) {
            const bool is_real = out.parts() == 1 && step.in[0].parts() == 1;
            if ((is_real || step.row == kNone) && step.all_finite(i) && loses_digits(step, i, part, r))
                errors |= kUnder;
        }
    }
    return errors;
}

/// The errors of an integer result of element i: of divisions, and of casts.
unsigned errors_of_integer(const EvaluatedStep& step, size_t result, int64_t i) {
    const DType dtype = step.out_types[result];
    switch (step.row) {
        case row::floor_divide:
        case row::divmod:
            // The least number has no opposite.
            if (result == 0 && step.in[1][i][0] == -1 && step.in[0][i][0] < 0 && step.out[0][i][0] < 0) return kOver;
            [[fallthrough]];
        case row::remainder:
        case row::fmod: return step.in[1].is_zero(i) ? kDivide : kNoError;
        case row::reciprocal: return step.in[0].is_zero(i) ? kDivide | kInvalid : 0;
        case kNone: {
            if (!is_inexact(step.in_types[0])) return 0;
            const double x = std::trunc(step.in[0][i][0]);
            const bool is_signed = info(dtype).kind == Kind::Signed;
            const double bound = std::ldexp(1.0, int(item_size(dtype)) * 8 - is_signed);
            return x < bound && x >= (is_signed ? -bound : 0) ? kNoError : kInvalid;
        }
        default: return 0;
    }
}

unsigned errors_of(const EvaluatedStep& step, int64_t elements, const bool* mask) {
    constexpr unsigned kAll = kDivide | kOver | kUnder | kInvalid;
    unsigned errors = 0;
    for (size_t k = 0; k < step.out.size(); ++k) {
        const Kind kind = info(step.out_types[k]).kind;
        if (kind == Kind::Bool) continue;
        for (int64_t i = 0; i < elements && errors != kAll; ++i)
            if (!mask || mask[i])
                errors |= kind >= Kind::Floating ? errors_of_inexact(step, k, i) : errors_of_integer(step, k, i);
    }
    return errors;
}

/// Computes an Expr node by node on the host, as the operands are before it runs.
class SteppedExpr {
 public:
    SteppedExpr(Backend& device, const Expr& expr, const Dims& shape, std::span<const View> inputs)
        : expr_(expr), shape_(shape), values_(expr.nodes.size()) {
        for (size_t id = 0; id < expr.nodes.size(); ++id) {
            const ExprNode& node = expr.nodes[id];
            values_[id] = node.op == ExprNode::Op::Input ? host_copy(device, inputs[node.index], shape) : compute(id);
        }
    }

    const HostValues& value(ValueId id) const { return values_[id]; }

    bool has_loops() const {
        for (const ExprNode& node : expr_.nodes)
            if (node.op == ExprNode::Op::Loop) return true;
        return false;
    }

    unsigned errors() const {
        unsigned errors = 0;
        const bool* const mask =
            expr_.mask == kNoValue ? nullptr : static_cast<const bool*>(value(expr_.mask).memory->data);
        for (size_t id = 0; id < expr_.nodes.size(); ++id) {
            const ExprNode& node = expr_.nodes[id];
            const bool is_loop = node.op == ExprNode::Op::Loop || node.op == ExprNode::Op::Second;
            if (!is_loop && node.op != ExprNode::Op::Cast) continue;
            const ExprNode& from = node.op == ExprNode::Op::Second ? expr_.nodes[node.source[0]] : node;
            EvaluatedStep step;
            if (is_loop) step.row = loops()[from.index].row;
            for (const ValueId source : from.source) {
                if (source == kNoValue) continue;
                step.in_types.push_back(values_[source].dtype);
                step.in.emplace_back(values_[source], shape_);
            }
            step.out_types = {node.dtype};
            step.out.emplace_back(values_[id], shape_);
            errors |= errors_of(step, count(shape_), mask);
        }
        return errors;
    }

 private:
    HostValues compute(size_t id) const {
        const ExprNode& node = expr_.nodes[id];
        const ExprNode& from = node.op == ExprNode::Op::Second ? expr_.nodes[node.source[0]] : node;
        Expr step;
        std::vector<View> operands;
        ValueId args[kMaxIn] = {kNoValue, kNoValue, kNoValue};
        for (int i = 0; i < kMaxIn && from.source[i] != kNoValue; ++i) {
            operands.push_back(values_[from.source[i]].view(shape_));
            args[i] = step.input(values_[from.source[i]].dtype);
        }
        switch (node.op) {
            case ExprNode::Op::Scalar: return computed(step, step.scalar(expr_.scalars[node.index]), shape_, {});
            case ExprNode::Op::Cast: return computed(step, step.cast(args[0], node.dtype), shape_, operands);
            case ExprNode::Op::Index: return computed(step, step.push(node), shape_, {});
            default: break;
        }
        const ValueId first = step.loop(from.index, args[0], args[1], args[2]);
        return computed(step, node.op == ExprNode::Op::Second ? step.second(first) : first, shape_, operands);
    }

    const Expr& expr_;
    const Dims& shape_;
    std::vector<HostValues> values_;
};

/// Whether there are NaNs and infinities among the elements that a result comes from.
enum Special : unsigned char { kNaN = 1, kInfinity = 2 };
using Specials = std::vector<unsigned char>;

Specials specials_of(const HostValues& values, const Dims& shape) {
    const Doubles x(values, shape);
    Specials found(size_t(count(shape)));
    for (size_t i = 0; i < found.size(); ++i)
        found[i] = x.has_nan(int64_t(i)) ? kNaN : x.is_finite(int64_t(i)) ? 0 : kInfinity;
    return found;
}

/// The same of all elements along some axes.
Specials folded(const Specials& found, const Dims& shape, const Dims& axes) {
    const Dims results = without(shape, axes);
    Dims strides = c_strides(results, 1), place = Dims::filled(shape.size(), 0);
    for (const int64_t axis : axes) strides[int(axis)] = 0;
    Specials all(size_t(count(results)));
    int64_t to = 0;
    for (const unsigned char each : found) {
        all[size_t(to)] |= each;
        for (int axis = shape.size() - 1; axis >= 0; --axis) {
            to += strides[axis];
            if (++place[axis] < shape[axis]) break;
            to -= strides[axis] * shape[axis];
            place[axis] = 0;
        }
    }
    return all;
}

/// The same of all elements of each segment.
Specials in_segments(const Specials& found, const SegmentedReduce& task, const int64_t* begins, const int64_t* ends) {
    const int64_t apart = c_strides(task.shape, 1)[task.axis], length = task.shape[task.axis];
    const int64_t outer = length ? count(task.shape) / (length * apart) : 0;
    Specials all(size_t(outer * task.count * apart));
    for (int64_t line = 0; line < outer; ++line)
        for (int64_t segment = 0; segment < task.count; ++segment)
            for (int64_t i = begins[segment]; i < ends[segment]; ++i)
                for (int64_t k = 0; k < apart; ++k)
                    all[size_t((line * task.count + segment) * apart + k)] |=
                        found[size_t((line * length + i) * apart + k)];
    return all;
}

/// Where the accesses of an update go: byte offsets in the indexed array.
std::vector<int64_t> targets_of(Backend& device, const IndexedAccess& task) {
    std::vector<int64_t> targets(size_t(count(task.shape)));
    Dims place = Dims::filled(task.shape.size(), 0);
    for (int64_t& target : targets) {
        for (int axis = 0; axis < place.size(); ++axis) target += place[axis] * task.array.strides[axis];
        for (int axis = place.size() - 1; axis >= 0 && ++place[axis] == task.shape[axis]; --axis) place[axis] = 0;
    }
    for (const IndexedAxis& axis : task.indices) {
        const HostValues index = host_copy(device, axis.index, task.shape);
        const int64_t* const positions = static_cast<const int64_t*>(index.memory->data);
        for (size_t i = 0; i < targets.size(); ++i)
            targets[i] += (positions[i] < 0 ? positions[i] + axis.size : positions[i]) * axis.stride;
    }
    return targets;
}

/// The errors of sums and the like, by the elements that each comes from.
unsigned errors_of_folds(const Doubles& results, const Specials& from) {
    unsigned errors = 0;
    for (size_t i = 0; i < from.size(); ++i) {
        if (results.has_nan(int64_t(i)))
            errors |= from[i] & kNaN ? kNoError : kInvalid;
        else if (!results.is_finite(int64_t(i)))
            errors |= from[i] ? kNoError : kOver;
    }
    return errors;
}

/// Whether errors of sums of products are those of a function of that name.
bool is_product_ufunc(const char* name) {
    for (const char* const ufunc : {"matmul", "vecdot", "matvec", "vecmat"})
        if (!std::strcmp(name, ufunc)) return true;
    return false;
}

class SignallingDecorator final : public Decorator {
 public:
    using Decorator::Decorator;

    Fault run(const Task& any) override {
        if (!are_floating_errors_wanted() || inner_.runtime().is_capturing()) return inner_.run(any);
        return any.visit([&](const auto& task) { return run_and_report(task); });
    }

 private:
    Fault run_and_report(const Elementwise& task) {
        // Outputs may be written over inputs.
        if (count(task.shape) == 0) return inner_.run(task);
        const SteppedExpr steps(inner_, *task.expr, task.shape, task.inputs);
        return report(inner_.run(task), steps.errors(), steps.has_loops() ? task.name : "cast");
    }

    Fault run_and_report(const Reduce& task) {
        if (count(task.shape) == 0) return inner_.run(task);
        const SteppedExpr steps(inner_, *task.expr, task.shape, task.inputs);
        unsigned errors = steps.errors();
        const Fault fault = inner_.run(task);
        for (size_t k = 0; k < task.outputs.size(); ++k) {
            if (!is_inexact(task.outputs[k].dtype)) continue;
            const Specials from = specials_of(steps.value(task.expr->outputs[k]), task.shape);
            errors |=
                errors_of_results(task.outputs[k], without(task.shape, task.axes), folded(from, task.shape, task.axes));
        }
        return report(fault, errors, is_product_ufunc(task.name) ? task.name : "reduce");
    }

    Fault run_and_report(const Scan& task) {
        if (count(task.shape) == 0 || !is_inexact(task.outputs[0].dtype)) return inner_.run(task);
        const SteppedExpr steps(inner_, *task.expr, task.shape, task.inputs);
        Specials from = specials_of(steps.value(task.expr->outputs[0]), task.shape);
        const size_t apart = size_t(c_strides(task.shape, 1)[task.axis]), length = size_t(task.shape[task.axis]);
        for (size_t i = 0; i < from.size(); ++i)
            if (i / apart % length > 0) from[i] |= from[i - apart];
        const Fault fault = inner_.run(task);
        const unsigned errors = errors_of_results(task.outputs[0], task.shape, from);
        return report(fault, errors | steps.errors(), "accumulate");
    }

    Fault run_and_report(const SegmentedReduce& task) {
        Dims results = task.shape;
        results[task.axis] = task.count;
        if (count(results) == 0 || !is_inexact(task.result.dtype)) return inner_.run(task);
        const Specials values = specials_of(host_copy(inner_, task.values, task.shape), task.shape);
        const Dims segments{task.count};
        const HostValues begins = host_copy(inner_, task.begins, segments),
                         ends = host_copy(inner_, task.ends, segments);
        const Fault fault = inner_.run(task);
        const Specials from = in_segments(values, task, static_cast<const int64_t*>(begins.memory->data),
                                          static_cast<const int64_t*>(ends.memory->data));
        return report(fault, errors_of_results(task.result, results, from), "reduceat");
    }

    Fault run_and_report(const IndexedAccess& task) {
        const int64_t n = count(task.shape);
        if (task.kind != IndexedAccess::Kind::Update || n == 0 || !is_inexact(task.array.dtype))
            return inner_.run(task);
        EvaluatedStep step;
        step.row = loops()[task.loop].row;
        const auto append = [&](const HostValues& values) {
            step.in_types.push_back(values.dtype);
            step.in.emplace_back(values, task.shape);
        };
        const HostValues before = gathered(task);
        append(before);
        std::vector<unsigned char> found = specials_of(before, task.shape);
        if (loops()[task.loop].in[1] != DType::none) {
            const HostValues elements = host_copy(inner_, task.elements, task.shape);
            const Specials more = specials_of(elements, task.shape);
            append(elements);
            for (size_t i = 0; i < found.size(); ++i) found[i] |= more[i];
        }
        const std::vector<int64_t> targets = targets_of(inner_, task);
        const Fault fault = inner_.run(task);
        if (fault != Fault::None) return fault;
        const HostValues after = gathered(task);
        step.out_types = {after.dtype};
        step.out.emplace_back(after, task.shape);

        // Results that lie between several updates of one element are not known: those count as a fold.
        std::unordered_map<int64_t, std::pair<int, unsigned char>> updates;
        for (size_t i = 0; i < targets.size(); ++i) {
            auto& [times, from] = updates[targets[i]];
            ++times, from |= found[i];
        }
        const std::unique_ptr<bool[]> once(new bool[size_t(n)]);
        Specials from(found.size());
        for (size_t i = 0; i < targets.size(); ++i) {
            const auto& [times, specials] = updates[targets[i]];
            once[i] = times == 1;
            from[i] = once[i] ? kNaN | kInfinity : specials;  // no error of a fold
        }
        return report(fault, errors_of(step, n, once.get()) | errors_of_folds(step.out[0], from),
                      rows()[step.row].name);
    }

    /// The elements that indices select, on the host.
    HostValues gathered(const IndexedAccess& task) {
        const StorageRef memory{inner_.allocate(count(task.shape) * item_size(task.array.dtype))};
        const View to{memory.get(), 0, task.array.dtype, c_strides(task.shape, item_size(task.array.dtype))};
        inner_.run(IndexedAccess{IndexedAccess::Kind::Gather, task.shape, task.array, task.indices, to, task.outside,
                                 task.name});
        return host_copy(inner_, to, task.shape);
    }

    Fault run_and_report(const Matmul& task) {
        const Fault fault = inner_.run(task);
        const Dims shape = task.stack_of(task.rows, task.columns);
        if (count(shape) == 0 || task.depth == 0 || !is_inexact(task.result.dtype)) return fault;
        const int last = shape.size() - 1;
        const Dims left_shape = task.stack_of(task.rows, task.depth),
                   right_shape = task.stack_of(task.depth, task.columns);
        const Specials left =
            folded(specials_of(host_copy(inner_, task.left, left_shape), left_shape), left_shape, {last});
        const Specials right =
            folded(specials_of(host_copy(inner_, task.right, right_shape), right_shape), right_shape, {last - 1});
        Specials from(size_t(count(shape)));
        const size_t rows = size_t(task.rows), columns = size_t(task.columns);
        for (size_t i = 0; i < from.size(); ++i)
            from[i] = left[i / columns] | right[i / columns / rows * columns + i % columns];
        return report(fault, errors_of_results(task.result, shape, from), task.name);
    }

    unsigned errors_of_results(const View& results, const Dims& shape, const Specials& from) {
        return errors_of_folds(Doubles(host_copy(inner_, results, shape), shape), from);
    }

    template <class T> Fault run_and_report(const T& task) { return inner_.run(task); }

    static Fault report(Fault fault, unsigned errors, const char* name) {
        if (errors && fault == Fault::None) report_floating_errors(errors, name);
        return fault;
    }
};

}  // namespace

Backend& make_signalling(Backend& inner) { return *new SignallingDecorator(inner); }

}  // namespace cuarray
