// ufunc_methods.cpp -- accumulate of a binary ufunc, as a method and for the functions made of it; methods in Python.
#include <set>
#include <string>
#include <vector>
#include "bindings/module.h"
#include "bindings/ndarray.h"
#include "bindings/reductions.h"
#include "bindings/ufunc.h"
#include "cuarray/ops/reduceat.h"

namespace py = pybind11;

namespace cuarray::python {
namespace {

/// The one axis of a method that takes no more: an int, a tuple of one, or None where there is only one.
int64_t single_axis(PyObject* axis, const Array& array, const char* function) {
    if (!axis) return 0;
    if (axis != Py_None) {
        const Dims axes = to_axes(axis);
        if (axes.size() == 1) return axes[0];
    } else if (array.ndim() <= 1) {
        return 0;
    }
    fail(PyExc_ValueError, "%s does not allow multiple axes", function);
}

/// NumPy takes an output by itself or in a tuple.
PyObject* single_output(PyObject* out, const char* function) {
    if (!out || !PyTuple_Check(out)) return out;
    if (PyTuple_Size(out) != 1) fail(PyExc_ValueError, "%s: the 'out' tuple must have exactly one entry", function);
    return PyTuple_GetItem(out, 0);
}

PyObject* accumulate_with(RowId row, PyObject* object, PyObject* axis, PyObject* dtype, PyObject* out,
                          const char* name) {
    const Object owner = to_ndarray(object, device_of_reduction(object, {.out = out}), name);
    const Array& array = array_of(owner.get());
    ScanOptions options;
    options.axis = single_axis(axis, array, name);
    options.dtype = to_dtype(dtype, DType::none);
    options.name = name;
    Array imported;
    PyObject* const out_object = single_output(out, name);
    options.out = to_output(out_object, array.device(), name, imported);
    Array result;
    {
        const GilRelease released(is_long(array.device(), array.size()));
        result = accumulate(row, array, options);
    }
    return options.out ? Py_NewRef(out_object) : wrap(std::move(result));
}

PyObject* reduceat_with(RowId row, PyObject* object, const py::buffer& begins, int64_t axis, PyObject* dtype,
                        PyObject* out) {
    const char* const name = rows()[row].name;
    const Object owner = to_ndarray(object, device_of_reduction(object, {.out = out}), name);
    const Array& array = array_of(owner.get());
    const py::buffer_info places = begins.request();
    ScanOptions options;
    options.axis = axis;
    options.dtype = to_dtype(dtype, DType::none);
    Array imported;
    options.out = to_output(out, array.device(), name, imported);
    Array result;
    {
        const GilRelease released(is_long(array.device(), array.size()));
        result = reduceat(row, array, {static_cast<const int64_t*>(places.ptr), size_t(places.size)}, options);
    }
    return options.out ? Py_NewRef(out) : wrap(std::move(result));
}

/// The row of a ufunc, which may go by another name, or of that name.
RowId row_argument(const py::object& ufunc) {
    const RowId row = py::isinstance<py::str>(ufunc) ? find_row(ufunc.cast<std::string>()) : row_of(ufunc.ptr());
    if (row == kNone) fail(PyExc_TypeError, "a ufunc of cuarray is needed, not %R", ufunc.ptr());
    return row;
}

}  // namespace

PyObject* accumulate_method(PyObject* self, Arguments args, Py_ssize_t count, PyObject* keywords) {
    static constexpr Signature kSignature{"accumulate", {"array", "axis", "dtype", "out"}, 4, 1};
    return guarded([&] {
        PyObject* values[4];
        parse(kSignature, args, count, keywords, values);
        const RowId row = row_of(self);
        return accumulate_with(row, values[0], values[1], values[2], values[3], rows()[row].name);
    });
}

namespace {

/// function(self, ...)
PyObject* call_python(Attribute& function, PyObject* self, Arguments args, Py_ssize_t count, PyObject* keywords) {
    return guarded([&] {
        std::vector<PyObject*> all{self};
        all.insert(all.end(), args, args + count + (keywords ? PyTuple_Size(keywords) : 0));
        return PyObject_Vectorcall(function.get(), all.data(), size_t(count) + 1, keywords);
    });
}

}  // namespace

PyObject* reduceat_method(PyObject* self, Arguments args, Py_ssize_t count, PyObject* keywords) {
    static Attribute reduceat{"cuarray._segments", "reduceat"};
    return call_python(reduceat, self, args, count, keywords);
}

PyObject* at_method(PyObject* self, Arguments args, Py_ssize_t count, PyObject* keywords) {
    static Attribute at{"cuarray._segments", "at"};
    return call_python(at, self, args, count, keywords);
}

void bind_ufunc_methods(py::module_& m) {
    m.def("alias", [](const py::object& ufunc, const std::string& name) { return handed_over(make_alias(ufunc.ptr(), name)); },
           py::arg("ufunc"), py::arg("name"), "The same function by another name.");
    m.def("accumulate", [](const std::string& name, const py::object& row, const py::object& x, Integer<"axis"> axis,
                           const py::object& dtype, const py::object& out) {
        // Profiles keep the name; few functions call this, each with one of its own.
        static auto* const names = new std::set<std::string>;
        const char* const kept = names->insert(name).first->c_str();
        const Object axis_object = Object::steal(PyLong_FromLongLong(axis));
        return handed_over(accumulate_with(row_argument(row), x.ptr(), axis_object.get(), dtype.ptr(), out.ptr(), kept));
    }, py::arg("name"), py::arg("row"), py::arg("x"), py::arg("axis"), py::arg("dtype") = py::none(),
       py::arg("out") = py::none());
    m.def("reduceat", [](const py::object& row, const py::object& x, const py::buffer& begins, Integer<"axis"> axis,
                         const py::object& dtype, const py::object& out) {
        return handed_over(reduceat_with(row_argument(row), x.ptr(), begins, axis, dtype.ptr(), out.ptr()));
    }, py::arg("row"), py::arg("x"), py::arg("begins"), py::arg("axis"), py::arg("dtype"), py::arg("out"));
    m.def("update", [](const py::object& row, const py::object& x, const py::object& key, const py::object& values) {
        update_subscript(row_argument(row), x.ptr(), key.ptr(), values.is_none() ? nullptr : &array_of(values.ptr()));
    }, py::arg("row"), py::arg("x"), py::arg("key"), py::arg("values"));
}

}  // namespace cuarray::python
