// call.h -- one call of a row: its arguments and options, the loop, device and shape chosen for it, and its execution.
#pragma once
#include <span>

#include "cuarray/ops/ufunc.h"

namespace cuarray {

/// A call as it is being planned.
struct Call {
    const Row& row;
    std::span<const Argument> args;
    const UfuncOptions& options;
    LoopId loop = kNone;
    const Loop* types = nullptr;  ///< of that loop
    Device device;
    Dims shape;
    const Array* arrays[kMaxIn] = {};  ///< array operands; null if the operand is a scalar
    Scalar scalars[kMaxIn];            ///< scalar operands, already of the loop's dtype

    Call(const Row& row, std::span<const Argument> args, const UfuncOptions& options)
        : row(row), args(args), options(options) {}
    const char* name() const { return row.name; }
    /// Visits the arrays among the arguments, then those among the options.
    template <class Visit>
    void for_each_array(Visit visit) const {
        for (const Argument& arg : args)
            if (arg.array) visit(*arg.array);
        for (const Array* out : options.out)
            if (out) visit(*out);
        if (options.where) visit(*options.where);
    }
};

/// Whether an integer dtype can represent the number; false for bool.
bool holds(DType dtype, const Weak& number);

/// Whether an argument may become an element: a dtype by the casting rule, a Python number if the kind can hold it.
CUARRAY_API bool may_pass(ArgType arg, DType to, Casting casting);

/// The dtype of an array of such Python numbers.
DType default_dtype(Weak::Kind kind);

/// The truth value of a Python number.
bool is_true(const Weak& number);

/// A number as an element that is assigned: OverflowError or ValueError where an integer dtype does not hold a Python
/// number, or a signed one a scalar; TypeError for a complex number in a real dtype.
CUARRAY_API Scalar stored_element(const Argument& number, DType dtype, const char* function);

/// A Python number as an input of the loop, of dtype `in`. A logical row takes its truth value, which a cast may lose.
Scalar element(const Row& row, const Loop& loop, const Weak& number, DType in);

/// The planning steps, in this order; each raises NumPy's error if nothing fits.
void choose_device(Call& call);
void choose_loop(Call& call);
void choose_shape(Call& call);
void check_outputs(const Call& call);
/// The order of axes of a new result.
Dims result_order(const Call& call);
/// The strides of a new result in that order.
Dims result_strides(const Call& call, int64_t item);

/// A call after these steps.
CUARRAY_API Call planned_call(RowId row, std::span<const Argument> args, const UfuncOptions& options);
/// Defers a planned call if it may wait and has no outputs, which takes no longer for many elements than for few.
/// False: nothing has happened.
CUARRAY_API bool defer_planned(const Call& call, UfuncResult& result);
/// Computes a planned call, or defers it.
CUARRAY_API UfuncResult call_planned(const Call& call);

/// Computes the call now.
UfuncResult run_call(const Call& call);

}  // namespace cuarray
