// indexing.cpp -- arguments as arrays of one device, for the Python package.
#include <algorithm>
#include <optional>
#include <string>
#include <vector>
#include "bindings/functions/casters.h"
#include "bindings/functions/readers.h"
#include "bindings/functions/reductions.h"
#include "bindings/module.h"
#include "bindings/types/ndarray.h"

namespace py = pybind11;

namespace cuarray::python {
namespace {

/// Anything array-like as an array on the device of `like`. NumPy arrays go along with arrays on a host device alone.
Object beside(PyObject* object, const Array& like, const char* function) {
    return to_ndarray(object, like.device(), function);
}

/// Arguments as arrays on the device of the first array among them, or on the current one; None stays None among the
/// optional ones, which follow. Python's numbers stay what they are where the caller keeps them.
py::list as_arrays(const char* function, const py::tuple& objects, const py::tuple& optional, bool keeps_numbers) {
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
        const Object array = to_ndarray(object, device, function);
        if (!first) first = array_of(array.get()).device();
        refuse_other_device(*first, array_of(array.get()).device(), function);
        arrays.append(array);
    }
    return arrays;
}

}  // namespace

void bind_indexing(py::module_& m) {
    m.def("beside", &beside);
    m.def("as_arrays", &as_arrays, py::arg("function"), py::arg("objects"), py::arg("optional"),
          py::arg("keeps_numbers") = false);
}

}  // namespace cuarray::python
