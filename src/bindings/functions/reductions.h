// reductions.h -- the keywords that every reduction takes, read once.
#pragma once
#include <optional>
#include "bindings/functions/convert.h"

namespace cuarray::python {

/// What a call asked of a reduction; null where it was not given.
struct ReductionCall {
    PyObject *axis = nullptr, *dtype = nullptr, *out = nullptr, *keepdims = nullptr, *initial = nullptr,
             *where = nullptr, *mean = nullptr;
};

/// ReduceOptions and what they point at. `default_axis` says what an absent axis means: None, or 0 for ufunc.reduce.
class ReductionOptions {
 public:
    ReductionOptions(const ReductionCall& call, CallDevice device, bool absent_axis_is_zero, const char* function);
    const ReduceOptions& get() const { return options_; }
    void skip_nan() { options_.skips_nan = true; }
    /// The object to return: out, or a new array around `result`.
    PyObject* wrap(Array result) const;
    bool has_output() const { return out_object_; }

 private:
    ReduceOptions options_;
    PyObject* out_object_ = nullptr;
    Array out_, where_scalar_;
    ArrayOrScalar initial_, where_;
    std::optional<Argument> initial_argument_;
};

/// An output: the array of an ndarray itself, or on a host device a NumPy array imported into `imported`; null for
/// None.
Array* to_output(PyObject* object, Device device, const char* function, Array& imported);

/// The output of a method of a ufunc: an array, or a tuple of one. `...` stands for a new array, and null is returned.
PyObject* single_output(PyObject* out, const char* function);

/// The mask of a where=: null for True, None and what was not given; a bool without axes becomes an array in `scalar`.
const Array* to_mask(PyObject* object, CallDevice device, const char* function, ArrayOrScalar& operand, Array& scalar);

/// The device that a reduction of that object runs on.
CallDevice device_of_reduction(PyObject* object, const ReductionCall& call);

/// The reduction of that name of any array-like object, or of what is not NaN in it.
PyObject* reduce_by_name(ReductionId row, const char* name, PyObject* array, const ReductionCall& call,
                         bool skips_nan = false);
/// What a call of a public row says: its parameters, in the order of the signature, without the array.
ReductionCall call_of(ReductionId row, PyObject* const* values);
/// The variance, or its square root, by the parameters of var and std, in their order, without the array.
PyObject* reduce_variance(PyObject* array, PyObject* const* values, bool root);

/// The marker of an absent `initial`.
PyObject* no_value();

}  // namespace cuarray::python
