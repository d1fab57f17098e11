// scan.cpp -- plans a scan: loop, axis, target, then one task.
#include "cuarray/ops/scan.h"

#include "cuarray/array/elements.h"
#include "cuarray/array/pending.h"
#include "ops/binary_loop.h"
#include "runtime/hooks.h"

namespace cuarray {
namespace {

bool is_same_memory(const Array& a, const Array& b) {
    return a.data() == b.data() && a.strides() == b.strides() && a.dtype() == b.dtype();
}

/// The array that the task writes: out= itself if possible.
Array scan_target(const Array& array, const Array* out, DType dtype) {
    if (out && out->dtype() == dtype && !may_self_overlap(out->layout(), item_size(dtype)) &&
        (!overlaps(*out, array) || is_same_memory(*out, array))) {
        before_write(out->storage());
        return *out;
    }
    const Dims* strides[] = {&array.strides()};
    return empty_in_order(array.shape(), memory_order(array.shape(), strides), dtype, array.device());
}

/// Along an axis, or of the flattened array.
Array cumulated(RowId row, const Array& a, const std::optional<int64_t>& axis, DType dtype, Array* out,
                const char* name) {
    const bool is_flattened = a.ndim() == 0 || (!axis && a.ndim() > 1);
    return accumulate(row, is_flattened ? a.reshape({-1}) : a, {axis.value_or(0), dtype, out, name});
}

/// The array with a number in the place of NaN, which the scan that reads it absorbs.
Array without_nan(const Array& a, int64_t number) {
    if (info(a.dtype()).kind < Kind::Floating) return a;
    const Array is_nan = apply_row(row::isnan, a);
    const Scalar replacement = convert(Scalar::of(DType::int64, number), a.dtype());
    return apply_row(row::where, is_nan, replacement, a);
}

/// As the Array API has it, with the initial value first if requested.
Array cumulated_from(RowId row, const Array& x, const std::optional<int64_t>& given_axis, DType dtype, Array* out,
                     bool include_initial, const char* name) {
    if (x.ndim() == 0) return cumulated_from(row, x.reshape({1}), given_axis, dtype, out, include_initial, name);
    if (!given_axis && x.ndim() > 1)
        raise(ErrorKind::Value, name, ": give axis= for an array of ", x.ndim(), " dimensions");
    const int axis = normalise_axis(given_axis.value_or(0), x.ndim(), name);
    if (!include_initial) return accumulate(row, x, {axis, dtype, out, name});
    Dims shape = x.shape();
    ++shape[axis];
    if (out) check_out(x, *out, shape, name);
    const DType T = loops()[running_loop(row, x.dtype(), dtype, out, "accumulate")].in[0];
    Array result = out ? *out : empty(shape, T, x.device());
    Layout layout = result.layout();
    layout.shape[axis] = 1;
    fill(result.view(layout), convert(row_identity(row, T), result.dtype()), name);
    layout.shape[axis] = x.shape()[axis];
    Array behind = result.view(layout, x.is_empty() ? 0 : layout.strides[axis]);
    accumulate(row, x, {axis, T, &behind, name});
    return result;
}

}  // namespace

Array accumulate(RowId id, const Array& array, const ScanOptions& o) {
    check_binary(id, "accumulate");
    const char* const name = o.name ? o.name : rows()[id].name;
    if (array.ndim() == 0) raise(ErrorKind::Type, name, ".accumulate: cannot accumulate on a scalar");
    const int axis = normalise_axis(o.axis, array.ndim(), name);
    const LoopId loop = running_loop(id, array.dtype(), o.dtype, o.out, "accumulate");
    const DType T = loops()[loop].in[0];
    if (o.out) check_out(array, *o.out, array.shape(), name);
    warn_of_lost_imaginary_part(array.dtype(), T);
    if (o.out) warn_of_lost_imaginary_part(T, o.out->dtype());
    check_exponents(id, array, axis, true, T, name);
    const Array target = scan_target(array, o.out, T);
    if (!target.is_empty()) {
        Expr expr;
        std::vector<View> inputs;
        const Absorbed absorbed = absorb(array, expr, inputs);
        if (!absorbed) {
            inputs = {array.as_operand(array.shape(), name)};
            expr.outputs = {expr.input(array.dtype())};
        }
        expr.outputs = {expr.cast(expr.outputs[0], T)};
        const View output = target.as_operand(array.shape(), name);
        target.storage().front().run(Scan{&expr, array.shape(), inputs, {&output, 1}, axis, loop, name});
    }
    if (!o.out) return target;
    if (!is_same_memory(*o.out, target)) assign(*o.out, target, name);
    return *o.out;
}

Array cumsum(const Array& a, const std::optional<int64_t>& axis, DType dtype, Array* out) {
    return cumulated(row::add, a, axis, dtype, out, "cumsum");
}

Array cumprod(const Array& a, const std::optional<int64_t>& axis, DType dtype, Array* out) {
    return cumulated(row::multiply, a, axis, dtype, out, "cumprod");
}

Array nancumsum(const Array& a, const std::optional<int64_t>& axis, DType dtype, Array* out) {
    const Deferral fused;
    return cumulated(row::add, without_nan(a, 0), axis, dtype, out, "nancumsum");
}

Array nancumprod(const Array& a, const std::optional<int64_t>& axis, DType dtype, Array* out) {
    const Deferral fused;
    return cumulated(row::multiply, without_nan(a, 1), axis, dtype, out, "nancumprod");
}

Array cumulative_sum(const Array& x, const std::optional<int64_t>& axis, DType dtype, Array* out,
                     bool include_initial) {
    return cumulated_from(row::add, x, axis, dtype, out, include_initial, "cumulative_sum");
}

Array cumulative_prod(const Array& x, const std::optional<int64_t>& axis, DType dtype, Array* out,
                      bool include_initial) {
    return cumulated_from(row::multiply, x, axis, dtype, out, include_initial, "cumulative_prod");
}

}  // namespace cuarray
