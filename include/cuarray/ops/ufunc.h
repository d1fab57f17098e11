// ufunc.h -- calling a row of ufuncs.def on arrays: type rule, broadcasting, out=, where=, overlap, then one Expr.
#pragma once
#include <concepts>
#include <memory>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>
#include "cuarray/array/array.h"
#include "cuarray/core/scalar.h"
#include "cuarray/core/table.h"

namespace cuarray {

/// An argument of an operation: an array, a scalar with a dtype, or a number of Python or C++, which takes the dtype of
/// the arrays beside it. It points to an array that has a name, and keeps one that has none.
struct Argument {
    const Array* array = nullptr;
    std::optional<Scalar> scalar = {};
    std::optional<Weak> weak = {};
    bool is_dying = false;  ///< nobody reads the array after the call, whose result may take its memory
    std::shared_ptr<const Array> kept = {};

    Argument(const Array& a) : array(&a) {}
    Argument(Array&& a) : kept(std::make_shared<const Array>(std::move(a))) { array = kept.get(); }
    Argument(const Scalar& s) : scalar(s) {}
    Argument(const Weak& w) : weak(w) {}
    template <NumberType T>
    Argument(T number) {
        if constexpr (std::is_same_v<T, bool>)
            scalar = Scalar::of(DType::bool_, number);
        else
            weak = weak_number(number);
    }
    ArgType type() const {
        return weak ? ArgType{DType::none, weak->kind} : ArgType{array ? array->dtype() : scalar->dtype, {}};
    }
};

/// NumPy's keyword arguments of a ufunc.
struct UfuncOptions {
    Array* out[kMaxOut] = {};      ///< given outputs, or null
    const Array* where = nullptr;  ///< a bool array
    LoopSignature signature;       ///< dtypes of the loop that the caller fixes; dtype= fixes those of the outputs
    bool has_signature = false;
    Casting casting = Casting::SameKind;
    char order = 'K';
};

/// The new arrays of a call; empty for outputs that were given.
struct UfuncResult {
    Array array[kMaxOut];
};

/// Applies the row; given outputs are written. Raises NumPy's errors, all before anything is written.
CUARRAY_API UfuncResult call(RowId row, std::span<const Argument> args, const UfuncOptions& options = {});

/// An operand of a call that ends before a temporary array does, so that the result may take its memory.
template <class T>
Argument operand(T&& value) {
    if constexpr (std::derived_from<T, Array> && !std::is_const_v<T>) {
        Argument dying(static_cast<const Array&>(value));
        dying.is_dying = true;
        return dying;
    } else {
        return Argument(std::forward<T>(value));
    }
}

/// The one result of a row that is applied to arrays and numbers.
template <class... Operands>
Array apply_row(RowId row, Operands&&... operands) {
    const Argument args[] = {operand(std::forward<Operands>(operands))...};
    return std::move(call(row, args).array[0]);
}

/// Applies the row to scalars and Python numbers on the host, with the bits that arrays give; without a device's
/// memory. False, with nothing done, if the row must be called on arrays: powers, and where tasks are observed or
/// captured.
CUARRAY_API bool call_on_values(RowId row, std::span<const Argument> args, Scalar (&results)[kMaxOut]);

/// NumPy's keyword arguments of a reduction.
struct ReduceOptions {
    bool all_axes = true;  ///< axis=None
    Dims axes;             ///< else these, not yet normalised
    bool keepdims = false;
    DType dtype = DType::none;
    const Argument* initial = nullptr;
    bool no_initial = false;  ///< initial=None: no identity is used
    const Array* where = nullptr;
    bool skips_nan = false;  ///< of a row with an identity and inexact elements: NaN is left out
    Array* out = nullptr;
    const char* name = nullptr;  ///< in messages and profiles; by default the reduction's
};
/// reduce of any binary ufunc with one result: the row's own reduction if there is one, else a left fold.
CUARRAY_API Array ufunc_reduce(RowId row, const Array& array, const ReduceOptions& options);

/// The ufunc applied to all pairs: result[i..., j...] = f(a[i...], b[j...]).
CUARRAY_API UfuncResult ufunc_outer(RowId row, const Argument& a, const Argument& b, const UfuncOptions& options = {});

}  // namespace cuarray
