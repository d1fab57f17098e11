// sorting.cpp -- sorting, selecting and searching, for the Python package.
#include <vector>
#include "bindings/module.h"
#include "cuarray/ops/sort.h"

namespace py = pybind11;

namespace cuarray::python {

void bind_sorting(py::module_& m) {
    using Ranks = std::vector<int64_t>;
    m.def(
        "sort",
        [](const Array& x, int axis, bool descending, const char* name) {
            return without_gil(x, [&] { return sort(x, axis, descending, name); });
        },
        py::arg("x"), py::arg("axis"), py::arg("descending") = false, py::arg("name") = "sort");
    m.def("sort_in_place", [](const Array& x, int axis, bool descending) {
        without_gil(x, [&] { sort_in_place(x, axis, descending); });
    });
    m.def(
        "argsort",
        [](const Array& x, int axis, bool descending, const char* name) {
            return without_gil(x, [&] { return argsort(x, axis, descending, name); });
        },
        py::arg("x"), py::arg("axis"), py::arg("descending") = false, py::arg("name") = "argsort");
    m.def("lexsort", [](const std::vector<Array>& keys, int axis) {
        return without_gil(keys.at(0), [&] { return lexsort(keys, axis); });
    });
    m.def("partition", [](const Array& x, int axis, const Ranks& ranks, bool descending, const char* name) {
        return without_gil(x, [&] { return partition(x, axis, ranks, descending, name); });
    });
    m.def("argpartition", [](const Array& x, int axis, const Ranks& ranks, bool descending, const char* name) {
        return without_gil(x, [&] { return argpartition(x, axis, ranks, descending, name); });
    });
    m.def("order_statistics", [](const Array& x, int axis, const Ranks& ranks, const char* name) {
        return without_gil(x, [&] { return order_statistics(x, axis, ranks, name); });
    });
    m.def("search_sorted", [](const Array& sorted, const Array& values, bool right) {
        return without_gil(values, [&] { return search_sorted(sorted, values, right); });
    });
    m.def("histogram", [](const Array& values, const Array* edges, bool equal_bins, const Array* weights,
                          Integer<"minlength"> bins, const char* name) {
        return without_gil(values, [&] { return histogram(values, edges, equal_bins, weights, bins, name); });
    });
}

}  // namespace cuarray::python
