// joining.cpp -- arrays joined: few elements by the caller, others part by part; and views of parts.
#include "cuarray/ops/joining.h"
#include <unistd.h>
#include <algorithm>
#include <optional>
#include <utility>
#include "core/copy_run.h"
#include "cuarray/array/elements.h"
#include "cuarray/core/expr.h"
#include "cuarray/core/table.h"
#include "cuarray/ops/shaping.h"
#include "cuarray/runtime/registry.h"
#include "ops/packed.h"
#include "ops/require_axes.h"
#include "runtime/hooks.h"

namespace cuarray {
namespace {

/// So many bytes are written by the caller's thread, in so many pieces.
constexpr int64_t kMostBytes = 1 << 23, kMostPieces = 1 << 14;

/// The arrays beside each other along an axis of that shape, in which they may lack the axis, written by the caller; an
/// empty handle where they are many, or not in C order.
Array join_few(const ArrayList& arrays, const Dims& shape, int axis, DType dtype) {
    const int64_t item = item_size(dtype);
    int64_t lines = 1, elements = 0;
    for (int d = 0; d < axis; ++d) lines *= shape[d];
    if (lines != 1 && lines * int64_t(arrays.size()) > kMostPieces) return {};
    bool is_by_columns = axis > 0;  // then the result is, too
    Few<const char*, 8> sources;
    for (const Array* const member : arrays) {
        const Array& array = *member;
        sources.push_back(array.is_c_contiguous() ? direct_data(array) : nullptr);
        if (!sources.back() || (array.dtype() != dtype && !is_aligned(array))) return {};
        elements += array.size();
        is_by_columns = is_by_columns && array.ndim() == shape.size() && array.is_f_contiguous();
    }
    if (is_by_columns || elements > kMostBytes / item) return {};
    Array result = empty(shape, dtype, arrays[0]->device());
    char* first = direct_data(result);  // of the part of the first line that the array fills
    if (!first) return {};
    const int64_t apart = lines > 1 ? elements * item / lines : 0;
    for (size_t k = 0; k < arrays.size(); ++k) {
        const Array& array = *arrays[k];
        const char* const from = sources[k];
        const int64_t count = lines > 1 ? array.size() / lines : lines * array.size(),
                      from_item = item_size(array.dtype());
        if (array.dtype() != dtype)
            for (int64_t line = 0; line < lines; ++line)
                result.storage().front().direct()->cast(array.dtype(), dtype, from + line * count * from_item,
                                                        first + line * apart, count);
        else
            copy_runs(first, apart, from, count * item, lines, count * item);
        first += count * item;
    }
    return result;
}

/// The dtype of a result; TypeError where an array cannot be cast to it.
DType joined_dtype(const ArrayList& arrays, const Array* out, DType dtype, Casting casting) {
    DType common = out ? out->dtype() : dtype;
    if (common == DType::none) {
        common = arrays[0]->dtype();
        if (std::ranges::all_of(arrays, [=](const Array* a) { return a->dtype() == common; })) return common;
        Few<ArgType, 8> types;
        for (const Array* const a : arrays) types.push_back({a->dtype(), {}});
        common = result_type(types);
    }
    for (const Array* const a : arrays) {
        if (a->dtype() == common) continue;
        if (!can_cast(a->dtype(), common, casting))
            raise(ErrorKind::Type, "concatenate: cannot cast from ", info(a->dtype()).name, " to ",
                  out ? "out= of " : "", info(common).name, " with casting rule '", to_string(casting), "'");
        warn_of_lost_imaginary_part(a->dtype(), common);
    }
    return common;
}

Array join(const ArrayList& arrays, int64_t axis, Array* out, DType dtype, Casting casting) {
    if (out && dtype != DType::none) raise(ErrorKind::Type, "concatenate: give out or dtype, not both");
    if (arrays.empty()) raise(ErrorKind::Value, "concatenate: need at least one array");
    const int ndim = arrays[0]->ndim();
    if (ndim == 0) raise(ErrorKind::Value, "concatenate: zero-dimensional arrays cannot be concatenated");
    const int along = normalise_axis(axis, ndim, "concatenate");
    Dims shape = arrays[0]->shape();
    shape[along] = 0;
    for (const Array* const member : arrays) {
        const Array& a = *member;
        if (!(a.device() == arrays[0]->device()))
            raise(ErrorKind::Value, "concatenate: arrays are on ", to_string(arrays[0]->device()), " and ",
                  to_string(a.device()), "; move one with .to_device(...)");
        if (a.ndim() != ndim)
            raise(ErrorKind::Value, "concatenate: all arrays must have the same number of dimensions, got ", ndim,
                  " and ", a.ndim());
        for (int i = 0; i < ndim; ++i)
            if (i != along && a.shape()[i] != shape[i])
                raise(ErrorKind::Value, "concatenate: shapes ", to_string(arrays[0]->shape()), " and ",
                      to_string(a.shape()), " differ along axis ", i);
        if (__builtin_add_overflow(shape[along], a.shape()[along], &shape[along]))
            raise(ErrorKind::Value, "concatenate: the extents along axis ", along, " add up to more than int64 counts");
    }
    if (out && !(out->shape() == shape))
        raise(ErrorKind::Value, "concatenate: out= has shape ", to_string(out->shape()), ", the result ",
              to_string(shape));
    const DType common = joined_dtype(arrays, out, dtype, casting);
    if (out && !out->is_writable()) raise(ErrorKind::Value, "concatenate: output array is read-only");
    if (!out)
        if (Array few = join_few(arrays, shape, along, common); few.defined()) return few;
    std::vector<const Dims*> strides;
    for (const Array* const a : arrays) strides.push_back(&a->strides());
    Array result = out ? *out : empty_in_order(shape, memory_order(shape, strides), common, arrays[0]->device());
    std::vector<Array> sources;
    for (const Array* const a : arrays) sources.push_back(*a);
    if (out)
        for (Array& a : sources)
            if (overlaps(a, result)) a = copy(a, 'K');
    int64_t at = 0;
    for (const Array& a : sources) {
        assign(result.view({a.shape(), result.strides()}, at * result.strides()[along]), a, "concatenate");
        at += a.shape()[along];
    }
    return result;
}

/// The arrays joined as `changed` makes them, which changes none of so many axes.
template <class Function>
Array join_with_axes(const ArrayList& arrays, int ndim, Function changed, int64_t axis, DType dtype = DType::none,
                     Casting casting = Casting::SameKind) {
    if (std::ranges::all_of(arrays, [=](const Array* a) { return a->ndim() >= ndim; }))
        return join(arrays, axis, nullptr, dtype, casting);
    std::vector<Array> made;
    made.reserve(arrays.size());
    for (const Array* const array : arrays) made.push_back(changed(*array));
    return join(made, axis, nullptr, dtype, casting);
}

/// The elements of arrays, each as one of one axis; numbers take the dtype of the result. New arrays are in `made`.
ArrayList flattened(const ArgumentList& given, const Array* out, DType dtype, std::vector<Array>& made) {
    Few<ArgType, 8> types;
    std::optional<Device> device;
    for (const Argument& one : given) {
        if (one.array && !device) device = one.array->device();
        types.push_back(one.type());
    }
    ArrayList flat;
    made.reserve(given.size());  // so that none moves
    const auto is_held = [](const Weak& number, DType by) {
        const Kind kind = info(by).kind;
        return number.kind == Weak::Kind::Int     ? kind != Kind::Bool
               : number.kind == Weak::Kind::Float ? kind >= Kind::Floating
                                                  : kind == Kind::Complex;
    };
    for (const Argument& one : given) {
        if (one.array) {
            flat.push_back(one.array->ndim() == 1 ? one.array : &made.emplace_back(ravel(*one.array)));
            continue;
        }
        const DType common = result_type(types), wanted = out ? out->dtype() : dtype != DType::none ? dtype : common;
        const std::optional<Weak>& weak = one.weak;
        const Scalar number = weak ? convert(*weak, is_held(*weak, wanted) ? wanted : common, "concatenate")
                                   : convert(*one.scalar, common);
        flat.push_back(&made.emplace_back(full({1}, number, device ? *device : current_device())));
    }
    return flat;
}

bool are_lines(const ArrayList& arrays) {
    return std::ranges::all_of(arrays,
                               [&](const Array* a) { return a->ndim() == 1 && a->size() == arrays[0]->size(); });
}

Array part_along(const Array& array, int axis, int64_t begin, int64_t end) {
    const int64_t extent = array.shape()[axis];
    const auto place = [extent](int64_t at) { return std::clamp<int64_t>(at < 0 ? at + extent : at, 0, extent); };
    Layout layout = array.layout();
    layout.shape[axis] = std::max<int64_t>(place(end) - place(begin), 0);
    const bool is_empty = count(layout.shape) == 0;
    return array.view(std::move(layout), is_empty ? 0 : place(begin) * array.strides()[axis]);
}

}  // namespace

Array concat(const ArgumentList& arrays, std::optional<int64_t> axis, Array* out, DType dtype, Casting casting) {
    std::vector<Array> made;
    if (!axis) return join(flattened(arrays, out, dtype, made), 0, out, dtype, casting);
    ArrayList members;
    for (const Argument& one : arrays) {
        if (!one.array) raise(ErrorKind::Value, "concatenate: zero-dimensional arrays cannot be concatenated");
        members.push_back(one.array);
    }
    return join(members, *axis, out, dtype, casting);
}

Array stack(const ArrayList& arrays, int64_t axis, Array* out, DType dtype, Casting casting) {
    if (arrays.empty()) raise(ErrorKind::Value, "stack: at least one array is needed");
    const Array& first = *arrays[0];
    for (const Array* const a : arrays)
        if (!(a->shape() == first.shape()))
            raise(ErrorKind::Value, "stack: shapes ", to_string(first.shape()), " and ", to_string(a->shape()),
                  " differ");
    const int along = normalise_axis(axis, first.ndim() + 1, "stack");
    if (!out && first.ndim() < kMaxDims) {
        Dims shape = first.shape();
        shape.insert(along, int64_t(arrays.size()));
        if (Array few = join_few(arrays, shape, along, joined_dtype(arrays, out, dtype, casting)); few.defined())
            return few;
    }
    std::vector<Array> layers;
    for (const Array* const a : arrays) layers.push_back(expand_dims(*a, {along}));
    return join(layers, along, out, dtype, casting);
}

Array vstack(const ArrayList& tup, DType dtype, Casting casting) {
    if (!tup.empty() && are_lines(tup)) return stack(tup, 0, nullptr, dtype, casting);
    return join_with_axes(tup, 2, atleast_2d, 0, dtype, casting);
}

Array hstack(const ArrayList& tup, DType dtype, Casting casting) {
    return join_with_axes(tup, 1, atleast_1d, !tup.empty() && tup[0]->ndim() > 1, dtype, casting);
}

Array dstack(const ArrayList& tup) { return join_with_axes(tup, 3, atleast_3d, 2); }

Array column_stack(const ArrayList& tup) {
    if (!tup.empty() && are_lines(tup)) return stack(tup, 1);
    return join_with_axes(tup, 2, [](const Array& a) { return a.ndim() > 1 ? a : a.reshape({a.size(), 1}); }, 1);
}

Array functions::append(const Array& arr, const Array& values, std::optional<int64_t> axis) {
    ArgumentList both;
    both.push_back(arr);
    both.push_back(values);
    return concat(both, axis);
}

std::vector<Array> unstack(const Array& x, int64_t axis) {
    require_axes(x, 1, "unstack");
    const int along = normalise_axis(axis, x.ndim(), "unstack");
    Layout layout = x.layout();
    const int64_t n = layout.shape[along], apart = layout.strides[along];
    layout.shape.erase(along);
    layout.strides.erase(along);
    const bool is_empty = count(layout.shape) == 0;
    std::vector<Array> parts;
    for (int64_t i = 0; i < n; ++i) {
        Array part = x.view(layout, is_empty ? 0 : i * apart);
        parts.push_back(part.ndim() ? std::move(part) : copy(part));
    }
    return parts;
}

namespace {

/// The parts of array_split, for the function `name`.
std::vector<Array> parts_of(const Array& ary, const Sections& indices_or_sections, int along, const char* name) {
    const int64_t extent = ary.shape()[along];
    std::vector<Array> parts;
    if (const auto* const places = std::get_if<Dims>(&indices_or_sections)) {
        int64_t begin = 0;
        for (const int64_t end : *places) parts.push_back(part_along(ary, along, std::exchange(begin, end), end));
        parts.push_back(part_along(ary, along, begin, extent));
        return parts;
    }
    const int64_t n = std::get<int64_t>(indices_or_sections);
    if (n <= 0) raise(ErrorKind::Value, name, ": the number of parts must be positive, not ", n);
    const int64_t most = int64_t(sysconf(_SC_PHYS_PAGES)) * sysconf(_SC_PAGE_SIZE) / int64_t(sizeof(Array));
    if (n > most) raise(ErrorKind::Memory, name, ": ", n, " views are more than the memory holds");
    const int64_t size = extent / n, larger = extent % n;
    const auto place = [=](int64_t i) { return i * size + std::min(i, larger); };
    for (int64_t i = 0; i < n; ++i) parts.push_back(part_along(ary, along, place(i), place(i + 1)));
    return parts;
}

/// The parts of split, for the function `name`.
std::vector<Array> equal_parts(const Array& ary, const Sections& indices_or_sections, int64_t axis, const char* name) {
    const int along = normalise_axis(axis, ary.ndim(), name);
    if (const auto* const n = std::get_if<int64_t>(&indices_or_sections)) {
        const int64_t extent = ary.shape()[along];
        if (*n <= 0 || extent % *n)
            raise(ErrorKind::Value, name, ": ", extent, " elements do not make ", *n, " equal parts; see array_split");
    }
    return parts_of(ary, indices_or_sections, along, name);
}

}  // namespace

std::vector<Array> array_split(const Array& ary, const Sections& indices_or_sections, int64_t axis) {
    constexpr const char* name = "array_split";
    return parts_of(ary, indices_or_sections, normalise_axis(axis, ary.ndim(), name), name);
}

std::vector<Array> split(const Array& ary, const Sections& indices_or_sections, int64_t axis) {
    return equal_parts(ary, indices_or_sections, axis, "split");
}

std::vector<Array> vsplit(const Array& ary, const Sections& indices_or_sections) {
    require_axes(ary, 2, "vsplit");
    return equal_parts(ary, indices_or_sections, 0, "vsplit");
}

std::vector<Array> hsplit(const Array& ary, const Sections& indices_or_sections) {
    require_axes(ary, 1, "hsplit");
    return equal_parts(ary, indices_or_sections, std::min(ary.ndim() - 1, 1), "hsplit");
}

std::vector<Array> dsplit(const Array& ary, const Sections& indices_or_sections) {
    require_axes(ary, 3, "dsplit");
    return equal_parts(ary, indices_or_sections, 2, "dsplit");
}

}  // namespace cuarray
