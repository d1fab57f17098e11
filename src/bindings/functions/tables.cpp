// tables.cpp -- dtypes, promotion, and the rows of ufuncs.def and reductions.def as data for docs, stubs and tests.
#include <string>
#include <vector>
#include "bindings/functions/casters.h"
#include "bindings/functions/ufunc.h"
#include "bindings/module.h"

namespace py = pybind11;

namespace cuarray::python {
namespace {

py::object dtype_name(DType dtype) { return py::str(info(dtype).name); }

py::object text_or_none(const char* text) { return text ? py::object(py::str(text)) : py::object(py::none()); }

py::list flag_names(uint32_t flags) {
    py::list names;
    for (const char* word : flag_words(flags)) names.append(word);
    return names;
}

py::list row_table() {
    py::list table;
    for (const Row& row : rows()) {
        py::list row_loops;
        for (const Loop& loop : loops().subspan(row.first_loop, row.loops)) {
            py::tuple in(row.nin), out(row.nout);
            for (int i = 0; i < row.nin; ++i) in[i] = dtype_name(loop.in[i]);
            for (int i = 0; i < row.nout; ++i) out[i] = dtype_name(loop.out[i]);
            row_loops.append(py::make_tuple(in, out));
        }
        py::dict entry;
        entry["name"] = row.name;
        entry["nin"] = int(row.nin);
        entry["nout"] = int(row.nout);
        entry["doc"] = row.doc;
        entry["identity"] = text_or_none(row.identity);
        entry["flags"] = flag_names(row.flags);
        entry["loops"] = row_loops;
        table.append(entry);
    }
    return table;
}

py::list reduction_table() {
    py::list table;
    for (size_t row = 0; row < reductions().size(); ++row) {
        const ReductionRow& reduction = reductions()[row];
        py::dict results;
        for (int d = 0; d < kDTypes; ++d)
            if (reduction.domain >> d & 1)
                results[dtype_name(DType(d))] = dtype_name(reduction_result(ReductionId(row), DType(d)));
        py::dict entry;
        entry["name"] = reduction.name;
        entry["doc"] = reduction.doc;
        entry["ufunc"] = text_or_none(reduction.ufunc == cuarray::kNone ? nullptr : rows()[reduction.ufunc].name);
        entry["parameters"] = text_or_none(reduction.parameters);
        entry["sample"] = kReductionSample;
        entry["example"] = text_or_none(reduction.example);
        entry["is_method"] = reduction.is_method;
        entry["has_identity"] = reduction.has_identity;
        entry["flags"] = flag_names(reduction.flags);
        entry["domain"] = py::list(results);
        entry["results"] = results;
        table.append(entry);
    }
    return table;
}

DType or_float64(DType dtype) { return dtype == DType::none ? DType::float64 : dtype; }

Object resolve_types(const char* name, PyObject* arguments) {
    const RowId row = find_row(name);
    if (row == kNone) raise(ErrorKind::Value, "there is no ufunc named ", name);
    return resolve_dtypes(row, arguments, {}, Casting::SameKind, false);
}

}  // namespace

void bind_tables(py::module_& module) {
    module.def("rows", &row_table, "The rows of ufuncs.def.");
    module.def("reductions", &reduction_table, "The rows of reductions.def.");
    module.def("dtype", &or_float64);
    module.def("dtype_names", [] {
        py::list names;
        for (int d = 0; d < kDTypes; ++d) names.append(dtype_name(DType(d)));
        return names;
    });
    module.def("resolve_types", &resolve_types);
}

}  // namespace cuarray::python
