// reduction.cpp -- plans a reduction: dtype, axes, the order of axes in memory, where= and initial=, then one task.
#include "cuarray/ops/reduction.h"

#include <cstring>

#include "cuarray/array/elements.h"
#include "cuarray/array/pending.h"
#include "cuarray/runtime/registry.h"
#include "ops/averages.h"
#include "ops/binary_loop.h"
#include "ops/call.h"
#include "ops/masked_fold.h"
#include "ops/packed.h"
#include "ops/reduced_axes.h"
#include "runtime/hooks.h"

namespace cuarray {

ReducedAxes plan_axes(const Array& array, const ReduceOptions& o, const char* name) {
    ReducedAxes axes;
    axes.kept_shape = array.shape();
    // As in NumPy, a 0-d array may be reduced along axis 0.
    const bool nothing = array.ndim() == 0 && o.axes.size() == 1 && (o.axes[0] == 0 || o.axes[0] == -1);
    if (o.all_axes || nothing)
        for (int i = 0; i < array.ndim(); ++i) axes.folded.push_back(i);
    else
        axes.folded = normalise_axes(o.axes, array.ndim(), name);
    for (int64_t axis : axes.folded) {
        axes.folds *= array.shape()[int(axis)];
        axes.kept_shape[int(axis)] = 1;
    }
    int next = 0;
    for (int i = 0; i < array.ndim(); ++i) {
        const bool folded = next < axes.folded.size() && axes.folded[next] == i;
        if (folded) ++next;
        if (!folded || o.keepdims) axes.result_shape.push_back(folded ? 1 : array.shape()[i]);
    }
    return axes;
}

void check_where(const Array& array, const ReduceOptions& o, const char* name) {
    if (!o.where) return;
    if (o.where->dtype() != DType::bool_)
        raise(ErrorKind::Type, name, ": where= takes a bool array, not ", info(o.where->dtype()).name);
    if (!(o.where->device() == array.device()))
        raise(ErrorKind::Value, name, ": where= is on ", to_string(o.where->device()), ", the array on ",
              to_string(array.device()), "; move one with .to_device(...)");
    broadcast_strides(o.where->layout(), array.shape(), name);
}

void check_out(const Array& array, const ReduceOptions& o, const ReducedAxes& axes, DType dtype, const char* name,
               bool gives_index) {
    if (!o.out) return;
    check_out(array, *o.out, axes.result_shape, name);
    if (gives_index && !can_cast(o.out->dtype(), dtype, Casting::Safe))
        raise(ErrorKind::Type, name, ": cannot cast the output array from ", info(o.out->dtype()).name, " to ",
              info(dtype).name, ", the type of indices, with casting rule 'safe'");
    if (!gives_index && !can_cast(dtype, o.out->dtype(), Casting::SameKind))
        raise(ErrorKind::Type, name, ": cannot cast the output from ", info(dtype).name, " to ",
              info(o.out->dtype()).name, " with casting rule 'same_kind'");
}

Array write_output(Array&& target, const ReduceOptions& o, const char* name) {
    if (!o.out) return std::move(target);
    if (o.out->storage_ref() == target.storage_ref()) return *o.out;
    assign(*o.out, target, name);
    return *o.out;
}

namespace {

/// The result as a view over the axes of the argument, with stride 0 along reduced axes.
View result_view(const Array& result, const ReducedAxes& axes, bool keepdims) {
    Dims strides = Dims::filled(axes.kept_shape.size(), 0);
    int next = 0, from = 0;
    for (int i = 0; i < strides.size(); ++i) {
        const bool folded = next < axes.folded.size() && axes.folded[next] == i;
        if (folded)
            ++next, from += keepdims;
        else
            strides[i] = result.strides()[from++];
    }
    return {&result.storage(), result.offset(), result.dtype(), strides};
}

Dims permuted(const Dims& dims, const Dims& order) {
    Dims result = Dims::filled(dims.size(), 0);
    for (int i = 0; i < dims.size(); ++i) result[i] = dims[int(order[i])];
    return result;
}

/// The reduced axes, numbered in the permuted order and sorted.
Dims permuted_axes(const Dims& axes, const Dims& order) {
    Dims result;
    for (int i = 0; i < order.size(); ++i)
        for (int64_t axis : axes)
            if (order[i] == axis) result.push_back(i);
    return result;
}

/// The members that Reduce and LeftFold have in common.
struct FoldPlan {
    Expr expr;
    std::vector<View> inputs;
    Absorbed absorbed;  ///< the argument's pending computation, if it is part of `expr`
    Dims shape, axes;
    View output;
};

/// The mask as a value of the plan, if it is pending and cheaper to compute than to read from memory; else kNoValue.
ValueId absorb_mask(FoldPlan& plan, const Array& array, const Array& mask) {
    constexpr size_t kCheap = 2;  // operations
    if (array.is_pending() || !(mask.shape() == array.shape())) return kNoValue;
    plan.absorbed = absorb(mask, plan.expr, plan.inputs);
    if (plan.absorbed && plan.absorbed.nodes.size() <= kCheap) return plan.expr.outputs[0];
    plan = FoldPlan();
    return kNoValue;
}

/// The argument's value, cast to T, and masked by where=. Either the argument or the mask brings its pending Expr
/// along; the other is read from memory.
void plan_producer(FoldPlan& plan, const Array& array, DType T, const ReduceOptions& o, const Scalar* masked,
                   const char* name) {
    const auto read = [&](const Array& operand) {
        return read_once(operand.as_operand(array.shape(), name), plan.expr, plan.inputs);
    };
    ValueId mask = o.where ? absorb_mask(plan, array, *o.where) : kNoValue, value = kNoValue;
    if (mask == kNoValue) {
        if (o.where) o.where->settle();
        plan.absorbed = absorb(array, plan.expr, plan.inputs);
        if (plan.absorbed) value = plan.expr.outputs[0];
    }
    if (value == kNoValue) value = read(array);
    if (o.where && mask == kNoValue) mask = read(*o.where);
    if (o.skips_nan) {
        const ValueId is_number = plan.expr.loop(loop_for(row::equal, array.dtype()), value, value);
        mask = o.where ? plan.expr.loop(loop_for(row::bitwise_and, DType::bool_), mask, is_number) : is_number;
    }
    value = plan.expr.cast(value, T);
    if (o.where || o.skips_nan) {
        value = plan.expr.loop(loop_for(row::where, T), mask, value, plan.expr.scalar(*masked));
    }
    plan.expr.outputs = {value};
}

/// Numbers the elements in the memory order of the argument, pending or not; in C order if their numbers are the result
/// (argmax, argmin).
void plan_order(FoldPlan& plan, const Array& array, const ReducedAxes& axes, const Array& target, bool keepdims,
                bool numbered) {
    plan.output = result_view(target, axes, keepdims);
    if (numbered || array.is_c_contiguous()) {
        plan.shape = array.shape();
        plan.axes = axes.folded;
        return;
    }
    const Dims* strides[] = {&array.strides()};
    const Dims order = memory_order(array.shape(), strides);
    plan.shape = permuted(array.shape(), order);
    plan.axes = permuted_axes(axes.folded, order);
    for (View& v : plan.inputs) v.strides = permuted(v.strides, order);
    plan.output.strides = permuted(plan.output.strides, order);
}

/// The array that the task writes: out= itself if possible.
Array target_array(const Array& array, const ReduceOptions& o, const ReducedAxes& axes, DType dtype) {
    const bool direct = o.out && o.out->dtype() == dtype && !overlaps(*o.out, array) &&
                        !(o.where && overlaps(*o.out, *o.where)) &&
                        !may_self_overlap(o.out->layout(), item_size(dtype));
    if (direct) {
        before_write(o.out->storage());
        return *o.out;
    }
    // The kept axes have the argument's memory order.
    if (array.is_c_contiguous() && !array.is_empty()) return empty(axes.result_shape, dtype, array.device());
    const Dims* strides[] = {&array.strides()};
    const Dims order = memory_order(array.shape(), strides);
    const Dims kept = strides_in_order(axes.kept_shape, order, item_size(dtype));
    Dims result_strides;
    int next = 0;
    for (int i = 0; i < kept.size(); ++i) {
        const bool folded = next < axes.folded.size() && axes.folded[next] == i;
        if (folded) ++next;
        if (!folded || o.keepdims) result_strides.push_back(kept[i]);
    }
    const Array block = empty({count(axes.result_shape)}, dtype, array.device());
    return block.view({axes.result_shape, result_strides});
}

Scalar to_scalar(const Argument& value, DType dtype, const char* name) {
    const bool is_complex =
        value.weak ? value.weak->kind == Weak::Kind::Complex : info(value.type().dtype).kind == Kind::Complex;
    if (is_complex && info(dtype).kind != Kind::Complex)
        raise(ErrorKind::Type, name, ": a complex initial value does not go with ", info(dtype).name);
    if (value.weak) return convert(*value.weak, dtype, name);
    if (value.scalar) return convert_exactly(*value.scalar, dtype, name);
    return convert(item(*value.array, name), dtype);
}

/// The truth value of an initial value; a number of any type has one.
Scalar truth_of(const Argument& value, const char* name) {
    if (value.weak) return Scalar::of(DType::bool_, is_true(*value.weak));
    return convert(value.scalar ? *value.scalar : item(*value.array, name), DType::bool_);
}

/// Whether the row gives bools for any dtype, such as any and logical_xor.
bool gives_truth(const ReductionRow& row, ReductionId id) {
    return row.domain >> int(DType::float64) & 1 && reduction_result(id, DType::float64) == DType::bool_;
}

/// What a masked element is replaced with. Beside an initial value, which may be -0.0, a sum needs -0.0, which changes
/// no number.
Scalar masked_element(ReductionId id, DType T, bool has_initial) {
    if (has_initial && id == reduction::sum) return convert(Scalar::of(DType::complex128, c128{-0.0, -0.0}), T);
    return convert(reduction_identity(id, T), T);
}

/// The dtype in which the row computes for this argument; TypeError if it does not support that dtype.
DType loop_dtype(ReductionId id, const Array& array, const ReduceOptions& o) {
    const ReductionRow& row = reductions()[id];
    DType T = o.dtype;
    if (T == DType::none) {
        const bool widens_alone = row.has(WideInt) && info(array.dtype()).kind < Kind::Floating;
        const bool asks_out = o.out && !widens_alone && reduction_result(id, array.dtype()) == array.dtype();
        T = asks_out ? fold_dtype(array.dtype(), *o.out) : reduction_dtype(id, array.dtype());
    }
    if (!(row.domain >> int(T) & 1)) raise(ErrorKind::Type, row.name, ": not supported for ", info(T).name);
    warn_of_lost_imaginary_part(array.dtype(), T);
    return T;
}

void check_empty(const ReducedAxes& axes, bool has_start, bool gives_index, const char* name) {
    if (axes.folds || has_start) return;
    if (gives_index) raise(ErrorKind::Value, name, ": attempt to get ", name, " of an empty sequence");
    raise(ErrorKind::Value, name, ": zero-size array to reduction operation ", name, " which has no identity");
}

/// A mask may select no elements, so the fold needs a start value.
void check_start(const ReduceOptions& o, bool has_identity, const char* name) {
    if (!o.where || has_identity || o.initial) return;
    raise(ErrorKind::Value, name, ": reduction operation '", name,
          "' does not have an identity, so to use a where mask "
          "one has to specify 'initial'");
}

}  // namespace

DType reduction_dtype(ReductionId id, DType dtype) {
    const ReductionRow& row = reductions()[id];
    const Kind kind = info(dtype).kind;
    if (kind > Kind::Signed) return dtype;
    if (row.has(WideInt)) return DType::float64;
    if (row.has(LongInt)) return kind == Kind::Unsigned ? DType::uint64 : DType::int64;
    return dtype;
}

Array reduce(ReductionId id, const Array& array, const ReduceOptions& o) {
    const ReductionRow& row = reductions()[id];
    const char* name = o.name ? o.name : row.name;
    const bool gives_index = row.has(GivesIndex);
    if (gives_index && !o.all_axes && o.axes.size() != 1)
        raise(ErrorKind::Type, name, ": axis must be one integer or None");
    const DType T = loop_dtype(id, array, o), dtype = reduction_result(id, T);
    if (id == reduction::sum && T != array.dtype() && T == reduction_dtype(id, array.dtype()) && !o.initial) {
        ReduceOptions uncast = o;  // bools are counted, and integers become longer where they are added
        uncast.name = name;
        uncast.dtype = DType::none;
        return reduce(array.dtype() == DType::bool_ ? reduction::count_nonzero : reduction::long_sum, array, uncast);
    }
    const ReducedAxes axes = plan_axes(array, o, name);
    if (row.has(Average) && (o.where || (array.dtype() == DType::bool_ && T == DType::float64)))
        return mean_of_counted(array, o, T, axes, name);
    check_where(array, o, name);
    check_out(array, o, axes, dtype, name, gives_index);

    // The value that replaces masked elements: the identity, or the start value of the fold.
    Scalar initial;
    if (o.initial)
        initial = gives_truth(row, id) ? convert(truth_of(*o.initial, name), T) : to_scalar(*o.initial, T, name);
    const Scalar masked = row.has_identity ? masked_element(id, T, o.initial) : initial;
    const bool has_identity = row.has_identity && !o.no_initial;
    check_start(o, has_identity, name);
    check_empty(axes, has_identity || o.initial, gives_index, name);

    Array target = target_array(array, o, axes, dtype);
    if (target.is_empty()) return write_output(std::move(target), o, name);
    if (!axes.folds && o.initial) {  // unchanged, also where the row would alter it
        fill(target, convert(initial, dtype), name);
        return write_output(std::move(target), o, name);
    }
    FoldPlan plan;
    plan_producer(plan, array, T, o, &masked, name);
    plan_order(plan, array, axes, target, o.keepdims, gives_index && axes.folded.size() > 1);
    Reduce task{&plan.expr, plan.shape, plan.inputs, {&plan.output, 1}, plan.axes, id, o.initial ? &initial : nullptr,
                name};
    target.storage().front().run(task);
    return write_output(std::move(target), o, name);
}

bool reduce_few(ReductionId id, const Array& array, Scalar& result) {
    const ReductionRow& row = reductions()[id];
    const DType T = reduction_dtype(id, array.dtype());
    const bool is_cast = T != array.dtype();
    if (!(row.domain >> int(T) & 1) || array.is_empty() || (is_cast && (row.has(Average) || array.nbytes() > 1024)) ||
        (row.has(GivesIndex) && !array.is_c_contiguous()))
        return false;
    const void* data = direct_elements(array);
    if (!data) return false;
    DirectLoops& loops = *array.storage().front().direct();
    alignas(16) char cast[1024 * sizeof(uint64_t)];
    if (is_cast) {
        loops.cast(array.dtype(), T, data, cast, array.size());
        data = cast;
    }
    result.dtype = reduction_result(id, T);
    loops.reduce(id, T, data, array.size(), result.bytes);
    return true;
}

Array reduce_few(ReductionId id, const Array& array, int axis) {
    const ReductionRow& row = reductions()[id];
    const DType T = array.dtype();
    const int last = array.ndim() - 1;
    if (last > 1 && (axis == 0 || axis == last) && !array.is_pending() && array.is_c_contiguous() &&
        !array.is_empty()) {
        Dims kept = array.shape();
        kept.erase(axis);
        const int64_t n = array.shape()[axis], folds = array.size() / n;
        const Array few = reduce_few(id, array.reshape(axis == 0 ? Dims{n, folds} : Dims{folds, n}), axis ? 1 : 0);
        return few.defined() ? few.reshape(kept) : Array();
    }
    if (array.ndim() != 2 || array.is_empty() || array.nbytes() > kFewBytes) return {};
    if (reduction_dtype(id, T) != T || !(row.domain >> int(T) & 1)) return {};
    const char* const from = direct_data(array);
    if (!from) return {};
    const int64_t folds = array.shape()[1 - axis], n = array.shape()[axis], item = item_size(T);
    const int64_t apart = array.strides()[1 - axis], step = array.strides()[axis];
    // A task folds columns side by side, and shares the setup of rows; folds that give an index have neither.
    const bool is_gathered = step != item || !is_aligned(array);
    constexpr int64_t kFewGathered = 384;  // moved one by one: more take longer than a task
    if (is_gathered && array.size() > kFewGathered) return {};
    if (folds > 8 && (is_gathered || !row.has(GivesIndex))) return {};
    Array result = empty({folds}, reduction_result(id, T), array.device());
    char* to = direct_data(result);
    DirectLoops* const loops = array.storage().front().direct();
    if (!to || !loops) return {};
    if (!is_gathered) {
        loops->reduce(id, T, from, n, to, folds, apart);
        return result;
    }
    alignas(64) char line[kFewBytes];
    const int64_t result_item = item_size(result.dtype());
    for (int64_t k = 0; k < folds; ++k, to += result_item) {
        const char* const first = from + k * apart;
        for (int64_t i = 0; i < n; ++i) std::memcpy(line + i * item, first + i * step, size_t(item));
        loops->reduce(id, T, line, n, to);
    }
    return result;
}

std::pair<Array, Array> weighted_sums(const Array& array, const Array& weights, const ReduceOptions& o) {
    const ReducedAxes axes = plan_axes(array, o, o.name);
    const Array products = target_array(array, o, axes, o.dtype), total = target_array(array, o, axes, o.dtype);
    if (products.is_empty()) return {products, total};
    weights.settle();
    FoldPlan plan;
    plan_producer(plan, array, o.dtype, o, nullptr, o.name);
    plan.inputs.push_back(weights.as_operand(array.shape(), o.name));
    const ValueId weight = plan.expr.cast(plan.expr.input(weights.dtype()), o.dtype);
    const LoopId multiply = loop_for(row::multiply, o.dtype);
    plan.expr.outputs = {plan.expr.loop(multiply, plan.expr.outputs[0], weight), weight};
    plan_order(plan, array, axes, products, o.keepdims, false);
    const View outputs[] = {plan.output, {&total.storage(), total.offset(), o.dtype, plan.output.strides}};
    products.storage().front().run(
        Reduce{&plan.expr, plan.shape, plan.inputs, outputs, plan.axes, reduction::sum, nullptr, o.name});
    return {products, total};
}

Array sums_of_products(const Array& x, const Array& y, const ReduceOptions& o) {
    const Dims* const shapes[] = {&x.shape(), &y.shape()};
    const Array left = x.shape() == y.shape() ? x : x.broadcast_to(broadcast(shapes, o.name), o.name);
    const ReducedAxes axes = plan_axes(left, o, o.name);
    const Array sums = target_array(left, o, axes, o.dtype);
    if (sums.is_empty()) return sums;
    FoldPlan plan;
    const ValueId a = plan.expr.cast(read_once(left.as_operand(left.shape(), o.name), plan.expr, plan.inputs), o.dtype);
    const ValueId b = plan.expr.cast(read_once(y.as_operand(left.shape(), o.name), plan.expr, plan.inputs), o.dtype);
    plan.expr.outputs = {plan.expr.loop(loop_for(row::multiply, o.dtype), a, b)};
    plan_order(plan, left, axes, sums, o.keepdims, false);
    const ReductionId id = o.dtype == DType::bool_ ? reduction::any : reduction::sum;
    sums.storage().front().run(
        Reduce{&plan.expr, plan.shape, plan.inputs, {&plan.output, 1}, plan.axes, id, nullptr, o.name});
    return sums;
}

namespace {

/// The array with its reduced axes moved to the end and merged into one.
Array folded_as_one(const Array& array, const ReducedAxes& axes) {
    Dims order, extents;
    for (int i = 0, next = 0; i < array.ndim(); ++i) {
        if (next < axes.folded.size() && axes.folded[next] == i) {
            ++next;
            continue;
        }
        order.push_back(i);
        extents.push_back(array.shape()[i]);
    }
    for (const int64_t axis : axes.folded) order.push_back(axis);
    extents.push_back(axes.folds);
    return array.transpose(order).reshape(extents);
}

/// The shape with an additional last axis of extent 1.
Dims with_axis(Dims shape) {
    shape.push_back(1);
    return shape;
}

}  // namespace

Array ufunc_reduce(RowId id, const Array& array, const ReduceOptions& o) {
    const Row& row = rows()[id];
    check_binary(id, "reduce");
    const char* name = row.name;
    const ReductionId reduction = row.reduction;
    const bool asks = loops()[row.first_loop + row.loops - 1].out[0] == DType::bool_;
    if (asks && o.dtype != DType::none && o.dtype != DType::bool_)
        raise(ErrorKind::Type, name, ".reduce: no loop takes and gives ", info(o.dtype).name);
    const bool has_reduction = reduction != kNone && reductions()[reduction].domain >> int(array.dtype()) & 1;
    const bool is_direct = o.dtype != DType::none || has_reduction;
    const LoopId loop = reduction != kNone && is_direct
                            ? LoopId(kNone)
                            : running_loop(id, array.dtype(), o.dtype, asks ? nullptr : o.out, "reduce");
    if (reduction != kNone) {
        ReduceOptions own = o;
        own.name = name;
        if (!is_direct) own.dtype = loops()[loop].in[0];
        return reduce(reduction, array, own);
    }
    const DType T = loops()[loop].in[0];
    warn_of_lost_imaginary_part(array.dtype(), T);
    const ReducedAxes axes = plan_axes(array, o, name);
    const bool in_order = axes.folded.size() > 1 && !(row.has(Associative) && row.has(Commutative));
    if (in_order && !(row.has(Commutative) && row.identity))
        raise(ErrorKind::Value, name, ".reduce: reduction operation '", name,
              "' is not reorderable, so at most one axis may be specified");
    check_where(array, o, name);
    check_out(array, o, axes, T, name);
    if (in_order) {  // these rows fold a single axis, from left to right
        ReduceOptions line = o;
        const Array mask = o.where ? folded_as_one(o.where->broadcast_to(array.shape(), name), axes) : Array();
        if (o.where) line.where = &mask;
        line.axes = {-1};
        line.all_axes = line.keepdims = false;
        line.out = nullptr;
        return write_output(ufunc_reduce(id, folded_as_one(array, axes), line).reshape(axes.result_shape), o, name);
    }
    Scalar initial, masked;
    if (o.initial) initial = asks ? convert(truth_of(*o.initial, name), T) : to_scalar(*o.initial, T, name);
    // As in reduce, the start value replaces masked elements if there is no identity: all such rows are idempotent.
    masked = row.identity ? row_identity(id, T) : initial;
    check_start(o, row.identity && !o.no_initial, name);
    const bool starts = o.initial || (row.identity && !o.no_initial && !axes.folds);
    check_empty(axes, starts, false, name);

    if (o.where && !row.identity && !row.has(Associative)) {
        const Array lines = axes.folded.empty() ? array.reshape(with_axis(array.shape())) : array;
        const Array mask = o.where->broadcast_to(array.shape(), name).reshape(lines.shape());
        const int axis = axes.folded.empty() ? lines.ndim() - 1 : int(axes.folded[0]);
        return write_output(masked_fold(id, lines, mask, axis, initial).reshape(axes.result_shape), o, name);
    }
    if (axes.folded.size() == 1) check_exponents(id, array, int(axes.folded[0]), !o.initial, T, name);
    Array target = target_array(array, o, axes, T);
    if (target.is_empty()) return write_output(std::move(target), o, name);
    FoldPlan plan;
    plan_producer(plan, array, T, o, &masked, name);
    plan_order(plan, array, axes, target, o.keepdims, false);
    // As in NumPy, a fold starts from its identity: hypot.reduce of one number is its magnitude.
    const Scalar* start = o.initial ? &initial : row.identity && !o.no_initial ? &masked : nullptr;
    target.storage().front().run(
        LeftFold{&plan.expr, plan.shape, plan.inputs, {&plan.output, 1}, plan.axes, loop, start, name});
    return write_output(std::move(target), o, name);
}

}  // namespace cuarray
