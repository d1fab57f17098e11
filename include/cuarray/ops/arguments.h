// arguments.h -- what functions take, by what it means: it decides how a caller may write it.
#pragma once
#include <concepts>
#include <ranges>
#include <variant>
#include "cuarray/array/array.h"
#include "cuarray/core/few.h"
#include "cuarray/core/scalar.h"
#include "cuarray/ops/ufunc.h"

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

inline Argument as_argument(const ArrayOrNumber& one) {
    return std::visit([](const auto& value) { return Argument(value); }, one);
}

/// Arrays side by side: pointers to those of a range, which live as long as the caller keeps them.
class ArrayList : public Few<const Array*, 8> {
 public:
    ArrayList() = default;
    template <std::ranges::range Range>
        requires std::same_as<std::ranges::range_value_t<Range>, Array>
    ArrayList(const Range& range) {
        for (const Array& array : range) push_back(&array);
    }
};

/// The same of arrays and numbers.
class ArgumentList : public Few<Argument, 4> {
 public:
    ArgumentList() = default;
    template <std::ranges::range Range>
        requires std::same_as<std::ranges::range_value_t<Range>, ArrayOrNumber>
    ArgumentList(const Range& range) {
        for (const ArrayOrNumber& one : range) push_back(as_argument(one));
    }
};

}  // namespace cuarray
