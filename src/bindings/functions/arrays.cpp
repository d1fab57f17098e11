// arrays.cpp -- what the Python package is built on: creation, joining, questions about memory, reductions, deferral.
#include <pybind11/numpy.h>
#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>
#include "bindings/functions/casters.h"
#include "bindings/functions/reductions.h"
#include "bindings/module.h"
#include "bindings/protocols/interfaces.h"
#include "bindings/protocols/other_arrays.h"
#include "bindings/types/ndarray.h"
#include "cuarray/array/elements.h"
#include "cuarray/array/pending.h"
#include "cuarray/ops/lapack_routine.h"
#include "cuarray/ops/matmul.h"
#include "cuarray/ops/reduction.h"
#include "cuarray/ops/shaping.h"
#include "cuarray/runtime/registry.h"
#include "ops/fourier_transform.h"

namespace py = pybind11;

namespace cuarray::python {
namespace {

Object strided_view(PyObject* x, const Dims& shape, PyObject* strides) {
    return Object::steal(wrap_view(as_strided(to_array(x, "as_strided"), shape, to_dims(strides, {"strides"})), x));
}

/// to[mask] = value elementwise; `value` is an array, on any device, or a number.
void store_where(const Array& target, const Array& mask, PyObject* value, const char* name) {
    ArrayOrScalar operand;
    operand.load_any(value, target.device(), name);
    warn_of_lost_imaginary_part(operand.default_dtype(), target.dtype());
    if (operand.is_scalar()) {
        const Scalar element = operand.element(target.dtype(), name);
        return without_gil(target, [&] { fill_where(target, mask, element, name); });
    }
    const GilRelease released;
    const Array& source = *operand.array();
    if (source.device() == target.device()) return assign_where(target, mask, source, name);
    assign_where(target, mask, to_device(astype(source, target.dtype(), 'K', false), target.device()), name);
}

bool shares_memory(PyObject* a, PyObject* b) {
    const auto read = [](PyObject* object) {
        return py::isinstance<py::array>(object) ? import_numpy(object) : to_array(object, "shares_memory");
    };
    return overlaps(read(a), read(b));
}

ReductionId to_reduction(const char* name) {
    const ReductionId row = find_reduction(name);
    if (row == cuarray::kNone) raise(ErrorKind::Value, "there is no reduction named ", name);
    return row;
}

Object reduce_array(const char* name, PyObject* array, PyObject* axis, PyObject* dtype, PyObject* out,
                    PyObject* keepdims, PyObject* initial, PyObject* where) {
    return Object::steal(reduce_by_name(to_reduction(name), name, array, {axis, dtype, out, keepdims, initial, where}));
}

std::pair<Array, Array> sum_weighted(const char* name, PyObject* array, const Array& weights, PyObject* axis,
                                     PyObject* dtype, PyObject* keepdims) {
    const Array& x = to_array(array, name);
    const ReductionCall call{axis, dtype, nullptr, keepdims};
    ReduceOptions options = ReductionOptions(call, device_of_reduction(array, call), false, name).get();
    options.name = name;
    return without_gil(x, [&] { return weighted_sums(x, weights, options); });
}

/// `arrays`: the matrices, then pivots and right sides, or the factors of reflectors.
py::list run_lapack(const std::string& kind, const std::vector<Array>& arrays, DType dtype, bool lower,
                    const std::string& vectors, int64_t solved, const char* name) {
    using Kind = LapackRoutine::Kind;
    using VectorSet = LapackRoutine::VectorSet;
    static const std::map<std::string, Kind> kKinds{
        {"potrf", Kind::Potrf}, {"getrf", Kind::Getrf}, {"getrs", Kind::Getrs}, {"geqrf", Kind::Geqrf},
        {"orgqr", Kind::Orgqr}, {"syevd", Kind::Syevd}, {"gesvd", Kind::Gesvd}, {"geev", Kind::Geev}};
    static const std::map<std::string, VectorSet> kVectors{
        {"none", VectorSet::None}, {"reduced", VectorSet::Reduced}, {"full", VectorSet::Full}};
    LapackInputs inputs{arrays[0]};
    if (arrays.size() > 1) inputs.numbers = arrays[1];
    if (arrays.size() > 2) inputs.right = arrays[2];
    inputs.solved = solved, inputs.lower = lower, inputs.vectors = kVectors.at(vectors);
    const Kind routine = kKinds.at(kind);
    py::list results;
    for (const Array& array : without_gil(true, [&] { return lapack_routine(routine, inputs, dtype, name); }))
        results.append(Object::steal(wrap(Array(array))));
    return results;
}

void bind_memory(py::module_& m) {
    m.def("as_strided", &strided_view, py::arg("x"), py::arg("shape"), py::arg("strides"));
    m.def(
        "transfer", [](const Array& to, const Array& from) { transfer(to, from, "copyto"); },
        py::call_guard<GilRelease>());
    m.def("assign_where", &store_where);
    m.def("shares_memory", &shares_memory);
    m.attr("element_iterator") = py::reinterpret_steal<py::object>(element_iterator_type().release());
    m.def(
        "as_value",
        [](PyObject* x) {
            const Array& array = to_array(x, "as_value");
            const bool stays = array.ndim() > 0 || as_ndarray(x)->is_value;
            return stays ? Object::share(x) : Object::steal(wrap(Array(array), true));
        },
        "A result without axes as a value; other arrays as they are.");
    m.def("is_ndarray",
          [](PyObject* x) { return is_ndarray(x); });  // which isinstance asks a metaclass of cuarray.numpy
    m.def("is_value", [](PyObject* x) { return is_ndarray(x) && as_ndarray(x)->is_value; });
    m.def(
        "fourier_transforms",
        [](PyObject* x, const std::vector<std::tuple<std::string, int64_t, int>>& plan, const std::string& norm,
           const char* name) {
            using enum fft::AxisTransform;
            static const std::map<std::string, fft::AxisTransform> kKinds{
                {"fft", Fft}, {"ifft", Ifft}, {"rfft", Rfft}, {"irfft", Irfft}, {"hfft", Hfft}, {"ihfft", Ihfft}};
            static const std::map<std::string, fft::Norm> kNorms{
                {"backward", fft::Norm::Backward}, {"ortho", fft::Norm::Ortho}, {"forward", fft::Norm::Forward}};
            const Array& array = to_array(x, name);
            std::vector<fft::TransformStep> steps;
            for (const auto& [kind, points, axis] : plan) steps.push_back({kKinds.at(kind), points, axis});
            return Object::steal(
                wrap(without_gil(true, [&] { return fft::transformed(array, steps, kNorms.at(norm), name); })));
        },
        "The transforms of one axis after another, by a GPU's library; `plan` has name, points and axis of each.");
    m.def("lapack_routine", &run_lapack,
          "What a routine of LAPACK computes on a GPU, from matrices stored by columns.");
    m.def(
        "plan_cache",
        [](Device device) -> std::optional<std::pair<int64_t, int64_t>> {
            PlanCache* const plans = backend(device).plan_cache();
            if (!plans) return {};
            return std::pair(plans->limit(), plans->count());
        },
        "The limit and the number of a GPU's plans of Fourier transforms.");
    m.def("limit_plan_cache", [](Device device, int64_t limit) {
        if (PlanCache* const plans = backend(device).plan_cache()) plans->set_limit(limit);
    });
    m.def("begin_eager", &begin_eager);
    m.def("end_eager", &end_eager);
    m.def("settle_all", &settle_all, py::call_guard<GilRelease>(), "Computes what this thread has deferred.");
    m.def(
        "is_pending", [](const Array& x) { return x.is_pending() && x.pending()->graph; },
        "Whether the array waits to be computed.");
    m.def("begin_deferral", &begin_deferral);
    m.def("end_deferral", &end_deferral, py::call_guard<GilRelease>());
    m.def("begin_deterministic", &Deterministic::begin);
    m.def("end_deterministic", &Deterministic::end);
    m.def("begin_tf32", &Tf32Products::begin);
    m.def("end_tf32", &Tf32Products::end);
    m.def(
        "export_address", [](const Array& x) { export_address(x); },
        "Counts the memory as shared with other code from now on.");
    m.def("begin_function_deferral", &begin_function_deferral);
    m.def("end_function_deferral", &end_function_deferral, py::call_guard<GilRelease>());
    m.def("begin_call_deferral", &begin_call_deferral);
    m.def("end_call_deferral", &end_call_deferral, py::call_guard<GilRelease>());
}

void bind_reductions(py::module_& m) {
    m.def("reduce", &reduce_array, py::arg("name"), py::arg("array"), py::arg("axis") = py::none(),
          py::arg("dtype") = py::none(), py::arg("out") = py::none(), py::arg("keepdims") = false,
          py::arg("initial") = py::handle(no_value()), py::arg("where") = true);
    m.def("weighted_sums", &sum_weighted);
}

}  // namespace

void bind_arrays(py::module_& module) {
    bind_array_functions(module.ptr());
    bind_dtype_functions(module.ptr());
    bind_memory(module);
    bind_reductions(module);
}

}  // namespace cuarray::python
