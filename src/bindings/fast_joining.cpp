// fast_joining.cpp -- fast paths of the functions that join, repeat and move elements.
#include <algorithm>
#include <cstring>
#include <forward_list>
#include <numeric>
#include <vector>
#include "bindings/fast_paths.h"
#include "core/copy_run.h"
#include "ops/packed.h"

namespace cuarray::python {
namespace {

/// Arrays that the host may read now, and lists of numbers as such; `dtype` is their common one.
class Members {
 public:
    bool read(PyObject* sequence) {
        if (!sequence || !is_list(sequence)) return false;
        const Py_ssize_t n = length_of(sequence);
        if (n == 0) return false;
        arrays_.reserve(size_t(n));
        for (Py_ssize_t i = 0; i < n; ++i)
            if (!add(entry_of(sequence, i))) return false;
        return true;
    }
    const std::vector<const Array*>& arrays() const { return arrays_; }
    const Array& operator[](size_t i) const { return *arrays_[i]; }
    DType dtype() const { return dtype_; }

 private:
    bool add(PyObject* entry) {
        const Array* array = nullptr;
        if (is_ndarray(entry))
            array = &array_of(entry);
        else if (Array made = read_numbers(entry))
            array = &made_.emplace_front(std::move(made));
        if (!array || array->ndim() == 0 || !array->is_c_contiguous() || !direct_data(*array)) return false;
        arrays_.push_back(array);
        elements_ += array->size();
        dtype_ = arrays_.size() == 1 ? array->dtype() : promote(dtype_, array->dtype());
        if (array->dtype() != dtype_ && !is_aligned(*array)) return false;
        return dtype_ != DType::none && elements_ * item_size(dtype_) <= kMostBytes;
    }

    std::vector<const Array*> arrays_;
    std::forward_list<Array> made_;
    DType dtype_ = DType::none;
    int64_t elements_ = 0;
};

/// The arrays next to each other along an axis, as an array of that shape.
PyObject* joined(const Members& members, const Dims& shape, int axis = 0) {
    constexpr int64_t kMostParts = 1 << 14;
    const DType dtype = members.dtype();
    const int64_t item = item_size(dtype);
    int64_t lines = 1;
    for (int d = 0; d < axis; ++d) lines *= shape[d];
    if (lines != 1 && lines * int64_t(members.arrays().size()) > kMostParts) return nullptr;
    Array result = empty(shape, dtype, members[0].device());
    char* const begin = direct_data(result);
    if (!begin) return nullptr;
    DirectLoops& loops = *result.storage().front().direct();
    const int64_t apart = lines ? result.nbytes() / lines : 0;
    char* first = begin;  // of the part of the first line that the array fills
    for (const Array* array : members.arrays()) {
        const int64_t count = lines ? array->size() / lines : 0;
        const char* const from = direct_data(*array);
        const auto copy_lines = [=](auto bytes) {
            for (int64_t line = 0; line < lines; ++line) copy_run(first + line * apart, from + line * bytes, bytes);
        };
        if (array->dtype() != dtype)
            for (int64_t line = 0; line < lines; ++line)
                loops.cast(array->dtype(), dtype, from + line * count * item_size(array->dtype()), first + line * apart,
                           count);
        else if (count * item == 8)
            copy_lines(std::integral_constant<int64_t, 8>());
        else
            copy_lines(count * item);
        first += count * item;
    }
    return wrap(std::move(result));
}

/// Whether two arrays have the same shape, apart from one axis, or from none (-1).
bool agree_except(const Array& a, const Array& b, int axis) {
    if (a.ndim() != b.ndim()) return false;
    for (int d = 0; d < a.ndim(); ++d)
        if (d != axis && a.shape()[d] != b.shape()[d]) return false;
    return true;
}

PyObject* join_along(PyObject* sequence, int64_t axis, int least_axes) {
    Members arrays;
    if (!arrays.read(sequence) || axis >= arrays[0].ndim() || axis < -arrays[0].ndim()) return nullptr;
    const int along = int(axis < 0 ? axis + arrays[0].ndim() : axis);
    int64_t extent = 0;
    bool is_by_columns = along > 0;  // then the result is, too
    for (const Array* array : arrays.arrays()) {
        if (array->ndim() < least_axes || !agree_except(*array, arrays[0], along)) return nullptr;
        extent += array->shape()[along];
        is_by_columns &= array->is_f_contiguous();
    }
    if (is_by_columns) return nullptr;
    Dims shape = arrays[0].shape();
    shape[along] = extent;
    return joined(arrays, shape, along);
}

/// concat and concatenate: arrays, axis, out, dtype, casting.
PyObject* concatenated(Given given, int) {
    int64_t axis = 0;
    if (!are_absent(given, {2, 3, 4}) || (given[1] && !read_int(given[1], axis))) return nullptr;
    return join_along(given[0], axis, 1);
}

/// stack: arrays, axis, out, dtype, casting.
PyObject* stacked(Given given, int) {
    int64_t axis = 0;
    if (!are_absent(given, {2, 3, 4}) || (given[1] && !read_int(given[1], axis))) return nullptr;
    return stack_along(given[0], axis);
}

/// hstack: tup, dtype, casting.
PyObject* stacked_along_only_axis(Given given, int) {
    if (!are_absent(given, {1, 2})) return nullptr;
    Members arrays;
    if (!arrays.read(given[0]) || arrays[0].ndim() != 1) return nullptr;
    return join_along(given[0], 0, 1);
}

/// vstack: tup, dtype, casting.
PyObject* stacked_rows(Given given, int) {
    if (!are_absent(given, {1, 2})) return nullptr;
    Members arrays;
    if (!arrays.read(given[0])) return nullptr;
    if (arrays[0].ndim() > 1) return join_along(given[0], 0, 2);
    return stack_along(given[0], 0);
}

/// An array in C order as lines along an axis: how many there are, and the bytes from an element of one to the next.
struct Lines {
    int64_t count = 1, item;

    Lines(const Array& array, int axis) : item(item_size(array.dtype())) {
        for (int d = 0; d < axis; ++d) count *= array.shape()[d];
        for (int d = axis + 1; d < array.ndim(); ++d) item *= array.shape()[d];
    }
};

/// The elements of an array in C order, read `count` times along a new axis, as an array of that shape.
PyObject* repeated_along(const Array& array, int new_axis, int64_t count, const Dims& shape) {
    constexpr int64_t kMost = int64_t(1) << 40;
    if (array.is_empty() || array.ndim() == kMaxDims || count > kMost / array.nbytes()) return nullptr;
    Layout layout = array.layout();
    layout.shape.insert(new_axis, count);
    layout.strides.insert(new_axis, 0);
    return made(array.device(), array.size() * count,
                [&, view = array.view(layout)] { return copy(view, 'C').reshape(shape); });
}

/// How often each of n elements is repeated: one int, or an int64 array of n; false for others.
bool read_counts(PyObject* object, int64_t n, std::vector<int64_t>& counts) {
    int64_t count;
    if (object && read_int(object, count)) {
        counts.assign(size_t(n), count);
    } else {
        const Array* const array = read_array(object);
        if (!array || array->ndim() != 1 || array->dtype() != DType::int64 || array->size() != n) return false;
        const auto* const numbers = reinterpret_cast<const int64_t*>(direct_elements(*array));
        if (!numbers) return false;
        counts.assign(numbers, numbers + n);
    }
    return std::ranges::all_of(counts, [](int64_t c) { return c >= 0 && c <= kFewBytes; });
}

/// repeat: a, repeats, axis. The elements of an array of one axis, or the parts of another one along an axis.
PyObject* repeated(Given given, int) {
    const Array* const array = read_array(given[0]);
    int64_t axis = 0;
    if (!array || array->ndim() == 0 || !array->is_c_contiguous()) return nullptr;
    if (is_given(given[2]) ? !read_axis(given[2], array->ndim(), axis) : array->ndim() != 1) return nullptr;
    const char* from = direct_data(*array);
    std::vector<int64_t> counts;
    Dims shape = array->shape();
    const int64_t extent = shape[int(axis)];
    if (int64_t count; !from && given[1] && read_int(given[1], count) && count > 0) {
        if (extent > 0 && count > (int64_t(1) << 40) / extent) return nullptr;
        shape[int(axis)] = extent * count;
        return repeated_along(*array, int(axis) + 1, count, shape);
    }
    if (!from || extent > kMostBytes / 64 || !read_counts(given[1], extent, counts)) return nullptr;
    shape[int(axis)] = std::accumulate(counts.begin(), counts.end(), int64_t(0));
    const Lines lines(*array, int(axis));
    const int64_t item = lines.item;
    if (lines.count == 0 || shape[int(axis)] == 0 || item == 0 || shape[int(axis)] > kMostBytes / item / lines.count)
        return nullptr;
    Array result = empty(shape, array->dtype(), array->device());
    char* to = direct_data(result);
    if (!to) return nullptr;
    const auto repeat = [&](auto bytes) {
        for (int64_t line = 0; line < lines.count; ++line)
            for (int64_t i = 0; i < extent; ++i, from += bytes)
                for (int64_t k = 0; k < counts[size_t(i)]; ++k, to += bytes) copy_run(to, from, bytes);
    };
    item == 8 ? repeat(std::integral_constant<int64_t, 8>()) : repeat(item);
    return wrap(std::move(result));
}

/// append: arr, values, axis. Of an array of one axis.
PyObject* appended(Given given, int) {
    const Array* const array = read_array(given[0]);
    if (!array || array->ndim() != 1 || !given[1] || is_given(given[2])) return nullptr;
    const Object pair = Object::steal(PyTuple_Pack(2, given[0], given[1]));
    if (is_ndarray(given[1]) && array_of(given[1]).ndim() == 1) return join_along(pair.get(), 0, 1);
    const Object values = Object::steal(is_list(given[1]) ? Py_NewRef(given[1]) : PyTuple_Pack(1, given[1]));
    const Object members = Object::steal(PyTuple_Pack(2, given[0], values.get()));
    return join_along(members.get(), 0, 1);
}

/// A few elements in C order, or null.
const char* read_few(const Array* array) {
    return array && array->ndim() > 0 && !array->is_empty() && array->is_c_contiguous() ? direct_data(*array) : nullptr;
}

/// tile: A, reps. An array of one axis, so many times.
PyObject* tiled(Given given, int) {
    const Array* const array = read_array(given[0]);
    const char* const from = read_few(array);
    int64_t count;
    if (!array || array->ndim() != 1 || !given[1] || !read_int(given[1], count) || count < 0 || count > kFewBytes)
        return nullptr;
    if (!from) return count > 0 ? repeated_along(*array, 0, count, {array->size() * count}) : nullptr;
    const int64_t bytes = array->nbytes();
    if (bytes > kFewBytes || bytes * count > 4 * kFewBytes) return nullptr;
    Array result = empty({array->size() * count}, array->dtype(), array->device());
    char* const to = direct_data(result);
    if (!to) return nullptr;
    for (int64_t i = 0; i < count; ++i) copy_run(to + i * bytes, from, bytes);
    return wrap(std::move(result));
}

/// Writes the elements moved along an axis, those beyond its end to its beginning.
void roll_along(const Array& array, int axis, int64_t shift, const char* from, char* to) {
    const int64_t extent = array.shape()[axis];
    const Lines lines(array, axis);
    const int64_t bytes = extent * lines.item, first = (shift % extent + extent) % extent * lines.item;
    for (int64_t i = 0; i < lines.count; ++i, from += bytes, to += bytes) {
        copy_run(to + first, from, bytes - first);
        copy_run(to, from + bytes - first, first);
    }
}

/// roll: a, shift, axis. Along one axis, or along as many as there are shifts.
PyObject* rolled(Given given, int) {
    const Array* const array = read_array(given[0]);
    const char* const from = read_few(array);
    if (!from || !given[1] || array->nbytes() > 4 * kFewBytes) return nullptr;
    if (!is_given(given[2]) && array->ndim() > 1) return nullptr;
    const bool is_several = PyTuple_CheckExact(given[1]);
    const Py_ssize_t count = is_several ? PyTuple_GET_SIZE(given[1]) : 1;
    if (is_several && (!given[2] || !PyTuple_CheckExact(given[2]) || PyTuple_GET_SIZE(given[2]) != count || count == 0))
        return nullptr;
    Array rolled = *array;
    for (Py_ssize_t i = 0; i < count; ++i) {
        int64_t shift, axis = 0;
        if (!read_int(is_several ? PyTuple_GET_ITEM(given[1], i) : given[1], shift)) return nullptr;
        if (is_given(given[2]) &&
            !read_axis(is_several ? PyTuple_GET_ITEM(given[2], i) : given[2], array->ndim(), axis))
            return nullptr;
        Array next = empty(array->shape(), array->dtype(), array->device());
        char* const to = direct_data(next);
        if (!to) return nullptr;
        roll_along(*array, int(axis), shift, direct_data(rolled), to);
        rolled = std::move(next);
    }
    return wrap(std::move(rolled));
}

/// column_stack: tup. Arrays of one axis as columns, or matrices next to each other.
PyObject* stacked_columns(Given given, int) {
    Members arrays;
    if (!arrays.read(given[0])) return nullptr;
    return arrays[0].ndim() > 1 ? join_along(given[0], 1, 2) : stack_along(given[0], 1);
}

constexpr FastFunction kJoiningPaths[] = {
    {"concat", concatenated}, {"stack", stacked},   {"hstack", stacked_along_only_axis},
    {"vstack", stacked_rows}, {"append", appended}, {"repeat", repeated},
    {"tile", tiled},          {"roll", rolled},     {"column_stack", stacked_columns},
};

}  // namespace

PyObject* stack_along(PyObject* sequence, int64_t axis) {
    Members arrays;
    if (!arrays.read(sequence)) return nullptr;
    Dims shape = arrays[0].shape();
    if (shape.size() >= kMaxDims || axis < -shape.size() - 1 || axis > shape.size()) return nullptr;
    for (const Array* array : arrays.arrays())
        if (!agree_except(*array, arrays[0], -1)) return nullptr;
    const int along = int(axis < 0 ? axis + shape.size() + 1 : axis);
    shape.insert(along, int64_t(arrays.arrays().size()));
    return joined(arrays, shape, along);
}

std::span<const FastFunction> joining_paths() { return kJoiningPaths; }

}  // namespace cuarray::python
