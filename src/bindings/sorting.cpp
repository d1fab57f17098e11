// sorting.cpp -- sorting, selecting and searching, for the Python package.
#include <vector>
#include "bindings/fast_paths.h"
#include "bindings/module.h"
#include "bindings/ndarray.h"
#include "cuarray/kernel/sort.h"
#include "cuarray/ops/bincount.h"
#include "cuarray/ops/sort.h"

namespace py = pybind11;

namespace cuarray::python {

namespace {

/// The objects as arrays on the device of the first array among them.
template <size_t count>
void read_arrays(PyObject* (&given)[count], Object (&arrays)[count], const char* function) {
    const CallDevice device = common_device(given, Py_ssize_t(count));
    for (size_t k = 0; k < count; ++k) {
        if (!given[k]) continue;
        if (given[k] == Py_None) raise(ErrorKind::Type, function, ": an array is needed, not None");
        arrays[k] = to_ndarray(given[k], device, function);
        refuse_other_device(array_of(arrays[0].get()).device(), array_of(arrays[k].get()).device(), function);
    }
}

/// Searches for a number in a sorted float64 array that the host may read at once.
bool finds_number(PyObject* sorted, PyObject* number, bool right, int64_t& place) {
    double found;
    const Array* const array = read_array(sorted);
    if (!array || array->dtype() != DType::float64 || array->ndim() != 1 || !array->is_c_contiguous()) return false;
    if (!read_float(number, found)) return false;
    const auto* const data = reinterpret_cast<const double*>(direct_data(*array));
    if (!data || reinterpret_cast<uintptr_t>(data) % alignof(double)) return false;
    const double value[] = {found};
    i64 places[1];
    kernel::search_sorted<double>(data, uint64_t(array->size()), value, right, places);
    place = places[0];
    return true;
}

/// search_sorted(a, v, side): the positions of values in a sorted array.
PyObject* places_in_sorted(PyObject*, Arguments args, Py_ssize_t) {
    return guarded([&] {
        const Parameter parameter{"side", "searchsorted"};
        const std::string_view side = to_text(args[2], parameter);
        if (side != "left" && side != "right") refuse(PyExc_ValueError, parameter, "'left' or 'right'", args[2]);
        int64_t place;
        if (finds_number(args[0], args[1], side == "right", place)) return wrap(Scalar::of(DType::int64, place));
        PyObject* given[] = {args[0], args[1]};
        Object owners[2];
        read_arrays(given, owners, "searchsorted");
        const Array &a = array_of(owners[0].get()), &v = array_of(owners[1].get());
        if (a.ndim() != 1)
            raise(ErrorKind::Value, "searchsorted: the sorted array needs one axis, it has shape ",
                  to_string(a.shape()));
        const DType dtype = promote(a.dtype(), v.dtype());
        return wrap_result(without_gil(is_long(a.device(), v.size()), [&] {
            return search_sorted(astype(a, dtype, 'K', false), astype(v, dtype, 'K', false), side == "right");
        }));
    });
}

/// bincount(x, weights, minlength): x holds integers; an empty list has no dtype.
PyObject* counts_of_integers(PyObject*, Arguments args, Py_ssize_t) {
    return guarded([&] {
        const int64_t least = to_int64(args[2], {"minlength", "bincount"});
        if (least < 0) raise(ErrorKind::Value, "bincount: minlength must not be negative, it is ", least);
        PyObject* given[] = {args[0], args[1] == Py_None ? nullptr : args[1]};
        Object owners[2];
        read_arrays(given, owners, "bincount");
        Array numbers = array_of(owners[0].get());
        if (numbers.ndim() != 1)
            raise(ErrorKind::Value, "bincount: one axis is needed, not shape ", to_string(numbers.shape()));
        const bool is_array = is_ndarray(args[0]) || is_numpy_array(args[0]);
        if (numbers.is_empty() && !is_array) numbers = astype(numbers, DType::int64);
        const Array* const weights = given[1] ? &array_of(owners[1].get()) : nullptr;
        return wrap(without_gil(numbers, [&] { return bincount(numbers, weights, least); }));
    });
}

PyMethodDef sorting_functions[] = {
    {"search_sorted", method(places_in_sorted), METH_FASTCALL, nullptr},
    {"bincount", method(counts_of_integers), METH_FASTCALL, nullptr},
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace

void bind_sorting(py::module_& m) {
    check(PyModule_AddFunctions(m.ptr(), sorting_functions));
    using Ranks = std::vector<int64_t>;
    m.def("order_statistics", [](const Array& x, int axis, const Ranks& ranks, const char* name) {
        return without_gil(x, [&] { return order_statistics(x, axis, ranks, name); });
    });
    m.def("histogram", [](const Array& values, const Array* edges, bool equal_bins, const Array* weights,
                          Integer<"minlength"> bins, const char* name) {
        return without_gil(values, [&] { return histogram(values, edges, equal_bins, weights, bins, name); });
    });
}

}  // namespace cuarray::python
