// editing.cpp -- what is kept of an axis is a few parts of it, which are joined, or elements, which are taken.
#include "cuarray/ops/editing.h"
#include <algorithm>
#include <numeric>
#include <vector>

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

Array joined(const Array& first, const Array& second, int axis) {
    const ArrayOrNumber parts[] = {first, second};
    return concat(parts, axis, nullptr, first.dtype(), Casting::Unsafe);
}

Array taken(const Array& array, int axis, const std::vector<int64_t>& positions) {
    const Array indices = from_host(positions.data(), {int64_t(positions.size())}, {int64_t(sizeof(int64_t))},
                                    DType::int64, array.device());
    return take(array, indices, axis, nullptr, Outside::Clip);
}

}  // namespace

Array erase(const Array& array, int axis, std::span<const uint8_t> is_kept) {
    const auto begin = is_kept.begin(), end = is_kept.end();
    const auto first = std::find(begin, end, 0);
    const auto last = std::find_if(first, end, [](uint8_t kept) { return kept != 0; });
    if (std::find(last, end, 0) == end)
        return joined(part_of(array, axis, 0, first - begin), part_of(array, axis, last - begin, end - begin), axis);
    std::vector<int64_t> positions;
    for (size_t i = 0; i < is_kept.size(); ++i)
        if (is_kept[i]) positions.push_back(int64_t(i));
    return taken(array, axis, positions);
}

Array insert(const Array& array, int axis, std::span<const int64_t> places, const Array& values) {
    const int64_t extent = array.shape()[axis], count = int64_t(places.size());
    const bool is_gap = std::ranges::adjacent_find(places, std::not_equal_to<>()) == places.end();
    if (is_gap && count > 0) {
        const ArrayOrNumber parts[] = {part_of(array, axis, 0, places[0]), values,
                                       part_of(array, axis, places[0], extent)};
        return concat(parts, axis, nullptr, array.dtype(), Casting::Unsafe);
    }
    std::vector<int64_t> order(static_cast<size_t>(count)), positions;
    std::iota(order.begin(), order.end(), int64_t(0));
    std::ranges::stable_sort(order, {}, [&](int64_t i) { return places[size_t(i)]; });
    positions.reserve(size_t(extent + count));
    auto next = order.begin();
    for (int64_t i = 0; i <= extent; ++i) {
        for (; next != order.end() && places[size_t(*next)] == i; ++next) positions.push_back(extent + *next);
        if (i < extent) positions.push_back(i);
    }
    return taken(joined(array, values, axis), axis, positions);
}

}  // namespace cuarray
