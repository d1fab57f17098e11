// reductions.cpp -- sum, max, argmax, var ... as methods and as functions.
#include "bindings/functions/reductions.h"
#include <algorithm>
#include <cstring>
#include <iterator>
#include <sstream>
#include <utility>
#include "bindings/types/ndarray.h"
#include "cuarray/array/pending.h"
#include "cuarray/ops/reduction.h"

namespace cuarray::python {
PyObject* no_value() {
    static Attribute no_value{"numpy", "_NoValue"};
    return no_value.get();
}

Array* to_output(PyObject* object, Device device, const char* function, Array& imported) {
    if (!is_given(object) || object == no_value()) return nullptr;
    if (is_ndarray(object)) {
        refuse_hashed(object, function);
        return &array_of(object);
    }
    if (!is_numpy_array(object))
        fail(PyExc_TypeError, "%s: out must be an array, not %R", function,
             reinterpret_cast<PyObject*>(Py_TYPE(object)));
    if (!is_on_host(device))
        raise(ErrorKind::Type, function, ": out is a NumPy array beside an array on ", to_string(device),
              "; write cuarray.asarray(out, device='", to_string(device), "')");
    if (has_swapped_bytes(object))
        fail_in(function, PyExc_TypeError,
                "the bytes of out are swapped; leave out= away and write out[...] = y.numpy()");
    imported = import_numpy(object, function);
    return &imported;
}

PyObject* single_output(PyObject* out, const char* function) {
    if (out == Py_Ellipsis) return nullptr;
    if (!out || !PyTuple_Check(out)) return out;
    if (PyTuple_Size(out) != 1) fail(PyExc_ValueError, "%s: the 'out' tuple must have exactly one entry", function);
    PyObject* const sole = PyTuple_GetItem(out, 0);
    if (sole == Py_None) fail(PyExc_TypeError, "%s: out must be an array, not (None,)", function);
    return sole;
}

const Array* to_mask(PyObject* object, CallDevice device, const char* function, ArrayOrScalar& operand, Array& scalar) {
    if (!object || object == Py_True || object == no_value()) return nullptr;
    if (object == Py_None) raise(ErrorKind::Type, function, ": where= takes a bool array, not None");
    operand.load_any(object, device, function);
    if (!operand.is_scalar()) return operand.array();
    const DType dtype = operand.default_dtype();
    if (dtype != DType::bool_) raise(ErrorKind::Type, function, ": where= takes a bool array, not ", info(dtype).name);
    scalar = full({}, operand.element(dtype, function), device);
    return &scalar;
}

CallDevice device_of_reduction(PyObject* object, const ReductionCall& call) {
    PyObject* const objects[] = {object, call.out, call.initial, call.where, call.mean};
    return common_device(objects, std::size(objects));
}

ReductionOptions::ReductionOptions(const ReductionCall& call, CallDevice device, bool absent_axis_is_zero,
                                   const char* function) {
    options_.all_axes = call.axis == Py_None || (!call.axis && !absent_axis_is_zero);
    if (!options_.all_axes) options_.axes = call.axis ? to_axes(call.axis, function) : Dims{0};
    options_.keepdims = is_given(call.keepdims) && call.keepdims != no_value() && is_true(call.keepdims);
    options_.dtype = to_dtype(call.dtype, DType::none, function);
    options_.out = to_output(call.out, device, function, out_);
    if (options_.out) out_object_ = call.out;
    options_.no_initial = call.initial == Py_None;
    if (is_given(call.initial) && call.initial != no_value()) {
        initial_.load_any(call.initial, device, function);
        options_.initial = &initial_argument_.emplace(initial_.argument());
    }
    options_.where = to_mask(call.where, device, function, where_, where_scalar_);
}

PyObject* ReductionOptions::wrap(Array result) const {
    return out_object_ ? Py_NewRef(out_object_) : wrap_result(std::move(result));
}

namespace {

/// The reduction of few elements, over all axes or along one of several; null where the call says more than that, or
/// where it is a task.
PyObject* reduce_few_by_name(ReductionId row, PyObject* object, const ReductionCall& call) {
    if (!is_ndarray(object) || is_given(call.dtype) || is_given(call.out)) return nullptr;
    if (call.initial && call.initial != no_value()) return nullptr;
    if ((call.keepdims && call.keepdims != Py_False) || (call.where && call.where != Py_True)) return nullptr;
    const Array& array = array_of(object);
    if (!is_given(call.axis)) {
        Scalar result;
        return reduce_few(row, array, result) ? wrap(result) : nullptr;
    }
    const int ndim = array.ndim();
    int64_t axis;
    if (ndim < 2 || !read_plain_int(call.axis, axis) || axis < -ndim || axis >= ndim) return nullptr;
    Array result = reduce_few(row, array, int(axis < 0 ? axis + ndim : axis));
    return result.defined() ? wrap(std::move(result)) : nullptr;
}

}  // namespace

PyObject* reduce_by_name(ReductionId row, const char* name, PyObject* object, const ReductionCall& call,
                         bool skips_nan) {
    if (!skips_nan)
        if (PyObject* const result = reduce_few_by_name(row, object, call)) return result;
    // The interpreter's stack holds one reference; another one is a name.
    if (is_ndarray(object) && Py_REFCNT(object) > 1) settle_if_costly(array_of(object));
    const CallDevice device = device_of_reduction(object, call);
    const Object owner = to_ndarray(object, device, name);
    const Array& array = array_of(owner.get());
    ReductionOptions options(call, device, false, name);
    if (skips_nan && info(array.dtype()).kind >= Kind::Floating) options.skip_nan();
    return options.wrap(without_gil(array, [&] { return reduce(row, array, options.get()); }));
}

PyObject* reduce_variance(PyObject* object, PyObject* const* values, bool root) {
    const char* const name = root ? "std" : "var";
    const auto is_value = [](PyObject* x) { return is_given(x) && x != no_value(); };
    PyObject *const ddof = values[3], *const correction = values[7];
    if (is_value(ddof) && is_value(correction) && is_true(ddof))
        fail(PyExc_ValueError, "%s: ddof and correction cannot both be given", name);
    const ReductionCall call{values[0], values[1], values[2], values[4], nullptr, values[5], values[6]};
    const double less = is_value(correction) ? to_double(correction, {"correction", name})
                        : is_value(ddof)     ? to_double(ddof, {"ddof", name})
                                             : 0;
    const CallDevice device = device_of_reduction(object, call);
    const Object owner = to_ndarray(object, device, name);
    const Array& array = array_of(owner.get());
    const ReductionOptions options(call, device, false, name);
    const Object mean_owner = is_value(call.mean) ? to_ndarray(call.mean, device, name) : Object();
    const Array* const mean = mean_owner ? &array_of(mean_owner.get()) : nullptr;
    return options.wrap(without_gil(array, [&] { return variance(array, options.get(), less, root, mean); }));
}

namespace {

/// A word of the column `python` of reductions.def: where the argument goes, and how a signature spells its default.
struct ReductionParameter {
    const char* name;
    PyObject* ReductionCall::* field;
    const char* absent;
};
constexpr ReductionParameter kReductionParameters[] = {
    {"axis", &ReductionCall::axis, "None"},       {"dtype", &ReductionCall::dtype, "None"},
    {"out", &ReductionCall::out, "None"},         {"keepdims", &ReductionCall::keepdims, "False"},
    {"initial", &ReductionCall::initial, "None"}, {"where", &ReductionCall::where, "True"},
};

/// A row as a method: its parameters in NumPy's order, and where each of them goes.
struct RowMethod {
    Signature signature{};
    PyObject* ReductionCall::* fields[std::size(kReductionParameters)] = {};
    int parameters = 0;
    std::string doc;
};
/// By ReductionId. The type points at the docstrings.
RowMethod row_methods[kReductions];

/// What a fold of nothing gives, as a signature spells it.
std::string initial_text(ReductionId row) {
    if (!reductions()[row].has_identity) return "None";
    int64_t number;
    std::memcpy(&number, convert(reduction_identity(row, DType::int64), DType::int64).bytes, sizeof number);
    return std::to_string(number);
}

void read_row(ReductionId id) {
    const ReductionRow& row = reductions()[id];
    RowMethod& method = row_methods[id];
    method.signature.function = row.name;
    method.signature.positional = -1;
    std::string text;
    std::istringstream words(std::string(row.parameters + 1, std::strlen(row.parameters) - 2));
    for (std::string word; std::getline(words >> std::ws, word, ',');) {
        text += ", " + word;
        if (word == "*") {
            method.signature.positional = method.parameters;
            continue;
        }
        const auto* const parameter = std::ranges::find(kReductionParameters, word, &ReductionParameter::name);
        if (parameter == std::end(kReductionParameters))
            raise(ErrorKind::Value, "reductions.def: ", row.name, " has an unknown parameter, ", word);
        text += "=" + (parameter->field == &ReductionCall::initial ? initial_text(id) : parameter->absent);
        method.fields[method.parameters] = parameter->field;
        method.signature.names[method.parameters++] = parameter->name;
    }
    if (method.signature.positional < 0) method.signature.positional = method.parameters;
    method.doc = std::string(row.name) + "($self, /" + text + ")\n--\n\n" + row.doc +
                 "\n\nExamples\n--------\n>>> import cuarray as ca\n>>> ca.asarray(" + kReductionSample + ")." +
                 row.name + "(axis=0)\n" + row.example;
}

}  // namespace

ReductionCall call_of(ReductionId row, PyObject* const* values) {
    const RowMethod& method = row_methods[row];
    ReductionCall call;
    for (int i = 0; i < method.parameters; ++i) call.*method.fields[i] = values[i];
    return call;
}

namespace {

template <ReductionId row>
PyObject* reduce_method(PyObject* self, PyObject** values) {
    return reduce_by_name(row, row_methods[row].signature.function, self, call_of(row, values));
}

template <size_t... row>
void add_row_methods(std::vector<PyMethodDef>& to, std::index_sequence<row...>) {
    const PyCFunction functions[] = {method(fast_method<row_methods[row].signature, reduce_method<row>>)...};
    for (ReductionId id = 0; id < kReductions; ++id) {
        if (reductions()[id].parameters) read_row(id);
        if (!reductions()[id].is_method) continue;
        to.push_back({reductions()[id].name, functions[id], kFast, row_methods[id].doc.c_str()});
    }
}

template <bool root>
constexpr Signature kVarianceSignature{
    root ? "std" : "var", {"axis", "dtype", "out", "ddof", "keepdims", "where", "mean", "correction"}, 5};
template <bool root>
PyObject* variance_method(PyObject* self, PyObject** values) {
    return reduce_variance(self, values, root);
}

const PyMethodDef kVarianceMethods[] = {
    {"var", method(fast_method<kVarianceSignature<false>, variance_method<false>>), kFast,
     "var($self, /, axis=None, dtype=None, out=None, ddof=0, keepdims=False, *, where=True, mean=None, "
     "correction=0)\n--\n\nVariance, with divisor n - correction."
     "\n\nExamples\n--------\n"
     ">>> import cuarray as ca\n"
     ">>> ca.asarray([1.0, 2.0, 4.0, 5.0]).var(ddof=1)\n"
     "np.float64(3.3333333333333335)"},
    {"std", method(fast_method<kVarianceSignature<true>, variance_method<true>>), kFast,
     "std($self, /, axis=None, dtype=None, out=None, ddof=0, keepdims=False, *, where=True, mean=None, "
     "correction=0)\n--\n\nStandard deviation, with divisor n - correction."
     "\n\nExamples\n--------\n"
     ">>> import cuarray as ca\n"
     ">>> ca.asarray([1.0, 3.0]).std()\n"
     "np.float64(1.0)"},
};

}  // namespace

void add_reduction_methods(std::vector<PyMethodDef>& to) {
    add_row_methods(to, std::make_index_sequence<kReductions>());
    to.insert(to.end(), std::begin(kVarianceMethods), std::end(kVarianceMethods));
}

}  // namespace cuarray::python
