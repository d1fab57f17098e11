// selection.cpp -- functions that read and write elements by positions and by masks.
#include "cuarray/ops/selection.h"
#include <algorithm>
#include <cstring>
#include "cuarray/array/elements.h"
#include "cuarray/array/pending.h"
#include "cuarray/ops/diagonals.h"
#include "cuarray/ops/reduction.h"
#include "cuarray/ops/shaping.h"
#include "cuarray/ops/ufunc.h"
#include "ops/call.h"
#include "ops/element_access.h"
#include "ops/few_rows.h"
#include "ops/indexed_elements.h"
#include "runtime/hooks.h"

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
              " cannot be broadcast beside axis ", axis);
    }
    places.array = array;
    places.base = array.view(Layout());
    places.strides = broadcast_strides({other, array.strides()}, places.shape, name);
    places.strides[axis] = 0;
    places.add(positions, broadcast_strides(positions.layout(), places.shape, name), array.shape()[axis],
               array.strides()[axis], axis);
    return places;
}

/// Integers: bools count as 0 and 1, an empty list has none. Converted, they are kept in `made`.
const Array& as_integers(const IndexArray& given, Array& made, const char* name) {
    const bool counts = given.array.dtype() == DType::bool_ || (!given.has_dtype && given.array.is_empty());
    if (!counts && info(given.array.dtype()).kind > Kind::Signed)
        raise(ErrorKind::Type, name, ": indices must be integers, not ", info(given.array.dtype()).name);
    return counts ? made = astype(given.array, DType::int64, 'K', false) : given.array;
}

/// The same where NumPy takes no bools, and raises another error.
const Array& integers_along(const IndexArray& given, const char* name) {
    const Kind kind = info(given.array.dtype()).kind;
    if (kind != Kind::Signed && kind != Kind::Unsigned)
        raise(ErrorKind::Index, name, ": `indices` must be an integer array, not ", info(given.array.dtype()).name);
    return given.array;
}

Array flattened_array(const Array& array) { return array.ndim() == 1 ? array : ravel(array); }
const Array& flattened_array(const Array& array, Array& made) {
    return array.ndim() == 1 ? array : made = ravel(array);
}

/// Truth values.
Array as_mask(const Array& array) { return astype(array, DType::bool_, 'K', false); }

Array at_mask(const Array& array, const Array& mask) {
    Index index;
    index.kind = Index::Kind::Array;
    index.array = &mask;
    return elements_at(array, {&index, 1});
}

Array take_along(const Array& array, const Array& indices, int axis, Array* out, Outside outside) {
    if (FewRows rows; axis == 0 && rows.find(array, indices, outside)) {
        Dims shape = indices.shape();
        for (int d = 1; d < array.ndim(); ++d) shape.push_back(array.shape()[d]);
        const bool is_plain = !out || (out->dtype() == array.dtype() && out->shape() == shape && out->is_writable() &&
                                       out->is_c_contiguous() && !overlaps(*out, array));
        if (shape.size() <= kMaxDims && is_plain) {
            Array result = out ? *out : empty(shape, array.dtype(), array.device());
            if (out) before_write(out->storage());
            if (char* const to = direct_data(result)) {
                rows.read(to);
                return result;
            }
        }
    }
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
    // NumPy asks for the first before 2.5, whose copy of `out` in the array's dtype is written back, and then for the
    // second.
    if (!can_cast(out->dtype(), array.dtype(), Casting::Safe) &&
        !can_cast(array.dtype(), out->dtype(), Casting::SameKind))
        raise(ErrorKind::Type, "take: cannot cast the elements from ", info(array.dtype()).name, " to ",
              info(out->dtype()).name, ", the type of the output array, with casting rule 'same_kind'");
    warn_of_lost_imaginary_part(array.dtype(), out->dtype());
    assign(*out, gather(places, outside, "take"), "take");
    return *out;
}

/// `count` elements of a line, which starts again where it ends; one element serves all.
Array cycled(const Array& line, int64_t count) {
    if (line.size() == 1 || line.size() == count) return line;
    if (line.size() > count) return line.view({{count}, {line.strides()[0]}});
    Array result = empty({count}, line.dtype(), line.device());
    const int64_t n = line.size(), item = item_size(line.dtype()), rest = count % n;
    assign(result.view({{count / n, n}, {n * item, item}}), line, "cycled");
    if (rest) assign(result.view({{rest}, {item}}, (count - rest) * item), cycled(line, rest), "cycled");
    return result;
}

Array computed_with(RowId row, const Array& array, int64_t number) {
    const Scalar scalar = Scalar::of(DType::int64, number);
    return apply_row(row, array, scalar);
}

/// Stores values at positions, of one axis, of the flattened array, of any layout.
void store_flat(const Array& array, Array places, const Array& values, const char* name) {
    IndexedElements elements;
    elements.array = array;
    elements.base = array.view(Layout());
    elements.shape = places.shape();
    elements.strides = {0};
    const auto add = [&](const Array& index, int64_t extent, int64_t stride, int axis) {
        elements.add(index, index.strides(), extent, stride, axis);
    };
    if (overlaps(places, array)) places = copy(places, 'C');
    if (array.is_c_contiguous()) {
        add(places, array.size(), item_size(array.dtype()), 0);
    } else {
        // The last quotient does not wrap: what is out of bounds stays so.
        for (int axis = array.ndim() - 1; axis > 0; --axis) {
            add(computed_with(row::remainder, places, array.shape()[axis]), array.shape()[axis], array.strides()[axis],
                axis);
            places = computed_with(row::floor_divide, places, array.shape()[axis]);
        }
        add(places, array.shape()[0], array.strides()[0], 0);
    }
    scatter(elements, values, name);
}

void check_target(const OutputArray& target, const char* name) {
    if (!target.array.is_writable()) raise(ErrorKind::Value, name, ": the array is read-only");
}

/// A number of C++ as an element of the target's dtype; OverflowError if it does not fit.
StoredValues fitted(const Weak& number, const OutputArray& target) {
    return convert(number, target.array.dtype(), "assignment");
}

/// The values as an array on the target's device.
Array values_beside(const OutputArray& target, const StoredValues& values) {
    if (values.number) return full({}, convert(*values.number, target.array.dtype()), target.array.device());
    warn_of_lost_imaginary_part(values.array.dtype(), target.array.dtype());
    return to_device(values.array, target.array.device());
}

/// Values with a dtype of their own, in which they fit there for certain.
Array safe_values_beside(const OutputArray& target, const StoredValues& values, const char* name) {
    const DType from = values.number ? DType::none : values.array.dtype(), to = target.array.dtype();
    if (!values.number && values.has_dtype && !can_cast(from, to, Casting::Safe))
        raise(ErrorKind::Type, name, ": cannot cast values from ", info(from).name, " to ", info(to).name,
              " with casting rule 'safe'");
    return values_beside(target, values);
}

/// The mask in the target's shape.
Array mask_of_target(const OutputArray& target, const IndexArray& mask, const char* name) {
    check_target(target, name);
    if (mask.array.size() != target.array.size())
        raise(ErrorKind::Value, name, ": mask and data must be the same size, not ", mask.array.size(), " and ",
              target.array.size());
    return as_mask(mask.array).reshape(target.array.shape());
}

/// Stores the only element of an array where a mask is true.
void fill_with_one(const Array& array, const Array& mask, const Array& one, const char* name) {
    if (const std::optional<Scalar> element = element_now(one))
        fill_where(array, mask, convert(*element, array.dtype()), name);
    else
        assign_where(array, mask, one.reshape({}), name);
}

}  // namespace

Array take(const Array& a, const IndexArray& indices, std::optional<int64_t> axis, Array* out, Outside mode) {
    Array integers, line;
    const Array& places = as_integers(indices, integers, "take");
    if (!axis) return take_along(flattened_array(a, line), places, 0, out, mode);
    const Array& array = a.ndim() == 0 ? line = a.reshape({1}) : a;
    return take_along(array, places, normalise_axis(*axis, array.ndim(), "take"), out, mode);
}

Array take_along_axis(const Array& arr, const IndexArray& indices, std::optional<int64_t> axis) {
    constexpr char name[] = "take_along_axis";
    const Array array = axis ? arr : flattened_array(arr);
    const int line = normalise_axis(axis.value_or(0), array.ndim(), name);
    return gather(places_along(array, integers_along(indices, name), line, false, name), Outside::Raise, name);
}

Array compress(const IndexArray& condition, const Array& a, std::optional<int64_t> axis, Array* out) {
    if (condition.array.ndim() != 1)
        raise(ErrorKind::Value, "compress: condition must have one axis, not ", condition.array.ndim());
    if (!axis && !out && condition.array.size() == a.size())
        return at_mask(flattened_array(a), as_mask(condition.array));
    return take(a, flatnonzero(condition.array), axis, out);
}

Array extract(const IndexArray& condition, const Array& arr) {
    const Array mask = flattened_array(as_mask(condition.array));
    return mask.size() == arr.size() ? at_mask(flattened_array(arr), mask) : take(arr, flatnonzero(mask));
}

std::vector<Array> nonzero(const Array& a) {
    if (a.ndim() == 0)
        raise(ErrorKind::Value, "nonzero: an array without axes has no coordinates; use atleast_1d(x).nonzero()");
    const Array coordinates = nonzero_coordinates(a);
    const int64_t apart = coordinates.strides()[0];
    std::vector<Array> axes;
    for (int d = 0; d < a.ndim(); ++d)
        axes.push_back(coordinates.view({{coordinates.shape()[1]}, {coordinates.strides()[1]}},
                                        coordinates.is_empty() ? 0 : d * apart));
    return axes;
}

Array argwhere(const Array& a) {
    if (a.ndim() > 0) return nonzero_coordinates(a).transpose({1, 0});
    const Array count = nonzero_coordinates(a.reshape({1}));
    return empty({count.shape()[1], 0}, DType::int64, a.device());
}

Array flatnonzero(const Array& a) {
    const Array coordinates = nonzero_coordinates(flattened_array(a));
    return coordinates.reshape({coordinates.shape()[1]});
}

void put(const OutputArray& a, const IndexArray& ind, const StoredValues& v, Outside mode) {
    check_target(a, "put");
    if (v.weak) return put(a, ind, fitted(*v.weak, a), mode);
    Array integers, line;
    const Array& indices = flattened_array(as_integers(ind, integers, "put"), line);
    const int64_t size = a.array.size();
    if (!indices.is_empty() && size == 0)
        raise(ErrorKind::Index, "put: no positions in an empty array of shape ", to_string(a.array.shape()));
    FewRows rows;
    const bool are_few = a.array.ndim() == 1 && rows.find(a.array, indices, mode);
    const auto write_few = [&](const void* from, int64_t apart) {
        before_write(a.array.storage());
        rows.write(static_cast<const char*>(from), apart);
    };
    if (are_few && v.number) return write_few(convert(*v.number, a.array.dtype()).bytes, 0);
    const Array values = flattened_array(values_beside(a, v));
    if (indices.is_empty() || values.is_empty()) return;
    const Array stored = astype(cycled(values, indices.size()), a.array.dtype(), 'K', false);
    if (const char* const from = are_few && !overlaps(stored, a.array) ? direct_data(stored) : nullptr)
        return write_few(from, stored.size() == 1 ? 0 : stored.strides()[0]);
    Array places = as_positions(indices, a.array, "put");
    if (mode == Outside::Wrap) places = computed_with(row::remainder, places, size);
    if (mode == Outside::Clip) places = computed_with(row::minimum, computed_with(row::maximum, places, 0), size - 1);
    store_flat(a.array, places, stored, "put");
}

void put_along_axis(const OutputArray& arr, const IndexArray& indices, const StoredValues& values,
                    std::optional<int64_t> axis) {
    constexpr char name[] = "put_along_axis";
    check_target(arr, name);
    if (values.weak) return put_along_axis(arr, indices, fitted(*values.weak, arr), axis);
    const Array& array = arr.array;
    const int line = axis ? normalise_axis(*axis, array.ndim(), name) : 0;
    const Array& places = integers_along(indices, name);
    const Array stored = values_beside(arr, values);
    if (axis) return scatter(places_along(array, places, line, true, name), stored, name);
    if (places.ndim() != 1)
        raise(ErrorKind::Value, name, ": with axis=None the indices must have one axis, not ", places.ndim());
    if (array.ndim() == 0) return put_along_axis(array.reshape({1}), indices, values, 0);
    store_flat(array, as_positions(places, array, name), stored, name);
}

void place(const OutputArray& arr, const IndexArray& mask, const StoredValues& vals) {
    const Array places = mask_of_target(arr, mask, "place");
    if (vals.weak) return place(arr, mask, fitted(*vals.weak, arr));
    if (vals.number) return fill_where(arr.array, places, *vals.number, "place");
    const Array values = flattened_array(safe_values_beside(arr, vals, "place"));
    if (values.size() == 1) return fill_with_one(arr.array, places, values, "place");
    int64_t count;
    const Scalar counted = item(reduce(reduction::count_nonzero, places, {}), "place");
    std::memcpy(&count, counted.bytes, sizeof count);
    if (count == 0) return;
    if (values.is_empty()) raise(ErrorKind::Value, "place: there is no value for ", count, " true elements");
    Index index;
    index.kind = Index::Kind::Array;
    index.array = &places;
    assign_at(arr.array, {&index, 1}, cycled(values, count));
}

void putmask(const OutputArray& a, const IndexArray& mask, const StoredValues& values) {
    const Array places = mask_of_target(a, mask, "putmask");
    if (values.weak) return putmask(a, mask, fitted(*values.weak, a));
    if (values.number) return fill_where(a.array, places, *values.number, "putmask");
    const Array all = safe_values_beside(a, values, "putmask");
    if (all.is_empty() || a.array.is_empty()) return;
    if (all.size() == 1) return fill_with_one(a.array, places, all, "putmask");
    const bool fits = all.shape() == a.array.shape();
    const Array stored = fits ? all : cycled(flattened_array(all), a.array.size()).reshape(a.array.shape());
    assign_where(a.array, places, stored, "putmask");
}

void copyto(const OutputArray& dst, const CopySource& src, Casting casting, const WhereMask& where) {
    constexpr char name[] = "copyto";
    const Array& to = dst.array;
    check_target(dst, name);
    const DType from = src.weak ? default_dtype(src.weak->kind) : src.type().dtype;
    if (!may_pass(src.type(), to.dtype(), casting))
        raise(ErrorKind::Type, name, ": cannot cast from ", info(from).name, " to ", info(to.dtype()).name,
              " by the rule '", to_string(casting), "'");
    const bool has_mask = where.array.defined();
    if (has_mask && where.has_dtype && where.array.dtype() != DType::bool_)
        raise(ErrorKind::Type, name, ": where= takes a bool array, not ", info(where.array.dtype()).name);
    const Array mask = has_mask ? as_mask(where.array) : Array();
    if (!src.array) {
        const bool fits = src.weak && may_pass(src.type(), to.dtype(), Casting::No);
        const Scalar value = src.scalar ? convert(*src.scalar, to.dtype())
                             : fits     ? convert(*src.weak, to.dtype(), name)
                                        : convert(convert(*src.weak, from, name), to.dtype());
        return has_mask ? fill_where(to, mask, value, name) : fill(to, value, name);
    }
    if (!has_mask) return transfer(to, *src.array, name);
    if (src.array->device() == to.device()) return assign_where(to, mask, *src.array, name);
    assign_where(to, mask, to_device(astype(*src.array, to.dtype(), 'K', false), to.device()), name);
}

void fill_diagonal(const OutputArray& a, const StoredValues& val, bool wrap) {
    constexpr char name[] = "fill_diagonal";
    check_target(a, name);
    if (val.weak) return fill_diagonal(a, fitted(*val.weak, a), wrap);
    const Array& array = a.array;
    const Dims& shape = array.shape();
    if (array.ndim() < 2)
        raise(ErrorKind::Value, name, ": the array has ", array.ndim(), " axes and at least 2 are needed");
    if (array.ndim() > 2 && std::ranges::count(shape, shape[0]) != array.ndim())
        raise(ErrorKind::Value, name, ": all dimensions must be of equal length, not ", to_string(shape));
    int64_t along = 0;
    for (const int64_t stride : array.strides()) along += stride;
    const int64_t rows = shape[0], columns = shape[1];
    const int64_t last = wrap && array.ndim() == 2 ? rows : std::min<int64_t>(rows, 1);
    int64_t total = 0;
    for (int64_t top = 0; top < last; top += columns + 1) total += std::min(rows - top, columns);
    const Array values = val.number ? Array() : flattened_array(values_beside(a, val));
    if (total == 0 || (values.defined() && values.is_empty())) return;
    const Array all = values.defined() ? cycled(values, total) : Array();
    int64_t done = 0;
    for (int64_t top = 0; top < last; top += columns + 1) {
        const int64_t length = std::min(rows - top, columns);
        const Array line = array.view({{length}, {along}}, top * array.strides()[0]);
        if (!all.defined())
            fill(line, *val.number, name);
        else if (all.size() == 1)
            assign(line, all, name);
        else
            assign(line, all.view({{length}, all.strides()}, done * all.strides()[0]), name);
        done += length;
    }
}

}  // namespace cuarray
