// coordinates.cpp -- unravel_index and ravel_multi_index: numbers and few positions by the caller, others by ufuncs;
// coordinates of grids and triangles.
#include "cuarray/ops/coordinates.h"
#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>
#include "cuarray/array/elements.h"
#include "cuarray/array/pending.h"
#include "cuarray/ops/creation.h"
#include "cuarray/ops/reduction.h"
#include "cuarray/ops/selection.h"
#include "cuarray/ops/shaping.h"
#include "cuarray/ops/ufunc.h"
#include "cuarray/runtime/registry.h"
#include "ops/order.h"

namespace cuarray {
namespace {

/// So many positions are converted by the caller.
constexpr int64_t kFewPositions = 1 << 14;

Scalar int64_scalar(int64_t number) { return Scalar::of(DType::int64, number); }

/// A number of a position; empty for an array. TypeError for what is no integer.
std::optional<int64_t> position_number(const Argument& one, const char* function) {
    const std::optional<Weak>& weak = one.weak;
    const std::optional<Scalar>& scalar = one.scalar;
    if (!weak && !scalar) return {};
    if (scalar ? scalar->dtype != DType::int64 : weak->kind != Weak::Kind::Int || weak->big)
        raise(ErrorKind::Type, function, ": only integers are permitted");
    if (weak) return !weak->negative && weak->integer > uint64_t(INT64_MAX) ? INT64_MIN : int64_t(weak->integer);
    int64_t number;
    std::memcpy(&number, scalar->bytes, sizeof number);
    return number;
}

/// Positions as int64; TypeError for others.
Array positions_of(const Array& array, const char* function) {
    const Kind kind = info(array.dtype()).kind;
    if (kind != Kind::Signed && kind != Kind::Unsigned)
        raise(ErrorKind::Type, function, ": only integers are permitted, not ", info(array.dtype()).name);
    return astype(array, DType::int64, 'K', false);
}

/// A few int64 in C order that the caller may read now; null for others.
const int64_t* few_positions(const Array& array) {
    if (array.dtype() != DType::int64 || array.size() > kFewPositions || !array.is_c_contiguous()) return nullptr;
    const char* const data = direct_data(array);
    return reinterpret_cast<uintptr_t>(data) % alignof(int64_t) ? nullptr : reinterpret_cast<const int64_t*>(data);
}

int64_t extreme(ReductionId row, const Array& positions, const char* function) {
    int64_t number;
    std::memcpy(&number, item(reduce(row, positions, {}), function).bytes, sizeof number);
    return number;
}

/// ValueError where a position is not in 0..extent-1.
template <class... Words>
void check_inside(int64_t least, int64_t most, int64_t extent, const char* function, const Words&... words) {
    if (least < 0 || most >= extent)
        raise(ErrorKind::Value, function, words..., ": ", least < 0 ? least : most, " with size ", extent);
}

/// The steps in elements of a contiguous array.
Dims element_strides(const Dims& shape, char order, const char* function) {
    check_order(order, "CF", function);
    for (const int64_t extent : shape)
        if (extent < 0) raise(ErrorKind::Value, function, ": negative dimensions are not allowed: ", to_string(shape));
    Dims steps = Dims::filled(shape.size(), 1);
    int64_t step = 1;
    if (std::ranges::count(shape, 0)) return steps;  // there are no positions
    for (int k = 0; k < shape.size(); ++k) {
        const int d = order == 'F' ? k : shape.size() - 1 - k;
        steps[d] = step;
        if (__builtin_mul_overflow(step, shape[d], &step))
            raise(ErrorKind::Value, function, ": the product of dims ", to_string(shape), " does not fit int64");
    }
    return steps;
}

/// A coordinate that is put inside the bounds; `mode` is not Raise.
int64_t moved_inside(int64_t position, int64_t extent, Outside mode) {
    if (uint64_t(position) < uint64_t(extent)) return position;
    if (mode == Outside::Clip) return position < 0 ? 0 : extent - 1;
    return (position % extent + extent) % extent;
}

/// Zeros in the shape of a few coordinates, which have one shape along all axes; an empty handle for others.
Array zeros_for_few(const ArgumentList& multi_index) {
    const Array* first = nullptr;
    for (const Argument& one : multi_index) {
        if (!one.array) continue;
        if (!few_positions(*one.array) || one.array->is_empty()) return {};
        if (first && !(one.array->shape() == first->shape())) return {};
        if (!first) first = one.array;
    }
    if (!first) return {};
    Array sums = empty(first->shape(), DType::int64, first->device());
    char* const to = direct_data(sums);
    if (!to) return {};
    std::memset(to, 0, size_t(sums.nbytes()));
    return sums;
}

/// Adds the terms of a few coordinates along an axis; false if the rule is Raise and one is out of bounds.
bool add_terms(const int64_t* places, int64_t extent, int64_t step, Outside rule, const Array& sums) {
    auto* const to = reinterpret_cast<int64_t*>(direct_data(sums));
    const int64_t n = sums.size();
    if (rule != Outside::Raise) {
        for (int64_t i = 0; i < n; ++i) to[i] += moved_inside(places[i], extent, rule) * step;
        return true;
    }
    bool is_inside = true;
    for (int64_t i = 0; i < n; ++i) {
        is_inside &= uint64_t(places[i]) < uint64_t(extent);
        to[i] = int64_t(uint64_t(to[i]) + uint64_t(places[i]) * uint64_t(step));
    }
    return is_inside;
}

/// Writes the coordinates of positions inside of a shape to `to`, an array per axis. The axis of the largest step takes
/// the quotients of the others. A `Number` holds every position; division of short ones is faster.
template <class Number>
void divide_by_extents(const int64_t* from, int64_t n, const Dims& shape, char order, int64_t* const* to) {
    const int ndim = shape.size();
    if (ndim == 0) return;
    const auto axis = [&](int k) { return order == 'F' ? k : ndim - 1 - k; };
    int64_t* const rest = to[axis(ndim - 1)];
    std::copy(from, from + n, rest);
    for (int k = 0; k < ndim - 1; ++k) {
        const auto extent = Number(shape[axis(k)]);
        int64_t* const along = to[axis(k)];
        for (int64_t i = 0; i < n; ++i) {
            const auto number = Number(rest[i]), quotient = Number(number / extent);
            along[i] = int64_t(number - quotient * extent);
            rest[i] = int64_t(quotient);
        }
    }
}

}  // namespace

std::vector<ArrayOrNumber> unravel_index(const Argument& indices, const Dims& shape, char order) {
    constexpr const char* kName = "unravel_index";
    constexpr const char* kOutside = ": a position is out of bounds for the array";
    const Dims steps = element_strides(shape, order, kName);
    const int64_t elements = count(shape);
    std::vector<ArrayOrNumber> coordinates;
    coordinates.reserve(size_t(shape.size()));
    if (const auto number = position_number(indices, kName)) {
        check_inside(*number, *number, elements, kName, kOutside);
        for (int d = 0; d < shape.size(); ++d) coordinates.emplace_back(int64_scalar(*number / steps[d] % shape[d]));
        return coordinates;
    }
    const Array positions = positions_of(*indices.array, kName);
    if (shape.empty() && positions.ndim()) raise(ErrorKind::Value, kName, ": an array without axes takes one position");
    const int64_t n = positions.size();
    if (const int64_t* const from = few_positions(positions)) {
        if (n)
            check_inside(*std::min_element(from, from + n), *std::max_element(from, from + n), elements, kName,
                         kOutside);
        Few<int64_t*, 4> to;
        for (int d = 0; d < shape.size(); ++d) {
            Array along = empty(positions.shape(), DType::int64, positions.device());
            to.push_back(reinterpret_cast<int64_t*>(direct_data(along)));
            coordinates.emplace_back(std::move(along));
        }
        if (std::find(to.begin(), to.end(), nullptr) == to.end()) {
            if (elements <= INT64_C(0xffffffff))
                divide_by_extents<uint32_t>(from, n, shape, order, to.data());
            else
                divide_by_extents<uint64_t>(from, n, shape, order, to.data());
            return coordinates;
        }
        coordinates.clear();
    } else if (n) {
        check_inside(extreme(reduction::min, positions, kName), extreme(reduction::max, positions, kName), elements,
                     kName, kOutside);
    }
    for (int d = 0; d < shape.size(); ++d) {
        const Scalar step = int64_scalar(steps[d]), extent = int64_scalar(shape[d]);
        coordinates.emplace_back(apply_row(row::remainder, apply_row(row::floor_divide, positions, step), extent));
    }
    return coordinates;
}

ArrayOrNumber ravel_multi_index(const ArgumentList& multi_index, const Dims& dims, const Few<Outside, 4>& mode,
                                char order) {
    constexpr const char* kName = "ravel_multi_index";
    const int n = dims.size();
    if (int64_t(multi_index.size()) != n)
        raise(ErrorKind::Value, kName, ": ", n, " arrays are needed, one per axis, not ", multi_index.size());
    if (mode.size() != 1 && int64_t(mode.size()) != n)
        raise(ErrorKind::Value, kName, ": ", mode.size(), " modes for ", n, " axes");
    const Dims steps = element_strides(dims, order, kName);
    const bool is_empty =
        std::ranges::any_of(multi_index, [](const Argument& one) { return one.array && one.array->is_empty(); });
    if (!is_empty && std::ranges::count(dims, 0))
        raise(ErrorKind::Value, kName, ": there are no positions in an array of shape ", to_string(dims));
    int64_t number = 0;  // the sum of the terms that are numbers
    const Array few = zeros_for_few(multi_index);
    std::optional<Array> result;
    for (int d = 0; d < n; ++d) {
        const Outside rule = mode[mode.size() == 1 ? 0 : size_t(d)];
        const auto check = [&](int64_t least, int64_t most) {
            check_inside(least, most, dims[d], kName, ": invalid entry in coordinates array of axis ", d);
        };
        if (auto place = position_number(multi_index[size_t(d)], kName)) {
            if (rule == Outside::Raise && !is_empty) check(*place, *place);
            if (rule != Outside::Raise && dims[d]) place = moved_inside(*place, dims[d], rule);
            number += *place * steps[d];
            continue;
        }
        if (few.defined()) {
            const int64_t* const places = few_positions(*multi_index[size_t(d)].array);
            if (!add_terms(places, dims[d], steps[d], rule, few))
                check(*std::min_element(places, places + few.size()), *std::max_element(places, places + few.size()));
            continue;
        }
        Array places = positions_of(*multi_index[size_t(d)].array, kName);
        if (rule == Outside::Raise) {
            if (!is_empty) check(extreme(reduction::min, places, kName), extreme(reduction::max, places, kName));
        } else if (rule == Outside::Wrap) {
            places = apply_row(row::remainder, places, int64_scalar(dims[d]));
        } else {
            const Array positive = apply_row(row::maximum, places, int64_scalar(0));
            places = apply_row(row::minimum, positive, int64_scalar(dims[d] - 1));
        }
        const Array term = apply_row(row::multiply, places, int64_scalar(steps[d]));
        result = result ? apply_row(row::add, *result, term) : term;
    }
    if (few.defined()) {
        auto* const sums = reinterpret_cast<int64_t*>(direct_data(few));
        for (int64_t i = 0; number && i < few.size(); ++i) sums[i] += number;
        return few;
    }
    if (!result) return int64_scalar(number);
    return number ? apply_row(row::add, *result, int64_scalar(number)) : *result;
}

std::variant<Array, std::vector<Array>> indices(const Dims& dimensions, DType dtype, bool sparse,
                                                const std::optional<Device>& device) {
    const int ndim = dimensions.size();
    if (std::ranges::any_of(dimensions, [](int64_t extent) { return extent < 0; }))
        raise(ErrorKind::Value, "indices: negative dimensions are not allowed: ", to_string(dimensions));
    const Device on = device ? *device : current_device();
    Dims shape{ndim};
    for (const int64_t extent : dimensions) shape.push_back(extent);
    Array grid;
    if (!sparse) grid = empty(shape, dtype == DType::none ? DType::float64 : dtype, on);  // as NumPy, of None
    std::vector<Array> axes;
    for (int axis = 0; axis < ndim; ++axis) {
        Dims along = Dims::filled(ndim, 1);
        along[axis] = dimensions[axis];
        axes.push_back(functions::arange(PlainNumber(0), PlainNumber(dimensions[axis]), {}, dtype, on).reshape(along));
    }
    if (sparse) return axes;
    const int64_t apart = ndim ? grid.strides()[0] : 0;
    for (int axis = 0; axis < ndim; ++axis) {
        Layout points{dimensions, {}};
        for (int k = 0; k < ndim; ++k) points.strides.push_back(grid.strides()[k + 1]);
        assign(grid.view(std::move(points), axis * apart), axes[size_t(axis)], "indices");
    }
    return grid;
}

std::vector<Array> meshgrid(const ArrayList& xi, bool copy, bool sparse, GridIndexing indexing) {
    const int ndim = int(xi.size());
    std::vector<Array> lines;
    lines.reserve(size_t(ndim));
    for (int i = 0; i < ndim; ++i) {
        const int axis = indexing == GridIndexing::XY && ndim > 1 && i < 2 ? 1 - i : i;
        Dims shape = Dims::filled(ndim, 1);
        shape[axis] = xi[size_t(i)]->size();
        lines.push_back(xi[size_t(i)]->reshape(shape));
    }
    std::vector<Array> grids = sparse ? std::move(lines) : broadcast_arrays(lines);
    if (copy)
        for (Array& grid : grids) grid = cuarray::copy(grid);
    return grids;
}

std::vector<Array> ix_(const IndexList& args) {
    std::vector<Array> lines;
    for (size_t k = 0; k < args.size(); ++k) {
        Array line = args[k].array;
        if (line.ndim() != 1)
            raise(ErrorKind::Value, "ix_: argument ", k, " has ", line.ndim(), " axes; each must have one");
        if (line.is_empty() && !args[k].has_dtype) line = astype(line, DType::int64);
        if (line.dtype() == DType::bool_) line = nonzero(line)[0];
        Dims shape = Dims::filled(int(args.size()), 1);
        shape[int(k)] = line.size();
        lines.push_back(line.reshape(shape));
    }
    return lines;
}

std::vector<Array> diag_indices(const std::optional<PlainNumber>& n, int64_t ndim) {
    const Array line = arange(n);
    return std::vector<Array>(size_t(std::max<int64_t>(ndim, 0)), line);
}

std::vector<Array> diag_indices_from(const Array& arr) {
    constexpr char name[] = "diag_indices_from";
    const Dims& shape = arr.shape();
    if (arr.ndim() < 2)
        raise(ErrorKind::Value, name, ": the array has ", arr.ndim(), " axes and at least 2 are needed");
    if (std::ranges::count(shape, shape[0]) != arr.ndim())
        raise(ErrorKind::Value, name, ": all dimensions must be of equal length, not ", to_string(shape));
    return std::vector<Array>(size_t(arr.ndim()), arange({}, shape[0], {}, DType::none, arr.device()));
}

namespace {

/// The coordinates of the lower triangle of a matrix, or of all that is above it.
std::vector<Array> triangle_indices(const Length& rows, const std::optional<Length>& columns, int64_t k, bool is_upper,
                                    const std::optional<Device>& device) {
    if (is_upper) k = std::max(k, -INT64_MAX) - 1;
    const Array lower = tri(rows, columns, k, DType::bool_, device);
    return nonzero(is_upper ? apply_row(row::logical_not, lower) : lower);
}

std::vector<Array> triangle_indices_from(const Array& matrix, int64_t k, bool is_upper, const char* function) {
    if (matrix.ndim() != 2)
        raise(ErrorKind::Value, function, ": the array has ", matrix.ndim(), " axes and 2 are needed");
    return triangle_indices(matrix.shape()[0], matrix.shape()[1], k, is_upper, matrix.device());
}

}  // namespace

std::vector<Array> tril_indices(const Length& n, int64_t k, const std::optional<Length>& m) {
    return triangle_indices(n, m, k, false, {});
}
std::vector<Array> triu_indices(const Length& n, int64_t k, const std::optional<Length>& m) {
    return triangle_indices(n, m, k, true, {});
}
std::vector<Array> tril_indices_from(const Array& arr, int64_t k) {
    return triangle_indices_from(arr, k, false, "tril_indices_from");
}
std::vector<Array> triu_indices_from(const Array& arr, int64_t k) {
    return triangle_indices_from(arr, k, true, "triu_indices_from");
}

}  // namespace cuarray
