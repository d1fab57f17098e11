// editing.cpp -- what is kept of an axis is a few parts of it, which are joined, or elements, which are taken.
#include "cuarray/ops/editing.h"
#include <algorithm>
#include <cstring>
#include <numeric>
#include <string>
#include <vector>

#include "cuarray/ops/creation.h"
#include "cuarray/ops/joining.h"
#include "cuarray/ops/selection.h"
#include "ops/call.h"
#include "runtime/hooks.h"

namespace cuarray {
namespace {

/// The array and the axis that are edited: those of a call, or the flattened array.
struct EditedAxis {
    EditedAxis(const Array& given, const std::optional<int64_t>& number, const char* name)
        : array(number ? given : given.reshape({-1})),
          axis(number ? normalise_axis(*number, given.ndim(), name) : 0),
          extent(array.shape()[axis]) {}

    Array array;
    int axis;
    int64_t extent;
};

/// Positions as they are given, read by the host.
class ReadPositions {
 public:
    ReadPositions(const AxisPositions& given, int64_t extent) {
        if (const auto* const one = std::get_if<int64_t>(&given)) {
            values.push_back(*one);
        } else if (const auto* const all = std::get_if<Dims>(&given)) {
            values.assign(all->begin(), all->end());
            shape = {all->size()};
        } else if (const auto* const slice = std::get_if<Index>(&given)) {
            read(positions_of(*slice, extent));
        } else {
            read(std::get<IndexArray>(given));
        }
    }

    Kind kind() const { return info(dtype).kind; }
    bool is_mask() const { return kind() == Kind::Bool; }
    bool is_integral() const { return kind() == Kind::Signed || kind() == Kind::Unsigned || is_mask(); }
    /// Counts from the front; IndexError for a position that is not below `end`, or that is below -extent.
    void count_from_front(int64_t extent, int64_t end, int axis, const char* name) {
        for (int64_t& value : values) {
            const bool wraps = dtype == DType::uint64 && value < 0;
            if (wraps || value < -extent || value >= end)
                raise(ErrorKind::Index, name, ": index ",
                      wraps ? std::to_string(uint64_t(value)) : std::to_string(value), " is out of bounds for axis ",
                      axis, " with size ", extent);
            if (value < 0) value += extent;
        }
    }

    std::vector<int64_t> values;  ///< empty for a mask
    std::vector<uint8_t> flags;   ///< of a mask, 0 and 1
    Dims shape;                   ///< of an array; a slice has one axis
    DType dtype = DType::int64;

 private:
    void read(const SlicePositions& slice) {
        for (int64_t i = 0; i < slice.count; ++i) values.push_back(slice.first + i * slice.step);
        shape = {slice.count};
    }
    void read(const IndexArray& given) {
        const Array array = to_device(given.array, Device{});
        shape = array.shape();
        if (given.has_dtype || !array.is_empty()) dtype = array.dtype();
        if (is_mask()) {
            flags.resize(size_t(array.size()));
            return read_contiguous(array, flags.data());
        }
        values.resize(size_t(array.size()));
        if (is_integral()) read_contiguous(astype(array, DType::int64, 'K', false), values.data());
    }
};

/// One byte for each element of an axis: 1 for those that stay, else 0.
std::vector<uint8_t> elements_kept(const AxisPositions& positions, const EditedAxis& edited) {
    ReadPositions gone(positions, edited.extent);
    if (!gone.is_integral())
        raise(ErrorKind::Index, "delete: arrays used as indices must be of integer (or boolean) type, not ",
              info(gone.dtype).name);
    if (!gone.is_mask()) {
        std::vector<uint8_t> is_kept(size_t(edited.extent), 1);
        gone.count_from_front(edited.extent, edited.extent, edited.axis, "delete");
        for (const int64_t position : gone.values) is_kept[size_t(position)] = 0;
        return is_kept;
    }
    if (!(gone.shape == Dims{edited.extent}))
        raise(ErrorKind::Value, "delete: a mask of shape ", to_string(gone.shape), " does not go with ", edited.extent,
              " elements");
    for (uint8_t& flag : gone.flags) flag = !flag;
    return std::move(gone.flags);
}

/// The positions of inserted elements, from 0 to the extent of the axis.
void check_positions(ReadPositions& positions, const EditedAxis& edited) {
    if (positions.shape.size() > 1)
        raise(ErrorKind::Value, "insert: ", positions.is_mask() ? "a mask" : "positions", " must have one axis, not ",
              positions.shape.size());
    if (positions.is_mask()) {
        if (positions.shape.empty()) raise(ErrorKind::Value, "insert: a mask must have one axis, not 0");
        for (size_t i = 0; i < positions.flags.size(); ++i)
            if (positions.flags[i]) positions.values.push_back(int64_t(i));
    } else if (!positions.is_integral()) {
        raise(positions.values.size() == 1 ? ErrorKind::Type : ErrorKind::Index,
              "insert: positions must be integers, not ", info(positions.dtype).name);
    }
    positions.count_from_front(edited.extent, edited.extent + 1, edited.axis, "insert");
}

/// The values in the dtype of the array, on its device.
Array values_for(const Array& array, const InsertedValues& values) {
    if (!values.array) return full({}, stored_element(values, array.dtype(), "insert"), array.device());
    warn_of_lost_imaginary_part(values.array->dtype(), array.dtype());
    return astype(*values.array, array.dtype(), 'K', false);
}

/// The values of a single position, with the axis along which they lie moved to the edited one; they repeat the
/// position.
Array values_of_one(Array values, bool is_single, const EditedAxis& edited, ReadPositions& positions) {
    Dims shape = Dims::filled(std::max(edited.array.ndim() - values.ndim(), 0), 1), axes;
    for (const int64_t extent : values.shape()) shape.push_back(extent);
    values = values.reshape(shape);
    if (is_single && shape.size()) {  // the first axis of the values goes along the edited one
        for (int k = 1; k < shape.size(); ++k) axes.push_back(k);
        axes.insert(edited.axis, 0);
        values = values.transpose(axes);
    }
    if (shape.size()) positions.values.resize(size_t(values.shape()[edited.axis]), positions.values[0]);
    return values;
}

/// The values at the shape of what is inserted; more axes than its own may lead, of one element.
Array values_in_shape(const Array& values, const Dims& inserted) {
    Dims shape;
    for (int k = 0; k < values.ndim(); ++k)
        if (!shape.empty() || values.ndim() - k <= inserted.size() || values.shape()[k] != 1)
            shape.push_back(values.shape()[k]);
    return values.reshape(shape).broadcast_to(inserted, "insert");
}

/// A view of the elements of an axis from `begin` to `end`.
Array part_of(const Array& array, int axis, int64_t begin, int64_t end) {
    Layout layout = array.layout();
    layout.shape[axis] = end - begin;
    return array.view(layout, begin * array.strides()[axis]);
}

/// Up to so many parts of this mean extent are joined: to copy a part costs as much as to take so many elements.
constexpr int64_t kMostParts = 64, kPartExtent = 32;

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

Array delete_(const Array& arr, const AxisPositions& obj, std::optional<int64_t> given_axis) {
    const EditedAxis edited(arr, given_axis, "delete");
    const auto& [array, axis, extent] = edited;
    const std::vector<uint8_t> is_kept = elements_kept(obj, edited);
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

Array insert(const Array& arr, const AxisPositions& obj, const InsertedValues& given,
             std::optional<int64_t> given_axis) {
    const EditedAxis edited(arr, given_axis, "insert");
    const auto& [array, axis, extent] = edited;
    ReadPositions read(obj, extent);
    const bool is_single = read.shape.empty() && !read.is_mask();
    check_positions(read, edited);
    Array values = values_for(array, given);
    if (read.values.size() == 1) values = values_of_one(std::move(values), is_single, edited, read);
    const std::vector<int64_t>& places = read.values;
    const int64_t count = int64_t(places.size());
    Dims inserted = array.shape();
    inserted[axis] = count;
    values = values_in_shape(values, inserted);
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
