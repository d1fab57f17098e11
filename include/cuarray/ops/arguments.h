// arguments.h -- what functions take, by what it means: it decides how a caller may write it.
#pragma once
#include <initializer_list>
#include <memory>
#include <optional>
#include <ranges>
#include <utility>
#include <variant>
#include <vector>
#include "cuarray/array/array.h"
#include "cuarray/core/few.h"
#include "cuarray/core/integers.h"
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

/// A shape or axes, or none: squeeze(x), squeeze(x, 0), squeeze(x, {0, 2}).
template <std::derived_from<Dims> List>
struct OptionalList : std::optional<List> {
    OptionalList() = default;
    OptionalList(std::nullopt_t) {}
    OptionalList(const List& list) : std::optional<List>(list) {}
    OptionalList(List&& list) : std::optional<List>(std::move(list)) {}
    OptionalList(std::initializer_list<int64_t> list) : std::optional<List>(std::in_place, list) {}
    template <IntegerType T>
    OptionalList(T one) : OptionalList({to_int64(one)}) {}
    template <IntegerRange R>
    OptionalList(const R& list) : std::optional<List>(std::in_place, Dims(list)) {}
};
using OptionalDims = OptionalList<Dims>;
using OptionalAxes = OptionalList<Axes>;

/// The axes of two arrays that are contracted with each other, in corresponding order; or how many: the last ones of
/// the first array and the first ones of the second.
struct ContractedAxes : std::variant<int64_t, std::pair<Dims, Dims>> {
    template <IntegerType T>
    ContractedAxes(T count) : variant(to_int64(count)) {}
    ContractedAxes(const Dims& of_first, const Dims& of_second) : variant(std::pair(of_first, of_second)) {}
};

/// How many equal parts an array is split into, or the places where the parts after the first begin.
struct Sections : std::variant<int64_t, Dims> {
    Sections() : variant(Dims()) {}
    template <IntegerType T>
    Sections(T parts) : variant(to_int64(parts)) {}
    template <IntegerRange R>
    Sections(const R& places) : variant(Dims(places)) {}
    Sections(std::initializer_list<int64_t> places) : variant(Dims(places)) {}
};

/// One axis, for which None does not stand.
struct SingleAxis : std::optional<int64_t> {
    using std::optional<int64_t>::optional;
};

/// True or false, and nothing that is true or false.
struct StrictBool {
    bool value = false;

    StrictBool(bool given = false) : value(given) {}
    operator bool() const { return value; }
};

/// Where a ufunc writes its one result: in Python also a tuple of one, or `...` for a new array instead of a value.
struct UfuncOutput {
    Array* array = nullptr;

    UfuncOutput(Array* given = nullptr) : array(given) {}
};

/// One integer, or those of an array of one axis.
struct Integers : Dims {
    using Dims::Dims;
    Integers(const Dims& dims) : Dims(dims) {}
};

/// An array, a number with a dtype, or one that takes the dtype of the arrays beside it: small results need no memory
/// of a device. Programs use it as an array.
struct ArrayOrNumber : std::variant<Array, Scalar, Weak> {
    using std::variant<Array, Scalar, Weak>::variant;

    CUARRAY_API operator Array() const;
    operator Argument() const;
    explicit operator bool() const { return truth(*this); }
    Dims shape() const { return Array(*this).shape(); }
    DType dtype() const { return Array(*this).dtype(); }
    template <NumberType T>
    T item() const {
        return Array(*this).item<T>();
    }
};

inline Argument as_argument(const ArrayOrNumber& one) {
    return std::visit([](const auto& value) { return Argument(value); }, one);
}
inline Argument as_argument(ArrayOrNumber&& one) {
    return std::visit([](auto&& value) { return Argument(std::move(value)); }, std::move(one));
}
inline ArrayOrNumber::operator Argument() const { return as_argument(*this); }

/// Positions of elements, or a mask: a small parameter, which goes to the device of the arrays beside it.
struct IndexArray {
    Array array;
    bool has_dtype = true;  ///< false: an empty list, whose dtype says nothing

    IndexArray() = default;
    IndexArray(const Array& given, bool is_typed = true) : array(given), has_dtype(is_typed) {}
    /// Positions on the current device.
    template <IntegerType T>
    IndexArray(T position) : IndexArray(from_positions(position, {})) {}
    IndexArray(std::initializer_list<int64_t> positions) : IndexArray(Dims(positions)) {}
    template <std::same_as<bool> B>
    IndexArray(std::initializer_list<B> mask) : IndexArray(from_mask(mask.begin(), mask.size())) {}
    template <IntegerRange R>
    IndexArray(const R& positions) : IndexArray(from_positions(Dims(positions), std::ranges::size(positions))) {}

    CUARRAY_API static Array from_positions(const Dims& positions, const Dims& shape);
    CUARRAY_API static Array from_mask(const bool* mask, size_t count);
};

/// How many times each element is repeated: one count, or an array with one for each.
struct RepeatCounts : std::variant<int64_t, Array> {
    RepeatCounts() = default;
    template <IntegerType T>
    RepeatCounts(T count) : variant(to_int64(count)) {}
    RepeatCounts(const Array& counts) : variant(counts) {}
    RepeatCounts(std::initializer_list<int64_t> counts) : variant(IndexArray(counts).array) {}
    template <IntegerRange R>
    RepeatCounts(const R& counts) : variant(IndexArray(counts).array) {}
};

/// The elements that a function writes; without it, all of them.
struct WhereMask : IndexArray {
    using IndexArray::IndexArray;
};

/// An array whose elements a function writes.
struct OutputArray {
    Array array;

    OutputArray() = default;
    OutputArray(const Array& given) : array(given) {}
};

/// What is written into a target, cast as an assignment does: one number, or an array on any device.
struct StoredValues {
    std::optional<Scalar> number;
    std::optional<Weak> weak = {};  ///< a number of C++, which must fit
    Array array;
    bool has_dtype = true;  ///< false: a list of numbers, which takes the target's

    StoredValues() = default;
    StoredValues(const Scalar& given) : number(given) {}
    template <NumberType T>
    StoredValues(T given) : weak(weak_number(given)) {}
    StoredValues(const Array& given, bool is_typed = true) : array(given), has_dtype(is_typed) {}
};

/// What is copied to a target by a casting rule: an array on any device, or a number.
struct CopySource : Argument {
    using Argument::Argument;
    CopySource(const Argument& argument) : Argument(argument) {}
};

/// An argument by the older one of two names, under which None is given, too.
struct OlderName {
    bool is_given = false;
    std::optional<Argument> value;
};

/// The elements that a ufunc computes: those where a bool array is true; all of them without one.
struct ElementMask {
    const Array* array = nullptr;
    std::shared_ptr<const Array> kept = {};

    ElementMask() = default;
    ElementMask(const Array& given) : array(&given) {}
    ElementMask(Array&& given) : kept(std::make_shared<const Array>(std::move(given))) { array = kept.get(); }
};

/// Arrays side by side: pointers to those of a range that has a name. It keeps those of a list in braces, and of a
/// vector that has none.
class ArrayList : public Few<const Array*, 8> {
 public:
    ArrayList() = default;
    template <std::ranges::range Range>
        requires std::same_as<std::ranges::range_value_t<Range>, Array>
    ArrayList(const Range& range) {
        for (const Array& array : range) push_back(&array);
    }
    ArrayList(std::vector<Array>&& arrays) : ArrayList(std::make_shared<const std::vector<Array>>(std::move(arrays))) {}
    ArrayList(std::initializer_list<Array> list) : ArrayList(std::vector<Array>(list)) {}

 private:
    explicit ArrayList(std::shared_ptr<const std::vector<Array>> arrays) : ArrayList(*arrays) {
        kept_ = std::move(arrays);
    }

    std::shared_ptr<const std::vector<Array>> kept_;
};

/// The same of arrays and numbers: it points to arrays that have a name, in braces too, and keeps those that have none.
class ArgumentList : public Few<Argument, 4> {
 public:
    ArgumentList() = default;
    template <std::ranges::range Range>
        requires std::same_as<std::ranges::range_value_t<Range>, ArrayOrNumber>
    ArgumentList(const Range& range) {
        for (const ArrayOrNumber& one : range) push_back(as_argument(one));
    }
    template <std::ranges::range Range>
        requires std::same_as<std::ranges::range_value_t<Range>, Array>
    ArgumentList(const Range& range) {
        for (const Array& array : range) push_back(array);
    }
    ArgumentList(std::vector<ArrayOrNumber>&& all) {
        for (ArrayOrNumber& one : all) push_back(as_argument(std::move(one)));
    }
    ArgumentList(std::vector<Array>&& arrays)
        : ArgumentList(std::make_shared<const std::vector<Array>>(std::move(arrays))) {}
    ArgumentList(std::initializer_list<Argument> list) {
        for (const Argument& one : list) push_back(one);
    }
    template <NumberType T>
    ArgumentList(T number) {
        push_back(Argument(number));
    }

 private:
    explicit ArgumentList(std::shared_ptr<const std::vector<Array>> arrays) : ArgumentList(*arrays) {
        kept_ = std::move(arrays);
    }

    std::shared_ptr<const std::vector<Array>> kept_;
};

}  // namespace cuarray
