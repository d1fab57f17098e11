// masked_fold.cpp -- moves the selected elements to the front of each line, scans the lines, and takes the results
// after the last selected elements.
#include "ops/masked_fold.h"

#include "cuarray/ops/joining.h"
#include "cuarray/ops/reduction.h"
#include "cuarray/ops/scan.h"
#include "cuarray/ops/selection.h"
#include "cuarray/ops/sort.h"

namespace cuarray {

Array masked_fold(RowId row, const Array& array, const Array& mask, int axis, const Scalar& initial) {
    const DType T = initial.dtype;
    const Array order = argsort(apply_row(row::logical_not, mask), axis);
    // Elements that are not selected must not raise faults, as negative exponents would.
    const Array values = astype(array, T, 'K', false);
    const Scalar zero = convert(Scalar::of(DType::int64, int64_t(0)), T);
    const Array chosen = take_along_axis(apply_row(row::where, mask, values, zero), order, axis);

    Dims one = array.shape();
    one[axis] = 1;
    const ArrayOrNumber lines[] = {full(one, initial, array.device()), chosen};
    ScanOptions scan;
    scan.axis = axis;
    scan.dtype = T;
    const Array running = accumulate(row, concat(lines, axis, nullptr, T, Casting::No), scan);

    ReduceOptions count;
    count.all_axes = false, count.axes = {axis}, count.keepdims = true, count.dtype = DType::int64;
    return take_along_axis(running, reduce(reduction::sum, mask, count), axis);
}

}  // namespace cuarray
