// fast_creation.cpp -- fast paths of the functions that make arrays.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <iterator>
#include <vector>
#include "bindings/dlpack.h"
#include "bindings/fast_paths.h"
#include "cuarray/ops/joining.h"
#include "cuarray/runtime/registry.h"

namespace cuarray::python {
namespace {

/// More numbers are more than memory holds: an error, for Python to word.
constexpr int64_t kMostNumbers = int64_t(1) << 40;

/// arange: start, stop, step, dtype, device, like.
PyObject* count_up(Given given, int) {
    if (!given[0] || !are_absent(given, {3, 5}) || !is_current(given[4])) return nullptr;
    PyObject* const stop_object = is_given(given[1]) ? given[1] : given[0];
    PyObject* const start_object = is_given(given[1]) ? given[0] : nullptr;
    const Device device = current_device();
    int64_t start = 0, stop = 0, step = 1;
    if (read_int(stop_object, stop) && (!start_object || read_int(start_object, start)) &&
        (!is_given(given[2]) || read_int(given[2], step))) {
        if (step == 0) return nullptr;
        const int64_t span = step > 0 ? stop - start : start - stop, stride = step > 0 ? step : -step;
        const int64_t count = span > 0 ? (span + stride - 1) / stride : 0;
        if (count > kMostNumbers) return nullptr;
        return made(device, count, [&] {
            return arange(count, Scalar::of(DType::int64, start), Scalar::of(DType::int64, start + step), device);
        });
    }
    double first = 0, last, apart = 1;
    if (!read_float(stop_object, last) || (start_object && !read_float(start_object, first)) ||
        (is_given(given[2]) && !read_float(given[2], apart)))
        return nullptr;
    const double length = std::ceil((last - first) / apart);
    if (!(length >= 1 && length <= double(kMostNumbers))) return nullptr;
    const double second = length > 1 ? first + apart : first;
    return made(device, int64_t(length), [&] {
        const Scalar numbers[] = {Scalar::of(DType::float64, first), Scalar::of(DType::float64, second)};
        return arange(int64_t(length), numbers[0], numbers[1], device);
    });
}

/// A Python bool, int or float as it is stored in an array of its own dtype; false for other objects.
bool read_fill_value(PyObject* object, Scalar& number) {
    int64_t integer;
    if (PyBool_Check(object))
        number = Scalar::of(DType::bool_, object == Py_True);
    else if (PyFloat_CheckExact(object))
        number = Scalar::of(DType::float64, PyFloat_AS_DOUBLE(object));
    else if (read_int(object, integer))
        number = Scalar::of(DType::int64, integer);
    else
        return false;
    return true;
}

/// The arrays of a list, all of one shape, as the rows of a new one; null for others.
PyObject* stacked_rows(PyObject* list) {
    std::vector<Array> rows;
    for (Py_ssize_t i = 0; i < length_of(list); ++i) {
        const Array* const row = read_array(entry_of(list, i));
        if (!row || row->ndim() == 0 || row->ndim() == kMaxDims || !(row->device() == current_device())) return nullptr;
        if (i > 0 && row->shape() != rows[0].shape()) return nullptr;
        rows.push_back(*row);
    }
    return made(rows[0].device(), rows[0].size() * int64_t(rows.size()), [&] { return stack(rows); });
}

/// array: object, dtype, copy, order, subok, ndmin, device, like, ndmax.
PyObject* new_array_of(Given given, int) {
    if (!given[0] || !are_absent(given, {1, 2, 3, 4, 5, 6, 7, 8})) return nullptr;
    if (const Array* const array = read_array(given[0]))
        return wrap(without_gil(is_long(array->device(), array->size()), [kept = *array] { return copy(kept, 'K'); }));
    Array numbers = read_numbers(given[0]);
    if (!numbers && is_direct(current_device())) numbers = copy_of_few(given[0], current_device());
    if (numbers) return wrap(std::move(numbers));
    if (Scalar number; read_fill_value(given[0], number)) return wrap(full({}, number, current_device()));
    return is_list(given[0]) && length_of(given[0]) > 0 ? stacked_rows(given[0]) : nullptr;
}

/// The memory of an array of NumPy's, or of a library with a table of C functions; an empty handle for others.
Array memory_of_other(PyObject* object) {
    if (Array array = import_native_numpy(object)) return array;
    const Exchange* const exchange = exchange_of(Py_TYPE(object));
    if (!exchange) return {};
    try {
        return import_by_exchange(*exchange, object);
    } catch (const Error&) { return {}; }
}

/// asarray: a, dtype, order, device, copy, like.
PyObject* array_itself(Given given, int) {
    if (!given[0] || !are_absent(given, {1, 2, 3, 4, 5})) return nullptr;
    if (is_ndarray(given[0])) return as_ndarray(given[0])->is_value ? nullptr : Py_NewRef(given[0]);
    if (Array numbers = read_numbers(given[0])) return wrap(std::move(numbers));
    if (is_native_numpy(given[0]) && !is_on_host(current_device())) return nullptr;  // a copy there
    Array shared = memory_of_other(given[0]);
    if (!shared) return nullptr;
    PyObject* const made = wrap(std::move(shared));
    set_base(made, given[0]);
    return made;
}

/// from_dlpack: x, device, copy.
PyObject* array_of_tensor(Given given, int) {
    if (!given[0] || !are_absent(given, {1, 2})) return nullptr;
    Array shared = memory_of_other(given[0]);
    return shared ? wrap(std::move(shared)) : nullptr;
}

/// eye: N, M, k, dtype, order, device, like.
PyObject* unit_matrix(Given given, int) {
    int64_t rows, columns, diagonal = 0;
    if (!given[0] || !are_absent(given, {4, 6}) || !is_current(given[5]) || !read_int(given[0], rows)) return nullptr;
    columns = rows;
    if (is_given(given[1]) && !read_int(given[1], columns)) return nullptr;
    if (given[2] && !read_int(given[2], diagonal)) return nullptr;
    DType dtype = DType::float64;
    if (rows < 0 || columns < 0 || !read_dtype(given[3], dtype)) return nullptr;
    const Device device = current_device();
    const int64_t item = item_size(dtype);
    if (rows > kFewBytes || columns > kFewBytes || rows * columns * item > kFewBytes || !is_direct(device))
        return nullptr;
    Array result = empty({rows, columns}, dtype, device);
    char* const to = direct_data(result);
    if (!to) return nullptr;
    std::memset(to, 0, size_t(rows * columns * item));
    const Scalar one = convert(Scalar::of(DType::int64, int64_t(1)), dtype);
    for (int64_t row = std::max<int64_t>(0, -diagonal); row < rows && row + diagonal < columns; ++row)
        std::memcpy(to + (row * columns + row + diagonal) * item, one.bytes, size_t(item));
    return wrap(std::move(result));
}

/// linspace: start, stop, num, endpoint, retstep, dtype, axis, device.
PyObject* evenly_spaced(Given given, int) {
    double start, stop;
    int64_t count = 50;
    if (!given[0] || !given[1] || !are_absent(given, {4, 5, 6}) || !is_current(given[7])) return nullptr;
    if (!read_float(given[0], start) || !read_float(given[1], stop)) return nullptr;
    if (given[2] && !read_int(given[2], count)) return nullptr;
    if (given[3] && !PyBool_Check(given[3])) return nullptr;
    const bool has_end = given[3] != Py_False;
    const int64_t intervals = count - has_end;
    const Device device = current_device();
    if (intervals < 1 || count * 8 > kFewBytes || !is_direct(device)) return nullptr;
    const double delta = stop - start, step = delta / double(intervals);
    if (step == 0 || !std::isfinite(delta)) return nullptr;
    Array result = empty({count}, DType::float64, device);
    double* const to = reinterpret_cast<double*>(direct_data(result));
    if (!to) return nullptr;
    for (int64_t i = 0; i < count; ++i) to[i] = double(i) * step + start;
    if (has_end && count > 1) to[count - 1] = stop;
    return wrap(std::move(result));
}

constexpr FastFunction kCreationPaths[] = {
    {"arange", count_up},    {"linspace", evenly_spaced}, {"eye", unit_matrix},
    {"array", new_array_of}, {"asarray", array_itself},   {"from_dlpack", array_of_tensor},
};

}  // namespace

std::span<const FastFunction> creation_paths() { return kCreationPaths; }

}  // namespace cuarray::python
