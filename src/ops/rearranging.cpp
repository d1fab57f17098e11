// rearranging.cpp -- roll, tile, resize and repeat: few elements are copied by the caller, others by copies between
// views.
#include "cuarray/ops/rearranging.h"
#include <algorithm>
#include <numeric>
#include <vector>
#include "core/copy_run.h"
#include "cuarray/array/elements.h"
#include "cuarray/core/few.h"
#include "cuarray/ops/creation.h"
#include "cuarray/ops/reduction.h"
#include "cuarray/ops/scan.h"
#include "cuarray/ops/selection.h"
#include "cuarray/ops/shaping.h"
#include "cuarray/ops/sort.h"
#include "cuarray/runtime/threads.h"
#include "ops/element_access.h"
#include "ops/repeat_in_chunks.h"

namespace cuarray {
namespace {

/// So many bytes are written by the caller's thread.
constexpr int64_t kMostMovedBytes = 1 << 23;

/// An array in C order as lines along an axis: how many there are, and the bytes from an element of one to the next.
struct LinesAlong {
    int64_t count = 1, item;

    LinesAlong(const Array& array, int axis) : item(item_size(array.dtype())) {
        for (int d = 0; d < axis; ++d) count *= array.shape()[d];
        for (int d = axis + 1; d < array.ndim(); ++d) item *= array.shape()[d];
    }
};

/// Elements that the host may read now, contiguous in C order; null for others.
const char* direct_line(const Array& array) { return array.is_c_contiguous() ? direct_data(array) : nullptr; }

/// Writes the elements moved along an axis by a shift that is not negative and less than the extent.
void roll_lines(const Array& array, int axis, int64_t shift, const char* from, char* to) {
    const LinesAlong lines(array, axis);
    const int64_t bytes = array.shape()[axis] * lines.item, first = shift * lines.item;
    for (int64_t i = 0; i < lines.count; ++i, from += bytes, to += bytes) {
        copy_run(to + first, from, bytes - first);
        copy_run(to, from + bytes - first, first);
    }
}

/// The elements rolled by the caller, one axis after the other; an empty handle where they are not few.
Array roll_few(const Array& a, const Dims& shifts) {
    if (a.is_empty() || a.nbytes() > 4 * kFewBytes || !direct_line(a)) return {};
    Array rolled;
    for (int axis = 0; axis < a.ndim(); ++axis) {
        if (!shifts[axis]) continue;
        Array next = empty(a.shape(), a.dtype(), a.device());
        char* const to = direct_data(next);
        if (!to) return {};
        roll_lines(a, axis, shifts[axis], direct_data(rolled.defined() ? rolled : a), to);
        rolled = std::move(next);
    }
    if (!rolled.defined()) return copy(a);
    return rolled;
}

/// So many elements along an axis.
Array span_of(const Array& array, int axis, int64_t begin, int64_t count) {
    Layout layout = array.layout();
    layout.shape[axis] = count;
    return array.view(std::move(layout), begin * array.strides()[axis]);
}

/// Copies a block: the first `axis` axes are cut already, each of the others into two pieces if it is shifted.
void roll_pieces(const Array& from, const Array& to, const Dims& shifts, int axis) {
    if (axis == from.ndim()) return assign(to, from, "roll");
    const int64_t shift = shifts[axis], extent = from.shape()[axis];
    if (shift == 0) return roll_pieces(from, to, shifts, axis + 1);
    roll_pieces(span_of(from, axis, 0, extent - shift), span_of(to, axis, shift, extent - shift), shifts, axis + 1);
    roll_pieces(span_of(from, axis, extent - shift, shift), span_of(to, axis, 0, shift), shifts, axis + 1);
}

/// Axes of these lengths, of which those that are not 1 are read again and again: in C order, as an array of that
/// shape.
Array copy_repeated(const Array& a, Layout layout, const Dims& shape, const char* name) {
    checked_size(shape, item_size(a.dtype()), name);
    if (a.is_empty()) return empty(shape, a.dtype(), a.device());
    if (count(shape) == 0) return empty(layout.shape, a.dtype(), a.device()).reshape(shape);
    return copy(a.view(std::move(layout)), 'C').reshape(shape);
}

/// How often each of some elements is repeated: a copy, because another thread may change the array.
using FewCounts = Few<int64_t, 64>;

/// Reads the counts where the host may do so now.
bool read_counts(const Array& counts, FewCounts& numbers) {
    if (counts.dtype() != DType::int64 || !counts.is_c_contiguous() || !is_aligned(counts)) return false;
    const char* const data = direct_data(counts);
    if (!data) return false;
    numbers.resize(size_t(counts.size()));
    std::memcpy(numbers.data(), data, size_t(counts.nbytes()));
    return true;
}

/// Each element by its count, written by the caller; an empty handle where they are many.
Array repeat_few(const Array& a, const FewCounts& counts, int axis) {
    const char* from = direct_line(a);
    const LinesAlong lines(a, axis);
    int64_t total = 0;
    for (const int64_t count : counts)
        if (__builtin_add_overflow(total, count, &total)) return {};
    if (!from || total == 0 || a.is_empty() || total > kMostMovedBytes / lines.item / lines.count) return {};
    Dims shape = a.shape();
    shape[axis] = total;
    Array result = empty(shape, a.dtype(), a.device());
    char* to = direct_data(result);
    if (!to) return {};
    const auto write = [&](auto bytes) {
        for (int64_t line = 0; line < lines.count; ++line)
            for (const int64_t count : counts) {
                for (int64_t k = 0; k < count; ++k, to += bytes) copy_run(to, from, bytes);
                from += bytes;
            }
    };
    switch (lines.item) {
        case 1: write(std::integral_constant<int64_t, 1>()); break;
        case 2: write(std::integral_constant<int64_t, 2>()); break;
        case 3: write(std::integral_constant<int64_t, 3>()); break;  // of an image's colours
        case 4: write(std::integral_constant<int64_t, 4>()); break;
        case 8: write(std::integral_constant<int64_t, 8>()); break;
        case 16: write(std::integral_constant<int64_t, 16>()); break;
        default: write(lines.item);
    }
    return result;
}

/// Every element so many times along an axis.
Array repeat_all(const Array& a, int64_t count, int axis) {
    constexpr int64_t kMostCounts = 256;  // more are copied by vectors
    const int64_t extent = a.shape()[axis];
    if (count > 0 && extent <= kMostCounts && count <= kFewBytes)
        if (Array few = repeat_few(a, FewCounts(size_t(extent), count), axis); few.defined()) return few;
    Dims shape = a.shape();
    if (__builtin_mul_overflow(extent, count, &shape[axis]))
        raise(ErrorKind::Value, "repeat: ", extent, " elements ", count, " times are more than int64 counts");
    // One axis before and one behind: the limit of 64 axes leaves no room for another.
    int64_t outer = 1, inner = 1;
    for (int d = 0; d < a.ndim(); ++d)
        if (d != axis) (d < axis ? outer : inner) *= shape[d];
    checked_size(shape, item_size(a.dtype()), "repeat");
    if (a.is_empty() || count == 0) return empty(shape, a.dtype(), a.device());
    Layout layout = a.reshape({outer, extent, inner}).layout();
    const Array lines = a.reshape({outer, extent, inner});
    layout.shape.insert(2, count);
    layout.strides.insert(2, 0);
    return copy_repeated(lines, std::move(layout), shape, "repeat");
}

Scalar as_int64(int64_t number) { return Scalar::of(DType::int64, number); }

}  // namespace

Array roll(const Array& a, const Integers& shift, const OptionalDims& axis) {
    if (!axis && a.ndim() != 1) return roll(a.reshape({-1}), shift).reshape(a.shape());
    Dims axes = axis ? *axis : Dims{0}, shifts = Dims::filled(a.ndim(), 0);
    for (int64_t& one : axes) one = normalise_axis(one, a.ndim(), "roll");
    if (shift.size() != 1 && axes.size() != 1 && shift.size() != axes.size())
        raise(ErrorKind::Value, "roll: ", shift.size(), " shifts do not go with ", axes.size(), " axes");
    const int n = shift.empty() || axes.empty() ? 0 : std::max(shift.size(), axes.size());
    for (int k = 0; k < n; ++k) {
        const int along = int(axes[axes.size() == 1 ? 0 : k]);
        const int64_t extent = std::max<int64_t>(a.shape()[along], 1);
        const int64_t distance = shift[shift.size() == 1 ? 0 : k] % extent;
        shifts[along] = (shifts[along] + distance + extent) % extent;
    }
    if (Array few = roll_few(a, shifts); few.defined()) return few;
    Array result = empty_like(a, a.dtype(), 'K', a.device());
    roll_pieces(a, result, shifts, 0);
    return result;
}

Array tile(const Array& A, const Dims& reps) {
    const int ndim = std::max(A.ndim(), reps.size());
    if (ndim > kMaxDims) raise(ErrorKind::Value, "tile: the result has ", ndim, " axes; the limit is ", kMaxDims);
    Dims shape, inner = Dims::filled(ndim, 1);
    Layout layout;
    for (int d = 0; d < ndim; ++d) {
        const int of_array = d - (ndim - A.ndim()), of_reps = d - (ndim - reps.size());
        const int64_t times = of_reps < 0 ? 1 : reps[of_reps], extent = of_array < 0 ? 1 : A.shape()[of_array];
        shape.push_back(0);
        if (__builtin_mul_overflow(times, extent, &shape.back()))
            raise(ErrorKind::Value, "tile: the extents are more than int64 counts");
        if (shape.back() < 0) raise(ErrorKind::Value, "tile: negative dimensions are not allowed: ", to_string(reps));
        if (times != 1) {
            layout.shape.push_back(times);
            layout.strides.push_back(0);
        }
        if (of_array < 0) continue;
        layout.shape.push_back(extent);
        layout.strides.push_back(A.strides()[of_array]);
    }
    if (layout.ndim() > kMaxDims)
        raise(ErrorKind::Value, "tile: ", A.ndim(), " axes repeated along ", reps.size(), " make more than ", kMaxDims);
    const char* const from = ndim == 1 && A.ndim() == 1 ? direct_line(A) : nullptr;
    if (!from || shape[0] == 0 || shape[0] > 4 * kFewBytes / item_size(A.dtype()))
        return copy_repeated(A, std::move(layout), shape, "tile");
    Array result = empty(shape, A.dtype(), A.device());
    char* const to = direct_data(result);
    const int64_t bytes = A.nbytes();
    if (!to) return copy_repeated(A, std::move(layout), shape, "tile");
    for (int64_t k = 0; k < result.nbytes(); k += bytes) copy_run(to + k, from, bytes);
    return result;
}

Array resize(const Array& a, const Dims& new_shape) {
    if (std::ranges::any_of(new_shape, [](int64_t extent) { return extent < 0; }))
        raise(ErrorKind::Value, "resize: negative dimensions are not allowed: ", to_string(new_shape));
    const Array result = functions::empty(new_shape, a.dtype(), 'C', a.device());
    if (result.is_empty()) return result;
    if (a.is_empty()) {
        fill(result, Scalar::of(DType::int64, int64_t(0)), "resize");
        return result;
    }
    const Array elements = ravel(a);
    const int64_t n = a.size(), item = item_size(a.dtype()), whole = result.size() / n, rest = result.size() % n;
    if (whole) assign(result.view({{whole, n}, {n * item, item}}), elements, "resize");
    if (rest)
        assign(result.view({{rest}, {item}}, whole * n * item), elements.view({{rest}, {elements.strides()[0]}}),
               "resize");
    return result;
}

Array repeat_in_chunks(const Array& a, const Array& counts, int axis, int64_t chunk) {
    ScanOptions options;
    options.dtype = DType::int64, options.name = "repeat";
    const Array ends = accumulate(row::add, counts, options);
    if (!ends.is_empty() && to_int64(item(reduce(reduction::min, ends, {}), "repeat")) < 0)
        raise(ErrorKind::Value, "repeat: the counts add up to more than int64 holds");
    Dims shape = a.shape();
    shape[axis] = 0;
    if (!ends.is_empty()) read_contiguous(ends.view(Layout(), (ends.size() - 1) * ends.strides()[0]), &shape[axis]);
    const int64_t total = shape[axis];
    Array result = empty(shape, a.dtype(), a.device());
    if (total == 0) return result;
    const int64_t chunks = (total - 1) / chunk + 1;
    std::vector<int64_t> first(size_t(chunks) + 1, ends.size() - 1);  // the element whose copies a chunk begins with
    const Array begins = arange(chunks, as_int64(0), as_int64(chunk), a.device());
    read_contiguous(search_sorted(ends, begins, true), first.data());
    for (int64_t k = 0; k < chunks; ++k) {
        // The copies of an element begin after those of the elements before it.
        const int64_t begin = k * chunk, copies = std::min(chunk, total - begin);
        const int64_t from = first[size_t(k)], n = first[size_t(k) + 1] - from;
        const Array those = ends.view({{n}, ends.strides()}, from * ends.strides()[0]);
        const Scalar offset = as_int64(begin);
        Array steps = histogram(apply_row(row::subtract, those, offset), nullptr, false, nullptr, copies, "repeat");
        options.out = &steps;
        const Array numbers = accumulate(row::add, steps, options);
        Array taken = span_of(result, axis, begin, copies);
        take(span_of(a, axis, from, n + 1), numbers, axis, &taken);
    }
    return result;
}

Array repeat(const Array& a, const RepeatCounts& repeats, std::optional<int64_t> given_axis) {
    if (a.ndim() == 0 || (!given_axis && a.ndim() > 1)) return repeat(a.reshape({-1}), repeats, given_axis);
    const int axis = given_axis ? normalise_axis(*given_axis, a.ndim(), "repeat") : 0;
    const auto refuse_negative = [](int64_t count) {
        if (count < 0) raise(ErrorKind::Value, "repeat: the count ", count, " is negative");
    };
    if (const auto* const count = std::get_if<int64_t>(&repeats)) {
        refuse_negative(*count);
        return repeat_all(a, *count, axis);
    }
    const Array& counts = std::get<Array>(repeats);
    if (info(counts.dtype()).kind > Kind::Signed)
        raise(ErrorKind::Type, "repeat: counts must be integers, not ", info(counts.dtype()).name);
    if (counts.ndim() > 1) raise(ErrorKind::Value, "repeat: counts have one axis, not ", counts.ndim());
    FewCounts numbers;
    const bool is_read = read_counts(counts, numbers);
    if (is_read)
        refuse_negative(numbers.empty() ? 0 : *std::min_element(numbers.begin(), numbers.end()));
    else if (!counts.is_empty() && info(counts.dtype()).kind == Kind::Signed)
        refuse_negative(to_int64(item(reduce(reduction::min, counts, {}), "repeat")));
    if (counts.size() == 1) return repeat_all(a, to_int64(item(counts, "repeat")), axis);
    if (counts.size() != a.shape()[axis])
        raise(ErrorKind::Value, "repeat: ", counts.size(), " counts do not go with ", a.shape()[axis],
              " elements along axis ", axis);
    if (is_read && counts.size() <= kMostMovedBytes / 64)
        if (Array few = repeat_few(packed(a), numbers, axis); few.defined()) return few;
    // Indices of so many copies fit the caches of one core.
    const bool alone = a.storage().front().is_host_accessible() && num_threads() == 1;
    return repeat_in_chunks(a, to_device(counts, a.device()), axis, int64_t(1) << (alone ? 16 : 20));
}

}  // namespace cuarray
