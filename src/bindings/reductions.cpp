// reductions.cpp -- sum, max, argmax, var ... as methods and as functions.
#include "bindings/reductions.h"
#include <iterator>
#include "bindings/ndarray.h"
#include "cuarray/ops/reduction.h"

namespace cuarray::python {
namespace {

}  // namespace

PyObject* no_value() {
    static Attribute no_value{"numpy", "_NoValue"};
    return no_value.get();
}

Array* to_output(PyObject* object, Device device, const char* function, Array& imported) {
    if (!is_given(object) || object == no_value()) return nullptr;
    if (is_ndarray(object)) return &array_of(object);
    if (!is_numpy_array(object))
        fail(PyExc_TypeError, "%s: out must be an array, not %R", function, reinterpret_cast<PyObject*>(Py_TYPE(object)));
    if (!is_on_host(device))
        raise(ErrorKind::Type, function, ": out is a NumPy array beside an array on ", to_string(device),
              "; write cuarray.asarray(out, device='", to_string(device), "')");
    imported = import_numpy(object, function);
    return &imported;
}

const Array* to_mask(PyObject* object, CallDevice device, const char* function, ArrayOrScalar& operand,
                     Array& scalar) {
    if (!object || object == Py_True || object == no_value()) return nullptr;
    if (object == Py_None) raise(ErrorKind::Type, function, ": where= takes a bool array, not None");
    operand.load_any(object, device, function);
    if (!operand.is_scalar()) return operand.array();
    const DType dtype = operand.default_dtype();
    if (dtype != DType::bool_)
        raise(ErrorKind::Type, function, ": where= takes a bool array, not ", info(dtype).name);
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

PyObject* reduce_by_name(ReductionId row, const char* name, PyObject* object, const ReductionCall& call) {
    const CallDevice device = device_of_reduction(object, call);
    const Object owner = to_ndarray(object, device, name);
    const Array& array = array_of(owner.get());
    const ReductionOptions options(call, device, false, name);
    return options.wrap(without_gil(array, [&] { return reduce(row, array, options.get()); }));
}

PyObject* variance_of(PyObject* object, const ReductionCall& call, double correction, bool root, const char* name) {
    const CallDevice device = device_of_reduction(object, call);
    const Object owner = to_ndarray(object, device, name);
    const Array& array = array_of(owner.get());
    const ReductionOptions options(call, device, false, name);
    const Object mean_owner =
        is_given(call.mean) && call.mean != no_value() ? to_ndarray(call.mean, device, name) : Object();
    const Array* const mean = mean_owner ? &array_of(mean_owner.get()) : nullptr;
    return options.wrap(
        without_gil(array, [&] { return variance(array, options.get(), correction, root, mean); }));
}

namespace {

/// A method: its parameters in NumPy's order, and where each of them goes.
struct ReductionMethod {
    Signature signature;
    PyObject* ReductionCall::* fields[6];
};

using R = ReductionCall;
constexpr ReductionMethod kMethods[] = {
    {{"sum", {"axis", "dtype", "out", "keepdims", "initial", "where"}, 6},
     {&R::axis, &R::dtype, &R::out, &R::keepdims, &R::initial, &R::where}},
    {{"prod", {"axis", "dtype", "out", "keepdims", "initial", "where"}, 6},
     {&R::axis, &R::dtype, &R::out, &R::keepdims, &R::initial, &R::where}},
    {{"max", {"axis", "out", "keepdims", "initial", "where"}, 5},
     {&R::axis, &R::out, &R::keepdims, &R::initial, &R::where}},
    {{"min", {"axis", "out", "keepdims", "initial", "where"}, 5},
     {&R::axis, &R::out, &R::keepdims, &R::initial, &R::where}},
    {{"mean", {"axis", "dtype", "out", "keepdims", "where"}, 4},
     {&R::axis, &R::dtype, &R::out, &R::keepdims, &R::where}},
    {{"any", {"axis", "out", "keepdims", "where"}, 3}, {&R::axis, &R::out, &R::keepdims, &R::where}},
    {{"all", {"axis", "out", "keepdims", "where"}, 3}, {&R::axis, &R::out, &R::keepdims, &R::where}},
    {{"argmax", {"axis", "out", "keepdims"}, 2}, {&R::axis, &R::out, &R::keepdims}},
    {{"argmin", {"axis", "out", "keepdims"}, 2}, {&R::axis, &R::out, &R::keepdims}},
};
enum : int { kSum, kProd, kMax, kMin, kMean, kAny, kAll, kArgmax, kArgmin };

template <int which>
PyObject* reduce_method(PyObject* self, PyObject** values) {
    static constexpr const ReductionMethod& kReduction = kMethods[which];
    static const ReductionId kRow = find_reduction(kReduction.signature.function);
    ReductionCall call;
    for (int i = 0; i < 6 && kReduction.fields[i]; ++i) call.*kReduction.fields[i] = values[i];
    return reduce_by_name(kRow, kReduction.signature.function, self, call);
}

template <bool root>
constexpr Signature kVarianceSignature{
    root ? "std" : "var", {"axis", "dtype", "out", "ddof", "keepdims", "where", "mean", "correction"}, 5};
template <bool root>
PyObject* variance_method(PyObject* self, PyObject** values) {
    ReductionCall call;
    call.axis = values[0], call.dtype = values[1], call.out = values[2];
    call.keepdims = values[4], call.where = values[5], call.mean = values[6];
    if (is_given(values[3]) && is_given(values[7]) && values[7] != no_value() && is_true(values[3]))
        fail(PyExc_ValueError, "%s: ddof and correction cannot both be given",
             kVarianceSignature<root>.function);
    PyObject* divisor = is_given(values[7]) && values[7] != no_value() ? values[7] : values[3];
    const Parameter parameter{divisor == values[3] ? "ddof" : "correction",
                              kVarianceSignature<root>.function};
    const double correction = is_given(divisor) ? to_double(divisor, parameter) : 0;
    return variance_of(self, call, correction, root, kVarianceSignature<root>.function);
}

}  // namespace

PyMethodDef reduction_methods[] = {
    {"sum", method(fast_method<kMethods[kSum].signature, reduce_method<kSum>>), kFast,
     "sum($self, /, axis=None, dtype=None, out=None, keepdims=False, initial=0, where=True)\n--\n\n"
     "Sum of the elements over axes."
     "\n\nExamples\n--------\n"
     ">>> import cuarray as ca\n"
     ">>> ca.asarray([[1, 2], [3, 4]]).sum(axis=0)\n"
     "array([4, 6])"},
    {"prod", method(fast_method<kMethods[kProd].signature, reduce_method<kProd>>), kFast,
     "prod($self, /, axis=None, dtype=None, out=None, keepdims=False, initial=1, where=True)\n--\n\n"
     "Product of the elements over axes."
     "\n\nExamples\n--------\n"
     ">>> import cuarray as ca\n"
     ">>> ca.asarray([[1, 2], [3, 4]]).prod(axis=1)\n"
     "array([ 2, 12])"},
    {"max", method(fast_method<kMethods[kMax].signature, reduce_method<kMax>>), kFast,
     "max($self, /, axis=None, out=None, keepdims=False, initial=None, where=True)\n--\n\nLargest element; "
     "NaN wins."
     "\n\nExamples\n--------\n"
     ">>> import cuarray as ca\n"
     ">>> ca.asarray([3, 1, 2]).max()\n"
     "array(3)"},
    {"min", method(fast_method<kMethods[kMin].signature, reduce_method<kMin>>), kFast,
     "min($self, /, axis=None, out=None, keepdims=False, initial=None, where=True)\n--\n\nSmallest element; "
     "NaN wins."
     "\n\nExamples\n--------\n"
     ">>> import cuarray as ca\n"
     ">>> ca.asarray([3, 1, 2]).min()\n"
     "array(1)"},
    {"mean", method(fast_method<kMethods[kMean].signature, reduce_method<kMean>>), kFast,
     "mean($self, /, axis=None, dtype=None, out=None, keepdims=False, *, where=True)\n--\n\nArithmetic mean."
     "\n\nExamples\n--------\n"
     ">>> import cuarray as ca\n"
     ">>> ca.asarray([[1, 2], [3, 4]]).mean(axis=1, keepdims=True)\n"
     "array([[1.5],\n"
     "       [3.5]])"},
    {"any", method(fast_method<kMethods[kAny].signature, reduce_method<kAny>>), kFast,
     "any($self, /, axis=None, out=None, keepdims=False, *, where=True)\n--\n\nWhether any element differs "
     "from 0."
     "\n\nExamples\n--------\n"
     ">>> import cuarray as ca\n"
     ">>> (ca.arange(3) > 1).any()\n"
     "array(True)"},
    {"all", method(fast_method<kMethods[kAll].signature, reduce_method<kAll>>), kFast,
     "all($self, /, axis=None, out=None, keepdims=False, *, where=True)\n--\n\nWhether all elements differ "
     "from 0."
     "\n\nExamples\n--------\n"
     ">>> import cuarray as ca\n"
     ">>> (ca.arange(3) > 1).all()\n"
     "array(False)"},
    {"argmax", method(fast_method<kMethods[kArgmax].signature, reduce_method<kArgmax>>), kFast,
     "argmax($self, /, axis=None, out=None, *, keepdims=False)\n--\n\nIndex of the first largest element."
     "\n\nExamples\n--------\n"
     ">>> import cuarray as ca\n"
     ">>> ca.asarray([3, 9, 2]).argmax()\n"
     "array(1)"},
    {"argmin", method(fast_method<kMethods[kArgmin].signature, reduce_method<kArgmin>>), kFast,
     "argmin($self, /, axis=None, out=None, *, keepdims=False)\n--\n\nIndex of the first smallest element."
     "\n\nExamples\n--------\n"
     ">>> import cuarray as ca\n"
     ">>> ca.asarray([3, 9, 2]).argmin()\n"
     "array(2)"},
    {"var", method(fast_method<kVarianceSignature<false>, variance_method<false>>), kFast,
     "var($self, /, axis=None, dtype=None, out=None, ddof=0, keepdims=False, *, where=True, mean=None, "
     "correction=0)\n--\n\nVariance, with divisor n - correction."
     "\n\nExamples\n--------\n"
     ">>> import cuarray as ca\n"
     ">>> ca.asarray([1.0, 2.0, 4.0, 5.0]).var(ddof=1)\n"
     "array(3.33333333)"},
    {"std", method(fast_method<kVarianceSignature<true>, variance_method<true>>), kFast,
     "std($self, /, axis=None, dtype=None, out=None, ddof=0, keepdims=False, *, where=True, mean=None, "
     "correction=0)\n--\n\nStandard deviation, with divisor n - correction."
     "\n\nExamples\n--------\n"
     ">>> import cuarray as ca\n"
     ">>> ca.asarray([1.0, 3.0]).std()\n"
     "array(1.)"},
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace cuarray::python
