// indexed_elements.cpp -- gathers and scatters: copies overlapping operands, checks the indices of empty results, then
// runs one task.
#include "ops/indexed_elements.h"

#include "cuarray/array/elements.h"
#include "cuarray/array/pending.h"
#include "cuarray/ops/ufunc.h"

namespace cuarray {
namespace {

IndexedAccess task_of(IndexedAccess::Kind kind, const IndexedElements& places, const Array& elements, Outside outside,
                      const char* name) {
    View array = places.base.as_operand(places.base.shape(), name);
    array.strides = places.strides;
    return {kind, places.shape, array, places.indices, elements.as_operand(places.shape, name), outside, name};
}

}  // namespace

/// NumPy checks indices even if the other axes are empty: gather the same positions of a single element.
void check_inside(const IndexedElements& places, const char* name) {
    for (const Array& position : places.positions)
        if (position.is_empty()) return;
    IndexedElements one = places;
    one.base = full({}, Scalar::of(DType::bool_, false), places.base.device());
    for (int axis = 0; axis < one.shape.size(); ++axis)
        if (one.shape[axis] == 0) one.shape[axis] = 1;
    one.strides = Dims::filled(one.shape.size(), 0);
    for (IndexedAxis& axis : one.indices) axis.stride = 0;
    gather(one, Outside::Raise, name);
}

bool check_empty(const IndexedElements& places, const char* name) {
    const bool is_empty = count(places.shape) == 0;
    if (is_empty) check_inside(places, name);
    return is_empty;
}

void IndexedElements::add(const Array& position, Dims index_strides, int64_t size, int64_t stride, int axis) {
    View view = position.as_operand(position.shape(), "index");
    view.strides = std::move(index_strides);
    positions.push_back(position);
    indices.push_back({std::move(view), size, stride, axis});
}

Array gather(const IndexedElements& places, Outside outside, const char* name, const Array* out) {
    const Array result = out ? *out : empty(places.shape, places.base.dtype(), places.base.device());
    if (result.is_empty()) {
        if (outside == Outside::Raise) check_inside(places, name);
        return result;
    }
    before_write(result.storage());
    result.storage().front().run(task_of(IndexedAccess::Kind::Gather, places, result, outside, name));
    return result;
}

void scatter(const IndexedElements& places, const Array& values, const char* name) {
    const Array& array = places.base;
    Array elements = values;
    while (elements.ndim() > places.shape.size() && elements.shape()[0] == 1) {
        Dims shape = elements.shape();
        shape.erase(0);
        elements = elements.reshape(shape);
    }
    elements = astype(elements, array.dtype(), 'K', false);
    const Dims strides = broadcast_strides(elements.layout(), places.shape, name);
    if (check_empty(places, name)) return;
    before_write(array.storage());
    if (overlaps(elements, places.array)) elements = copy(elements, 'K');
    array.storage().front().run(task_of(IndexedAccess::Kind::Scatter, places, elements, Outside::Raise, name));
}

Array as_positions(const Array& indices, const Array& array, const char* name) {
    const Kind kind = info(indices.dtype()).kind;
    if (kind != Kind::Signed && kind != Kind::Unsigned)
        raise(ErrorKind::Type, name, ": indices must be integers, not ", info(indices.dtype()).name);
    if (!(indices.device() == array.device()))
        raise(ErrorKind::Value, name, ": operands are on ", to_string(array.device()), " and ",
              to_string(indices.device()), "; move one with .to_device(...)");
    // An index that int64 cannot represent is out of bounds and must not wrap around.
    const Scalar most = Scalar::of(DType::uint64, uint64_t(INT64_MAX));
    const Array positions = astype(indices.dtype() == DType::uint64 ? apply_row(row::minimum, indices, most) : indices,
                                   DType::int64, 'K', false);
    uint64_t bits = positions.is_empty() ? 0 : uint64_t(reinterpret_cast<uintptr_t>(positions.data()));
    for (int64_t stride : positions.strides()) bits |= uint64_t(stride);
    return bits % sizeof(int64_t) ? copy(positions, 'C') : positions;
}

}  // namespace cuarray
