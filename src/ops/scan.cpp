// scan.cpp -- plans a scan: loop, axis, target, then one task.
#include "cuarray/ops/scan.h"

#include "cuarray/array/pending.h"
#include "ops/binary_loop.h"

namespace cuarray {
namespace {

bool is_same_memory(const Array& a, const Array& b) {
    return a.data() == b.data() && a.strides() == b.strides() && a.dtype() == b.dtype();
}

/// The array that the task writes: out= itself if possible.
Array target_array(const Array& array, const Array* out, DType dtype) {
    if (out && out->dtype() == dtype && !may_self_overlap(out->layout(), item_size(dtype)) &&
        (!overlaps(*out, array) || is_same_memory(*out, array))) {
        before_write(out->storage());
        return *out;
    }
    const Dims* strides[] = {&array.strides()};
    return empty_in_order(array.shape(), memory_order(array.shape(), strides), dtype, array.device());
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
    check_exponents(id, array, axis, true, T, name);
    const Array target = target_array(array, o.out, T);
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

}  // namespace cuarray
