// layout.cpp -- shapes, strides, broadcasting, overlap and the collapsed iteration space.
#include "cuarray/core/layout.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "cuarray/core/few.h"

namespace cuarray {

void Dims::grow(int count) {
    int64_t* const grown = new int64_t[size_t(count)];
    std::memcpy(grown, data_, size_t(size_) * sizeof(int64_t));
    if (data_ != inline_) release();
    data_ = grown;
    capacity_ = count;
}

void Dims::take_allocation(Dims& other) noexcept {
    data_ = std::exchange(other.data_, other.inline_);
    size_ = other.size_;
    capacity_ = std::exchange(other.capacity_, kInline);
}

void Dims::release() noexcept {
    delete[] data_;
    data_ = inline_;
    capacity_ = kInline;
}

std::string to_string(const Dims& dims) {
    std::string text = "(";
    for (int i = 0; i < dims.size(); ++i) {
        if (i) text += ", ";
        text += std::to_string(dims[i]);
    }
    return text + (dims.size() == 1 ? ",)" : ")");
}

int64_t checked_size(const Dims& shape, int64_t item, const char* function) {
    if (shape.size() > kMaxDims)
        raise(ErrorKind::Value, function, ": ", shape.size(), " dimensions; at most ", kMaxDims, " are supported");
    int64_t size = 1, bytes = item;
    bool empty = false, overflow = false;
    for (int64_t extent : shape) {
        if (extent < 0)
            raise(ErrorKind::Value, function, ": negative dimensions are not allowed, got ", to_string(shape));
        empty |= extent == 0;
        // An empty array may have any other extents, as long as the product of the non-zero ones fits.
        if (extent == 0 || overflow) continue;
        overflow = __builtin_mul_overflow(bytes, extent, &bytes);
        if (!overflow) size *= extent;
    }
    if (overflow)
        raise(ErrorKind::Value, function, ": array of shape ", to_string(shape), " and ", item,
              "-byte items is too big; its size in bytes does not fit int64");
    return empty ? 0 : size;
}

namespace {

/// The strides of new memory whose axes lie in an order, given by its steps from the innermost; 0 without elements, as
/// in NumPy.
template <class AxisOf>
Dims packed_strides(const Dims& shape, int64_t item, AxisOf&& axis_of) {
    Dims strides = Dims::filled(shape.size(), 0);
    for (int i = 0; i < shape.size(); ++i) {
        const int axis = axis_of(i);
        strides[axis] = item;
        item *= shape[axis];
    }
    if (item == 0) std::ranges::fill(strides, 0);
    return strides;
}

}  // namespace

Dims c_strides(const Dims& shape, int64_t item) {
    return packed_strides(shape, item, [last = shape.size() - 1](int i) { return last - i; });
}

Dims f_strides(const Dims& shape, int64_t item) {
    return packed_strides(shape, item, [](int i) { return i; });
}

Dims strides_in_order(const Dims& shape, const Dims& order, int64_t item) {
    return packed_strides(shape, item, [&order](int i) { return int(order[order.size() - 1 - i]); });
}

bool is_c_contiguous(const Layout& layout, int64_t item) {
    if (layout.size() == 0) return true;
    for (int axis = layout.ndim() - 1; axis >= 0; --axis) {
        if (layout.shape[axis] == 1) continue;
        if (layout.strides[axis] != item) return false;
        item *= layout.shape[axis];
    }
    return true;
}

bool is_f_contiguous(const Layout& layout, int64_t item) {
    if (layout.size() == 0) return true;
    for (int axis = 0; axis < layout.ndim(); ++axis) {
        if (layout.shape[axis] == 1) continue;
        if (layout.strides[axis] != item) return false;
        item *= layout.shape[axis];
    }
    return true;
}

Extent extent(const Layout& layout, int64_t item) {
    if (layout.size() == 0) return {0, 0};
    Extent e{0, item};
    for (int axis = 0; axis < layout.ndim(); ++axis) {
        int64_t reach;
        bool overflows = __builtin_mul_overflow(layout.shape[axis] - 1, layout.strides[axis], &reach);
        int64_t& end = reach < 0 ? e.low : e.high;
        overflows |= __builtin_add_overflow(end, reach, &end);
        if (overflows)
            raise(ErrorKind::Value, "strides ", to_string(layout.strides), " over the shape ", to_string(layout.shape),
                  " lead further than int64 counts bytes");
    }
    return e;
}

bool may_self_overlap(const Layout& layout, int64_t item) {
    if (layout.size() <= 1) return false;
    struct Axis {
        int64_t stride, extent;
        bool operator<(const Axis& other) const { return stride < other.stride; }
    };
    Few<Axis, 8> axes;
    for (int axis = 0; axis < layout.ndim(); ++axis)
        if (layout.shape[axis] > 1) axes.push_back({std::abs(layout.strides[axis]), layout.shape[axis]});
    std::sort(axes.begin(), axes.end());
    int64_t reach = item;
    for (auto [stride, n] : axes) {
        if (stride < reach) return true;
        reach = stride * (n - 1) + reach;
    }
    return false;
}

namespace {

/// One term of the overlap equation: a stride with a coefficient in 0..times.
struct Term {
    int64_t stride, times;
};

/// Whether some choice of coefficients gives a sum in [low, high]. Terms in descending order of stride; `budget` bounds
/// the search.
bool reachable(const Term* term, const Term* end, const int64_t* rest, int64_t low, int64_t high, int& budget) {
    if (term == end) return low <= 0 && 0 <= high;
    if (high < 0 || low > *rest) return false;
    if (--budget < 0) return true;
    const int64_t below = rest[1];  // the most that the remaining terms can add
    const int64_t first = low > below ? (low - below + term->stride - 1) / term->stride : 0;
    const int64_t last = std::min(term->times, high / term->stride);
    for (int64_t k = first; k <= last; ++k)
        if (reachable(term + 1, end, rest + 1, low - k * term->stride, high - k * term->stride, budget)) return true;
    return false;
}

}  // namespace

bool may_overlap(uintptr_t a, const Layout& la, int64_t item_a, uintptr_t b, const Layout& lb, int64_t item_b) {
    if (la.size() == 0 || lb.size() == 0) return false;
    const Extent ea = extent(la, item_a), eb = extent(lb, item_b);
    const int64_t low_a = int64_t(a) + ea.low, low_b = int64_t(b) + eb.low;
    const int64_t high_a = int64_t(a) + ea.high, high_b = int64_t(b) + eb.high;
    if (low_a >= high_b || low_b >= high_a) return false;
    // Counted from each array's lowest byte all strides are positive. An element of a at low_a + sum(i s) and one of b
    // at low_b + sum(j t) share a byte when sum(i s) - sum(j t) lies in an open window; with j -> n-1-j all terms add.
    std::vector<Term> terms;
    auto add = [&](const Layout& layout) {
        for (int axis = 0; axis < layout.ndim(); ++axis)
            if (layout.shape[axis] > 1 && layout.strides[axis] != 0)
                terms.push_back({std::abs(layout.strides[axis]), layout.shape[axis] - 1});
    };
    add(la), add(lb);
    std::sort(terms.begin(), terms.end(), [](Term x, Term y) { return x.stride > y.stride; });
    std::vector<Term> merged;
    for (Term t : terms) {
        if (!merged.empty() && merged.back().stride == t.stride)
            merged.back().times += t.times;
        else
            merged.push_back(t);
    }
    std::vector<int64_t> rest(merged.size() + 1, 0);
    for (size_t i = merged.size(); i-- > 0;) rest[i] = rest[i + 1] + merged[i].stride * merged[i].times;
    const int64_t target = (high_b - item_b) - low_a;  // sum of all terms where both elements start at one byte
    int budget = 10000;
    return reachable(merged.data(), merged.data() + merged.size(), rest.data(), target - item_a + 1,
                     target + item_b - 1, budget);
}

Dims broadcast(std::span<const Dims* const> shapes, const char* function) {
    int ndim = 0;
    for (const Dims* shape : shapes) ndim = std::max(ndim, shape->size());
    Dims result = Dims::filled(ndim, 1);
    for (const Dims* shape : shapes) {
        const int shift = ndim - shape->size();
        for (int axis = 0; axis < shape->size(); ++axis) {
            int64_t& extent = result[axis + shift];
            const int64_t n = (*shape)[axis];
            if (extent == 1)
                extent = n;
            else if (n != 1 && n != extent) {
                std::string text;
                for (size_t i = 0; i < shapes.size(); ++i)
                    text += (i == 0 ? "" : i + 1 == shapes.size() ? " and " : ", ") + to_string(*shapes[i]);
                raise(ErrorKind::Value, function, ": shapes ", text, " cannot be broadcast together");
            }
        }
    }
    checked_size(result, 1, function);
    return result;
}

Dims broadcast_strides(const Layout& layout, const Dims& shape, const char* function) {
    const int shift = shape.size() - layout.ndim();
    Dims strides;
    strides.resize(shape.size());
    std::fill_n(strides.begin(), std::max(shift, 0), 0);
    bool fits = shift >= 0;
    for (int axis = 0; fits && axis < layout.ndim(); ++axis) {
        const int64_t extent = layout.shape[axis];
        strides[axis + shift] = extent == 1 ? 0 : layout.strides[axis];
        fits = extent == 1 || extent == shape[axis + shift];
    }
    if (!fits)
        raise(ErrorKind::Value, function, ": shape ", to_string(layout.shape), " does not broadcast to ",
              to_string(shape));
    return strides;
}

namespace {

/// The absolute value, defined for INT64_MIN too: an axis that is never advanced may have any stride.
uint64_t magnitude(int64_t stride) { return stride < 0 ? -uint64_t(stride) : uint64_t(stride); }

}  // namespace

Dims memory_order(const Dims& shape, std::span<const Dims* const> strides) {
    const int ndim = shape.size();
    Dims order = Dims::filled(ndim, 0);
    std::iota(order.begin(), order.end(), 0);
    // Insertion sort from the innermost axis outwards: with several operands, "is inner to" is not a total order.
    for (int i = ndim - 2; i >= 0; --i) {
        const int64_t axis = order[i];
        int place = i;
        for (int j = i + 1; j < ndim; ++j) {
            bool ambiguous = true, inner = false;
            for (const Dims* s : strides) {
                const uint64_t here = magnitude((*s)[int(axis)]), there = magnitude((*s)[int(order[j])]);
                if (here == 0 || there == 0 || shape[int(axis)] == 1 || shape[int(order[j])] == 1) continue;
                if (there <= here)
                    inner = false;
                else if (ambiguous)
                    inner = true;
                ambiguous = false;
            }
            if (ambiguous) continue;
            if (!inner) break;
            place = j;
        }
        std::rotate(order.begin() + i, order.begin() + i + 1, order.begin() + place + 1);
    }
    return order;
}

bool reshape_strides(const Layout& layout, const Dims& shape, Dims& strides) {
    // Matches groups of old axes with groups of new axes of the same size; each old group must be mergeable.
    Dims old_shape, old_strides;
    for (int axis = 0; axis < layout.ndim(); ++axis)
        if (layout.shape[axis] != 1)
            old_shape.push_back(layout.shape[axis]), old_strides.push_back(layout.strides[axis]);
    strides = Dims::filled(shape.size(), 0);
    if (layout.size() == 0) return true;
    int old_begin = 0, new_begin = 0;
    while (old_begin < old_shape.size() && new_begin < shape.size()) {
        int old_end = old_begin + 1, new_end = new_begin + 1;
        int64_t olds = old_shape[old_begin], news = shape[new_begin];
        while (olds != news) {
            if (news < olds)
                news *= shape[new_end++];
            else
                olds *= old_shape[old_end++];
        }
        for (int axis = old_begin; axis + 1 < old_end; ++axis)
            if (old_strides[axis] != old_strides[axis + 1] * old_shape[axis + 1]) return false;
        int64_t stride = old_strides[old_end - 1];
        for (int axis = new_end - 1; axis >= new_begin; --axis) {
            strides[axis] = stride;
            stride *= shape[axis];
        }
        old_begin = old_end, new_begin = new_end;
    }
    // The remaining axes have extent 1.
    const int64_t last = new_begin ? strides[new_begin - 1] : 0;
    for (int axis = new_begin; axis < shape.size(); ++axis) strides[axis] = last;
    return true;
}

namespace {

void drop_unit_axes(Space& space, const Dims& shape, std::span<const Dims* const> strides, const Dims* order) {
    for (int i = 0; i < shape.size(); ++i) {
        const int axis = order ? int((*order)[i]) : i;
        if (shape[axis] == 1) continue;
        space.shape[space.ndim] = shape[axis];
        for (int k = 0; k < space.operands; ++k) space.strides[k][space.ndim] = (*strides[k])[axis];
        ++space.ndim;
    }
}

void flip_negative_axes(Space& space) {
    for (int axis = 0; axis < space.ndim; ++axis) {
        bool negative = false, positive = false;
        for (int k = 0; k < space.operands; ++k) {
            negative |= space.strides[k][axis] < 0;
            positive |= space.strides[k][axis] > 0;
        }
        if (!negative || positive) continue;
        for (int k = 0; k < space.operands; ++k) {
            space.offset[k] += space.strides[k][axis] * (space.shape[axis] - 1);
            space.strides[k][axis] = -space.strides[k][axis];
        }
    }
}

void merge_axes(Space& space) {
    int last = 0;
    for (int axis = 1; axis < space.ndim; ++axis) {
        bool merges = true;
        for (int k = 0; merges && k < space.operands; ++k)
            merges = space.strides[k][last] == space.strides[k][axis] * space.shape[axis];
        if (merges)
            space.shape[last] *= space.shape[axis];
        else
            space.shape[++last] = space.shape[axis];
        for (int k = 0; k < space.operands; ++k) space.strides[k][last] = space.strides[k][axis];
    }
    space.ndim = space.ndim ? last + 1 : 0;
}

}  // namespace

void collapse(Space& space, const Dims& shape, std::span<const Dims* const> strides, bool keep_order) {
    space.ndim = 0;
    space.operands = int(strides.size());
    space.size = count(shape);
    for (int k = 0; k < space.operands; ++k) space.offset[k] = 0;
    if (space.size == 0) {
        space.ndim = 1;
        space.shape[0] = 0;
        for (int k = 0; k < space.operands; ++k) space.strides[k][0] = 0;
        return;
    }
    if (keep_order || shape.size() < 2) {
        drop_unit_axes(space, shape, strides, nullptr);
    } else {
        const Dims order = memory_order(shape, strides);
        drop_unit_axes(space, shape, strides, &order);
    }
    if (!keep_order) flip_negative_axes(space);
    merge_axes(space);
}

int normalise_axis(int64_t axis, int ndim, const char* function) {
    if (axis < -ndim || axis >= ndim)
        raise(ErrorKind::Axis, function, ": axis ", axis, " is out of bounds for array of dimension ", ndim);
    return int(axis < 0 ? axis + ndim : axis);
}

Dims normalise_axes(const Dims& axes, int ndim, const char* function) {
    Dims result;
    for (int64_t axis : axes) result.push_back(normalise_axis(axis, ndim, function));
    std::sort(result.begin(), result.end());
    if (std::adjacent_find(result.begin(), result.end()) != result.end())
        raise(ErrorKind::Value, function, ": duplicate value in axis ", to_string(axes));
    return result;
}

}  // namespace cuarray
