// editing.cpp -- what is kept of an axis is a few parts of it, which are joined, or elements, which are taken.
#include "cuarray/ops/editing.h"
#include <algorithm>
#include <cstring>
#include <numeric>
#include <vector>

#include "cuarray/ops/indexing.h"
#include "cuarray/ops/joining.h"
#include "cuarray/ops/selection.h"

namespace cuarray {
namespace {

/// A view of the elements of an axis from `begin` to `end`.
Array part_of(const Array& array, int axis, int64_t begin, int64_t end) {
    Layout layout = array.layout();
    layout.shape[axis] = end - begin;
    return array.view(layout, begin * array.strides()[axis]);
}

/// Up to so many parts of this mean extent are joined: to copy a part costs as much as to take so many elements.
constexpr int64_t kMostParts = 64, kPartExtent = 32;

void check_axis(const Array& array, int axis, const char* name) {
    if (axis < 0 || axis >= array.ndim())
        raise(ErrorKind::Axis, name, ": axis ", axis, " is not one of ", array.ndim());
}

bool are_few(int64_t parts, int64_t extent) { return parts <= kMostParts && parts * kPartExtent <= extent; }

Array joined(const std::vector<ArrayOrNumber>& parts, int axis, DType dtype) {
    return concat(parts, axis, nullptr, dtype, Casting::Unsafe);
}

Array taken(const Array& array, int axis, const std::vector<int64_t>& positions) {
    const Array indices = from_host(positions.data(), {int64_t(positions.size())}, {int64_t(sizeof(int64_t))},
                                    DType::int64, array.device());
    return take(array, indices, axis, nullptr, Outside::Clip);
}

}  // namespace

Array erase(const Array& array, int axis, std::span<const uint8_t> is_kept) {
    check_axis(array, axis, "delete");
    const int64_t extent = int64_t(is_kept.size());
    if (extent != array.shape()[axis])
        raise(ErrorKind::Value, "delete: ", extent, " flags for the ", array.shape()[axis], " elements of axis ", axis);
    const uint8_t* const flags = is_kept.data();
    const auto next = [&](int64_t from, int flag) {
        const void* const found = from < extent ? std::memchr(flags + from, flag, size_t(extent - from)) : nullptr;
        return found ? static_cast<const uint8_t*>(found) - flags : extent;
    };
    std::vector<ArrayOrNumber> parts;
    int64_t begin = 0;
    do {
        const int64_t end = next(begin, 0);
        parts.push_back(part_of(array, axis, begin, end));
        begin = next(end, 1);
    } while (begin < extent && (parts.size() < 2 || are_few(int64_t(parts.size()) + 1, extent)));
    if (begin == extent) return joined(parts, axis, array.dtype());
    if (array.ndim() == 1 && array.device() == Device{}) {
        const Array mask = from_host(flags, {extent}, {1}, DType::bool_, array.device());
        Index index;
        index.kind = Index::Kind::Array;
        index.array = &mask;
        return elements_at(array, {&index, 1});
    }
    std::vector<int64_t> positions(size_t(extent) + 1);
    int64_t* position = positions.data();
    for (int64_t i = 0; i < extent; ++i) {
        *position = i;
        position += is_kept[i];
    }
    positions.resize(size_t(position - positions.data()));
    return taken(array, axis, positions);
}

Array insert(const Array& array, int axis, std::span<const int64_t> places, const Array& values) {
    check_axis(array, axis, "insert");
    const int64_t extent = array.shape()[axis], count = int64_t(places.size());
    if (values.ndim() != array.ndim() || values.shape()[axis] != count)
        raise(ErrorKind::Value, "insert: ", count, " places along axis ", axis, " for values of shape ",
              to_string(values.shape()));
    for (const int64_t place : places)
        if (place < 0 || place > extent)
            raise(ErrorKind::Index, "insert: place ", place, " is not in 0 to ", extent, " of axis ", axis);
    const bool is_gap = std::ranges::adjacent_find(places, std::not_equal_to<>()) == places.end();
    if (is_gap && count > 0)
        return joined({part_of(array, axis, 0, places[0]), values, part_of(array, axis, places[0], extent)}, axis,
                      array.dtype());
    std::vector<int64_t> order(static_cast<size_t>(count)), positions;
    std::iota(order.begin(), order.end(), int64_t(0));
    std::ranges::stable_sort(order, {}, [&](int64_t i) { return places[size_t(i)]; });
    if (are_few(2 * count, extent)) {
        std::vector<ArrayOrNumber> parts;
        int64_t begin = 0;
        for (const int64_t i : order) {
            parts.push_back(part_of(array, axis, begin, places[size_t(i)]));
            parts.push_back(part_of(values, axis, i, i + 1));
            begin = places[size_t(i)];
        }
        parts.push_back(part_of(array, axis, begin, extent));
        return joined(parts, axis, array.dtype());
    }
    positions.reserve(size_t(extent + count));
    auto next = order.begin();
    for (int64_t i = 0; i <= extent; ++i) {
        for (; next != order.end() && places[size_t(*next)] == i; ++next) positions.push_back(extent + *next);
        if (i < extent) positions.push_back(i);
    }
    return taken(joined({array, values}, axis, array.dtype()), axis, positions);
}

}  // namespace cuarray
