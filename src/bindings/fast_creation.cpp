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

constexpr FastFunction kCreationPaths[] = {
    {"array", new_array_of},
    {"asarray", array_itself},
    {"from_dlpack", array_of_tensor},
};

}  // namespace

std::span<const FastFunction> creation_paths() { return kCreationPaths; }

}  // namespace cuarray::python
