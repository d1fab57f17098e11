// indexing.cpp -- elements along an axis, by positions, for the Python package.
#include <algorithm>
#include <optional>
#include <string>
#include <vector>
#include "bindings/module.h"
#include "bindings/ndarray.h"
#include "bindings/reductions.h"
#include "cuarray/ops/indexing.h"

namespace py = pybind11;

namespace cuarray::python {
namespace {

/// Anything array-like as an array on the device of `like`. NumPy arrays go along with arrays on a host device alone.
py::object beside(const py::object& object, const py::object& like, const std::string& function) {
    return handed_over(to_ndarray(object.ptr(), array_argument(like, function.c_str()).device(), function.c_str()));
}

bool is_python_number(PyObject* object) {
    return PyFloat_CheckExact(object) || PyLong_CheckExact(object) || PyBool_Check(object) || PyComplex_CheckExact(object);
}

/// Arguments as arrays on the device of the first array among them, or on the current one; None stays None among the
/// optional ones, which follow. Python's numbers stay what they are where the caller keeps them.
py::list side_by_side(const std::string& function, const py::tuple& objects, const py::tuple& optional, bool keeps_numbers) {
    std::vector<PyObject*> given;
    for (const py::handle object : objects) {
        if (object.is_none()) raise(ErrorKind::Type, function, ": an array is needed, not None");
        given.push_back(object.ptr());
    }
    for (const py::handle object : optional) given.push_back(object.ptr());
    const CallDevice device = common_device(given.data(), Py_ssize_t(given.size()));
    py::list arrays;
    std::optional<Device> first;
    for (PyObject* object : given) {
        if (object == Py_None || (keeps_numbers && is_python_number(object))) {
            arrays.append(py::handle(object));
            continue;
        }
        const Object array = to_ndarray(object, device, function.c_str());
        if (!first) first = array_of(array.get()).device();
        refuse_other_device(*first, array_of(array.get()).device(), function.c_str());
        arrays.append(py::handle(array.get()));
    }
    return arrays;
}

bool is_long_for(const Array& array, const Array& indices) {
    return is_long(array.device(), std::max(array.size(), indices.size()));
}

Outside outside_of(const py::object& mode) {
    const bool is_text = py::isinstance<py::str>(mode);
    const std::string text = is_text ? mode.cast<std::string>() : std::string(mode.is_none() ? "raise" : "");
    if (text == "raise") return Outside::Raise;
    if (text == "wrap") return Outside::Wrap;
    if (text == "clip") return Outside::Clip;
    fail(is_text || (PyLong_Check(mode.ptr()) && !PyBool_Check(mode.ptr())) ? PyExc_ValueError : PyExc_TypeError,
         "take: mode must be 'raise', 'wrap' or 'clip', not %R", mode.ptr());
}

py::object take_elements(const py::object& x, const py::object& indices, int axis, const py::object& mode,
                         const py::object& out) {
    const Array &array = array_argument(x, "take"), &positions = array_argument(indices, "take");
    const Outside outside = outside_of(mode);
    Array imported;
    const Array* const target = to_output(out.ptr(), array.device(), "take", imported);
    Array result;
    {
        const GilRelease released(is_long_for(array, positions));
        result = take(array, positions, axis, outside, target);
    }
    return target ? out : handed_over(wrap_result(std::move(result)));
}

py::object take_elements_along(const py::object& x, const py::object& indices, int axis) {
    const Array &array = array_argument(x, "take_along_axis"), &positions = array_argument(indices, "take_along_axis");
    Array result;
    {
        const GilRelease released(is_long_for(array, positions));
        result = take_along_axis(array, positions, axis);
    }
    return handed_over(wrap(std::move(result)));
}

void put_elements_along(const py::object& x, const py::object& indices, const py::object& values, int axis) {
    const Array &array = array_argument(x, "put_along_axis"), &positions = array_argument(indices, "put_along_axis");
    const Array& source = array_argument(values, "put_along_axis");
    const GilRelease released(is_long_for(array, positions));
    put_along_axis(array, positions, source, axis);
}

py::object nonzero_places(const py::object& x) {
    const Array& array = array_argument(x, "nonzero");
    Array places;
    {
        const GilRelease released(is_long(array.device(), array.size()));
        places = nonzero(array);
    }
    return handed_over(wrap(std::move(places)));
}

}  // namespace

void bind_indexing(py::module_& m) {
    m.def("beside", &beside, py::arg("object"), py::arg("like"), py::arg("function"));
    m.def("side_by_side", &side_by_side, py::arg("function"), py::arg("objects"), py::arg("optional"),
          py::arg("keeps_numbers") = false);
    m.def("take", &take_elements, py::arg("x"), py::arg("indices"), py::arg("axis"), py::arg("mode") = "raise",
          py::arg("out") = py::none());
    m.def("take_along_axis", &take_elements_along, py::arg("x"), py::arg("indices"), py::arg("axis"));
    m.def("put_along_axis", &put_elements_along, py::arg("x"), py::arg("indices"), py::arg("values"), py::arg("axis"));
    m.def("nonzero", &nonzero_places, py::arg("x"));
}

}  // namespace cuarray::python
