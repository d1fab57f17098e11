// arguments.h -- what functions take, by what it means: it decides how a caller may write it.
#pragma once
#include <variant>
#include "cuarray/array/array.h"
#include "cuarray/core/scalar.h"

namespace cuarray {

/// Axes to work along: one, or a tuple of them; a list there is an operand that went astray.
struct Axes : Dims {
    using Dims::Dims;
    Axes(const Dims& dims) : Dims(dims) {}
};

/// One axis, or a tuple or a list of them.
struct AxisList : Dims {
    using Dims::Dims;
    AxisList(const Dims& dims) : Dims(dims) {}
};

/// One integer, or those of an array of one axis.
struct Integers : Dims {
    using Dims::Dims;
    Integers(const Dims& dims) : Dims(dims) {}
};

/// An array, a number with a dtype, or one that takes the dtype of the arrays beside it.
using ArrayOrNumber = std::variant<Array, Scalar, Weak>;

}  // namespace cuarray
