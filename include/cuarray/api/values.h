// values.h -- arrays from numbers of C++, numbers from arrays, and arrays as text.
#pragma once
#include <concepts>
#include <initializer_list>
#include <iosfwd>
#include <ranges>
#include <span>
#include <string>
#include <type_traits>
#include <vector>
#include "cuarray/array/array.h"
#include "cuarray/ops/creation.h"
#include "cuarray/runtime/devices.h"

namespace cuarray {

namespace api {

/// A number and no letter.
template <class T>
concept ElementType = NumberType<T> && !Letter<T>;

}  // namespace api

/// A new array of `shape` on a device, of elements in C order in the memory of the program.
template <api::ElementType T>
Array array(const T* elements, const Dims& shape, Device device = current_device()) {
    Dims strides = Dims::filled(shape.size(), 0);
    int64_t step = sizeof(T);
    for (int axis = shape.size() - 1; axis >= 0; --axis) {
        strides[axis] = step;
        step *= shape[axis];
    }
    return from_host(elements, shape, strides, dtype_of_number<T>(), device);
}
template <api::ElementType T>
Array array(T element, Device device = current_device()) {
    return array(&element, Dims{}, device);
}

namespace api {

/// Numbers that lie one behind the other.
template <class R>
concept NumberRange =
    std::ranges::contiguous_range<R> && std::ranges::sized_range<R> && ElementType<std::ranges::range_value_t<R>>;
template <class R>
concept ScatteredNumbers =
    std::ranges::forward_range<R> && ElementType<std::ranges::range_value_t<R>> && !std::ranges::contiguous_range<R>;
template <class R>
concept RangeOfRanges = std::ranges::forward_range<R> && std::ranges::forward_range<std::ranges::range_value_t<R>>;

/// The numbers of lists of equal lengths, in C order.
template <class T>
struct NestedNumbers {
    // A vector of bools has bits.
    std::vector<std::conditional_t<std::is_same_v<T, bool>, unsigned char, T>> numbers;
    Dims shape;

    /// Adds a list, whose numbers or lists lie along an axis.
    template <std::ranges::forward_range R>
    void add(const R& list, int axis = 0) {
        const int64_t length = int64_t(std::ranges::distance(list));
        if (axis == shape.size()) shape.push_back(length);
        if (shape[axis] != length)
            raise(ErrorKind::Value, "array: a list of ", length, " elements beside one of ", shape[axis]);
        if constexpr (RangeOfRanges<R>)
            for (const auto& part : list) add(part, axis + 1);
        else
            numbers.insert(numbers.end(), std::ranges::begin(list), std::ranges::end(list));
    }
    Array on(Device device) const { return array(reinterpret_cast<const T*>(numbers.data()), shape, device); }
};

template <class T, class R>
Array array_of_lists(const R& list, Device device) {
    NestedNumbers<T> nested;
    nested.add(list);
    return nested.on(device);
}

/// ValueError where so many elements do not fill the shape.
inline void require_filled(const Dims& shape, int64_t count) {
    int64_t size = 1;
    for (const int64_t extent : shape) size *= extent;
    if (size != count) raise(ErrorKind::Value, "array: ", count, " elements do not fill the shape ", to_string(shape));
}

template <class R>
struct NumberIn {
    using Type = R;
};
template <std::ranges::range R>
struct NumberIn<R> : NumberIn<std::ranges::range_value_t<R>> {};

}  // namespace api

/// The numbers of a std::vector, std::array, std::span or other contiguous range, of a shape or along one axis.
template <api::NumberRange R>
    requires(!std::is_array_v<R>)  // is a pointer
Array array(const R& elements, const Dims& shape, Device device = current_device()) {
    api::require_filled(shape, std::ranges::size(elements));
    return array(std::ranges::data(elements), shape, device);
}
/// {} is the shape of a number.
template <api::NumberRange R>
    requires(!std::is_array_v<R>)
Array array(const R& elements, std::initializer_list<int64_t> shape, Device device = current_device()) {
    return array(elements, Dims(shape), device);
}
template <api::NumberRange R>
Array array(const R& elements, Device device = current_device()) {
    return array(std::ranges::data(elements), Dims(std::ranges::size(elements)), device);
}
/// The same of a list, a deque, a view or a vector of bools, whose numbers lie elsewhere.
template <api::ScatteredNumbers R>
Array array(const R& elements, Device device = current_device()) {
    return api::array_of_lists<std::ranges::range_value_t<R>>(elements, device);
}
template <api::ScatteredNumbers R>
Array array(const R& elements, const Dims& shape, Device device = current_device()) {
    const Array flat = array(elements, device);
    api::require_filled(shape, flat.size());
    return flat.reshape(shape);
}
template <api::ScatteredNumbers R>
Array array(const R& elements, std::initializer_list<int64_t> shape, Device device = current_device()) {
    return array(elements, Dims(shape), device);
}
/// The numbers of vectors of vectors, of arrays of arrays and so on, in their shape or another one. ValueError for
/// lists of unequal lengths.
template <api::RangeOfRanges R>
    requires api::ElementType<typename api::NumberIn<R>::Type>
Array array(const R& lists, Device device = current_device()) {
    return api::array_of_lists<typename api::NumberIn<R>::Type>(lists, device);
}
template <api::RangeOfRanges R>
    requires api::ElementType<typename api::NumberIn<R>::Type>
Array array(const R& lists, const Dims& shape, Device device = current_device()) {
    const Array all = array(lists, device);
    api::require_filled(shape, all.size());
    return all.reshape(shape);
}
template <api::RangeOfRanges R>
    requires api::ElementType<typename api::NumberIn<R>::Type>
Array array(const R& lists, std::initializer_list<int64_t> shape, Device device = current_device()) {
    return array(lists, Dims(shape), device);
}
/// array({1., 2.}), array({{1, 2}, {3, 4}}): the dtype is that of the numbers, int32 for int.
template <api::ElementType T>
Array array(std::initializer_list<T> elements, const Dims& shape, Device device = current_device()) {
    return array(std::span<const T>(elements.begin(), elements.size()), shape, device);
}
template <api::ElementType T>
Array array(std::initializer_list<T> elements, std::initializer_list<int64_t> shape, Device device = current_device()) {
    return array(elements, Dims(shape), device);
}
template <api::ElementType T>
Array array(std::initializer_list<T> elements, Device device = current_device()) {
    return array(elements.begin(), Dims(elements.size()), device);
}
namespace api {

/// A number among others of several types, as float64. That it is a class ranks a list of such numbers behind lists of
/// one type, also of lists.
struct AnyNumber {
    template <NumberType T>
        requires std::convertible_to<T, double>
    AnyNumber(T number) : value(double(number)) {}
    operator double() const { return value; }
    double value;
};
/// A type that no argument tells: templates of it rank behind those that arguments tell.
template <std::same_as<AnyNumber> T>
using Given = std::type_identity_t<T>;

inline Array array_of_any(std::initializer_list<AnyNumber> elements, const Dims& shape, Device device) {
    return array(std::vector<double>(elements.begin(), elements.end()), shape, device);
}

}  // namespace api

/// array({1, 2.5}): numbers of several types, as float64.
inline Array array(std::initializer_list<api::AnyNumber> elements, Device device = current_device()) {
    return api::array_of_any(elements, Dims(elements.size()), device);
}
inline Array array(std::initializer_list<api::AnyNumber> elements, const Dims& shape,
                   Device device = current_device()) {
    return api::array_of_any(elements, shape, device);
}
inline Array array(std::initializer_list<api::AnyNumber> elements, std::initializer_list<int64_t> shape,
                   Device device = current_device()) {
    return api::array_of_any(elements, Dims(shape), device);
}
template <api::ElementType T>
Array array(std::initializer_list<std::initializer_list<T>> rows, Device device = current_device()) {
    return api::array_of_lists<T>(rows, device);
}
template <api::ElementType T>
Array array(std::initializer_list<std::initializer_list<std::initializer_list<T>>> stack,
            Device device = current_device()) {
    return api::array_of_lists<T>(stack, device);
}
/// array({{1, 2.5}, {3, 4}}): the same.
template <std::same_as<api::AnyNumber> N = api::AnyNumber>
Array array(std::initializer_list<std::initializer_list<api::Given<N>>> rows, Device device = current_device()) {
    return api::array_of_lists<double>(rows, device);
}
template <std::same_as<api::AnyNumber> N = api::AnyNumber>
Array array(std::initializer_list<std::initializer_list<std::initializer_list<api::Given<N>>>> stack,
            Device device = current_device()) {
    return api::array_of_lists<double>(stack, device);
}

/// `num` equally spaced numbers from start to stop, which is the last one or, without `endpoint`, the one behind it; of
/// arrays along a new axis. functions::linspace gives their distance, too.
inline Array linspace(const Argument& start, const Argument& stop, int64_t num = 50, bool endpoint = true,
                      DType dtype = DType::none, int64_t axis = 0) {
    return functions::linspace(start, stop, num, endpoint, false, dtype, axis)[0];
}

template <NumberType T>
T Array::item() const {
    const Scalar element = convert(cuarray::item(*this, "item"), dtype_of_number<T>());
    T value;
    std::memcpy(&value, element.bytes, sizeof value);
    return value;
}

template <NumberType T>
std::vector<T> Array::to_vector() const {
    const Array elements = astype(*this, dtype_of_number<T>(), 'K', false);
    if constexpr (std::is_same_v<T, bool>) {
        std::vector<unsigned char> bytes(size_t(elements.size()));
        read_contiguous(elements, bytes.data());
        return {bytes.begin(), bytes.end()};
    } else {
        std::vector<T> values(size_t(elements.size()));
        read_contiguous(elements, values.data());
        return values;
    }
}

/// NumPy's text of an array, "array([1., 2.])": of more than 1000 elements the first and last three along each axis.
CUARRAY_API std::string to_string(const Array& array);
CUARRAY_API std::ostream& operator<<(std::ostream& stream, const Array& array);
/// "float64", "cuda:0".
CUARRAY_API std::ostream& operator<<(std::ostream& stream, DType dtype);
CUARRAY_API std::ostream& operator<<(std::ostream& stream, const Device& device);
/// "(3, 4)".
CUARRAY_API std::ostream& operator<<(std::ostream& stream, const Dims& shape);

}  // namespace cuarray
