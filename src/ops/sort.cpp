// sort.cpp -- moves the sorted axis to the end, contiguous, and back: backends sort rows.
#include "cuarray/ops/sort.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <utility>

#include "cuarray/array/elements.h"
#include "cuarray/array/pending.h"
#include "cuarray/kernel/sort.h"
#include "cuarray/ops/reduction.h"
#include "cuarray/ops/selection.h"
#include "cuarray/ops/shaping.h"
#include "ops/as_array.h"
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

/// Both say which algorithm is meant.
void refuse_both(const std::optional<SortKind>& kind, const std::optional<bool>& stable, const char* name) {
    if (kind && stable) raise(ErrorKind::Value, name, ": kind and stable cannot both be given");
}

/// An array and its axis to work along; without one, of the flattened array.
std::pair<Array, int> array_along(const Array& a, const std::optional<int64_t>& axis, const char* name) {
    if (!axis) return {ravel(a), 0};
    return {a, normalise_axis(*axis, a.ndim(), name)};
}

Array with_an_axis(const Array& a) { return a.ndim() ? a : a.reshape({1}); }

/// Different positions, counted from the front; of an axis without elements none.
Ranks ascending_ranks(Ranks ranks, int64_t extent, const char* name) {
    if (extent == 0) return {};
    for (int64_t& rank : ranks) {
        if (rank < -extent || rank >= extent)
            raise(ErrorKind::Value, name, ": kth ", rank, " is out of bounds for size ", extent);
        if (rank < 0) rank += extent;
    }
    std::ranges::sort(ranks);
    ranks.resize(int(std::unique(ranks.begin(), ranks.end()) - ranks.begin()));
    return ranks;
}

/// The indices that sort, or partition, along an axis.
Array indices_of_rows(const Array& array, int axis, const SortOptions& o) {
    if (array.shape()[axis] == 1) return full(array.shape(), Scalar::of(DType::int64, int64_t(0)), array.device());
    const Array rows = as_rows(array, axis);
    Array places = empty(rows.shape(), DType::int64, rows.device());
    sort_rows(rows, places, o);
    return from_rows(std::move(places), axis);
}

}  // namespace

Array sort(const Array& a, const std::optional<int64_t>& axis, const std::optional<SortKind>& kind, NoFields,
           const std::optional<bool>& stable, bool descending) {
    refuse_both(kind, stable, "sort");
    const auto [array, along] = array_along(a, axis, "sort");
    if (array.shape()[along] == 1) return copy(array, 'C');
    if (has_complex(array)) return take_along_axis(array, argsort(array, along, {}, {}, {}, descending), along);
    const Array rows = as_rows(array, along);
    const bool is_copy = !rows.is_empty() && !overlaps(rows, array);  // an empty one is a view, which may be read-only
    Array result = is_copy ? rows : empty(rows.shape(), rows.dtype(), rows.device());
    sort_rows(rows, result, {.name = "sort", .descending = descending});
    return from_rows(std::move(result), along);
}

void sort_in_place(const Array& array, int64_t axis, const std::optional<SortKind>& kind, NoFields,
                   const std::optional<bool>& stable, bool descending) {
    refuse_both(kind, stable, "sort");
    const int along = normalise_axis(axis, array.ndim(), "sort");
    if (!array.is_writable()) raise(ErrorKind::Value, "sort: the array is read-only");
    if (array.shape()[along] < 2) return;
    const Array rows = as_rows(array, along);
    if (has_complex(array) || !overlaps(rows, array))
        return assign(array, sort(array, axis, {}, {}, {}, descending), "sort");
    sort_rows(rows, rows, {.name = "sort", .descending = descending});
}

Array argsort(const Array& a, const std::optional<int64_t>& axis, const std::optional<SortKind>& kind, NoFields,
              const std::optional<bool>& stable, bool descending) {
    refuse_both(kind, stable, "argsort");
    const auto [array, along] = array_along(with_an_axis(a), axis, "argsort");
    return indices_of_rows(array, along, {.name = "argsort", .descending = descending, .indices = true});
}

Array partition(const Array& a, const Ranks& kth, const std::optional<int64_t>& axis, SelectionKind, NoFields,
                bool descending) {
    const auto [array, along] = array_along(a, axis, "partition");
    const Ranks ranks = ascending_ranks(kth, array.shape()[along], "partition");
    if (array.shape()[along] == 1) return copy(array, 'C');
    if (has_complex(array)) return sort(array, along, {}, {}, {}, descending);
    const Array rows = as_rows(array, along);
    Array result = empty(rows.shape(), rows.dtype(), rows.device());
    sort_rows(rows, result, {.name = "partition", .descending = descending, .kth = ranks});
    return from_rows(std::move(result), along);
}

void partition_in_place(const Array& array, const Ranks& kth, int64_t axis, SelectionKind kind, NoFields order,
                        bool descending) {
    assign(array, partition(array, kth, axis, kind, order, descending), "partition");
}

Array argpartition(const Array& a, const Ranks& kth, const std::optional<int64_t>& axis, SelectionKind, NoFields,
                   bool descending) {
    const auto [array, along] = array_along(with_an_axis(a), axis, "argpartition");
    const Ranks ranks = ascending_ranks(kth, array.shape()[along], "argpartition");
    return indices_of_rows(array, along,
                           {.name = "argpartition", .descending = descending, .indices = true, .kth = ranks});
}

Array lexsort(const ArrayList& keys, int64_t axis) {
    if (keys.size() == 0) raise(ErrorKind::Type, "lexsort: a sequence of at least one key is needed");
    const Array& first = *keys[0];
    for (const Array* const key : keys) {
        check_device(first, *key, "lexsort");
        if (!(key->shape() == first.shape()))
            raise(ErrorKind::Value, "lexsort: all keys need to have the same shape, not ", to_string(first.shape()),
                  " and ", to_string(key->shape()));
    }
    if (first.ndim() == 0) {
        if (axis != 0) normalise_axis(axis, 1, "lexsort");
        return full({}, Scalar::of(DType::int64, int64_t(0)), first.device());
    }
    const int along = normalise_axis(axis, first.ndim(), "lexsort");
    Array places;
    bool refines = false;
    for (const Array* const key : keys) {
        const Array rows = as_rows(*key, along);
        if (!refines) places = empty(rows.shape(), DType::int64, rows.device());
        sort_rows(rows, places, {.name = "lexsort", .indices = true, .refines = refines});
        refines = true;
    }
    return from_rows(std::move(places), along);
}

Array order_statistics(const Array& array, int axis, std::span<const int64_t> kth, const char* name) {
    axis = normalise_axis(axis, array.ndim(), name);
    for (const int64_t rank : kth)
        if (rank < 0 || rank >= array.shape()[axis])
            raise(ErrorKind::Index, name, ": no element ", rank, " of ", array.shape()[axis]);
    const Array rows = as_rows(array, axis);
    const int last = rows.ndim() - 1;
    if (kth.size() > kManyKth || has_complex(rows)) {
        const Dims count{int64_t(kth.size())}, stride{int64_t(sizeof(int64_t))};
        const Array places = from_host(kth.data(), count, stride, DType::int64, rows.device());
        return take(sort(rows, last), places, last);
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

namespace {

/// The elements in the order of `sorter`, which is checked.
Array sorted_by(const Array& a, const Array& sorter) {
    const Kind kind = info(sorter.dtype()).kind;
    if (sorter.ndim() != 1 || (kind != Kind::Signed && kind != Kind::Unsigned))
        raise(ErrorKind::Type, "searchsorted: sorter must have one axis of integers, not ", info(sorter.dtype()).name,
              " of shape ", to_string(sorter.shape()));
    if (sorter.size() != a.size())
        raise(ErrorKind::Value, "searchsorted: sorter has ", sorter.size(), " elements, the array ", a.size());
    const auto end = [&](ReductionId id) {
        int64_t number;
        std::memcpy(&number, convert(item(reduce(id, sorter, {}), "searchsorted"), DType::int64).bytes, sizeof number);
        return number;
    };
    if (!sorter.is_empty() && (end(reduction::min) < 0 || uint64_t(end(reduction::max)) >= uint64_t(a.size())))
        raise(ErrorKind::Value, "searchsorted: sorter holds positions outside 0..", a.size() - 1);
    return take(a, sorter, 0, nullptr, Outside::Clip);
}

/// A number that float64 holds and the caller may read; nothing for others.
std::optional<double> number_at_hand(const Argument& v) {
    constexpr double kExact = 0x1p53;
    if (v.weak && v.weak->kind == Weak::Kind::Float) return v.weak->real;
    if (v.weak && v.weak->kind == Weak::Kind::Int && std::fabs(v.weak->real) < kExact) return v.weak->real;
    const bool is_one = v.array && v.array->ndim() == 0 && v.array->dtype() == DType::float64;
    const char* const data = is_one ? direct_data(*v.array) : nullptr;
    if (!data) return {};
    double number;
    std::memcpy(&number, data, sizeof number);
    return number;
}

/// The position of a number in float64 that the caller may read; nothing for others.
std::optional<int64_t> position_of(double number, const Array& sorted, bool right) {
    if (sorted.dtype() != DType::float64 || !sorted.is_c_contiguous() || !is_aligned(sorted)) return {};
    const auto* const data = reinterpret_cast<const double*>(direct_data(sorted));
    if (!data) return {};
    i64 position[1];
    kernel::search_sorted<double>(data, uint64_t(sorted.size()), {number}, right, position);
    return position[0];
}

}  // namespace

ArrayOrNumber searchsorted(const Array& a, const Argument& v, Side side, const std::optional<Array>& sorter) {
    if (a.ndim() != 1)
        raise(ErrorKind::Value, "searchsorted: the sorted array needs one axis, it has shape ", to_string(a.shape()));
    const Array ordered = sorter ? sorted_by(a, *sorter) : Array();
    const Array& sorted = sorter ? ordered : a;
    const bool right = side == Side::Right;
    if (const std::optional<double> number = number_at_hand(v))
        if (const std::optional<int64_t> position = position_of(*number, sorted, right))
            return Scalar::of(DType::int64, *position);
    const Array values = as_array(v, a.device(), "searchsorted");
    const DType dtype = promote(a.dtype(), values.dtype());
    return search_sorted(astype(sorted, dtype, 'K', false), astype(values, dtype, 'K', false), right);
}

Array search_sorted(const Array& sorted, const Array& values, bool right) {
    check_device(sorted, values, "searchsorted");
    if (sorted.dtype() != values.dtype() || sorted.ndim() != 1)
        raise(ErrorKind::Type, "searchsorted: values of ", info(values.dtype()).name, " in ", sorted.ndim(),
              " axes of ", info(sorted.dtype()).name);
    const Array row = packed(sorted), sought = packed(values);
    const Array places = empty(values.shape(), DType::int64, values.device());
    if (places.is_empty()) return places;
    places.storage().front().run(
        SearchSorted{row.size(), places.size(), line(row), line(sought), line(places), right, "searchsorted"});
    return places;
}

Array histogram(const Array& values, const Array* edges, bool equal_bins, const Array* weights, int64_t bins,
                const char* name) {
    const DType dtype = edges ? edges->dtype() : DType::int64;
    if (values.dtype() != dtype || (weights && weights->dtype() != DType::float64))
        raise(ErrorKind::Type, name, ": values of ", info(values.dtype()).name, " for edges of ", info(dtype).name,
              ", weights are float64");
    if ((edges && bins > 0 && edges->size() != bins + 1) || (weights && weights->size() != values.size()))
        raise(ErrorKind::Value, name, ": ", bins, " bins have ", bins + 1, " edges, ", values.size(),
              " values as many weights");
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
