// joining.h -- arrays joined along an axis, and parts of arrays.
#pragma once
#include <optional>
#include <variant>
#include <vector>
#include "cuarray/array/array.h"
#include "cuarray/ops/arguments.h"
#include "cuarray/ops/creation.h"

namespace cuarray {

/// Arrays joined along an existing axis, in their common dtype (or `dtype`), into `out` if given. Without an axis the
/// flattened arrays are joined, and numbers among them.
CUARRAY_API Array concat(const ArgumentList& arrays, std::optional<int64_t> axis = 0, Array* out = nullptr,
                         DType dtype = DType::none, Casting casting = Casting::SameKind);
/// concat under NumPy's name.
inline Array concatenate(const ArgumentList& arrays, std::optional<int64_t> axis = 0, Array* out = nullptr,
                         DType dtype = DType::none, Casting casting = Casting::SameKind) {
    return concat(arrays, axis, out, dtype, casting);
}
/// Arrays of one shape joined along a new axis.
CUARRAY_API Array stack(const ArrayList& arrays, int64_t axis = 0, Array* out = nullptr, DType dtype = DType::none,
                        Casting casting = Casting::SameKind);
/// Joined along the first axis, arrays of one axis as rows.
CUARRAY_API Array vstack(const ArrayList& tup, DType dtype = DType::none, Casting casting = Casting::SameKind);
/// Joined along the second axis, arrays of one axis along that.
CUARRAY_API Array hstack(const ArrayList& tup, DType dtype = DType::none, Casting casting = Casting::SameKind);
/// Joined along the third axis.
CUARRAY_API Array dstack(const ArrayList& tup);
/// Arrays of one axis as columns, beside matrices.
CUARRAY_API Array column_stack(const ArrayList& tup);
/// An array, or a list of such blocks.
struct Blocks {
    Blocks(const Array& one) : array(one) {}
    Blocks(std::initializer_list<Blocks> list) : entries(list) {}
    explicit Blocks(std::vector<Blocks> list) : entries(std::move(list)) {}
    std::optional<Array> array;
    std::vector<Blocks> entries;  ///< where it is a list
};
/// The arrays of the innermost lists joined along the last axis, the lists around them along the axis before it.
CUARRAY_API Array block(const Blocks& arrays);
namespace functions {

using namespace cuarray;

/// Two arrays joined; without an axis, both flattened.
CUARRAY_API Array append(const Array& arr, const Array& values, std::optional<int64_t> axis = {});

}  // namespace functions

using functions::append;
/// The same of a number, which is an array of int64, float64 or its own kind.
template <NumberType T>
Array append(const Array& arr, T value, std::optional<int64_t> axis = {}) {
    return append(arr, full({}, value, DType::none, 'C', arr.device()), axis);
}

/// The parts without that axis: views, or copies of elements.
CUARRAY_API std::vector<Array> unstack(const Array& x, int64_t axis = 0);
/// So many parts along an axis, which need not be equal, or parts that begin at these positions after the first: views.
CUARRAY_API std::vector<Array> array_split(const Array& ary, const Sections& indices_or_sections, int64_t axis = 0);
/// The same, with equal parts.
CUARRAY_API std::vector<Array> split(const Array& ary, const Sections& indices_or_sections, int64_t axis = 0);
CUARRAY_API std::vector<Array> vsplit(const Array& ary, const Sections& indices_or_sections);
CUARRAY_API std::vector<Array> hsplit(const Array& ary, const Sections& indices_or_sections);
CUARRAY_API std::vector<Array> dsplit(const Array& ary, const Sections& indices_or_sections);

}  // namespace cuarray
