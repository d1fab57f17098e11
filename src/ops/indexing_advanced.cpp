// indexing_advanced.cpp -- x[key] with arrays and bools in the key: the axes that they index, and the placement of the
// resulting axes.
#include <algorithm>
#include <numeric>

#include "cuarray/array/elements.h"
#include "cuarray/array/pending.h"
#include "cuarray/ops/ufunc.h"
#include "cuarray/runtime/registry.h"
#include "ops/indexed_elements.h"

namespace cuarray {
namespace {

constexpr const char* kIndexName = "index";

bool is_mask(const Index& entry) { return entry.kind == Index::Kind::Array && entry.array->dtype() == DType::bool_; }

/// The number of array axes that the entry indexes; 0 for an Ellipsis, which is expanded later.
int axes_of(const Index& entry) {
    switch (entry.kind) {
        case Index::Kind::Integer:
        case Index::Kind::Slice: return 1;
        case Index::Kind::Array: return is_mask(entry) ? entry.array->ndim() : 1;
        default: return 0;
    }
}

void check_entries(const Array& array, std::span<const Index> index) {
    int used = 0, ellipses = 0;
    for (const Index& entry : index) {
        used += axes_of(entry);
        ellipses += entry.kind == Index::Kind::Ellipsis;
        if (entry.kind != Index::Kind::Array) continue;
        const Kind kind = info(entry.array->dtype()).kind;
        if (kind == Kind::Floating || kind == Kind::Complex)
            raise(ErrorKind::Index, "arrays used as indices must be of integer (or boolean) type, not ",
                  info(entry.array->dtype()).name);
        if (!(entry.array->device() == array.device()))
            raise(ErrorKind::Value, "index: an index array on ", to_string(entry.array->device()), " for an array on ",
                  to_string(array.device()), "; move one with .to_device(...)");
    }
    if (ellipses > 1) raise(ErrorKind::Index, "an index can only have a single ellipsis ('...')");
    if (used > array.ndim())
        raise(ErrorKind::Index, "too many indices for array: array is ", array.ndim(), "-dimensional, but ", used,
              " were indexed");
}

/// A mask indexes the axes from `axis` on and must match their extents; an extent of 0 in the mask matches any.
void check_mask(const Array& array, const Array& mask, int axis) {
    for (int i = 0; i < mask.ndim(); ++i)
        if (mask.shape()[i] != array.shape()[axis + i] && mask.shape()[i] != 0)
            raise(ErrorKind::Index, "boolean index did not match indexed array along axis ", axis + i,
                  "; size of axis is ", array.shape()[axis + i], " but size of corresponding boolean axis is ",
                  mask.shape()[i]);
}

/// The mask if it is the whole key, else null. A mask with fewer axes than the array indexes the first ones.
const Array* lone_mask(const Array& array, std::span<const Index> index) {
    const Array* mask = nullptr;
    bool comes_later = false;
    for (const Index& entry : index) {
        if (entry.kind == Index::Kind::Ellipsis) {
            comes_later |= !mask;
            continue;
        }
        if (mask || !is_mask(entry) || entry.array->ndim() == 0) return nullptr;
        mask = entry.array;
        if (comes_later && mask->ndim() < array.ndim()) return nullptr;
    }
    if (!mask) return nullptr;
    check_mask(array, *mask, 0);
    return std::equal(mask->shape().begin(), mask->shape().end(), array.shape().begin()) ? mask : nullptr;
}

/// A key being parsed: one position array per indexed axis, and the axes of the result.
class AdvancedIndex {
 public:
    AdvancedIndex(const Array& array, std::span<const Index> index, bool writes) : array_(array), writes_(writes) {
        int used = 0;
        bool has_ellipsis = false;
        for (const Index& entry : index) {
            used += axes_of(entry);
            has_ellipsis |= entry.kind == Index::Kind::Ellipsis;
        }
        for (const Index& entry : index) add(entry, used);
        if (!has_ellipsis) keep(array.ndim() - axis_);
    }

    IndexedElements places() {
        broadcast_positions();
        IndexedElements places;
        const int at = adjacent_ ? at_ : 0;
        places.shape = kept_.shape;
        places.strides = kept_.strides;
        for (int i = 0; i < common_.size(); ++i) {
            places.shape.insert(at + i, common_[i]);
            places.strides.insert(at + i, 0);
        }
        if (places.shape.size() > kMaxDims)
            raise(ErrorKind::Index, "the index gives ", places.shape.size(), " dimensions; at most ", kMaxDims,
                  " are supported");
        places.array = array_;
        places.base = array_.view(Layout(), offset_);
        const auto add = [&](const Array& index, int64_t size, int64_t stride, int axis) {
            const Dims strides = broadcast_strides(index.layout(), common_, kIndexName);
            Dims over = Dims::filled(places.shape.size(), 0);
            std::copy(strides.begin(), strides.end(), over.begin() + at);
            places.add(index, over, size, stride, axis);
        };
        const bool are_many = positions_.size() > size_t(kernel::kMaxIndices);
        for (const Position& p : positions_) {
            if (p.axis < 0)
                places.positions.push_back(p.array);
            else if (!are_many)
                add(p.array, array_.shape()[p.axis], array_.strides()[p.axis], p.axis);
        }
        if (!are_many) return places;
        const Distances distances = distances_of_elements();
        places.base = array_.view(Layout(), offset_ + distances.lowest);
        add(distances.steps, distances.count, distances.unit, positions_.back().axis);
        return places;
    }

 private:
    struct Position {
        Array array;
        int axis;  ///< -1: a bool, which only affects the result's shape
    };

    void add(const Index& entry, int used) {
        switch (entry.kind) {
            case Index::Kind::NewAxis: kept_.shape.push_back(1), kept_.strides.push_back(0); break;
            case Index::Kind::Ellipsis: keep(array_.ndim() - used); break;
            case Index::Kind::Slice: add_slice(entry); break;
            case Index::Kind::Integer: add_integer(entry.value); break;
            case Index::Kind::Bool: add_positions(empty({entry.value}, DType::int64, array_.device()), -1); break;
            case Index::Kind::Array: is_mask(entry) ? add_mask(*entry.array) : add_array(*entry.array); break;
        }
        is_choosing_ = entry.kind == Index::Kind::Integer || entry.kind >= Index::Kind::Bool;
    }

    void keep(int count) {
        for (; count > 0; --count, ++axis_) {
            kept_.shape.push_back(array_.shape()[axis_]);
            kept_.strides.push_back(array_.strides()[axis_]);
        }
    }

    void add_slice(const Index& entry) {
        const Array line = array_.view({{array_.shape()[axis_]}, {array_.strides()[axis_]}});
        const Array part = basic_index(line, {&entry, 1});
        offset_ += part.offset() - line.offset();
        kept_.shape.push_back(part.shape()[0]);
        kept_.strides.push_back(part.strides()[0]);
        ++axis_;
    }

    void add_integer(int64_t value) {
        const int64_t n = array_.shape()[axis_];
        if (value < -n || value >= n)
            raise(ErrorKind::Index, "index ", value, " is out of bounds for axis ", axis_, " with size ", n);
        offset_ += (value < 0 ? value + n : value) * array_.strides()[axis_];
        note_choice();
        ++axis_;
    }

    void add_array(const Array& array) {
        const Array positions = as_positions(array, array_, kIndexName);
        // A write to the array must not change the indices of later elements.
        add_positions(writes_ && overlaps(positions, array_) ? copy(positions, 'C') : positions, axis_);
        ++axis_;
    }

    void add_mask(const Array& mask) {
        check_mask(array_, mask, axis_);
        if (mask.ndim() == 0) {
            const bool value = item(mask, kIndexName).bytes[0] != 0;
            return add_positions(empty({value}, DType::int64, array_.device()), -1);
        }
        const Array places = nonzero_coordinates(mask);
        for (int i = 0; i < mask.ndim(); ++i, ++axis_)
            add_positions(places.view({{places.shape()[1]}, {places.strides()[1]}}, i * places.strides()[0]), axis_);
    }

    void add_positions(Array positions, int axis) {
        note_choice();
        positions_.push_back({std::move(positions), axis});
        is_choosing_ = true;
    }

    /// The result has the axes of the positions in place of the indexed axes if those are adjacent, else in front.
    void note_choice() {
        if (at_ < 0)
            at_ = kept_.shape.size();
        else if (!is_choosing_)
            adjacent_ = false;
    }

    /// Elements by their distance from the lowest one, in steps of the largest unit of all strides.
    struct Distances {
        Array steps;
        int64_t count = 1, unit = 0, lowest = 0;
    };

    /// For more indexed axes than a task takes: they become one.
    Distances distances_of_elements() const {
        if (positions_.size() >= size_t(kMaxDims))
            raise(ErrorKind::Index, "an index has at most ", kMaxDims - 1, " arrays, not ", positions_.size());
        Distances result;
        int64_t reach = 0;
        for (const Position& p : positions_) {
            if (p.axis < 0) continue;
            const int64_t stride = array_.strides()[p.axis], size = array_.shape()[p.axis];
            result.unit = std::gcd(result.unit, stride);
            reach += std::abs(stride) * std::max<int64_t>(size - 1, 0);
            result.lowest += std::min<int64_t>(stride, 0) * std::max<int64_t>(size - 1, 0);
        }
        result.unit = std::max<int64_t>(result.unit, 1);
        result.count = reach / result.unit + 1;
        result.steps = full({}, Scalar::of(DType::int64, -result.lowest / result.unit), array_.device());
        for (const Position& p : positions_)
            if (p.axis >= 0) result.steps = apply_row(row::add, result.steps, steps_along(p, result.unit));
        return result;
    }

    /// What an index adds to the distance. On a GPU, one out of bounds is reported later and counts as the nearest.
    Array steps_along(const Position& p, int64_t unit) const {
        const int64_t size = array_.shape()[p.axis];
        if (count(common_) > 0) {
            IndexedElements alone{array_, array_.view(Layout()), p.array.shape(), Dims::filled(p.array.ndim(), 0), {},
                                  {}};
            alone.add(p.array, p.array.strides(), size, 0, p.axis);
            check_inside(alone, kIndexName);
            if (size == 0) raise(ErrorKind::Index, "an index is out of bounds for axis ", p.axis, " with size 0");
        }
        const auto number = [](int64_t value) { return Scalar::of(DType::int64, value); };
        const Array from_end = apply_row(row::add, p.array, number(size));
        const Array is_negative = apply_row(row::less, p.array, number(0));
        const Array inside =
            apply_row(row::clip, apply_row(row::where, is_negative, from_end, p.array), number(0), number(size - 1));
        return apply_row(row::multiply, inside, number(array_.strides()[p.axis] / unit));
    }

    static bool fit_together(const std::vector<const Dims*>& shapes) {
        Dims common = Dims::filled(kMaxDims, 1);
        for (const Dims* shape : shapes)
            for (int axis = 1; axis <= shape->size(); ++axis) {
                const int64_t n = (*shape)[shape->size() - axis];
                int64_t& extent = common[kMaxDims - axis];
                if (extent != 1 && n != 1 && n != extent) return false;
                if (extent == 1) extent = n;
            }
        return true;
    }

    void broadcast_positions() {
        if (positions_.size() == 1) {
            common_ = positions_[0].array.shape();
            return;
        }
        std::vector<const Dims*> shapes;
        for (const Position& p : positions_) shapes.push_back(&p.array.shape());
        try {
            common_ = broadcast(shapes, kIndexName);
        } catch (const Error&) {
            if (fit_together(shapes)) throw;  // too many elements
            std::string text;
            for (const Dims* shape : shapes) text += " " + to_string(*shape);
            raise(ErrorKind::Index, "shape mismatch: indexing arrays could not be broadcast together with shapes",
                  text);
        }
    }

    const Array& array_;
    const bool writes_;
    int axis_ = 0;        ///< the next axis of the array
    int64_t offset_ = 0;  ///< bytes
    Layout kept_;         ///< axes of the result that are the array's own
    std::vector<Position> positions_;
    Dims common_;  ///< the broadcast shape of the positions
    int at_ = -1;
    bool adjacent_ = true, is_choosing_ = false;
};

Compaction compaction(Compaction::Kind kind, const Array& array, const Array& mask, const MaskCounts& counts,
                      const Array& packed) {
    return {kind,
            array.shape(),
            mask.as_operand(mask.shape(), kIndexName),
            &counts,
            array.as_operand(array.shape(), kIndexName),
            packed.as_operand(packed.shape(), kIndexName),
            kIndexName};
}

Array plain(const Array& mask) { return mask.is_c_contiguous() ? mask : copy(mask, 'C'); }

MaskCounts count_mask(const Array& mask) {
    if (mask.is_empty()) return {};
    return mask.storage().front().count_mask(mask.as_operand(mask.shape(), kIndexName), mask.size());
}

Array compress(const Array& array, const Array& given) {
    const Array mask = plain(given);
    const MaskCounts counts = count_mask(mask);
    const Array result = empty({counts.total}, array.dtype(), array.device());
    if (counts.total) result.storage().front().run(compaction(Compaction::Kind::Compress, array, mask, counts, result));
    return result;
}

/// The mask with trailing axes of extent 1 for the array's remaining axes.
Array over_all_axes(const Array& mask, const Array& array) {
    Dims shape = mask.shape();
    while (shape.size() < array.ndim()) shape.push_back(1);
    return mask.reshape(shape);
}

/// Storing one value needs no count of the mask. In a small array all elements are written, by one loop, which is
/// fastest; in a larger one only those where the mask is true, because other threads may write the others.
void fill_masked(const Array& array, const Array& mask, const Scalar& value) {
    constexpr int64_t kFew = 16 * 1024;
    const Array over = over_all_axes(mask, array);
    if (array.size() > kFew) return fill_where(array, over, value, "assignment");
    Array target = array;
    const Argument args[] = {over, value, array};
    UfuncOptions options;
    options.out[0] = &target;
    call(row::where, args, options);
}

void expand(const Array& array, const Array& given, const Array& values) {
    if (values.ndim() > 1)
        raise(ErrorKind::Type, "boolean array indexing assignment requires a 0 or 1-dimensional input, input has ",
              values.ndim(), " dimensions");
    const Array mask = plain(overlaps(given, array) ? copy(given, 'C') : given);
    const MaskCounts counts = count_mask(mask);
    if (values.size() != counts.total)
        raise(ErrorKind::Value, "boolean array indexing assignment cannot assign ", values.size(),
              " input values to the ", counts.total, " output values where the mask is true");
    if (counts.total == 0) return;
    before_write(array.storage());
    const Array packed = overlaps(values, array) ? copy(values, 'C') : values;
    array.storage().front().run(compaction(Compaction::Kind::Expand, array, mask, counts, packed));
}

void check_writable(const Array& array) {
    if (!array.is_writable()) raise(ErrorKind::Value, "assignment destination is read-only");
}

}  // namespace

IndexedElements places_of(const Array& array, std::span<const Index> index, bool writes) {
    check_entries(array, index);
    return AdvancedIndex(array, index, writes).places();
}

Array elements_at(const Array& array, std::span<const Index> index) {
    check_entries(array, index);
    const Array* const mask = lone_mask(array, index);
    if (mask && mask->ndim() == array.ndim()) return compress(array, *mask);
    return gather(AdvancedIndex(array, index, false).places(), Outside::Raise, kIndexName);
}

void assign_at(const Array& array, std::span<const Index> index, const Array& values) {
    check_writable(array);
    check_entries(array, index);
    if (!(values.device() == array.device())) {
        const Array moved = empty(values.shape(), array.dtype(), array.device());
        transfer(moved, values, "assignment");
        return assign_at(array, index, moved);
    }
    if (const Array* const mask = lone_mask(array, index)) {
        if (values.size() == 1 && values.ndim() <= 1)
            return assign_where(array, over_all_axes(*mask, array), values.reshape({}), "assignment");
        // With an Ellipsis in the key, values of any shape broadcast, as for index arrays.
        if (mask->ndim() == array.ndim() && index.size() == 1)
            return expand(array, *mask, astype(values, array.dtype(), 'K', false));
    }
    scatter(AdvancedIndex(array, index, true).places(), values, "assignment");
}

void assign_at(const Array& array, std::span<const Index> index, const Scalar& value) {
    const Scalar same = convert(value, array.dtype());
    check_writable(array);
    check_entries(array, index);
    if (const Array* const mask = lone_mask(array, index)) return fill_masked(array, *mask, same);
    scatter(AdvancedIndex(array, index, true).places(), full({}, same, array.device()), "assignment");
}

namespace {

/// The coordinates of the true ones of few elements in C order, found without a task; an empty handle where that cannot
/// be.
Array coordinates_of_few(const Array& mask) {
    constexpr int64_t kFew = 256;
    const char* const data = mask.size() <= kFew ? direct_data(mask) : nullptr;
    if (!data) return {};
    char elements[kFew];  // a copy, because another thread may change the array between the count and the search
    std::copy_n(data, mask.size(), elements);
    const int64_t total = mask.size() - std::count(elements, elements + mask.size(), 0);
    Array places = empty({mask.ndim(), total}, DType::int64, mask.device());
    auto* const to = reinterpret_cast<int64_t*>(direct_data(places));
    if (!to) return {};
    const int last = mask.ndim() - 1;
    const int64_t row = mask.shape()[last];
    for (int64_t start = 0, found = 0; found < total; start += row) {
        const int64_t first = found;
        for (int64_t i = 0; i < row; ++i)
            if (elements[start + i]) to[last * total + found++] = i;
        int64_t rest = start / row;
        for (int axis = last - 1; axis >= 0; rest /= mask.shape()[axis--])
            std::fill(to + axis * total + first, to + axis * total + found, rest % mask.shape()[axis]);
    }
    return places;
}

}  // namespace

Array nonzero_coordinates(const Array& array) {
    if (array.ndim() == 0)
        raise(ErrorKind::Value, "nonzero: an array without axes has no coordinates; use atleast_1d(x).nonzero()");
    const bool is_bool = array.dtype() == DType::bool_;
    const Array mask = plain(is_bool ? array : astype(array, DType::bool_, 'C'));
    if (Array few = coordinates_of_few(mask); few.defined()) return few;
    const MaskCounts counts = count_mask(mask);
    const Array places = empty({array.ndim(), counts.total}, DType::int64, array.device());
    if (counts.total == 0) return places;
    places.storage().front().run(Compaction{Compaction::Kind::Nonzero,
                                            mask.shape(),
                                            mask.as_operand(mask.shape(), "nonzero"),
                                            &counts,
                                            {},
                                            places.as_operand(places.shape(), "nonzero"),
                                            "nonzero"});
    return places;
}

}  // namespace cuarray
