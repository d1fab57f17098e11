// sorting.cpp -- order statistics and histograms, for the Python package.
#include <vector>
#include "bindings/functions/casters.h"
#include "bindings/module.h"
#include "cuarray/ops/sort.h"

namespace py = pybind11;

namespace cuarray::python {

void bind_sorting(py::module_& m) {
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
