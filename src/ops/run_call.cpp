// run_call.cpp -- executes a call: operands and outputs as views, one Expr, one run.
#include <algorithm>
#include <bit>
#include <cstring>
#include <memory>
#include <vector>

#include "cuarray/array/elements.h"
#include "cuarray/array/pending.h"
#include "cuarray/runtime/registry.h"
#include "ops/call.h"
#include "ops/powers.h"

namespace cuarray {
namespace {

/// The lists of a plan, kept by each thread for its next call: their memory costs more than a small plan.
struct PlanLists {
    Expr expr;
    std::vector<View> inputs;
};

class BorrowedLists {
 public:
    BorrowedLists() {
        std::vector<std::unique_ptr<PlanLists>>& kept = kept_lists();
        if (kept.empty()) {
            lists_ = std::make_unique<PlanLists>();
        } else {
            lists_ = std::move(kept.back());
            kept.pop_back();
        }
    }
    ~BorrowedLists() {
        lists_->expr.clear();
        lists_->inputs.clear();
        if (kept_lists().size() < kMost) kept_lists().push_back(std::move(lists_));
    }
    BorrowedLists(const BorrowedLists&) = delete;
    BorrowedLists& operator=(const BorrowedLists&) = delete;
    PlanLists& operator*() const { return *lists_; }

 private:
    static constexpr size_t kMost = 4;  // a call may run others
    static std::vector<std::unique_ptr<PlanLists>>& kept_lists() {
        thread_local std::vector<std::unique_ptr<PlanLists>> kept;
        return kept;
    }
    std::unique_ptr<PlanLists> lists_;
};

/// The computation of a call being planned; a pending operand without other references is fused into it.
struct CallPlan {
    BorrowedLists lists;
    Expr& expr = (*lists).expr;
    std::vector<View>& inputs = (*lists).inputs;
    Absorbed absorbed;  ///< an operand's pending computation, if it is part of `expr`
    ValueId args[kMaxIn] = {kNoValue, kNoValue, kNoValue};
    Array temporaries[kMaxIn + 1];  ///< copies of operands that the outputs would overwrite, alive until the run

    void restart() {
        expr.clear();
        inputs.clear();
        absorbed = Absorbed();
    }
    ValueId add_input(const Array& a, const Dims& shape, const char* name) {
        inputs.push_back(a.as_operand(shape, name));
        return expr.input(a.dtype());
    }
};

/// Whether the operand addresses exactly the output's elements in the same order.
bool is_in_place(const Array& in, const Array& out, const Dims& shape) {
    return in.data() == out.data() && in.shape() == shape && in.strides() == out.strides() &&
           item_size(in.dtype()) == item_size(out.dtype());
}

/// The operand, or a copy if writing an output would change it before it is read.
const Array* guarded(const Array* in, const Call& c, Array& temporary) {
    for (int k = 0; k < c.row.nout; ++k) {
        const Array* out = c.options.out[k];
        if (!out || !overlaps(*in, *out) || is_in_place(*in, *out, c.shape)) continue;
        temporary = copy(*in, 'K');
        return &temporary;
    }
    return in;
}

void plan_inputs(const Call& c, CallPlan& plan) {
    // One pending operand of the full shape may bring its pending Expr along.
    int absorbed = -1;
    for (int i = 0; i < c.row.nin && absorbed < 0; ++i)
        if (c.arrays[i] && c.arrays[i]->shape() == c.shape && c.arrays[i]->is_pending() &&
            (plan.absorbed = absorb(*c.arrays[i], plan.expr, plan.inputs))) {
            absorbed = i;
            plan.args[i] = plan.expr.outputs[0];
            plan.expr.outputs.clear();
        }
    for (int i = 0; i < c.row.nin; ++i) {
        if (i == absorbed) {
        } else if (!c.arrays[i]) {
            plan.args[i] = plan.expr.scalar(c.scalars[i]);
        } else {
            plan.args[i] = plan.add_input(*guarded(c.arrays[i], c, plan.temporaries[i]), c.shape, c.name());
        }
        plan.args[i] = plan.expr.cast(plan.args[i], c.types->in[i]);
    }
    if (c.options.where)
        plan.expr.mask = plan.add_input(*guarded(c.options.where, c, plan.temporaries[kMaxIn]), c.shape, c.name());
}

/// Whether an absorbed computation still reads what it read when it was deferred: it is current, and the outputs do not
/// overwrite its inputs.
bool is_safe(const Call& c, const CallPlan& plan) {
    if (!plan.absorbed.is_current()) return false;
    for (int k = 0; k < c.row.nout; ++k) {
        const Array* out = c.options.out[k];
        if (!out) continue;
        for (const View& v : plan.inputs) {
            if (v.storage != &out->storage()) continue;
            const bool same = v.offset == out->offset() && v.strides == out->strides() &&
                              item_size(v.dtype) == item_size(out->dtype());
            if (!same) return false;
        }
    }
    return true;
}

[[noreturn]] void raise_fault(const Call& c) { raise(ErrorKind::Value, c.name(), ": ", kNegativePower); }

/// Checks a scalar exponent; makes the run check the elements of an array of exponents.
void check_exponent(const Call& c, const CallPlan& plan, Expr& expr) {
    const DType dtype = c.types->in[1];
    if (!c.row.has(NegativeFault) || info(dtype).kind != Kind::Signed) return;
    if (!c.arrays[1] && !c.options.where) {
        int64_t exponent;
        std::memcpy(&exponent, convert(c.scalars[1], DType::int64).bytes, sizeof exponent);
        if (exponent < 0 && count(c.shape) > 0) raise_fault(c);
        return;
    }
    const ValueId zero = expr.scalar(convert(Scalar::of(DType::int64, int64_t(0)), dtype));
    expr.fault = expr.loop(loop_for(row::less, dtype), plan.args[1], zero);
    if (expr.mask != kNoValue) expr.fault = expr.loop(loop_for(row::bitwise_and, DType::bool_), expr.mask, expr.fault);
}

/// The exponent of the divisor if more than a few integers are divided by a power of two, else -1.
int shift_of(const Call& c) {
    constexpr int64_t kFew = 512;
    if (!(c.row.flags & (IntQuotient | IntRemainder)) || c.arrays[1] || count(c.shape) <= kFew) return -1;
    const Kind kind = info(c.types->in[1]).kind;
    if (kind != Kind::Signed && kind != Kind::Unsigned) return -1;
    int64_t divisor;
    std::memcpy(&divisor, convert(c.scalars[1], DType::int64).bytes, sizeof divisor);
    return divisor > 0 && std::has_single_bit(uint64_t(divisor)) ? std::countr_zero(uint64_t(divisor)) : -1;
}

/// An equivalent with other rows that takes a fraction of the time, else kNoValue: for some constant exponents, and for
/// quotients and remainders of integers by powers of two.
ValueId shorter_form(const Call& c, const CallPlan& plan, Expr& expr) {
    const ValueId x = plan.args[0];
    const int shift = shift_of(c);
    if (shift < 0) {
        const bool is_short = c.row.has(NegativeFault) && !c.arrays[1] && has_short_power(c.scalars[1]);
        return is_short ? short_power(expr, x, c.scalars[1]) : kNoValue;
    }
    const DType dtype = c.types->in[1];
    const bool is_remainder = c.row.has(IntRemainder);
    const int64_t operand = is_remainder ? (int64_t(1) << shift) - 1 : shift;
    return expr.loop(loop_for(is_remainder ? row::bitwise_and : row::bitwise_right_shift, dtype), x,
                     expr.scalar(convert(Scalar::of(DType::int64, operand), dtype)));
}

/// Whether output k needs a temporary result: it overlaps itself (a broadcast output) or the first output.
bool needs_own_result(const Call& c, int k) {
    const Array* out = c.options.out[k];
    if (may_self_overlap(out->layout(), item_size(out->dtype()))) return true;
    return k == 1 && c.options.out[0] && overlaps(*c.options.out[0], *out);
}

/// Whether the array is all of its memory, which nothing else refers to and the host may write now.
bool owns_memory_alone(const Array& a) {
    if (a.is_pending() || !a.is_writable()) return false;
    Storage& storage = a.storage();
    return storage.references() == 1 && !storage.is_exported() && !storage.lender() && a.offset() == 0 &&
           storage.bytes == a.nbytes() && direct_data(a) != nullptr;
}

/// The dying operand whose memory becomes the result's; null if there is none of its dtype and layout.
const Array* reused_operand(const Call& c, const Dims& strides) {
    if (c.row.nout != 1 || c.options.where) return nullptr;
    for (const Argument& arg : c.args)
        if (arg.is_dying && arg.array->nbytes() >= kReusedFrom && arg.array->dtype() == c.types->out[0] &&
            arg.array->shape() == c.shape && arg.array->strides() == strides && owns_memory_alone(*arg.array))
            return arg.array;
    return nullptr;
}

bool has_dying_operand(const Call& c) {
    return std::any_of(c.args.begin(), c.args.end(), [](const Argument& arg) { return arg.is_dying; });
}

/// Memory for a new result.
Array new_result(const Call& c, const Dims& order, DType dtype) {
    if (has_dying_operand(c))
        if (const Array* const reused = reused_operand(c, strides_in_order(c.shape, order, item_size(dtype))))
            return *reused;
    return empty_in_order(c.shape, order, dtype, c.device);
}

UfuncResult run_planned(const Call& c) {
    for (Array* out : c.options.out)
        if (out) before_write(out->storage());
    UfuncResult result;
    const Dims order = result_order(c);
    Array targets[kMaxOut];
    for (int k = 0; k < c.row.nout; ++k) {
        Array* out = c.options.out[k];
        const DType dtype = out ? out->dtype() : c.types->out[k];
        targets[k] = !out                     ? new_result(c, order, dtype)
                     : needs_own_result(c, k) ? empty_in_order(c.shape, order, dtype, c.device)
                                              : *out;
        if (out && c.options.where && needs_own_result(c, k)) assign(targets[k], *out, c.name());
    }
    CallPlan plan;
    plan_inputs(c, plan);
    if (plan.absorbed && !is_safe(c, plan)) {
        for (const Array* a : c.arrays)
            if (a) a->settle();
        plan.restart();
        plan_inputs(c, plan);
    }
    Expr& expr = plan.expr;
    check_exponent(c, plan, expr);
    ValueId first = shorter_form(c, plan, expr);
    if (first == kNoValue) first = expr.loop(c.loop, plan.args[0], plan.args[1], plan.args[2]);
    const ValueId values[kMaxOut] = {first, c.row.nout > 1 ? expr.second(first) : kNoValue};
    for (int k = 0; k < c.row.nout; ++k) expr.outputs.push_back(expr.cast(values[k], targets[k].dtype()));
    if (run(expr, c.shape, plan.inputs, {targets, size_t(c.row.nout)}, c.name()) == Fault::Raised) raise_fault(c);
    for (int k = 0; k < c.row.nout; ++k) {
        Array* out = c.options.out[k];
        if (out && needs_own_result(c, k)) assign(*out, targets[k], c.name());
        if (!out) result.array[k] = std::move(targets[k]);
    }
    return result;
}

/// Whether a call needs no planning: its operands are not pending and have the loop's dtypes, and its result is new, or
/// does not overlap itself.
bool is_plain(const Call& c) {
    if (c.options.where || c.row.nout != 1 || c.row.has(NegativeFault) || shift_of(c) >= 0) return false;
    const Array* out = c.options.out[0];
    if (out && (out->dtype() != c.types->out[0] || out->is_pending() ||
                (!out->is_c_contiguous() && may_self_overlap(out->layout(), item_size(out->dtype())))))
        return false;
    for (int i = 0; i < c.row.nin; ++i) {
        const Array* in = c.arrays[i];
        if (!in) continue;
        if (in->dtype() != c.types->in[i] || in->is_pending()) return false;
    }
    return true;
}

UfuncResult run_plain(const Call& c) {
    const DType dtype = c.types->out[0];
    const int64_t item = item_size(dtype);
    SingleLoop task{c.loop, c.shape, c.name(), checked_size(c.shape, item, c.name()) * item};
    Dims stretched[kMaxIn];
    Storage* some = nullptr;
    for (int i = 0; i < c.row.nin; ++i) {
        const Array* const a = c.arrays[i];
        if (!a) {
            task.in[i].scalar = &c.scalars[i];
            continue;
        }
        const bool fits = a->shape() == c.shape;
        if (!fits) stretched[i] = broadcast_strides(a->layout(), c.shape, c.name());
        task.in[i] = {some = &a->storage(), a->offset(), fits ? &a->strides() : &stretched[i]};
    }
    UfuncResult result;
    if (const Array* const out = c.options.out[0]) {
        before_write(out->storage());
        task.out = {&out->storage(), out->offset(), &out->strides()};
        task.out.storage->front().single_loop(task);
    } else {
        Layout layout{c.shape, result_strides(c, item)};
        task.out.strides = &layout.strides;
        const Array* const reused = has_dying_operand(c) ? reused_operand(c, layout.strides) : nullptr;
        if (reused) {
            task.out.storage = &reused->storage();
            task.out.storage->front().single_loop(task);
            result.array[0] = *reused;
            return result;
        }
        Backend& target = some ? some->front() : backend(c.device);
        StorageRef memory = target.single_loop(task);
        result.array[0] = Array(std::move(memory), 0, std::move(layout), dtype);
    }
    return result;
}

/// Whether the output would change an operand before it is read.
bool overlaps_partially(const Call& c) {
    const Array* const out = c.options.out[0];
    if (!out) return false;
    return std::any_of(c.arrays, c.arrays + c.row.nin,
                       [&](const Array* in) { return in && !is_in_place(*in, *out, c.shape) && overlaps(*in, *out); });
}

/// The same with copies of such operands.
[[gnu::noinline]] UfuncResult run_with_copies(const Call& c) {
    Call separate = c;
    Array temporaries[kMaxIn];
    for (int i = 0; i < c.row.nin; ++i)
        if (c.arrays[i]) separate.arrays[i] = guarded(c.arrays[i], c, temporaries[i]);
    return run_plain(separate);
}

}  // namespace

UfuncResult run_call(const Call& c) {
    if (!is_plain(c)) return run_planned(c);
    return overlaps_partially(c) ? run_with_copies(c) : run_plain(c);
}

}  // namespace cuarray
