// sorting.cpp -- sorting, selecting and searching, for the Python package.
#include <pybind11/stl.h>
#include <vector>
#include "bindings/module.h"
#include "bindings/ndarray.h"
#include "cuarray/ops/sort.h"

namespace py = pybind11;

namespace cuarray::python {
namespace {

/// Runs work(array), without the GIL where that pays, and hands its result over.
template <class Work> py::object result_of(const Array& array, Work work) {
    Array result;
    {
        const GilRelease released(is_long(array.device(), array.size()));
        result = work(array);
    }
    return handed_over(wrap_result(std::move(result)));
}

py::object sorted_copy(const py::object& x, int axis, bool descending, const std::string& name) {
    return result_of(array_argument(x, name.c_str()),
                     [&](const Array& array) { return sort(array, axis, descending, name.c_str()); });
}

void sort_array(const py::object& x, int axis, bool descending) {
    const Array& array = array_argument(x, "sort");
    const GilRelease released(is_long(array.device(), array.size()));
    sort_in_place(array, axis, descending);
}

py::object sorted_places(const py::object& x, int axis, bool descending, const std::string& name) {
    return result_of(array_argument(x, name.c_str()),
                     [&](const Array& array) { return argsort(array, axis, descending, name.c_str()); });
}

py::object sorted_places_by(const std::vector<py::object>& keys, int axis) {
    std::vector<Array> arrays;
    for (const py::object& key : keys) arrays.push_back(array_argument(key, "lexsort"));
    return result_of(arrays.at(0), [&](const Array&) { return lexsort(arrays, axis); });
}

py::object statistics(const py::object& x, int axis, const std::vector<int64_t>& ranks, const std::string& name) {
    return result_of(array_argument(x, name.c_str()),
                     [&](const Array& array) { return order_statistics(array, axis, ranks, name.c_str()); });
}

py::object partitioned(const py::object& x, int axis, const std::vector<int64_t>& ranks, bool descending,
                       const std::string& name) {
    return result_of(array_argument(x, name.c_str()),
                     [&](const Array& array) { return partition(array, axis, ranks, descending, name.c_str()); });
}

py::object partitioned_places(const py::object& x, int axis, const std::vector<int64_t>& ranks, bool descending,
                              const std::string& name) {
    return result_of(array_argument(x, name.c_str()),
                     [&](const Array& array) { return argpartition(array, axis, ranks, descending, name.c_str()); });
}

py::object places_in(const py::object& sorted, const py::object& values, bool right) {
    const Array& row = array_argument(sorted, "searchsorted");
    return result_of(array_argument(values, "searchsorted"),
                     [&](const Array& array) { return search_sorted(row, array, right); });
}

py::object tallied(const py::object& values, const py::object& edges, bool equal_bins, const py::object& weights,
                   Integer<"minlength"> bins, const std::string& name) {
    const Array* const between = edges.is_none() ? nullptr : &array_argument(edges, name.c_str());
    const Array* const weighed = weights.is_none() ? nullptr : &array_argument(weights, name.c_str());
    return result_of(array_argument(values, name.c_str()), [&](const Array& array) {
        return histogram(array, between, equal_bins, weighed, bins, name.c_str());
    });
}

}  // namespace

void bind_sorting(py::module_& m) {
    m.def("sort", &sorted_copy, py::arg("x"), py::arg("axis"), py::arg("descending") = false, py::arg("name") = "sort");
    m.def("sort_in_place", &sort_array, py::arg("x"), py::arg("axis"), py::arg("descending") = false);
    m.def("argsort", &sorted_places, py::arg("x"), py::arg("axis"), py::arg("descending") = false,
          py::arg("name") = "argsort");
    m.def("lexsort", &sorted_places_by, py::arg("keys"), py::arg("axis"));
    m.def("partition", &partitioned, py::arg("x"), py::arg("axis"), py::arg("ranks"), py::arg("descending"),
          py::arg("name"));
    m.def("argpartition", &partitioned_places, py::arg("x"), py::arg("axis"), py::arg("ranks"), py::arg("descending"),
          py::arg("name"));
    m.def("order_statistics", &statistics, py::arg("x"), py::arg("axis"), py::arg("ranks"), py::arg("name"));
    m.def("search_sorted", &places_in, py::arg("sorted"), py::arg("values"), py::arg("right"));
    m.def("tally", &tallied, py::arg("values"), py::arg("edges"), py::arg("equal_bins"), py::arg("weights"),
          py::arg("bins"), py::arg("name"));
}

}  // namespace cuarray::python
