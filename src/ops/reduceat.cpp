// reduceat.cpp -- plans reduceat: segment bounds, values, then one task; very long segments are reduced separately.
#include "cuarray/ops/reduceat.h"

#include <cstdlib>

#include "cuarray/array/elements.h"
#include "cuarray/array/pending.h"
#include "cuarray/kernel/segmented_reduce.h"
#include "ops/binary_loop.h"
#include "ops/packed.h"
#include "runtime/hooks.h"

namespace cuarray {
namespace {

/// Fold columns together from this many contiguous columns.
constexpr int64_t kWide = 16;

/// The bounds of the segments, in host memory.
struct Segments {
    Array begin_array, end_array;
    std::span<int64_t> begins, ends;
    std::vector<int64_t> alone;  ///< segments that are reduced separately, and then made empty in the bounds
};

Array host_indices(size_t count, std::span<int64_t>& elements) {
    Array array = empty({int64_t(count)}, DType::int64, Device{});
    elements = {reinterpret_cast<int64_t*>(array.storage().data), count};
    return array;
}

Segments find_parts(std::span<const int64_t> begins, int64_t n, bool all_alone, const char* name) {
    Segments parts;
    parts.begin_array = host_indices(begins.size(), parts.begins);
    parts.end_array = host_indices(begins.size(), parts.ends);
    for (size_t k = 0; k < begins.size(); ++k) {
        const int64_t begin = begins[k];
        if (begin < 0 || begin >= n)
            raise(ErrorKind::Index, name, ".reduceat: index ", begin, " is out of bounds for an axis of ", n,
                  " elements");
        const int64_t next = k + 1 < begins.size() ? begins[k + 1] : n, end = next > begin ? next : begin + 1;
        parts.begins[k] = begin, parts.ends[k] = end;
        if (all_alone || end - begin > kernel::kLongestSegment) parts.alone.push_back(int64_t(k));
    }
    return parts;
}

/// The elements in dtype T, aligned, and contiguous along the axis or along another one that is long enough.
Array values_along(const Array& array, int axis, DType T) {
    const Array values = astype(array, T, 'K', false);
    bool is_side_by_side = values.strides()[axis] == item_size(T);
    for (int i = 0; i < values.ndim(); ++i)
        is_side_by_side |= i != axis && values.strides()[i] == item_size(T) && values.shape()[i] >= kWide;
    if (is_side_by_side && is_aligned(values)) return values;
    Dims order;
    for (int i = 0; i < array.ndim(); ++i)
        if (i != axis) order.push_back(i);
    order.push_back(axis);
    const Array packed = empty_in_order(values.shape(), order, T, values.device());
    assign(packed, values, "reduceat");
    return packed;
}

Array on_device(const Array& host, std::span<const int64_t> values, Device device) {
    if (host.device() == device) return host;
    return from_host(values.data(), host.shape(), host.strides(), DType::int64, device);
}

/// Reduces segment k separately.
void fold_alone(RowId id, const Array& values, int axis, const Segments& parts, int64_t k, const Array& result) {
    const int64_t begin = parts.begins[size_t(k)], end = parts.ends[size_t(k)];
    Dims shape = values.shape(), strides = result.strides(), kept = result.shape();
    shape[axis] = end - begin;
    kept.erase(axis);
    strides.erase(axis);
    Array place = result.view({kept, strides}, k * result.strides()[axis]);
    ReduceOptions options;
    options.all_axes = false;
    options.axes = {axis};
    options.dtype = values.dtype();
    options.out = &place;
    ufunc_reduce(id, values.view({shape, values.strides()}, begin * values.strides()[axis]), options);
}

}  // namespace

Array reduceat(RowId id, const Array& array, std::span<const int64_t> begins, const ScanOptions& o) {
    check_binary(id, "reduceat");
    const Row& row = rows()[id];
    if (array.ndim() == 0) raise(ErrorKind::Type, row.name, ".reduceat: cannot reduceat on a scalar");
    const int axis = normalise_axis(o.axis, array.ndim(), row.name);
    const LoopId loop = running_loop(id, array.dtype(), o.dtype, o.out, "reduceat");
    const DType T = loops()[loop].in[0];
    Segments parts = find_parts(begins, array.shape()[axis], row.has(NegativeFault), row.name);
    Dims shape = array.shape();
    shape[axis] = int64_t(begins.size());
    if (o.out) check_out(array, *o.out, shape, std::string(row.name) + ".reduceat");
    warn_of_lost_imaginary_part(array.dtype(), T);
    if (o.out) warn_of_lost_imaginary_part(T, o.out->dtype());

    if (count(shape) > 0) {
        const Array values = values_along(array, axis, T);
        const Dims* strides[] = {&values.strides()};
        const Array result = empty_in_order(shape, memory_order(shape, strides), T, array.device());
        for (const int64_t k : parts.alone) {
            fold_alone(id, values, axis, parts, k, result);
            parts.ends[size_t(k)] = parts.begins[size_t(k)];
        }
        if (parts.alone.size() < begins.size()) {
            const Array from = on_device(parts.begin_array, parts.begins, array.device()),
                        to = on_device(parts.end_array, parts.ends, array.device());
            const auto whole = [&](const Array& a) { return a.as_operand(a.shape(), row.name); };
            // The result of a segment of one element is the element itself.
            const bool folds_alike = row.reduction != kNone && !reductions()[row.reduction].has(AltersOne);
            const ReductionId reduction = folds_alike ? row.reduction : kNone;
            result.storage().front().run(SegmentedReduce{values.shape(), axis, whole(values), shape[axis], whole(from),
                                                         whole(to), whole(result), reduction,
                                                         reduction == kNone ? loop : LoopId(kNone), row.name});
        }
        if (!o.out) return result;
        assign(*o.out, result, row.name);
    }
    return o.out ? *o.out : empty(shape, T, array.device());
}

}  // namespace cuarray
