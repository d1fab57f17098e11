// indexing.cpp -- basic indexing: arithmetic on layouts.
#include "cuarray/ops/indexing.h"

#include <algorithm>

namespace cuarray {
namespace {

/// count * stride. If no element is at that distance (a slice of one element with a huge step, an axis of an empty
/// array), the product may overflow, and wraps as NumPy's does.
int64_t byte_offset(int64_t count, int64_t stride) { return int64_t(uint64_t(count) * uint64_t(stride)); }

}  // namespace

Index::Index(const cuarray::Slice& slice) : kind(Kind::Slice) {
    // The lowest number stands for "not given" here, and in a slice for any number too low to hold.
    const auto given = [](const std::optional<int64_t>& end) { return end ? std::max(*end, kAbsent + 1) : kAbsent; };
    start = given(slice.start);
    stop = given(slice.stop);
    step = given(slice.step);
}

SlicePositions positions_of(const Index& s, int64_t n) {
    const int64_t step = s.step == Index::kAbsent ? 1 : s.step;
    if (step == 0) raise(ErrorKind::Value, "slice step cannot be zero");
    const int64_t low = step < 0 ? -1 : 0, high = step < 0 ? n - 1 : n;
    auto clamp = [&](int64_t value, int64_t absent) {
        if (value == Index::kAbsent) return absent;
        if (value < 0) value += n;
        return std::clamp(value, low, high);
    };
    const int64_t start = clamp(s.start, step < 0 ? high : low), stop = clamp(s.stop, step < 0 ? low : high);
    int64_t count = 0;
    if (step > 0 && start < stop) count = (stop - start - 1) / step + 1;
    if (step < 0 && stop < start) count = (start - stop - 1) / -step + 1;
    return {start, step, count};
}

bool is_advanced(std::span<const Index> index) {
    return std::any_of(index.begin(), index.end(), [](const Index& entry) { return entry.kind >= Index::Kind::Bool; });
}

Array basic_index(const Array& array, std::span<const Index> index, bool* all_integers) {
    int used = 0, integers = 0, ellipses = 0;
    for (const Index& entry : index) {
        used += entry.kind == Index::Kind::Integer || entry.kind == Index::Kind::Slice;
        integers += entry.kind == Index::Kind::Integer;
        ellipses += entry.kind == Index::Kind::Ellipsis;
    }
    if (ellipses > 1) raise(ErrorKind::Index, "an index can only have a single ellipsis ('...')");
    if (used > array.ndim())
        raise(ErrorKind::Index, "too many indices for array: array is ", array.ndim(), "-dimensional, but ", used,
              " were indexed");
    Layout layout;
    int64_t offset = 0;
    int axis = 0;
    auto keep = [&](int count) {
        for (; count > 0; --count, ++axis) {
            layout.shape.push_back(array.shape()[axis]);
            layout.strides.push_back(array.strides()[axis]);
        }
    };
    for (const Index& entry : index) {
        switch (entry.kind) {
            case Index::Kind::NewAxis:
                layout.shape.push_back(1);
                layout.strides.push_back(0);
                break;
            case Index::Kind::Ellipsis: keep(array.ndim() - used); break;
            case Index::Kind::Integer: {
                const int64_t n = array.shape()[axis];
                if (entry.value < -n || entry.value >= n)
                    raise(ErrorKind::Index, "index ", entry.value, " is out of bounds for axis ", axis, " with size ",
                          n);
                offset += byte_offset(entry.value < 0 ? entry.value + n : entry.value, array.strides()[axis]);
                ++axis;
                break;
            }
            case Index::Kind::Slice: {
                const SlicePositions steps = positions_of(entry, array.shape()[axis]);
                if (steps.count) offset += byte_offset(steps.first, array.strides()[axis]);
                layout.shape.push_back(steps.count);
                layout.strides.push_back(byte_offset(steps.step, array.strides()[axis]));
                ++axis;
                break;
            }
            case Index::Kind::Bool:
            case Index::Kind::Array: raise(ErrorKind::Runtime, "basic_index: an index that chooses elements");
        }
    }
    keep(array.ndim() - axis);
    if (layout.ndim() > kMaxDims)
        raise(ErrorKind::Index, "the index gives ", layout.ndim(), " dimensions; at most ", kMaxDims, " are supported");
    if (all_integers) *all_integers = integers == array.ndim() && int(index.size()) == integers;
    if (layout.size() == 0) offset = 0;
    return array.view(std::move(layout), offset);
}

}  // namespace cuarray
