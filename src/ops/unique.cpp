// unique.cpp -- unique: sorted elements or slices, and a mask of those that differ from the one before; few elements by
// one loop of the caller.
#include "cuarray/ops/unique.h"
#include <cstring>
#include "cuarray/array/elements.h"
#include "cuarray/array/pending.h"
#include "cuarray/ops/reduction.h"
#include "cuarray/ops/scan.h"
#include "cuarray/ops/selection.h"
#include "cuarray/ops/shaping.h"
#include "cuarray/ops/sort.h"

namespace cuarray {
namespace {

constexpr const char* kUnique = "unique";

/// What a call asks for beside the elements.
struct WantedPlaces {
    bool index, inverse, counts;
    bool any() const { return index || inverse || counts; }
};

/// So many entries of the first axis.
Array rows_from(const Array& array, int64_t begin, int64_t count) {
    Layout layout = array.layout();
    const int64_t step = layout.strides[0];
    layout.shape[0] = count;
    return array.view(std::move(layout), count == 0 || array.is_empty() ? 0 : begin * step);
}

Array taken_rows(const Array& array, const Array& places) { return take(array, places, 0); }

Array is_nan(const Array& array) { return apply_row(row::isnan, array); }

Scalar int64_number(int64_t number) { return Scalar::of(DType::int64, number); }

// Few elements

/// A bool, whose byte may be any.
struct Truth {
    uint8_t byte;
    friend bool operator!=(Truth a, Truth b) { return !a.byte != !b.byte; }
};

/// The results for a few sorted elements that the caller may read now.
template <class T>
std::vector<Array> groups_of_few(const Array& ordered, const int64_t* order, const Dims& shape, WantedPlaces wanted,
                                 bool equal_nan) {
    const T* const from = reinterpret_cast<const T*>(direct_elements(ordered));
    const int64_t n = ordered.size();
    uint16_t begins[kFewBytes + 1];
    static_assert(kFewBytes < UINT16_MAX);
    int64_t count = 0;
    for (int64_t i = 0; i < n; ++i) {
        const auto are_nan = [&] { return from[i] != from[i] && from[i - 1] != from[i - 1]; };
        if (i == 0 || (from[i] != from[i - 1] && !(equal_nan && are_nan()))) begins[count++] = uint16_t(i);
    }
    begins[count] = uint16_t(n);
    std::vector<Array> results{empty({count}, ordered.dtype(), ordered.device())};
    auto* const elements = reinterpret_cast<T*>(direct_data(results[0]));
    for (int64_t g = 0; g < count; ++g) elements[g] = from[begins[g]];
    const auto add = [&](const Dims& extents) {
        results.push_back(empty(extents, DType::int64, ordered.device()));
        return reinterpret_cast<int64_t*>(direct_data(results.back()));
    };
    if (wanted.index) {
        int64_t* const to = add({count});
        for (int64_t g = 0; g < count; ++g) to[g] = order[begins[g]];
    }
    if (wanted.inverse) {
        int64_t* const to = add(shape);
        for (int64_t g = 0; g < count; ++g)
            for (int64_t i = begins[g]; i < begins[g + 1]; ++i) to[order[i]] = g;
    }
    if (wanted.counts) {
        int64_t* const to = add({count});
        for (int64_t g = 0; g < count; ++g) to[g] = begins[g + 1] - begins[g];
    }
    return results;
}

using GroupsOfFew = std::vector<Array>(const Array&, const int64_t*, const Dims&, WantedPlaces, bool);

/// The function above for a dtype; null for those of which the caller does not compare elements.
GroupsOfFew* groups_of_few_in(DType dtype) {
    if (dtype == DType::bool_) return groups_of_few<Truth>;
    if (dtype == DType::float32) return groups_of_few<float>;
    if (dtype == DType::float64) return groups_of_few<double>;
    if (info(dtype).kind > Kind::Signed) return nullptr;
    switch (item_size(dtype)) {
        case 1: return groups_of_few<uint8_t>;
        case 2: return groups_of_few<uint16_t>;
        case 4: return groups_of_few<uint32_t>;
        default: return groups_of_few<uint64_t>;
    }
}

// Many elements, and slices

/// Groups of equal elements in sorted order.
struct EqualGroups {
    Array order;   ///< that sorts the elements; an empty handle where nobody asks for it
    Array mask;    ///< whether an element is the first of its group
    Array begins;  ///< the positions of those

    EqualGroups(const Array& order, const Array& mask) : order(order), mask(mask), begins(flatnonzero(mask)) {}

    Array inverse() const {
        const Array numbers =
            apply_row(row::subtract, accumulate(row::add, mask, {0, DType::int64, nullptr, kUnique}), int64_number(1));
        const Array result = empty(mask.shape(), DType::int64, mask.device());
        put_along_axis(result, order, numbers, 0);
        return result;
    }
    Array counts() const {
        const int64_t groups = begins.size();
        if (groups == 0) return begins;
        const Array ends = empty({groups}, DType::int64, mask.device());
        assign(rows_from(ends, 0, groups - 1), rows_from(begins, 1, groups - 1), kUnique);
        fill(rows_from(ends, groups - 1, 1), int64_number(mask.size()), kUnique);
        return apply_row(row::subtract, ends, begins);
    }
};

/// A mask of which the first entry is true.
Array mask_of(int64_t n, Device device) {
    const Array mask = full({n}, Scalar::of(DType::bool_, false), device);
    if (n > 0) fill(rows_from(mask, 0, 1), Scalar::of(DType::bool_, true), kUnique);
    return mask;
}

/// Whether each of the sorted elements differs from the one before it; the first one does.
Array differs_from_before(const Array& ordered, bool equal_nan) {
    const int64_t n = ordered.size();
    const Array mask = mask_of(n, ordered.device());
    if (n < 2) return mask;
    const Array before = rows_from(ordered, 0, n - 1), after = rows_from(ordered, 1, n - 1);
    Array changes = apply_row(row::not_equal, before, after);
    if (equal_nan && info(ordered.dtype()).kind >= Kind::Floating) {
        // True where neither is NaN, or one of them.
        const Array are_nan = apply_row(row::bitwise_and, is_nan(before), is_nan(after));
        changes = apply_row(row::bitwise_and, changes, apply_row(row::bitwise_invert, are_nan));
    }
    assign(rows_from(mask, 1, n - 1), changes, kUnique);
    return mask;
}

void add_places(std::vector<Array>& results, const EqualGroups& groups, const Dims& shape, WantedPlaces wanted) {
    if (wanted.index) results.push_back(taken_rows(groups.order, groups.begins));
    if (wanted.inverse) results.push_back(groups.inverse().reshape(shape));
    if (wanted.counts) results.push_back(groups.counts());
}

std::vector<Array> unique_elements(const Array& ar, WantedPlaces wanted, bool equal_nan) {
    const Array flat = ravel(ar);
    Array order;
    if (wanted.index || wanted.inverse) order = argsort(flat);
    const Array ordered = order.defined() ? taken_rows(flat, order) : sort(flat);
    if (GroupsOfFew* const groups = groups_of_few_in(ordered.dtype())) {
        const bool are_few = ordered.nbytes() <= kFewBytes && !ordered.is_empty() && direct_elements(ordered);
        const auto* const places = order.defined() ? reinterpret_cast<const int64_t*>(direct_data(order)) : nullptr;
        if (are_few && (!order.defined() || places)) return groups(ordered, places, ar.shape(), wanted, equal_nan);
    }
    const EqualGroups groups(order, differs_from_before(ordered, equal_nan));
    std::vector<Array> results{taken_rows(ordered, groups.begins)};
    add_places(results, groups, ar.shape(), wanted);
    return results;
}

std::vector<Array> unique_slices(const Array& ar, int axis, WantedPlaces wanted) {
    const Array slices = moveaxis(ar, {axis}, {0});
    Dims shape = slices.shape();
    const int64_t n = shape[0];
    int64_t size = 1;
    for (int d = 1; d < shape.size(); ++d) size *= shape[d];
    Array rows = slices.reshape({n, size}), order, mask = mask_of(n, ar.device());
    if (rows.is_empty()) {
        order = arange(n, int64_number(0), int64_number(1), ar.device());
    } else {
        std::vector<Array> columns;
        for (int64_t i = size - 1; i >= 0; --i)
            columns.push_back(rows.view({{n}, {rows.strides()[0]}}, i * rows.strides()[1]));
        order = lexsort(columns);
        rows = taken_rows(rows, order);
        if (n > 1) {
            const Deferral fused;
            ReduceOptions along_rows;
            along_rows.all_axes = false, along_rows.axes = {1};
            const Array changes = apply_row(row::not_equal, rows_from(rows, 1, n - 1), rows_from(rows, 0, n - 1));
            assign(rows_from(mask, 1, n - 1), reduce(reduction::any, changes, along_rows), kUnique);
        }
    }
    const EqualGroups groups(order, mask);
    shape[0] = groups.begins.size();
    std::vector<Array> results{moveaxis(taken_rows(rows, groups.begins).reshape(shape), {0}, {axis})};
    add_places(results, groups, {n}, wanted);
    return results;
}

}  // namespace

std::vector<Array> unique(const Array& ar, bool return_index, bool return_inverse, bool return_counts,
                          const std::optional<int64_t>& axis, bool equal_nan, bool) {
    const WantedPlaces wanted{return_index, return_inverse, return_counts};
    const int along = axis ? normalise_axis(*axis, ar.ndim(), kUnique) : 0;
    if (axis && ar.ndim() > 1) return unique_slices(ar, along, wanted);
    return unique_elements(ar, wanted, equal_nan);
}

}  // namespace cuarray
