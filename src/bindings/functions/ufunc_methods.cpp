// ufunc_methods.cpp -- accumulate, reduceat and at of a binary ufunc.
#include <span>
#include <string>
#include <vector>
#include "bindings/functions/readers.h"
#include "bindings/functions/reductions.h"
#include "bindings/functions/ufunc.h"
#include "bindings/module.h"
#include "bindings/protocols/other_arrays.h"
#include "bindings/types/ndarray.h"
#include "cuarray/array/elements.h"
#include "cuarray/ops/reduceat.h"

namespace cuarray::python {
namespace {

/// The one axis of a method that takes no more: an int, a tuple of one, or None where there is only one.
int64_t single_axis(PyObject* axis, const Array& array, const char* function) {
    if (!axis) return 0;
    if (axis != Py_None) {
        const Dims axes = to_axes(axis, function);
        if (axes.size() == 1) return axes[0];
    } else if (array.ndim() <= 1) {
        return 0;
    }
    fail(PyExc_ValueError, "%s does not allow multiple axes", function);
}

PyObject* accumulate_with(RowId row, PyObject* object, PyObject* axis, DType dtype, PyObject* out, const char* name) {
    const Object owner = to_ndarray(object, device_of_reduction(object, {.out = out}), name);
    const Array& array = array_of(owner.get());
    ScanOptions options;
    options.axis = single_axis(axis, array, name);
    options.dtype = dtype;
    options.name = name;
    Array imported;
    options.out = to_output(out, array.device(), name, imported);
    Array result = without_gil(array, [&] { return accumulate(row, array, options); });
    return options.out ? Py_NewRef(out) : wrap(std::move(result));
}

/// The begins of segments: of ints in a list or a tuple, of an array on the host, or as Python reads anything else.
struct Begins {
    std::span<const int64_t> positions;
    std::vector<int64_t> of_ints;
    Py_buffer of_others{};
    Object owner;

    Begins() = default;
    Begins(const Begins&) = delete;
    Begins& operator=(const Begins&) = delete;
    ~Begins() { PyBuffer_Release(&of_others); }
};

bool reads_ints(PyObject* object, std::vector<int64_t>& ints) {
    if (!is_list(object)) return false;
    ints.resize(size_t(length_of(object)));
    for (size_t i = 0; i < ints.size(); ++i)
        if (!read_plain_int(entry_of(object, Py_ssize_t(i)), ints[i])) return false;
    return true;
}

bool reads_array(PyObject* object, std::span<const int64_t>& begins) {
    if (!is_ndarray(object)) return false;
    const Array& array = array_of(object);
    if (array.is_pending() || array.dtype() != DType::int64 || array.ndim() != 1 || !array.is_c_contiguous())
        return false;
    const char* const data = direct_data(array);
    if (!data || reinterpret_cast<uintptr_t>(data) % alignof(int64_t)) return false;
    begins = {reinterpret_cast<const int64_t*>(data), size_t(array.size())};
    return true;
}

void read_begins(PyObject* object, const char* name, Begins& begins) {
    static Attribute begins_on_host{"cuarray._ndarray.ufunc_methods", "begins_on_host"};
    if (reads_ints(object, begins.of_ints)) {
        begins.positions = begins.of_ints;
    } else if (reads_array(object, begins.positions)) {
        begins.owner = Object::share(object);
    } else {
        begins.owner = Object::steal(PyObject_CallFunction(begins_on_host.get(), "Os", object, name));
        check(PyObject_GetBuffer(begins.owner.get(), &begins.of_others, PyBUF_SIMPLE));
        begins.positions = {static_cast<const int64_t*>(begins.of_others.buf),
                            size_t(begins.of_others.len) / sizeof(int64_t)};
    }
}

PyObject* reduceat_with(RowId row, PyObject* object, PyObject* indices, PyObject* axis, DType dtype, PyObject* out,
                        const char* name) {
    const Object owner = to_ndarray(object, device_of_reduction(object, {.out = out}), name);
    const Array& array = array_of(owner.get());
    ScanOptions options;
    options.axis = single_axis(axis, array, name);
    options.dtype = dtype;
    Begins begins;
    read_begins(indices, name, begins);
    Array imported;
    options.out = to_output(out, array.device(), name, imported);
    Array result = without_gil(array, [&] { return reduceat(row, array, begins.positions, options); });
    return options.out ? Py_NewRef(out) : wrap(std::move(result));
}

constexpr Signature kAccumulateSignature{"accumulate", {"array", "axis", "dtype", "out"}, 4, 1};

PyObject* accumulate_values(PyObject* self, PyObject** values) {
    const char* const name = rows()[row_of(self)].name;
    return accumulate_with(row_of(self), values[0], values[1], to_dtype(values[2], DType::none, name),
                           single_output(values[3], name), name);
}

constexpr Signature kReduceatSignature{"reduceat", {"array", "indices", "axis", "dtype", "out"}, 5, 2};

PyObject* reduceat_values(PyObject* self, PyObject** values) {
    const std::string name = std::string(rows()[row_of(self)].name) + ".reduceat";
    return reduceat_with(row_of(self), values[0], values[1], values[2], to_dtype(values[3], DType::none, name.c_str()),
                         single_output(values[4], name.c_str()), name.c_str());
}

}  // namespace

PyObject* accumulate_method(PyObject* self, Arguments args, Py_ssize_t count, PyObject* keywords) {
    return fast_method<kAccumulateSignature, accumulate_values>(self, args, count, keywords);
}

PyObject* reduceat_method(PyObject* self, Arguments args, Py_ssize_t count, PyObject* keywords) {
    return fast_method<kReduceatSignature, reduceat_values>(self, args, count, keywords);
}

PyObject* at_method(PyObject* self, Arguments args, Py_ssize_t count, PyObject* keywords) {
    return guarded([&] {
        const Row& row = rows()[row_of(self)];
        if (keywords && PyTuple_Size(keywords) > 0)
            fail(PyExc_TypeError, "%s.at() takes no keyword arguments", row.name);
        if (count < 2 || count > 3)
            fail(PyExc_TypeError, "%s.at() takes from 2 to 3 positional arguments but %zd %s given", row.name, count,
                 count == 1 ? "was" : "were");
        if (row.nin <= 2 && count != row.nin + 1)
            fail(PyExc_ValueError, "%s.at: the function takes %s second operand", row.name, row.nin == 1 ? "no" : "a");
        const OutputArray given = read_target(args[0], (row.name + std::string(".at")).c_str());
        const Object target = is_ndarray(args[0]) ? Object::share(args[0]) : Object::steal(wrap(Array(given.array)));
        const Object values = count == 3 ? to_ndarray(args[2], array_of(target.get()).device(), row.name) : Object();
        update_subscript(row_of(self), target.get(), args[1], values ? &array_of(values.get()) : nullptr);
        return Py_NewRef(Py_None);
    });
}

static PyMethodDef ufunc_makers[] = {
    private_method<make_alias>("alias", "The same function by another name."),
    private_method<make_ufunc_with_fallback>("ufunc_with_fallback",
                                             "The same function, with what it asks after TypeErrors."),
    {},
};

void bind_ufunc_methods(PyObject* module) { check(PyModule_AddFunctions(module, ufunc_makers)); }

}  // namespace cuarray::python
