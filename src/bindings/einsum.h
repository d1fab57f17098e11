// einsum.h -- the subscripts of einsum, read in one place.
#pragma once
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>
#include "bindings/python.h"
#include "cuarray/ops/einsum.h"

namespace cuarray::python {

/// The subscripts as a string without blanks, and the arrays as they are given, from either call form: a string and
/// arrays, or each array followed by numbers of its labels and the result's last.
std::string subscripts_of(PyObject* const* operands, Py_ssize_t count, std::vector<PyObject*>& arrays);

/// The labels of the axes of arrays with so many of them, and of the result; axes of an ellipsis are counted from the
/// end. ValueError for subscripts that do not fit.
struct Subscripts {
    Subscripts(std::string_view text, std::span<const int> ndims);
    std::vector<Dims> of_arrays;
    Dims of_result;
};

/// einsum of arrays, of which `first` is the object of the first one: a view of it, or a new array or value.
PyObject* contract(std::vector<LabelledArray> terms, const Dims& wanted, PyObject* first,
                   std::span<const std::pair<int64_t, int64_t>> path = {});

}  // namespace cuarray::python
