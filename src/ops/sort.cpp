// sort.cpp -- moves the sorted axis to the end, contiguous, and back: backends sort rows.
#include "cuarray/ops/sort.h"

#include <cstdint>
#include <utility>

#include "cuarray/array/pending.h"
#include "cuarray/ops/indexing.h"
#include "ops/packed.h"

namespace cuarray {
namespace {

/// With more positions than this, a full sort is faster than a partition.
constexpr size_t kManyKth = 8;

bool has_complex(const Array& array) { return info(array.dtype()).kind == Kind::Complex; }

/// The array with `axis` moved to the end, packed.
Array as_rows(const Array& array, int axis) {
    if (axis == array.ndim() - 1) return packed(array);
    Dims order;
    for (int i = 0; i < array.ndim(); ++i)
        if (i != axis) order.push_back(i);
    order.push_back(axis);
    return packed(array.transpose(order));
}

/// The inverse of as_rows, in C order.
Array from_rows(Array rows, int axis) {
    const int last = rows.ndim() - 1;
    if (axis == last) return rows;
    Dims order;
    for (int i = 0; i < last; ++i) order.push_back(i);
    order.insert(axis, last);
    return copy(rows.transpose(order), 'C');
}

/// Packed memory as a view of another shape.
View walked(const Array& array, const Dims& shape) {
    View view = array.as_operand(array.shape(), "sort");
    view.strides = c_strides(shape, item_size(array.dtype()));
    return view;
}

View line(const Array& array) { return walked(array, {array.size()}); }

/// How to sort rows; see Sort.
struct SortOptions {
    const char* name;
    bool descending = false, indices = false, refines = false;
    std::span<const int64_t> kth = {};
};

/// Writes the sorted rows, possibly in place, or the indices that sort them, to `result`.
void sort_rows(const Array& rows, const Array& result, const SortOptions& o) {
    if (rows.is_empty()) return;
    const int64_t n = rows.shape()[rows.ndim() - 1];
    before_write(result.storage());
    const Dims shape{rows.size() / n, n};
    rows.storage().front().run(Sort{shape[0], n, walked(rows, shape), walked(result, shape), o.indices, o.refines,
                                    o.descending, o.name,
                                    o.kth.size() > kManyKth ? std::span<const int64_t>() : o.kth});
}

void check_device(const Array& a, const Array& b, const char* name) {
    if (!(a.device() == b.device()))
        raise(ErrorKind::Value, name, ": operands are on ", to_string(a.device()), " and ", to_string(b.device()),
              "; move one with .to_device(...)");
}

}  // namespace

Array sort(const Array& array, int axis, bool descending, const char* name) {
    axis = normalise_axis(axis, array.ndim(), name);
    if (has_complex(array)) return take_along_axis(array, argsort(array, axis, descending, name), axis);
    const Array rows = as_rows(array, axis);
    const bool is_copy = !rows.is_empty() && !overlaps(rows, array);  // an empty one is a view, which may be read-only
    Array result = is_copy ? rows : empty(rows.shape(), rows.dtype(), rows.device());
    sort_rows(rows, result, {.name = name, .descending = descending});
    return from_rows(std::move(result), axis);
}

void sort_in_place(const Array& array, int axis, bool descending) {
    if (!array.is_writable()) raise(ErrorKind::Value, "sort: the array is read-only");
    axis = normalise_axis(axis, array.ndim(), "sort");
    const Array rows = as_rows(array, axis);
    if (has_complex(array) || !overlaps(rows, array)) return assign(array, sort(array, axis, descending), "sort");
    sort_rows(rows, rows, {.name = "sort", .descending = descending});
}

Array argsort(const Array& array, int axis, bool descending, const char* name) {
    axis = normalise_axis(axis, array.ndim(), name);
    const Array rows = as_rows(array, axis);
    Array places = empty(rows.shape(), DType::int64, rows.device());
    sort_rows(rows, places, {.name = name, .descending = descending, .indices = true});
    return from_rows(std::move(places), axis);
}

Array partition(const Array& array, int axis, std::span<const int64_t> kth, bool descending, const char* name) {
    axis = normalise_axis(axis, array.ndim(), name);
    if (has_complex(array)) return sort(array, axis, descending, name);
    const Array rows = as_rows(array, axis);
    Array result = empty(rows.shape(), rows.dtype(), rows.device());
    sort_rows(rows, result, {.name = name, .descending = descending, .kth = kth});
    return from_rows(std::move(result), axis);
}

Array argpartition(const Array& array, int axis, std::span<const int64_t> kth, bool descending, const char* name) {
    axis = normalise_axis(axis, array.ndim(), name);
    const Array rows = as_rows(array, axis);
    Array places = empty(rows.shape(), DType::int64, rows.device());
    sort_rows(rows, places, {.name = name, .descending = descending, .indices = true, .kth = kth});
    return from_rows(std::move(places), axis);
}

Array lexsort(std::span<const Array> keys, int axis) {
    if (keys.empty()) raise(ErrorKind::Type, "lexsort: needs at least one key");
    axis = normalise_axis(axis, keys[0].ndim(), "lexsort");
    Array places;
    bool refines = false;
    for (const Array& key : keys) {
        check_device(keys[0], key, "lexsort");
        if (!(key.shape() == keys[0].shape()))
            raise(ErrorKind::Value, "lexsort: all keys need to have the same shape, not ", to_string(keys[0].shape()),
                  " and ", to_string(key.shape()));
        const Array rows = as_rows(key, axis);
        if (!refines) places = empty(rows.shape(), DType::int64, rows.device());
        sort_rows(rows, places, {.name = "lexsort", .indices = true, .refines = refines});
        refines = true;
    }
    return from_rows(std::move(places), axis);
}

Array order_statistics(const Array& array, int axis, std::span<const int64_t> kth, const char* name) {
    axis = normalise_axis(axis, array.ndim(), name);
    const Array rows = as_rows(array, axis);
    const int last = rows.ndim() - 1;
    if (kth.size() > kManyKth || has_complex(rows)) {
        const Dims count{int64_t(kth.size())}, stride{int64_t(sizeof(int64_t))};
        const Array places = from_host(kth.data(), count, stride, DType::int64, rows.device());
        return take(sort(rows, last, false, name), places, last, Outside::Raise);
    }
    Dims shape = rows.shape();
    shape[last] = int64_t(kth.size());
    const Array result = empty(shape, rows.dtype(), rows.device());
    if (result.is_empty()) return result;
    const int64_t n = rows.shape()[last];
    const Dims from{rows.size() / n, n}, to{from[0], shape[last]};
    rows.storage().front().run(OrderStatistics{from[0], n, walked(rows, from), kth, walked(result, to), name});
    return result;
}

Array search_sorted(const Array& sorted, const Array& values, bool right) {
    check_device(sorted, values, "searchsorted");
    const Array row = packed(sorted), sought = packed(values);
    const Array places = empty(values.shape(), DType::int64, values.device());
    if (places.is_empty()) return places;
    places.storage().front().run(
        SearchSorted{row.size(), places.size(), line(row), line(sought), line(places), right, "searchsorted"});
    return places;
}

Array histogram(const Array& values, const Array* edges, bool equal_bins, const Array* weights, int64_t bins,
                const char* name) {
    const Array packed_values = packed(values);
    Array packed_edges, packed_weights;
    Histogram task{values.size(), bins, line(packed_values), {}, equal_bins, {}, {}, name};
    if (edges) {
        check_device(values, *edges, name);
        packed_edges = packed(*edges);
        task.edges = line(packed_edges);
    }
    if (weights) {
        check_device(values, *weights, name);
        packed_weights = packed(*weights);
        task.weights = line(packed_weights);
    }
    const Array result = empty({bins}, weights ? DType::float64 : DType::int64, values.device());
    task.result = line(result);
    if (bins > 0) result.storage().front().run(task);
    return result;
}

}  // namespace cuarray
