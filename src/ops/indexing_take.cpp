// indexing_take.cpp -- elements along one axis: take, take_along_axis and its inverse.
#include "cuarray/array/pending.h"
#include "ops/indexed_elements.h"

namespace cuarray {
namespace {

void check_nonempty(const Array& array, const Array& indices, int axis, const char* name) {
    if (array.shape()[axis] == 0 && !indices.is_empty())
        raise(ErrorKind::Index, name, ": cannot do a non-empty take from an empty axis of shape ",
              to_string(array.shape()));
}

IndexedElements places_along(const Array& array, const Array& indices, int axis, bool writes, const char* name) {
    if (array.ndim() != indices.ndim())
        raise(ErrorKind::Value, name, ": `indices` and `arr` must have the same number of dimensions, got ",
              indices.ndim(), " and ", array.ndim());
    axis = normalise_axis(axis, array.ndim(), name);
    check_nonempty(array, indices, axis, name);
    Array positions = as_positions(indices, array, name);
    if (writes && overlaps(positions, array)) positions = copy(positions, 'C');
    Dims other = array.shape();
    other[axis] = 1;
    const Dims* const shapes[] = {&other, &positions.shape()};
    IndexedElements places;
    try {
        places.shape = broadcast(shapes, name);
    } catch (const Error&) {
        raise(ErrorKind::Index, name, ": shapes ", to_string(array.shape()), " and ", to_string(indices.shape()),
              " do not broadcast beside axis ", axis);
    }
    places.array = array;
    places.base = array.view(Layout());
    places.strides = broadcast_strides({other, array.strides()}, places.shape, name);
    places.strides[axis] = 0;
    places.add(positions, broadcast_strides(positions.layout(), places.shape, name), array.shape()[axis],
               array.strides()[axis], axis);
    return places;
}

}  // namespace

Array take(const Array& array, const Array& indices, int axis, Outside outside, const Array* out) {
    axis = normalise_axis(axis, array.ndim(), "take");
    const Array positions = as_positions(indices, array, "take");
    check_nonempty(array, positions, axis, "take");
    IndexedElements places;
    places.array = array;
    places.base = array.view(Layout());
    Dims over;
    const auto add = [&](int64_t extent, int64_t stride, int64_t index_stride) {
        places.shape.push_back(extent);
        places.strides.push_back(stride);
        over.push_back(index_stride);
    };
    for (int i = 0; i < axis; ++i) add(array.shape()[i], array.strides()[i], 0);
    for (int i = 0; i < positions.ndim(); ++i) add(positions.shape()[i], 0, positions.strides()[i]);
    for (int i = axis + 1; i < array.ndim(); ++i) add(array.shape()[i], array.strides()[i], 0);
    checked_size(places.shape, item_size(array.dtype()), "take");
    places.add(positions, over, array.shape()[axis], array.strides()[axis], axis);
    if (!out) return gather(places, outside, "take");
    if (!(out->shape() == places.shape))
        raise(ErrorKind::Value, "take: out= has shape ", to_string(out->shape()), ", the result ",
              to_string(places.shape));
    if (!out->is_writable()) raise(ErrorKind::Value, "take: output array is read-only");
    // An index out of bounds must leave `out` unchanged.
    const bool directly = outside != Outside::Raise && out->dtype() == array.dtype() && !overlaps(*out, array) &&
                          !overlaps(*out, positions);
    if (directly) return gather(places, outside, "take", out);
    // As in NumPy, which takes elements into a copy of `out` in the array's dtype, and writes that back.
    if (!can_cast(out->dtype(), array.dtype(), Casting::Safe))
        raise(ErrorKind::Type, "take: cannot cast the output array from ", info(out->dtype()).name, " to ",
              info(array.dtype()).name, ", the type of the elements, with casting rule 'safe'");
    assign(*out, gather(places, outside, "take"), "take");
    return *out;
}

Array take_along_axis(const Array& array, const Array& indices, int axis) {
    return gather(places_along(array, indices, axis, false, "take_along_axis"), Outside::Raise, "take_along_axis");
}

void put_along_axis(const Array& array, const Array& indices, const Array& values, int axis) {
    if (!array.is_writable()) raise(ErrorKind::Value, "put_along_axis: assignment destination is read-only");
    scatter(places_along(array, indices, axis, true, "put_along_axis"), values, "put_along_axis");
}

}  // namespace cuarray
